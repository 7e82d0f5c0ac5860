local places = require('companion.places')
local schema = require('companion.tools.schema')

---@type companion.Tool
return {
  spec = {
    name = 'editor_save',
    title = 'Save a file',
    description = 'Saves an open file that has unsaved changes, as the user would: formatters and autocommands of saving run, and may change it.',
    inputSchema = schema.object({ file = schema.file }),
    annotations = schema.harmless,
    timeoutMs = 30000,
  },
  run = function(args, ctx)
    local buf = places.opened(args.file, ctx.root)
    local name = places.name(buf, ctx.root)
    if vim.api.nvim_buf_get_name(buf) == '' then error(name .. ' has no file yet; only the user can say where it goes.', 0) end
    if not vim.bo[buf].modified then return schema.text(name .. ' has no unsaved changes.') end
    local tick = vim.api.nvim_buf_get_changedtick(buf)
    local before = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
    local ok, err = pcall(vim.api.nvim_buf_call, buf, function() vim.cmd('silent write') end)
    if not ok or vim.bo[buf].modified then error(('%s was not saved: %s'):format(name, ok and 'the editor refused' or err), 0) end
    local changed = vim.api.nvim_buf_get_changedtick(buf) ~= tick
      and not vim.deep_equal(before, vim.api.nvim_buf_get_lines(buf, 0, -1, false))
    local result = schema.text(name .. ' is saved' .. (changed and '; saving changed it (format on save)' or '') .. '.')
    result.changed = { vim.uri_from_bufnr(buf) }
    return result
  end,
}
