--- companion/editor/didChangeState: what the user looks at, for turns that say nothing of it themselves.
local places = require('companion.places')
local servers = require('companion.servers')
local M = {}

--- How long it must be the same before it is told, in ms.
local quiet = 200

local method = 'companion/editor/didChangeState'
---@type table<integer, table> what was told last, by client
local last = {}
---@type uv.uv_timer_t?
local timer

---@param encoding string
---@return table
function M.of(encoding)
  local win = places.window()
  local active = win and vim.api.nvim_win_get_buf(win)
  local state = { tabs = {} }
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if places.is_file(buf) and vim.api.nvim_buf_get_name(buf) ~= '' then
      table.insert(state.tabs, { uri = vim.uri_from_bufnr(buf), isActive = buf == active, isDirty = vim.bo[buf].modified })
    end
  end
  if not win or not active or vim.api.nvim_buf_get_name(active) == '' then return state end
  local info = vim.fn.getwininfo(win)[1]
  local visible = places.range(active, places.lines(active, info.topline, math.max(info.botline, info.topline)), encoding)
  local span = places.selected(win) or places.cursor(win)
  state.active = { uri = vim.uri_from_bufnr(active), selection = places.range(active, span, encoding), visibleRanges = { visible } }
  return state
end

---@param client vim.lsp.Client
---@return boolean
local function takes(client)
  local offered = vim.tbl_get(client.server_capabilities or {}, 'experimental', 'companion', 'methods') or {}
  return client.initialized and vim.list_contains(offered, method)
end

local function tell()
  for _, client in ipairs(vim.lsp.get_clients({ name = 'companion' })) do
    if takes(client) then
      local state = M.of(client.offset_encoding)
      if not vim.deep_equal(last[client.id], state) then
        last[client.id] = state
        servers.notify(client, method, { editorState = state })
      end
    end
  end
end

--- Tells it after a moment in which it stayed as it is.
function M.later()
  timer = timer or assert(vim.uv.new_timer())
  timer:start(quiet, 0, vim.schedule_wrap(tell))
end

--- Follows the user from here on.
function M.follow()
  vim.api.nvim_create_autocmd({
    'BufEnter',
    'BufDelete',
    'BufWritePost',
    'BufModifiedSet',
    'CursorMoved',
    'CursorMovedI',
    'LspAttach',
    'ModeChanged',
    'WinEnter',
    'WinScrolled',
  }, { group = vim.api.nvim_create_augroup('companion.state', { clear = true }), callback = function() M.later() end })
end

---@param client_id integer
function M.ended(client_id) last[client_id] = nil end

return M
