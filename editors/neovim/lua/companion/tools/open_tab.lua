local places = require('companion.places')
local schema = require('companion.tools.schema')

--- The buffer in a window beside; a window of this tab that shows it is used. The focus stays.
---@param buf integer
---@param line integer counted from 1
---@return boolean beside false = it is what the user looks at
local function show(buf, line)
  local win
  for _, w in ipairs(vim.api.nvim_tabpage_list_wins(0)) do
    if vim.api.nvim_win_get_buf(w) == buf then win = w end
  end
  -- a swap file of another Neovim would ask, and nobody could answer
  local shortmess = vim.o.shortmess
  vim.opt.shortmess:append('A')
  local ok, err = pcall(function()
    vim.fn.bufload(buf)
    win = win or vim.api.nvim_open_win(buf, false, { split = 'right', win = places.window() or 0 })
  end)
  vim.o.shortmess = shortmess
  if not ok then error(err, 0) end
  if win == vim.api.nvim_get_current_win() then return false end
  vim.api.nvim_win_set_cursor(win, { math.min(line, vim.api.nvim_buf_line_count(buf)), 0 })
  return true
end

---@type companion.Tool
return {
  spec = {
    name = 'editor_open_tab',
    title = 'Open a tab',
    description = 'Opens a file for the user, in the background; with "show" beside what the user looks at, at a line when one is given. '
      .. 'The cursor stays where it is.',
    inputSchema = schema.object({
      file = { type = 'string', description = 'A path from the root, an absolute path or a URI.' },
      line = schema.line,
      show = { type = 'boolean' },
    }, { 'file' }),
    annotations = schema.harmless,
  },
  run = function(args, ctx)
    local path = places.path(args.file, ctx.root)
    local stat = vim.uv.fs_stat(path)
    if not stat or stat.type ~= 'file' then error(('There is no file %s.'):format(args.file), 0) end
    local ok, buf = pcall(places.opened, path, ctx.root)
    if not ok then buf = vim.fn.bufadd(path) end
    vim.bo[buf].buflisted = true
    local where = 'in the background'
    if args.show then where = show(buf, args.line or 1) and 'beside' or 'where the user is; the cursor was not moved' end
    return schema.text(('%s is open %s.'):format(places.name(buf, ctx.root), where))
  end,
}
