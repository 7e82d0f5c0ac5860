--- The other language servers of this Neovim: those that know the code.
local M = {}

---@param client vim.lsp.Client
---@param path string
---@return boolean
local function holds(client, path)
  local root = client.config.root_dir or client.root_dir
  return root ~= nil and (path == root or vim.startswith(path, root:gsub('/$', '') .. '/'))
end

--- Those of a document: attached to its buffer, or, when no buffer has it, with a root that holds it.
---@param uri string
---@return vim.lsp.Client[]
function M.of(uri)
  local path = vim.uri_to_fname(uri)
  local buf = vim.fn.bufnr(path)
  local loaded = buf > 0 and vim.api.nvim_buf_is_loaded(buf)
  return vim.tbl_filter(function(client)
    if client.name == 'companion' then return false end
    if loaded then return vim.lsp.buf_is_attached(buf, client.id) end
    return holds(client, path)
  end, vim.lsp.get_clients())
end

--- Those whose root is one of the folders, or in one.
---@param folder? string
---@return vim.lsp.Client[]
function M.inside(folder)
  return vim.tbl_filter(
    function(client) return client.name ~= 'companion' and folder ~= nil and holds(client, folder) end,
    vim.lsp.get_clients()
  )
end

--- Those with a root that holds the file, whether a buffer has it or not.
---@param uri string
---@return vim.lsp.Client[]
function M.holding(uri)
  local path = vim.uri_to_fname(uri)
  return vim.tbl_filter(function(client) return client.name ~= 'companion' and holds(client, path) end, vim.lsp.get_clients())
end

--- Since Neovim 0.11 it is a method of the client.
---@param client vim.lsp.Client
---@param method string
---@return boolean
function M.supports(client, method)
  if vim.fn.has('nvim-0.11') == 1 then return client:supports_method(method) end
  return client.supports_method(method)
end

---@param client vim.lsp.Client
---@param method string
---@param params table
function M.notify(client, method, params)
  if vim.fn.has('nvim-0.11') == 1 then return client:notify(method, params) end
  return client.notify(method, params)
end

return M
