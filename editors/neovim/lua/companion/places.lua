--- Files, windows and positions. Lines and columns that a person or a model reads count from 1, those of LSP from 0.
local M = {}

---@type integer? the window in which the user was last in a file: a scratch buffer may have the focus
local last_win

---@param buf integer
---@return boolean
function M.is_file(buf) return vim.api.nvim_buf_is_valid(buf) and vim.bo[buf].buftype == '' and vim.bo[buf].buflisted end

--- Remembers where the user is.
function M.follow()
  vim.api.nvim_create_autocmd({ 'WinEnter', 'BufWinEnter' }, {
    group = vim.api.nvim_create_augroup('companion.places', { clear = true }),
    callback = function()
      if M.is_file(vim.api.nvim_get_current_buf()) then last_win = vim.api.nvim_get_current_win() end
    end,
  })
end

--- The window of the file that the user looks at.
---@return integer?
function M.window()
  local shown = { vim.api.nvim_get_current_win(), last_win }
  vim.list_extend(shown, vim.api.nvim_tabpage_list_wins(0))
  for _, win in pairs(shown) do
    if vim.api.nvim_win_is_valid(win) and M.is_file(vim.api.nvim_win_get_buf(win)) then return win end
  end
end

---@param path string
---@return string without links
local function real(path) return vim.uv.fs_realpath(path) or vim.fs.normalize(path) end

--- The path from the root, else the path.
---@param buf integer
---@param root? string
---@return string
function M.name(buf, root)
  local path = vim.api.nvim_buf_get_name(buf)
  if path == '' then return 'a buffer without a name' end
  local full, base = real(path), root and real(root)
  return base and vim.startswith(full, base .. '/') and full:sub(#base + 2) or path
end

--- A URI, an absolute path or a path from the root.
---@param words string
---@param root? string
---@return string
function M.path(words, root)
  if words:match('^%a[%w+.-]+:') then return real(vim.uri_to_fname(words)) end
  if words:match('^[/\\]') or words:match('^%a:[/\\]') then return real(words) end
  return real((root or vim.uv.cwd()) .. '/' .. words)
end

--- The open file that is meant; without words the one that the user looks at.
---@param words? string
---@param root? string
---@return integer buf
function M.opened(words, root)
  if not words then
    local win = M.window()
    if not win then error('The user has no file open.', 0) end
    return vim.api.nvim_win_get_buf(win)
  end
  local path = M.path(words, root)
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    local name = vim.api.nvim_buf_get_name(buf)
    if M.is_file(buf) and name ~= '' and real(name) == path then return buf end
  end
  error(words .. ' is not open in the editor.', 0)
end

---@class companion.Span lines from 0, columns in bytes from 0, the end exclusive
---@field first_line integer
---@field first integer
---@field last_line integer
---@field last integer

---@param buf integer
---@param span companion.Span
---@param encoding string
---@return lsp.Range
function M.range(buf, span, encoding)
  local function position(line, column)
    local text = vim.api.nvim_buf_get_lines(buf, line, line + 1, false)[1] or ''
    local at = vim.lsp.util.character_offset(buf, line, math.min(column, #text), encoding)
    return { line = line, character = at }
  end
  return { start = position(span.first_line, span.first), ['end'] = position(span.last_line, span.last) }
end

---@param buf integer
---@param from integer[] as of getpos()
---@param to integer[]
---@param mode string 'v', 'V' or CTRL-V
---@return companion.Span
function M.span(buf, from, to, mode)
  if from[2] > to[2] or (from[2] == to[2] and from[3] > to[3]) then
    from, to = to, from
  end
  local text = vim.api.nvim_buf_get_lines(buf, to[2] - 1, to[2], false)[1] or ''
  local last = #text
  if mode ~= 'V' and to[3] <= #text and to[3] > 0 then
    last = vim.o.selection == 'exclusive' and to[3] - 1 or to[3] + vim.str_utf_end(text, to[3])
  end
  return { first_line = from[2] - 1, first = mode == 'V' and 0 or from[3] - 1, last_line = to[2] - 1, last = last }
end

--- The lines as a span.
---@param buf integer
---@param first integer counted from 1
---@param last integer
---@return companion.Span
function M.lines(buf, first, last) return M.span(buf, { 0, first, 1 }, { 0, last, 1 }, 'V') end

--- What is selected in visual mode; nil = nothing.
---@param win integer
---@return companion.Span? span
---@return string[]? lines
function M.selected(win)
  local mode = vim.fn.mode()
  if win ~= vim.api.nvim_get_current_win() or not mode:match('^[vV\22]') then return end
  local from, to = vim.fn.getpos('v'), vim.fn.getpos('.')
  return M.span(vim.api.nvim_win_get_buf(win), from, to, mode), vim.fn.getregion(from, to, { type = mode })
end

--- The cursor's place, an empty span.
---@param win integer
---@return companion.Span
function M.cursor(win)
  local at = vim.api.nvim_win_get_cursor(win)
  return { first_line = at[1] - 1, first = at[2], last_line = at[1] - 1, last = at[2] }
end

return M
