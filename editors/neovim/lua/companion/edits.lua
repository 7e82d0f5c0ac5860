--- Edits of the server are Neovim's own work; each is one step of undo, also while the user is in insert mode.
local M = {}

---@param edit lsp.WorkspaceEdit
---@return integer[] the loaded buffers that it changes
local function buffers(edit)
  local found = {}
  local function add(uri)
    local buf = vim.fn.bufnr(vim.uri_to_fname(uri))
    if buf > 0 and vim.api.nvim_buf_is_loaded(buf) then table.insert(found, buf) end
  end
  for _, change in ipairs(edit.documentChanges or {}) do
    if change.textDocument then add(change.textDocument.uri) end
  end
  for uri in pairs(edit.changes or {}) do
    add(uri)
  end
  return found
end

--- Setting 'undolevels', even to what it is, ends the current step (|undo-break|).
---@param bufs integer[]
local function break_undo(bufs)
  for _, buf in ipairs(bufs) do
    if vim.bo[buf].modifiable then vim.api.nvim_buf_call(buf, function() vim.cmd('let &l:undolevels = &l:undolevels') end) end
  end
end

--- Neovim drops an edit of an older version and says that it was applied; one of version 0, which every file has until
--- it is first changed, it applies to whatever stands there.
---@param edit lsp.WorkspaceEdit
---@return string? name of a buffer that is newer
local function newer(edit)
  for _, change in ipairs(edit.documentChanges or {}) do
    local document = change.textDocument or {}
    local buf = document.uri and vim.fn.bufnr(vim.uri_to_fname(document.uri)) or -1
    local version = (vim.lsp.util.buf_versions or {})[buf]
    if type(document.version) == 'number' and version and version > document.version then return document.uri end
  end
end

---@type lsp.Handler
function M.apply(err, params, ctx)
  local stale, what = pcall(newer, params.edit)
  if stale and what then return { applied = false, failureReason = what .. ' was changed meanwhile' } end
  local ok, bufs = pcall(buffers, params.edit)
  bufs = ok and bufs or {}
  break_undo(bufs)
  local result, failure = vim.lsp.handlers['workspace/applyEdit'](err, params, ctx)
  break_undo(bufs)
  return result, failure
end

return M
