--- companion/files/didChange: files that companion or its commands changed on the disk.
local servers = require('companion.servers')
local M = {}

local deleted = 3

--- A buffer without changes of its own is read again; a question of Neovim's about the others would come under the
--- user's hands.
---@param path string
local function reread(path)
  local buf = vim.fn.bufnr(path)
  if buf <= 0 or not vim.api.nvim_buf_is_loaded(buf) or vim.bo[buf].modified or vim.bo[buf].buftype ~= '' then return end
  local autoread = vim.bo[buf].autoread
  if autoread == nil then autoread = vim.go.autoread end
  if autoread then vim.cmd.checktime(buf) end
end

---@param params {changes: {uri: string, type: integer}[]}
function M.changed(_, params)
  ---@type table<vim.lsp.Client, table[]>
  local by_client = {}
  for _, change in ipairs(params.changes) do
    if change.type ~= deleted then reread(vim.uri_to_fname(change.uri)) end
    for _, client in ipairs(servers.holding(change.uri)) do
      by_client[client] = by_client[client] or {}
      table.insert(by_client[client], change)
    end
  end
  for client, changes in pairs(by_client) do
    servers.notify(client, 'workspace/didChangeWatchedFiles', { changes = changes })
  end
end

return M
