local places = require('companion.places')
local schema = require('companion.tools.schema')

--- Lines that one read gives at most.
local max_lines = 2000

---@type companion.Tool
return {
  spec = {
    name = 'editor_read_buffer',
    title = 'Read a buffer',
    description = ('The text of an open file as it stands in the editor, unsaved changes included. At most %d lines at once; lines are counted from 1.'):format(
      max_lines
    ),
    inputSchema = schema.object({ file = schema.file, startLine = schema.line, endLine = schema.line }),
    annotations = schema.read_only,
  },
  run = function(args, ctx)
    local buf = places.opened(args.file, ctx.root)
    local name = places.name(buf, ctx.root)
    if not vim.api.nvim_buf_is_loaded(buf) then error(name .. ' is listed but not loaded: read it from the disk.', 0) end
    local count, from = vim.api.nvim_buf_line_count(buf), args.startLine or 1
    if from > count then error(('%s has %d lines.'):format(name, count), 0) end
    local to = math.min(args.endLine or count, count, from + max_lines - 1)
    if to < from then error('endLine is before startLine.', 0) end
    local text = table.concat(vim.api.nvim_buf_get_lines(buf, from - 1, to, false), '\n')
    local head = ('%s, lines %d to %d of %d%s'):format(name, from, to, count, vim.bo[buf].modified and ', with unsaved changes' or '')
    local range = places.range(buf, places.lines(buf, from, to), ctx.encoding)
    local resource = { type = 'resource', uri = vim.uri_from_bufnr(buf), range = range, text = text }
    return { content = { { type = 'text', text = head }, resource } }
  end,
}
