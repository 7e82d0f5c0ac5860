--- Lets a handler of a server's request wait: Neovim runs it in a coroutine and sends what it returns, whenever it does.
local M = {}

---@return boolean whether the caller may wait
function M.able()
  local co, is_main = coroutine.running()
  return co ~= nil and not is_main
end

--- Gives what the callback is called with. Later calls of it are dropped.
---@param start fun(done: fun(...: any))
---@return any ...
function M.callback(start)
  local co, over = coroutine.running(), false
  start(function(...)
    if over then return end
    over = true
    local values, count = { ... }, select('#', ...)
    -- never before the yield below, when the callback comes at once
    vim.schedule(function()
      local ok, why = coroutine.resume(co, unpack(values, 1, count))
      if not ok then vim.notify('Companion: ' .. tostring(why), vim.log.levels.ERROR) end
    end)
  end)
  return coroutine.yield()
end

---@param ms integer
function M.sleep(ms)
  M.callback(function(done) vim.defer_fn(done, ms) end)
end

return M
