--- What the specs of the tools share.
local M = {}

M.read_only = { readOnly = true, destructive = false, idempotent = true, openWorld = false }
M.harmless = { readOnly = false, destructive = false, idempotent = true, openWorld = false }
M.line = { type = 'integer', minimum = 1 }
M.file = { type = 'string', description = 'A path from the root, an absolute path or a URI. Left out: the file that the user looks at.' }

---@param properties? table
---@param required? string[]
---@return table
function M.object(properties, required)
  return { type = 'object', properties = properties or vim.empty_dict(), required = required, additionalProperties = false }
end

---@param text string
---@param structured? table
---@return table
function M.text(text, structured) return { content = { { type = 'text', text = text } }, structuredContent = structured } end

return M
