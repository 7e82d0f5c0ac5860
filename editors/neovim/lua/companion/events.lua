--- companion/event, told in the buffer companion://events and to the other parts.
local views = require('companion.views')
local waiting = require('companion.waiting')
local M = {}

--- Lines that the buffer keeps.
local max_lines = 10000

---@type table<string, integer> running turns, and the client of each
local turns = {}
---@type table<string, true> turns whose answer is shown when they end
local answers = {}
---@type table<string, true> items of which a part was written already, by deltas
local begun = {}
local mid_line = false

---@param text any
---@param max? integer
---@return string its first line
local function headline(text, max)
  local line = vim.trim(tostring(text or '')):match('^[^\r\n]*')
  return vim.fn.strchars(line) > (max or 80) and vim.fn.strcharpart(line, 0, (max or 80) - 1) .. '…' or line
end

---@return integer
local function buffer() return views.buffer('events', 'markdown') end

---@param text string
local function append(text)
  local buf = buffer()
  local count = vim.api.nvim_buf_line_count(buf)
  local at_end = {}
  for _, win in ipairs(vim.fn.win_findbuf(buf)) do
    if vim.api.nvim_win_get_cursor(win)[1] == count then table.insert(at_end, win) end
  end
  local lines = vim.split(text, '\r?\n')
  if mid_line or (count == 1 and vim.api.nvim_buf_get_lines(buf, 0, 1, false)[1] == '') then
    lines[1] = vim.api.nvim_buf_get_lines(buf, -2, -1, false)[1] .. lines[1]
    views.set(buf, -2, -1, lines)
  else
    views.set(buf, -1, -1, lines)
  end
  local over = vim.api.nvim_buf_line_count(buf) - max_lines
  if over > 0 then views.set(buf, 0, over, {}) end
  for _, win in ipairs(at_end) do
    vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(buf), 0 })
  end
end

---@param text string
local function line(text)
  mid_line = false
  append(text)
end

---@param text string
local function part(text)
  append(text)
  mid_line = true
end

---@type table<string, fun(e: table)> by type; what a newer server tells is for a newer plug-in
local write = {
  ['turn.started'] = function(e)
    local asked = ''
    for _, input in ipairs(e.input or {}) do
      if input.type == 'text' and asked == '' then asked = headline(input.text, 200) end
    end
    line(('── %s %s (%s, %s)'):format(os.date('%H:%M:%S'), asked, e.mode, e.model))
  end,
  ['message.delta'] = function(e)
    if not begun[e.itemId] then mid_line = false end
    begun[e.itemId] = true
    part(e.text)
  end,
  ['message.completed'] = function(e)
    if not begun[e.itemId] then line(e.text) end
    begun[e.itemId] = nil
    mid_line = false
  end,
  ['tool.started'] = function(e) line('▸ ' .. headline(e.activity ~= '' and e.activity or e.name)) end,
  ['tool.output'] = function(e) part(e.text) end,
  ['tool.completed'] = function(e)
    local seen = headline(e.display)
    line(('  %s after %d ms%s'):format(e.outcome, e.ranMs or 0, seen ~= '' and (': ' .. seen) or ''))
  end,
  ['approval.requested'] = function() line('  waits for your answer') end,
  ['approval.resolved'] = function(e) line(('  %s (%s)'):format(e.decision, e.by)) end,
  ['plan.updated'] = function(e)
    for _, step in ipairs(e.steps or {}) do
      line(('  □ %s %s'):format(headline(step.text or step.step), step.status or ''))
    end
  end,
  ['mode.changed'] = function(e) line('mode: ' .. e.mode) end,
  ['context.compacted'] = function(e) line(('context compacted from %d to %d tokens'):format(e.before, e.after)) end,
  ['warning'] = function(e) line('! ' .. headline(e.message, 200)) end,
  ['turn.completed'] = function(e)
    begun = {}
    line('── ' .. e.status .. (e.error and e.error ~= '' and (': ' .. headline(e.error, 200)) or ''))
  end,
}

---@param e table
---@param client_id integer
local function follow(e, client_id)
  if e.type == 'turn.started' then
    turns[e.turnId] = client_id
  elseif e.type == 'approval.resolved' or e.type == 'tool.completed' then
    waiting.withdraw(function(about) return about.client_id == client_id and about.turnId == e.turnId and about.callId == e.callId end)
  elseif e.type == 'turn.completed' then
    turns[e.turnId] = nil
    waiting.withdraw(function(about) return about.client_id == client_id and about.turnId == e.turnId end)
    if e.status == 'failed' or e.status == 'limit' then
      vim.notify(
        ('Companion %s: %s'):format(e.status == 'limit' and 'stopped at a limit' or 'failed', headline(e.error, 200)),
        vim.log.levels.ERROR
      )
    end
    if answers[e.turnId] then M.show(false) end
    answers[e.turnId] = nil
  end
end

---@param e table
function M.hear(_, e, ctx)
  if write[e.type] then write[e.type](e) end
  follow(e, ctx.client_id)
  vim.api.nvim_exec_autocmds('User', { pattern = 'CompanionEvent', modeline = false, data = { client_id = ctx.client_id, event = e } })
end

--- Shows the events when the turn ends: they hold its answer.
---@param turn_id string
function M.show_when_ended(turn_id) answers[turn_id] = true end

---@param focus boolean
function M.show(focus)
  local buf = buffer()
  local win = views.reveal(buf, focus)
  vim.wo[win].wrap = true
  vim.api.nvim_win_set_cursor(win, { vim.api.nvim_buf_line_count(buf), 0 })
end

--- A server that died tells of no end.
---@param client_id integer
function M.ended(client_id)
  for turn, id in pairs(turns) do
    if id == client_id then turns[turn] = nil end
  end
end

---@return integer turns
function M.running() return vim.tbl_count(turns) end

return M
