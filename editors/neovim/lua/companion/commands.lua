--- The server's commands: from code actions and lenses with an argument, by the user's commands without.
local places = require('companion.places')
local views = require('companion.views')
local M = {}

---@alias companion.Given table? the argument of a code action or lens
---@alias companion.Here {uri?: string, range?: lsp.Range}

---@class companion.Command
---@field complete? fun(given: table, cb: fun(argument?: table)) nil = the argument stays as it is
---@field here? 'file'|'selection'|'range' what of the place is added: its file, a selection, or at least the cursor
---@field done? fun(result: table)
---@field prompt? boolean the user's command takes words

---@param text string
---@param level? integer
local function tell(text, level) vim.notify('Companion: ' .. text:gsub('%s+', ' '), level or vim.log.levels.INFO) end

---@param prompt string
---@param needed boolean
local function ask_for(prompt, needed)
  return function(given, cb)
    if given.prompt then return cb(given) end
    vim.ui.input({ prompt = prompt .. ' ' }, function(words)
      if not words or (needed and vim.trim(words) == '') then return cb(nil) end
      given.prompt = vim.trim(words) ~= '' and words or nil
      cb(given)
    end)
  end
end

local function answered(result) require('companion.events').show_when_ended(result.turnId) end

local function outcomes(result)
  local counts, why = {}, nil
  for _, hunk in ipairs(result.hunks or {}) do
    counts[hunk.outcome] = (counts[hunk.outcome] or 0) + 1
    if hunk.outcome == 'conflict' then why = why or hunk.message end
  end
  local words = {}
  for _, outcome in ipairs({ 'kept', 'undone', 'conflict', 'stale' }) do
    if counts[outcome] then table.insert(words, counts[outcome] .. ' ' .. outcome) end
  end
  local text = #words > 0 and table.concat(words, ', ') or 'no changes here'
  tell(why and (text .. ': ' .. why) or text, counts.conflict and vim.log.levels.WARN or nil)
end

---@param name string
local function as_json(name)
  return function(result)
    local text = vim.json.encode(result)
    -- the order of keys is lost in Lua; jq sorts and indents where it is installed
    local jq = vim.fn.executable('jq') == 1 and vim.system({ 'jq', '-S', '.' }, { stdin = text, text = true }):wait()
    views.show(name, jq and jq.code == 0 and jq.stdout or vim.inspect(result), jq and 'json' or 'lua')
  end
end

