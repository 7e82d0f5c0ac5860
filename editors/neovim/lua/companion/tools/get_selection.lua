local places = require('companion.places')
local schema = require('companion.tools.schema')

---@type companion.Tool
return {
  spec = {
    name = 'editor_get_selection',
    title = 'Selection in the editor',
    description = 'What the user has selected in the editor: the file, the lines and columns (counted from 1) and the text. '
      .. 'With nothing selected, the place of the cursor and its line.',
    inputSchema = schema.object(),
    annotations = schema.read_only,
  },
  run = function(_, ctx)
    local win = places.window()
    if not win then error('The user has no file open.', 0) end
    local buf = vim.api.nvim_win_get_buf(win)
    local span, lines = places.selected(win)
    local is_empty = span == nil
    if not span or not lines then
      span = places.cursor(win)
      lines = vim.api.nvim_buf_get_lines(buf, span.first_line, span.first_line + 1, false)
    end
    local text, range = table.concat(lines, '\n'), places.range(buf, span, ctx.encoding)
    local place = ('line %d, column %d'):format(range.start.line + 1, range.start.character + 1)
    if not is_empty then place = ('%s to line %d, column %d'):format(place, range['end'].line + 1, range['end'].character + 1) end
    local head = ('%s, %s%s'):format(places.name(buf, ctx.root), place, vim.bo[buf].modified and ', unsaved' or '')
    local what = is_empty and 'Nothing is selected; the line of the cursor is:' or 'Selected:'
    return schema.text(
      head .. '\n' .. what .. '\n' .. text,
      { uri = vim.uri_from_bufnr(buf), range = range, isEmpty = is_empty, text = text }
    )
  end,
}
