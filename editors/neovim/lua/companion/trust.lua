--- Whether a project may start programs and widen rights: the user says so, in setup or by :CompanionTrust.
local servers = require('companion.servers')
local M = {}

--- As set: yes or no for every root, or a function of the root that may leave it open (nil).
---@type boolean|(fun(root: string): boolean?)|nil
M.setting = nil

--- What is known of a root at the start; nil = companion asks when the project configures something.
---@param root string
---@return boolean?
function M.of(root)
  if type(M.setting) == 'function' then return M.setting(root) end
  return M.setting --[[@as boolean?]]
end

--- Tells the server of the project.
---@param client vim.lsp.Client
---@param trusted boolean
function M.tell(client, trusted)
  local root = client.config.root_dir
  if not root then return end
  servers.notify(client, 'companion/workspace/didChangeTrust', { folders = { { uri = vim.uri_from_fname(root), trusted = trusted } } })
end

return M
