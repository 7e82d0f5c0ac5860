--- Texts that are shown in scratch buffers named companion://NAME.
local M = {}

---@param name string
---@param filetype string
---@return integer buf
function M.buffer(name, filetype)
  local full = 'companion://' .. name
  for _, buf in ipairs(vim.api.nvim_list_bufs()) do
    if vim.api.nvim_buf_get_name(buf) == full then return buf end
  end
  local buf = vim.api.nvim_create_buf(false, true)
  vim.api.nvim_buf_set_name(buf, full)
  vim.bo[buf].bufhidden = 'hide'
  vim.bo[buf].modifiable = false
  vim.bo[buf].filetype = filetype
  return buf
end

--- Changes lines from first to last (0-based, end exclusive, -1 = the end) of a buffer that the user cannot change.
---@param buf integer
---@param first integer
---@param last integer
---@param lines string[]
function M.set(buf, first, last, lines)
  vim.bo[buf].modifiable = true
  vim.api.nvim_buf_set_lines(buf, first, last, false, lines)
  vim.bo[buf].modifiable = false
  vim.bo[buf].modified = false
end

--- A window of the buffer below; a window that has it is used.
---@param buf integer
---@param focus boolean
---@return integer win
function M.reveal(buf, focus)
  for _, win in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_win_get_buf(win) == buf then
      if focus then vim.api.nvim_set_current_win(win) end
      return win
    end
  end
  return vim.api.nvim_open_win(buf, focus, { split = 'below', win = -1, height = math.max(5, math.floor(vim.o.lines / 3)) })
end

---@param name string
---@param text string
---@param filetype string
function M.show(name, text, filetype)
  local buf = M.buffer(name, filetype)
  M.set(buf, 0, -1, vim.split(text, '\r?\n'))
  M.reveal(buf, true)
end

return M
