--- The language client: one server for each root.
local approvals = require('companion.approvals')
local diagnostics = require('companion.diagnostics')
local events = require('companion.events')
local language = require('companion.language')
local questions = require('companion.questions')
local state = require('companion.state')
local tools = require('companion.tools')
local trust = require('companion.trust')
local waiting = require('companion.waiting')
local M = {}

--- What is taken over. Edits, progress, lenses and the rest stay with plain LSP, which Neovim does itself.
local flags = {
  version = 1,
  commands = true,
  events = true,
  approvals = true,
  questions = true,
  toolCalls = true,
  diagnostics = true,
  files = true,
  language = language.methods,
}

---@type companion.Config? of the last setup
local current
--- Whether it was said already that the program is missing.
local told_missing = false

---@return table<string, lsp.Handler>
local function handlers()
  return {
    ['companion/event'] = events.hear,
    ['companion/approval/request'] = approvals.request,
    ['companion/question/ask'] = questions.ask,
    ['companion/tool/call'] = tools.call,
    ['companion/diagnostics/await'] = diagnostics.await,
    ['companion/language/request'] = language.request,
    ['companion/files/didChange'] = require('companion.files').changed,
    ['companion/tools/didChange'] = function() end,
    ['companion/changes/didChange'] = function(_, params, ctx) require('companion.lenses').refresh(ctx.client_id, params.uris) end,
    ['workspace/codeLens/refresh'] = function(_, _, ctx)
      require('companion.lenses').refresh(ctx.client_id)
      return vim.NIL
    end,
    ['workspace/applyEdit'] = require('companion.edits').apply,
  }
end

--- What to do about a program that is not there.
---@param program string
---@return string
function M.missing(program)
  return ('the program %s is not in $PATH. Build it in the repository of companion (make build), put bin/companion into a folder '):format(
    program
  ) .. "of $PATH, or name it: setup({ cmd = { '/path/to/companion', 'serve' } }). Then :CompanionRestart."
end

---@param config companion.Config
---@return boolean
local function there(config)
  if vim.fn.executable(config.cmd[1]) == 1 then return true end
  if not told_missing then vim.notify('Companion: ' .. M.missing(config.cmd[1]), vim.log.levels.ERROR) end
  told_missing = true
  return false
end

---@param config companion.Config
---@param buf integer
local function start(config, buf)
  local name = vim.api.nvim_buf_get_name(buf)
  if vim.bo[buf].buftype ~= '' or name == '' or name:match('^%a[%w+.-]+://') or not there(config) then return end
  local root = vim.fs.root(buf, config.root_markers) or vim.fs.dirname(name)
  local settings = { companion = next(config.settings) and config.settings or vim.empty_dict() }
  local capabilities = vim.lsp.protocol.make_client_capabilities()
  capabilities.experimental = vim.tbl_extend('force', capabilities.experimental or {}, { companion = flags })
  -- Neovim asks for lenses only when somebody does it, as is done here, and does not say so by itself
  capabilities.textDocument.codeLens = { dynamicRegistration = false }
  capabilities.workspace.codeLens = { refreshSupport = true }
  vim.lsp.start({
    name = 'companion',
    cmd = config.cmd,
    cmd_env = config.cmd_env,
    root_dir = root,
    capabilities = capabilities,
    settings = settings,
    init_options = { settings = settings, tools = tools.specs(), trusted = trust.of(root) },
    -- an answer to the server must not overtake what was typed before it
    flags = { debounce_text_changes = 0 },
    handlers = handlers(),
    commands = require('companion.commands').handlers(),
    on_init = function() state.later() end,
    on_exit = function(code, _, id)
      vim.schedule(function()
        waiting.withdraw(function(about) return about.client_id == id end)
        events.ended(id)
        state.ended(id)
        if code ~= 0 then
          vim.notify(
            ('Companion ended with code %d; :CompanionLog has its words, :CompanionRestart starts it again.'):format(code),
            vim.log.levels.WARN
          )
        end
      end)
    end,
  }, { bufnr = buf })
end

--- Starts it in the buffers that are open, where it does not run yet.
---@param config companion.Config
local function start_in_all(config)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    local filetype = vim.bo[buf].filetype
    local wanted = not config.filetypes or vim.list_contains(config.filetypes, filetype)
    if vim.api.nvim_buf_is_loaded(buf) and filetype ~= '' and wanted then start(config, buf) end
  end
end

---@param config companion.Config
function M.start_with(config)
  current, told_missing = config, false
  local group = vim.api.nvim_create_augroup('companion', { clear = true })
  vim.api.nvim_create_autocmd('FileType', {
    group = group,
    pattern = config.filetypes or '*',
    callback = function(ev) start(config, ev.buf) end,
  })
  start_in_all(config)
end

--- Ends every server and starts it again, when it has ended.
function M.restart()
  local config = current
  if not config then return end
  told_missing = false
  local clients = vim.lsp.get_clients({ name = 'companion' })
  if #clients == 0 then return start_in_all(config) end
  vim.lsp.stop_client(clients)
  local tries = 0
  local function again()
    tries = tries + 1
    local left = vim.lsp.get_clients({ name = 'companion' })
    if #left == 0 then return start_in_all(config) end
    if tries == 100 then vim.lsp.stop_client(left, true) end -- 5 s
    vim.defer_fn(again, 50)
  end
  again()
end

---@return companion.Config? nil = setup was not called
function M.config() return current end

--- The client of a buffer, else the newest one.
---@param buf integer
---@return vim.lsp.Client?
function M.of(buf)
  local all = vim.lsp.get_clients({ name = 'companion' })
  return vim.lsp.get_clients({ name = 'companion', bufnr = buf })[1] or all[#all]
end

--- Sends a request; since Neovim 0.11 it is a method of the client.
---@param client vim.lsp.Client
---@param method string
---@param params table
---@param answered fun(err?: lsp.ResponseError, result: any)
function M.request(client, method, params, answered)
  local ok
  if vim.fn.has('nvim-0.11') == 1 then
    ok = client:request(method, params, answered)
  else
    ok = client.request(method, params, answered)
  end
  if not ok then answered({ code = -32803, message = 'Companion has ended' }, nil) end
end

return M
