local places = require('companion.places')
local schema = require('companion.tools.schema')

--- Neovim's tabs hold windows; what other editors call a tab is a listed buffer here.
---@type companion.Tool
return {
  spec = {
    name = 'editor_list_tabs',
    title = 'Tabs in the editor',
    description = 'The files that the user has open, which of them is looked at, which can be seen, and which have unsaved changes.',
    inputSchema = schema.object(),
    annotations = schema.read_only,
  },
  run = function(_, ctx)
    local win = places.window()
    local active = win and vim.api.nvim_win_get_buf(win)
    local lines, tabs = {}, {}
    for _, buf in ipairs(vim.api.nvim_list_bufs()) do
      if places.is_file(buf) then
        local named = vim.api.nvim_buf_get_name(buf) ~= ''
        local tab = {
          label = places.name(buf, ctx.root),
          uri = named and vim.uri_from_bufnr(buf) or nil,
          isActive = buf == active,
          isVisible = #vim.fn.win_findbuf(buf) > 0,
          isDirty = vim.bo[buf].modified,
        }
        local marks = {}
        if tab.isActive or tab.isVisible then table.insert(marks, tab.isActive and 'active' or 'visible') end
        if tab.isDirty then table.insert(marks, 'unsaved') end
        table.insert(tabs, tab)
        table.insert(lines, tab.label .. (#marks > 0 and (' (%s)'):format(table.concat(marks, ', ')) or ''))
      end
    end
    return schema.text(#lines > 0 and table.concat(lines, '\n') or 'No file is open.', { tabs = tabs })
  end,
}
