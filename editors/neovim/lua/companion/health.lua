--- :checkhealth companion
local M = {}

--- How long a server is waited for, in ms.
local patience = 3000

---@param client vim.lsp.Client
---@return table? status
local function status(client)
  local answer
  require('companion.client').request(
    client,
    'companion/status',
    vim.empty_dict(),
    function(err, result) answer = result or { error = err and err.message } end
  )
  vim.wait(patience, function() return answer ~= nil end, 20)
  return answer
end

---@param program string
---@param env? table<string, string>
local function check_program(program, env)
  local h = vim.health
  if vim.fn.executable(program) == 0 then
    h.error(require('companion.client').missing(program))
    return
  end
  local ok, out = pcall(function() return vim.system({ program, 'doctor' }, { env = env, text = true }):wait(30000) end)
  if not ok or not out.stdout or out.stdout == '' then
    h.error(('%s does not run: %s'):format(program, ok and vim.trim(out.stderr or '') or tostring(out)))
    return
  end
  for line in out.stdout:gmatch('[^\n]+') do
    local mark, words = line:match('^(%S+)%s+(.*)$')
    local say = mark == 'ok' and h.ok or mark == 'none' and h.info or h.warn
    say(words or line)
  end
end

---@param client vim.lsp.Client
local function check_client(client)
  local h, s = vim.health, status(client)
  local where = vim.fn.fnamemodify(client.config.root_dir or '', ':~')
  if not s then return h.error(('%s: no answer within %d s; :CompanionRestart'):format(where, patience / 1000)) end
  if s.error then return h.error(where .. ': ' .. s.error) end
  h.ok(('%s: companion %s, %s, mode %s, %d running'):format(where, s.version, s.model, s.mode, s.running))
  if vim.startswith(s.model, 'offline/') then
    h.info("no model is set: only quick fixes of language servers are taken. setup({ settings = { model = 'provider/model' } })")
  end
  for _, what in ipairs(s.missing or {}) do
    h.info(what)
  end
end

function M.check()
  local h = vim.health
  h.start('companion: Neovim')
  if vim.fn.has('nvim-0.10') == 1 then
    h.ok('Neovim ' .. tostring(vim.version()))
  else
    h.error('Neovim 0.10 or newer is needed')
  end
  local config = require('companion.client').config()
  if not config then return h.error("require('companion').setup({}) was not called") end
  h.start('companion: the program ' .. config.cmd[1])
  check_program(config.cmd[1], config.cmd_env)
  h.start('companion: servers that run')
  local clients = vim.lsp.get_clients({ name = 'companion' })
  if #clients == 0 then h.info('none: it starts with the first file of a project') end
  for _, client in ipairs(clients) do
    check_client(client)
  end
end

return M
