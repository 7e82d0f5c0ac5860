--- companion/language/request: what the language servers of this Neovim know. They run already, and have its buffers.
local await = require('companion.await')
local recode = require('companion.recode')
local servers = require('companion.servers')
local M = {}

--- How long one server is waited for, in ms; companion asks its own then.
local patience = 10000
--- Code actions whose edit is asked for at most.
local max_resolved = 20

--- What is offered in the handshake.
M.methods = {
  'textDocument/definition',
  'textDocument/declaration',
  'textDocument/typeDefinition',
  'textDocument/implementation',
  'textDocument/references',
  'textDocument/hover',
  'textDocument/signatureHelp',
  'textDocument/documentHighlight',
  'textDocument/documentSymbol',
  'textDocument/codeAction',
  'textDocument/rename',
  'workspace/symbol',
}

---@param client vim.lsp.Client
---@param method string
---@param params table
---@return lsp.ResponseError? err
---@return any result
local function ask(client, method, params)
  return await.callback(function(done)
    vim.defer_fn(function() done({ code = -32803, message = client.name .. ' did not answer in time' }) end, patience)
    require('companion.client').request(client, method, params, function(err, result) done(err, result) end)
  end)
end

--- An action without its edit is of no use to who cannot run the commands of this Neovim.
---@param client vim.lsp.Client
---@param actions table[]
---@return table[]
local function resolved(client, actions)
  local out = {}
  for i, action in ipairs(actions) do
    local is_action = type(action.command) ~= 'string'
    if is_action and not action.edit and action.data and i <= max_resolved and servers.supports(client, 'codeAction/resolve') then
      local err, whole = ask(client, 'codeAction/resolve', action)
      if not err and whole then action = whole end
    end
    if is_action and action.edit then table.insert(out, action) end
  end
  return out
end

---@param result any
---@return boolean
local function says_something(result) return result ~= nil and result ~= vim.NIL and (type(result) ~= 'table' or next(result) ~= nil) end

---@param request {method: string, params: table}
function M.request(_, request, ctx)
  local codes = vim.lsp.protocol.ErrorCodes
  if not vim.list_contains(M.methods, request.method) then
    return nil, vim.lsp.rpc_response_error(codes.MethodNotFound, 'not offered: ' .. tostring(request.method))
  end
  local companion = assert(vim.lsp.get_client_by_id(ctx.client_id))
  local uri = vim.tbl_get(request.params, 'textDocument', 'uri')
  local failure, answered
  for _, client in ipairs(uri and servers.of(uri) or servers.inside(companion.config.root_dir)) do
    if servers.supports(client, request.method) then
      local params = recode.positions(request.params, uri, companion.offset_encoding, client.offset_encoding)
      local err, result = ask(client, request.method, params)
      if err then failure = ('%s: %s'):format(client.name, err.message or vim.inspect(err)) end
      if not err then answered = true end
      if not err and says_something(result) then
        if request.method == 'textDocument/codeAction' then result = resolved(client, result) end
        return recode.positions(result, uri, client.offset_encoding, companion.offset_encoding)
      end
    end
  end
  if failure and not answered then return nil, vim.lsp.rpc_response_error(codes.InternalError, failure) end
  return vim.NIL
end

return M
