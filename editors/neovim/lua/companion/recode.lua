--- Positions between two servers that count columns in other units.
local M = {}

---@param uri string
---@param line integer from 0
---@return string
local function text_of(uri, line)
  local path = vim.uri_to_fname(uri)
  local buf = vim.fn.bufnr(path)
  if buf > 0 and vim.api.nvim_buf_is_loaded(buf) then return vim.api.nvim_buf_get_lines(buf, line, line + 1, false)[1] or '' end
  local ok, lines = pcall(vim.fn.readfile, path, '', line + 1)
  return ok and lines[line + 1] or ''
end

---@param text string
---@param column integer from 0
---@param from string
---@param to string utf-8, utf-16 or utf-32
---@return integer
local function column_of(text, column, from, to)
  local bytes = column
  if vim.fn.has('nvim-0.11') == 1 then
    if from ~= 'utf-8' then bytes = vim.str_byteindex(text, from, column, false) end
    return to == 'utf-8' and math.min(bytes, #text) or vim.str_utfindex(text, to, math.min(bytes, #text), false)
  end
  if from ~= 'utf-8' then
    local ok, found = pcall(vim.str_byteindex, text, column, from == 'utf-16')
    bytes = ok and found or #text
  end
  bytes = math.min(bytes, #text)
  if to == 'utf-8' then return bytes end
  local utf32, utf16 = vim.str_utfindex(text, bytes)
  return to == 'utf-16' and utf16 or utf32
end

---@param node any
---@param uri string? the document that positions are in
---@param from string
---@param to string
local function walk(node, uri, from, to)
  if type(node) ~= 'table' then return node end
  if type(node.line) == 'number' and type(node.character) == 'number' then
    if not uri then return node end
    return { line = node.line, character = column_of(text_of(uri, node.line), node.character, from, to) }
  end
  local own = type(node.uri) == 'string' and node.uri or vim.tbl_get(node, 'textDocument', 'uri') or uri
  local out = vim.empty_dict()
  if vim.islist(node) and #node > 0 then out = {} end
  for key, value in pairs(node) do
    local at = own
    if type(key) == 'string' and key:match('^target.*Range$') then at = node.targetUri or own end
    -- the keys of a WorkspaceEdit's changes are documents
    if type(key) == 'string' and key:match('^%a[%w+.-]+:') and type(value) == 'table' then at = key end
    out[key] = walk(value, at, from, to)
  end
  if vim.islist(node) and #node == 0 and getmetatable(node) == nil then return node end
  return out
end

--- The same message with its columns counted otherwise; uri = the document of positions that name none.
---@param message any
---@param uri string?
---@param from string
---@param to string
---@return any
function M.positions(message, uri, from, to)
  if from == to then return message end
  return walk(message, uri, from, to)
end

return M
