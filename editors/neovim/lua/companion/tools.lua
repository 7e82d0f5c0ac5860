--- companion/tool/call: the tools that this editor lends to the agent.
local M = {}

---@class companion.ToolContext
---@field root? string the folder of the server that calls
---@field encoding string of positions

---@class companion.Tool one in each file of lua/companion/tools
---@field spec table as registered at initialize
---@field run fun(args: table, ctx: companion.ToolContext): table an error is the result's text

---@type companion.Tool[]
local all = {
  require('companion.tools.get_selection'),
  require('companion.tools.list_tabs'),
  require('companion.tools.read_buffer'),
  require('companion.tools.open_tab'),
  require('companion.tools.save'),
}

--- What is registered at initialize.
---@return table[]
function M.specs()
  return vim.tbl_map(function(tool) return tool.spec end, all)
end

---@param call {namespace?: string, name: string, arguments: table}
function M.call(_, call, ctx)
  local client = vim.lsp.get_client_by_id(ctx.client_id)
  for _, tool in ipairs(all) do
    if tool.spec.name == call.name and not call.namespace then
      local context = { root = client and client.config.root_dir, encoding = client and client.offset_encoding or 'utf-16' }
      local ok, result = pcall(tool.run, call.arguments or {}, context)
      if ok then return result end
      return { content = { { type = 'text', text = tostring(result) } }, isError = true }
    end
  end
  return nil, vim.lsp.rpc_response_error(vim.lsp.protocol.ErrorCodes.InvalidParams, 'the editor has no tool ' .. tostring(call.name))
end

return M
