--- companion/approval/request by vim.ui.select.
local views = require('companion.views')
local waiting = require('companion.waiting')
local M = {}

---@class companion.Option
---@field id string
---@field label string
---@field kind 'allowOnce'|'allowThread'|'allowAlways'|'rejectOnce'|'stop'
---@field rule? string

---@class companion.Approval
---@field threadId string
---@field turnId string
---@field callId string
---@field kind string
---@field title string
---@field detail string
---@field preview? {diff?: string, command?: string, cwd?: string, plan?: string}
---@field arguments? table
---@field editable boolean
---@field options companion.Option[]

---@class companion.Choice
---@field label string
---@field run fun(done: companion.Done)

---@param approval companion.Approval
---@param kind string
---@return companion.Option?
local function option(approval, kind)
  for _, o in ipairs(approval.options) do
    if o.kind == kind then return o end
  end
end

---@param approval companion.Approval
local function preview(approval)
  local p = approval.preview or {}
  if p.diff and p.diff ~= '' then return views.show('preview', p.diff, 'diff') end
  local parts = { '# ' .. approval.title, approval.detail }
  if p.command then vim.list_extend(parts, { 'In ' .. (p.cwd or 'the working folder') .. ':', p.command }) end
  if p.plan then table.insert(parts, p.plan) end
  if approval.arguments then table.insert(parts, vim.json.encode(approval.arguments)) end
  views.show('preview', table.concat(parts, '\n\n'), 'markdown')
end

--- An object that was changed as text. Empty lists stay lists.
---@param text string
---@return table?
local function object(text)
  local ok, value = pcall(vim.json.decode, text)
  if ok and type(value) == 'table' and (not vim.islist(value) or text:match('^%s*{')) then return value end
end

---@param approval companion.Approval
---@return companion.Choice[]
local function choices(approval)
  local out = {}
  ---@param label string
  ---@param run fun(done: companion.Done)
  local function add(label, run) table.insert(out, { label = label:gsub('%s+', ' '), run = run }) end
  for _, o in ipairs(approval.options) do
    add(o.rule and o.rule ~= '' and ('%s: %s'):format(o.label, o.rule) or o.label, function(done) done({ optionId = o.id }) end)
  end
  local reject, allow = option(approval, 'rejectOnce'), option(approval, 'allowOnce')
  if reject then
    add('Reject and say why…', function(done)
      vim.ui.input(
        { prompt = 'What should Companion do instead? ' },
        function(words) done(words and { optionId = reject.id, feedback = words }) end
      )
    end)
  end
  if approval.editable and allow then
    add('Change the arguments…', function(done)
      vim.ui.input({ prompt = 'Arguments: ', default = vim.json.encode(approval.arguments or vim.empty_dict()) }, function(text)
        local value = text and object(text)
        if text and not value then vim.notify('Companion: a JSON object is expected', vim.log.levels.ERROR) end
        done(value and { optionId = allow.id, arguments = value })
      end)
    end)
  end
  add('Show what it would do', function(done)
    preview(approval)
    done(nil)
  end)
  return out
end

---@param approval companion.Approval
---@return lsp.ResponseError?
function M.request(_, approval, ctx)
  local about = { client_id = ctx.client_id, turnId = approval.turnId, callId = approval.callId }
  return waiting.put(approval.title, about, function(done)
    local what = (approval.preview or {}).command or approval.detail or ''
    local prompt = approval.title .. (what ~= '' and what ~= approval.title and (': ' .. what) or '')
    vim.ui.select(choices(approval), {
      prompt = prompt:gsub('%s+', ' '),
      kind = 'companion',
      format_item = function(c) return c.label end,
    }, function(choice)
      if choice then
        choice.run(done)
      else
        done(nil)
      end
    end)
  end)
end

return M
