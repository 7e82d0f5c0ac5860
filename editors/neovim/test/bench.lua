--- The bench of the driver: checks, waiting, and a fresh folder for each scenario.
local M = {}

local bin, work = assert(vim.env.COMPANION_BIN), assert(vim.env.WORK)
local patience = tonumber(vim.env.PATIENCE) or 120000 -- ms, for a loaded machine
local passed, failed = 0, 0

function M.say(s)
  io.stdout:write(s .. '\n')
  io.stdout:flush()
end

---@param name string
---@param cond any
---@param seen? any told when it fails
---@return boolean
function M.ok(name, cond, seen)
  if cond then
    passed = passed + 1
  else
    failed = failed + 1
  end
  M.say((cond and 'ok   ' or 'FAIL ') .. name .. ((not cond and seen ~= nil) and ('  ' .. vim.inspect(seen):gsub('%s+', ' ')) or ''))
  return cond and true or false
end

---@param f fun(): any
---@param ms? integer
function M.wait(f, ms) return (vim.wait(ms or patience, f, 20)) end

function M.read(path)
  local f = io.open(path, 'rb')
  if not f then return nil end
  local s = f:read('*a')
  f:close()
  return s
end

function M.builds(dir)
  local r = vim.system({ 'go', 'build', '-o', '/dev/null', './...' }, { cwd = dir, text = true }):wait()
  return r.code == 0, r.stderr
end

--- What was told: events by the plug-in's autocommand, messages by vim.notify, lists by vim.ui.select.
M.events, M.messages, M.lists, M.inputs = {}, {}, {}, {}
---@type (fun(label: string): boolean)? what the person picks
M.choose = nil
---@type string? what the person types when asked for words
M.words = nil

vim.api.nvim_create_autocmd('User', { pattern = 'CompanionEvent', callback = function(ev) table.insert(M.events, ev.data.event) end })
vim.notify = function(text) table.insert(M.messages, text) end
vim.ui.select = function(items, opts, on_choice)
  local labels = vim.tbl_map(opts.format_item or tostring, items)
  table.insert(M.lists, { prompt = opts.prompt, labels = labels })
  for i, label in ipairs(labels) do
    if M.choose and M.choose(label) then
      return vim.schedule(function() on_choice(items[i], i) end)
    end
  end
  vim.schedule(function() on_choice(nil, nil) end)
end
vim.ui.input = function(opts, on_confirm)
  table.insert(M.inputs, opts.prompt)
  vim.schedule(function() on_confirm(M.words) end)
end

---@param list any[]
---@param f fun(x: any): any
function M.seen(list, f)
  for _, x in ipairs(list) do
    if f(x) then return x end
  end
end

---@param type string
---@param f? fun(e: table): any
function M.event(type, f)
  return M.seen(M.events, function(e) return e.type == type and (not f or f(e)) end)
end

function M.said(text)
  return M.seen(M.messages, function(m) return m:find(text, 1, true) ~= nil end)
end

function M.picks(text)
  M.choose = function(label) return label:find(text, 1, true) ~= nil end
end

--- Waits for the end of the turn and gives it.
function M.ended()
  M.wait(function() return M.event('turn.completed') end)
  return M.event('turn.completed') or {}
end

function M.completed() return M.ended().status == 'completed' end

---@param s {buf: integer}
---@return string
function M.text(s) return table.concat(vim.api.nvim_buf_get_lines(s.buf, 0, -1, false), '\n') .. '\n' end

function M.events_text()
  local buf = vim.fn.bufnr('^companion://events$')
  return buf > 0 and table.concat(vim.api.nvim_buf_get_lines(buf, 0, -1, false), '\n') or ''
end

---@param key string
function M.keys(key) vim.api.nvim_feedkeys(vim.keycode(key), 'xt', false) end

--- Opens main.go of a fresh copy of the module and hands it over, with the client that the plug-in started for it.
---@param name string
---@param steps? table[] what a scripted model answers; nil = no model, quick fixes of gopls
---@param settings table
---@param f fun(s: {dir: string, file: string, buf: integer, client: vim.lsp.Client})
function M.scenario(name, steps, settings, f)
  if vim.env.ONLY and vim.env.ONLY ~= name then return end
  M.say('-- ' .. name)
  M.events, M.messages, M.lists, M.inputs, M.choose, M.words = {}, {}, {}, {}, nil, nil
  local dir, state = work .. '/' .. name, work .. '/state-' .. name
  vim.fn.mkdir(state, 'p')
  vim.fn.system({ 'cp', '-r', work .. '/module', dir })
  local model = 'offline/quickfix'
  if steps then
    vim.fn.writefile({ vim.json.encode({ turns = steps }) }, state .. '/model.json')
    model = 'script/' .. state .. '/model.json'
  end
  require('companion').setup({
    cmd = { bin, 'serve' },
    cmd_env = {
      COMPANION_MODEL = model,
      COMPANION_STATE_DIR = state,
      COMPANION_CONFIG = state .. '/config.jsonc',
      COMPANION_LOG = state .. '/log',
    },
    settings = settings,
    filetypes = { 'go' },
  })
  local file = dir .. '/main.go'
  vim.cmd.edit(file)
  local buf = vim.api.nvim_get_current_buf()
  local client
  if
    M.ok(
      name .. ': companion starts with the file',
      M.wait(function()
        client = vim.lsp.get_clients({ name = 'companion', bufnr = buf })[1]
        return client
      end),
      M.messages
    )
  then
    local fine, err = xpcall(f, debug.traceback, { dir = dir, file = file, buf = buf, client = client })
    if not fine then M.ok(name .. ': the driver ran to its end', false, err) end
  end
  vim.lsp.stop_client(vim.lsp.get_clients())
  M.ok(name .. ': the servers stop', M.wait(function() return #vim.lsp.get_clients() == 0 end))
  vim.cmd('silent! only!')
  vim.cmd('silent %bwipeout!')
end

function M.finish()
  M.say(('nvim-plugin: %d passed, %d failed'):format(passed, failed))
  os.exit(failed == 0 and 0 or 1)
end

return M