---@type table<string, companion.Command>
local commands = {
  ask = { complete = ask_for('Ask Companion:', true), here = 'selection', done = answered, prompt = true },
  edit = {
    complete = ask_for('Edit with Companion (empty: what a comment with @companion says):', false),
    here = 'selection',
    prompt = true,
  },
  fix = { here = 'selection' },
  explain = { here = 'range', done = answered },
  document = { here = 'range' },
  test = { here = 'range' },
  extract = { here = 'range' },
  stop = {},
  approve = {},
  keep = { here = 'file', done = outcomes },
  undo = { here = 'file', done = outcomes },
  diff = { here = 'file', done = function(result) views.show('diff', result.text, 'diff') end },
  threads = { done = as_json('threads') },
  tools = { done = as_json('tools') },
  status = { done = as_json('status') },
  restartServer = {
    done = function(result) tell('restarted ' .. (#result.restarted > 0 and table.concat(result.restarted, ', ') or 'no server')) end,
  },
}

---@param client vim.lsp.Client
---@param name string
---@param argument table
local function send(client, name, argument)
  local params = { command = 'companion.' .. name, arguments = { next(argument) and argument or vim.empty_dict() } }
  require('companion.client').request(client, 'workspace/executeCommand', params, function(err, result)
    if err then return tell(err.message or vim.inspect(err), vim.log.levels.ERROR) end
    if commands[name].done then commands[name].done(result) end
  end)
end

---@param client vim.lsp.Client
---@param name string
---@param given table
local function run(client, name, given)
  local complete = commands[name].complete
  if not complete then return send(client, name, given) end
  complete(given, function(argument)
    if argument then send(client, name, argument) end
  end)
end

--- The selection that a command's range stands for, to the column where it is the last visual one.
---@param buf integer
---@param opts table as of |nvim_create_user_command()|
---@return companion.Span
local function span(buf, opts)
  local from, to = vim.fn.getpos("'<"), vim.fn.getpos("'>")
  if opts.range == 2 and from[2] == opts.line1 and to[2] == opts.line2 then return places.span(buf, from, to, vim.fn.visualmode()) end
  return places.lines(buf, opts.line1, opts.line2)
end

---@param client vim.lsp.Client
---@param name string
---@param opts table
---@return table
local function here(client, name, opts)
  local what, out = commands[name].here, {}
  local win = what and places.window()
  if not win then return out end
  local buf = vim.api.nvim_win_get_buf(win)
  if vim.api.nvim_buf_get_name(buf) == '' then return out end
  out.uri = vim.uri_from_bufnr(buf)
  if what ~= 'file' and opts.range > 0 then
    out.range = places.range(buf, span(buf, opts), client.offset_encoding)
  elseif what == 'range' then
    out.range = places.range(buf, places.cursor(win), client.offset_encoding)
  end
  return out
end

--- What Neovim runs for the commands of code actions and lenses. They are not in the server's own list (commands:true).
---@return table<string, fun(command: lsp.Command, ctx: table)>
function M.handlers()
  local out = {}
  for name in pairs(commands) do
    out['companion.' .. name] = function(command, ctx)
      local client = vim.lsp.get_client_by_id(ctx.client_id)
      if client then run(client, name, vim.deepcopy((command.arguments or {})[1] or {})) end
    end
  end
  return out
end

---@return vim.lsp.Client? client nil = it was told that none runs
local function client_here()
  local win = places.window()
  local client = require('companion.client').of(win and vim.api.nvim_win_get_buf(win) or 0)
  if not client then tell('it runs in no open file: open one of a project, or see :checkhealth companion', vim.log.levels.ERROR) end
  return client
end

---@param name string
local function by_user(name)
  return function(opts)
    local client = client_here()
    if not client then return end
    local argument = here(client, name, opts)
    if commands[name].here and name ~= 'ask' and not argument.uri then return tell('open a file first', vim.log.levels.ERROR) end
    if opts.args ~= '' then argument.prompt = opts.args end
    run(client, name, argument)
  end
end

---@param opts table
local function by_user_trust(opts)
  local word = opts.args == '' and 'yes' or opts.args
  if word ~= 'yes' and word ~= 'no' then return tell('yes or no, not ' .. word, vim.log.levels.ERROR) end
  local client = client_here()
  if not client then return end
  require('companion.trust').tell(client, word == 'yes')
  tell((word == 'yes' and 'trusts ' or 'does not trust ') .. vim.fn.fnamemodify(client.config.root_dir, ':~'))
end

--- Defines :CompanionAsk and the others.
function M.define()
  for name, command in pairs(commands) do
    if name ~= 'approve' then
      vim.api.nvim_create_user_command('Companion' .. name:sub(1, 1):upper() .. name:sub(2), by_user(name), {
        range = command.here ~= nil and command.here ~= 'file',
        nargs = command.prompt and '*' or 0,
        desc = 'companion.' .. name,
      })
    end
  end
  vim.api.nvim_create_user_command('CompanionAnswer', require('companion.waiting').open, { desc = 'answer what Companion asks' })
  vim.api.nvim_create_user_command(
    'CompanionEvents',
    function() require('companion.events').show(true) end,
    { desc = 'what Companion does' }
  )
  vim.api.nvim_create_user_command('CompanionRestart', require('companion.client').restart, { desc = 'end companion and start it again' })
  vim.api.nvim_create_user_command(
    'CompanionLog',
    function() vim.cmd.tabedit(vim.lsp.log.get_filename()) end,
    { desc = "companion's words" }
  )
  vim.api.nvim_create_user_command('CompanionTrust', by_user_trust, {
    nargs = '?',
    complete = function(start)
      return vim.tbl_filter(function(w) return vim.startswith(w, start) end, { 'yes', 'no' })
    end,
    desc = 'trust the project with what it configures',
  })
end

return M
