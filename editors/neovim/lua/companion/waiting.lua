--- What companion asks, until it is answered or withdrawn.
---
--- Neovim runs the handler of a request inside a coroutine and sends what that returns, whenever it does (its own
--- window/showMessageRequest rests on this). So a handler waits by yielding: nothing blocks, any number of questions
--- may be open, and they may be answered in any order.
---
--- Nothing opens by itself: a list that came up under the user's hands would take their typing for an answer.
local M = {}

---@class companion.About which request it is. Handlers are not told the request's id, so $/cancelRequest names nothing
---that could be found here; the events that come with it do.
---@field client_id integer
---@field turnId? string
---@field callId? string

---@alias companion.Done fun(answer?: table) nil = closed without an answer, it goes on waiting

---@class companion.Entry
---@field title string
---@field about companion.About
---@field show fun(done: companion.Done)
---@field resume fun(result?: table, err?: lsp.ResponseError)
---@field showing boolean

---@type companion.Entry[]
local entries = {}

--- Set by setup.
M.open_at_once = false

---@param entry companion.Entry
---@return boolean whether it was waiting
local function remove(entry)
  for i, other in ipairs(entries) do
    if other == entry then
      table.remove(entries, i)
      vim.cmd.redrawstatus({ bang = true })
      return true
    end
  end
  return false
end

---@param entry companion.Entry
local function show(entry)
  if entry.showing then return end
  entry.showing = true
  local ok, err = pcall(entry.show, function(answer)
    entry.showing = false
    if answer == nil then return end
    if remove(entry) then
      entry.resume(answer)
    else
      vim.notify('Companion no longer asks that.')
    end
  end)
  if ok then return end
  entry.showing = false
  if remove(entry) then entry.resume(nil, vim.lsp.rpc_response_error(vim.lsp.protocol.ErrorCodes.InternalError, tostring(err))) end
end

--- Waits for a person's answer; to be returned by a handler.
---@param title string
---@param about companion.About
---@param ask fun(done: companion.Done)
---@return table? result
---@return lsp.ResponseError? err
function M.put(title, about, ask)
  local co, is_main = coroutine.running()
  if not co or is_main then
    return nil, vim.lsp.rpc_response_error(vim.lsp.protocol.ErrorCodes.InternalError, 'this Neovim cannot wait for an answer')
  end
  ---@type companion.Entry
  local entry
  entry = {
    title = title:gsub('%s+', ' '),
    about = about,
    show = ask,
    showing = false,
    resume = function(result, err)
      -- never before the yield below, when vim.ui.select answers at once
      vim.schedule(function()
        local ok, why = coroutine.resume(co, result, err)
        if not ok then vim.notify('Companion: ' .. tostring(why), vim.log.levels.ERROR) end
      end)
    end,
  }
  table.insert(entries, entry)
  vim.schedule(function()
    vim.cmd.redrawstatus({ bang = true })
    if M.open_at_once then
      show(entry)
    else
      vim.notify(('Companion asks: %s (:CompanionAnswer)'):format(entry.title))
    end
  end)
  return coroutine.yield()
end

--- Ends the waiting of what the server no longer wants to know.
---@param match fun(about: companion.About): boolean?
function M.withdraw(match)
  for _, entry in ipairs(vim.list_slice(entries)) do
    if match(entry.about) and remove(entry) then
      entry.resume(nil, vim.lsp.rpc_response_error(vim.lsp.protocol.ErrorCodes.RequestCancelled, 'withdrawn'))
    end
  end
end

--- Opens what is asked; of several one to choose.
function M.open()
  if #entries == 0 then
    vim.notify('Companion asks nothing.')
  elseif #entries == 1 then
    show(entries[1])
  else
    vim.ui.select(entries, { prompt = 'Companion asks', format_item = function(e) return e.title end }, function(e)
      if e then show(e) end
    end)
  end
end

---@return integer
function M.count() return #entries end

return M
