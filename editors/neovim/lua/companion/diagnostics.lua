--- companion/diagnostics/await: what the language servers of this Neovim say of files. Neovim does not tell for which
--- text diagnostics are, so none are called fresh: settled means that some came after the edit, and then no more.
local await = require('companion.await')
local servers = require('companion.servers')
local M = {}

--- How often it is looked whether they have settled, in ms.
local step = 25

---@type table<integer, {version: integer, at: number}> by buffer: its version when its diagnostics were last told, and when
local told = {}

---@type table<string, true> endings of the files that something was ever told of
local endings = {}

---@param path string
---@return string
local function ending(path) return path:match('%.[^./\\]+$') or '' end

---@return number ms
local function now() return vim.uv.hrtime() / 1e6 end

---@param buf integer
---@return integer
local function version_of(buf) return (vim.lsp.util.buf_versions or {})[buf] or vim.b[buf].changedtick or 0 end

--- Remembers when diagnostics come.
function M.follow()
  vim.api.nvim_create_autocmd('DiagnosticChanged', {
    group = vim.api.nvim_create_augroup('companion.diagnostics', { clear = true }),
    callback = function(ev)
      endings[ending(vim.api.nvim_buf_get_name(ev.buf))] = true
      told[ev.buf] = { version = vim.api.nvim_buf_is_loaded(ev.buf) and version_of(ev.buf) or 0, at = now() }
    end,
  })
end

---@param d vim.Diagnostic
---@param encoding string
---@return table as of LSP
local function lsp(d, encoding)
  local span = { first_line = d.lnum, first = d.col, last_line = d.end_lnum or d.lnum, last = d.end_col or d.col }
  return {
    range = require('companion.places').range(d.bufnr, span, encoding),
    severity = d.severity,
    message = d.message,
    source = d.source,
    code = d.code,
  }
end

---@param buf integer
---@param since integer
---@return boolean whether something was told of a text that new
local function heard(buf, since) return told[buf] ~= nil and told[buf].version >= since end

---@param uri string
---@param buf integer
---@param params table
---@param encoding string
---@param freshness string
---@return table
local function item(uri, buf, params, encoding, freshness)
  local sources, list = {}, {}
  for _, d in ipairs(vim.diagnostic.get(buf)) do
    if d.severity <= (params.minSeverity or 4) then table.insert(list, lsp(d, encoding)) end
    if d.source and not vim.list_contains(sources, d.source) then table.insert(sources, d.source) end
  end
  return {
    uri = uri,
    version = vim.api.nvim_buf_is_loaded(buf) and version_of(buf) or nil,
    freshness = freshness,
    method = 'event',
    quietMs = told[buf] and math.floor(now() - told[buf].at) or nil,
    sources = sources,
    diagnostics = list,
  }
end

---@param params {uris: string[], since: table<string, integer>, includeOthers?: boolean, minSeverity?: integer, settleMs: integer, timeoutMs: integer}
function M.await(_, params, ctx)
  local client = assert(vim.lsp.get_client_by_id(ctx.client_id))
  -- without a server for such files nothing would ever come, and companion has to know that
  local known = vim.iter(params.uris):any(function(uri) return endings[ending(vim.uri_to_fname(uri))] and #servers.of(uri) > 0 end)
  if not known then
    local code = vim.lsp.protocol.ErrorCodes.MethodNotFound
    return nil, vim.lsp.rpc_response_error(code, 'no language server of this Neovim told anything of such files')
  end
  local begun, bufs, hopeful = now(), {}, {}
  for _, uri in ipairs(params.uris) do
    local buf = vim.uri_to_bufnr(uri)
    bufs[uri] = buf
    -- nobody else has the buffer: nothing will come
    if #servers.of(uri) > 0 then table.insert(hopeful, uri) end
  end
  local function settled(uri)
    local buf = bufs[uri]
    return heard(buf, (params.since or {})[uri] or 0) and now() - told[buf].at >= params.settleMs
  end
  local function all()
    for _, uri in ipairs(hopeful) do
      if not settled(uri) then return false end
    end
    return true
  end
  while not all() and now() - begun < params.timeoutMs do
    await.sleep(step)
  end
  local items, mine = {}, {}
  for _, uri in ipairs(params.uris) do
    local buf = bufs[uri]
    mine[buf] = true
    local ok = settled(uri)
    local freshness = ok and 'settled' or (params.timeoutMs == 0 and #vim.diagnostic.get(buf) > 0) and 'stale' or 'timeout'
    table.insert(items, item(uri, buf, params, client.offset_encoding, freshness))
  end
  if params.includeOthers then
    for buf, when in pairs(told) do
      if vim.api.nvim_buf_is_valid(buf) and not mine[buf] and (when.at >= begun or #vim.diagnostic.get(buf) > 0) then
        local freshness = when.at >= begun and 'settled' or 'stale'
        table.insert(items, item(vim.uri_from_bufnr(buf), buf, params, client.offset_encoding, freshness))
      end
    end
  end
  return { items = items }
end

return M
