--- Companion for Neovim: a thin client of `companion serve`. See |companion.txt|.
local M = {}

---@class companion.Config
---@field cmd string[] the program that serves
---@field cmd_env? table<string, string> its environment, beside Neovim's
---@field settings table<string, any> the section `companion`, with dots or nested
---@field filetypes? string[] where it starts; nil = in every file
---@field root_markers string[] what the folder of a project holds
---@field trusted? boolean|(fun(root: string): boolean?) whether a project may configure companion; nil = it asks
---@field ask 'notify'|'open' what an approval or a question does: tell, or open at once
local defaults = {
  cmd = { 'companion', 'serve' },
  settings = {},
  root_markers = { '.git', '.hg', '.jj', 'go.work', 'go.mod', 'Cargo.toml', 'package.json', 'pyproject.toml' },
  ask = 'notify',
}

--- Starts companion in every file that is opened from now on, and in those open now.
---@param opts? companion.Config|{} what differs from the defaults
function M.setup(opts)
  if vim.fn.has('nvim-0.10') == 0 then error('companion needs Neovim 0.10 or newer') end
  ---@type companion.Config
  local config = vim.tbl_extend('force', vim.deepcopy(defaults), opts or {})
  vim.validate({
    cmd = { config.cmd, 'table' },
    cmd_env = { config.cmd_env, 'table', true },
    settings = { config.settings, 'table' },
    filetypes = { config.filetypes, 'table', true },
    root_markers = { config.root_markers, 'table' },
    trusted = { config.trusted, { 'boolean', 'function' }, true },
    ask = { config.ask, function(v) return v == 'notify' or v == 'open' end, '"notify" or "open"' },
  })
  require('companion.waiting').open_at_once = config.ask == 'open'
  require('companion.trust').setting = config.trusted
  require('companion.places').follow()
  require('companion.state').follow()
  require('companion.diagnostics').follow()
  require('companion.commands').define()
  require('companion.client').start_with(config)
end

--- What goes on, for a statusline: '' when nothing does.
---@return string
function M.status()
  local running, waiting = require('companion.events').running(), require('companion.waiting').count()
  local parts = {}
  if running > 0 then table.insert(parts, running .. ' running') end
  if waiting > 0 then table.insert(parts, 'asks ' .. waiting) end
  return #parts > 0 and ('Companion: ' .. table.concat(parts, ', ')) or ''
end

return M
