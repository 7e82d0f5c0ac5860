--- companion/question/ask: options by vim.ui.select, free text by vim.ui.input, one after the other.
local waiting = require('companion.waiting')
local M = {}

---@class companion.Question
---@field id string
---@field header string
---@field question string
---@field options? {label: string, description?: string}[]
---@field multi? boolean
---@field allowOther? boolean
---@field secret? boolean

---@param text? string
---@return string
local function plain(text) return (tostring(text or ''):gsub('%s+', ' ')) end

---@param question companion.Question
---@param done fun(answer?: string[])
local function free(question, done)
  local prompt = plain(question.question) .. ' '
  if question.secret then
    local text = vim.fn.inputsecret(prompt)
    return done(text ~= '' and { text } or nil)
  end
  vim.ui.input({ prompt = prompt }, function(text) done(text and { text }) end)
end

--- vim.ui.select takes one; for several it comes again, without what is taken, until "That is all".
---@param question companion.Question
---@param taken string[]
---@param done fun(answer?: string[])
local function one(question, taken, done)
  local items = {}
  for _, o in ipairs(question.options or {}) do
    if not vim.list_contains(taken, o.label) then table.insert(items, { label = o.label, description = o.description }) end
  end
  if #items == 0 and #taken == 0 then return free(question, done) end
  if question.allowOther then table.insert(items, { label = 'Something else…', other = true }) end
  if #taken > 0 then table.insert(items, 1, { label = 'That is all: ' .. table.concat(taken, ', '), all = true }) end
  vim.ui.select(items, {
    prompt = ('%s: %s'):format(plain(question.header), plain(question.question)),
    kind = 'companion',
    format_item = function(i) return plain(i.label .. (i.description and i.description ~= '' and (': ' .. i.description) or '')) end,
  }, function(item)
    if not item then return done(nil) end
    if item.all then return done(taken) end
    if item.other then
      return free(question, function(more) done(more and vim.list_extend(taken, more)) end)
    end
    table.insert(taken, item.label)
    if question.multi and #taken < #question.options then return one(question, taken, done) end
    done(taken)
  end)
end

---@param questions companion.Question[]
---@param answers table<string, string[]>
---@param done companion.Done
local function all(questions, answers, done)
  local question = questions[vim.tbl_count(answers) + 1]
  if not question then return done({ answers = next(answers) and answers or vim.empty_dict() }) end
  one(question, {}, function(answer)
    if not answer then return done(nil) end
    answers[question.id] = answer
    all(questions, answers, done)
  end)
end

---@param params {turnId: string, callId: string, questions: companion.Question[]}
function M.ask(_, params, ctx)
  local about = { client_id = ctx.client_id, turnId = params.turnId, callId = params.callId }
  local first = params.questions[1]
  return waiting.put(first and first.question or 'a question', about, function(done) all(params.questions, {}, done) end)
end

return M
