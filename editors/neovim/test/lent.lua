-- What this Neovim tells and lends besides tools: its state, trust, language servers, diagnostics, files. Run by drive.lua.
local b = require('bench')
local ok, wait, scenario = b.ok, b.wait, b.scenario

local without_gopls = { ['lsp.gopls.disabled'] = true }

--- Runs a handler as Neovim runs it.
---@param f fun(...: any): any
---@return fun(): any result, fun(): any err
local function in_coroutine(f, ...)
  local result, err
  local args = { ... }
  coroutine.wrap(function()
    result, err = f(nil, unpack(args))
  end)()
  return function() return result end, function() return err end
end

---@param client vim.lsp.Client
---@param method string
---@param params table
---@return table? result
local function request(client, method, params)
  local answer
  require('companion.client').request(client, method, params, function(err, result) answer = { err = err, result = result } end)
  wait(function() return answer end)
  return answer and answer.result
end

--- What was told to the server by notifications of a method, from now on.
---@param client vim.lsp.Client
---@param method string
---@return table[]
local function overheard(client, method)
  local seen, notify = {}, client.notify
  client.notify = function(first, second, third)
    local name, params = first, second
    if first == client then
      name, params = second, third
    end
    if name == method then table.insert(seen, params) end
    return notify(first, second, third)
  end
  return seen
end

scenario('state', { { expect = { 'Active file: other.go, selection 3:5-3:10' }, text = 'Seen.' } }, without_gopls, function(s)
  local told = overheard(s.client, 'companion/editor/didChangeState')
  vim.fn.writefile({ 'package main', '', 'var other = 1' }, s.dir .. '/other.go')
  vim.cmd.edit(s.dir .. '/other.go')
  vim.api.nvim_win_set_cursor(0, { 3, 4 })
  vim.cmd('normal! ve')
  require('companion.state').later() -- a script's keys make no ModeChanged before it waits
  local function last() return (told[#told] or {}).editorState or {} end
  ok('state: the selection is told', wait(function() return vim.tbl_get(last(), 'active', 'selection', 'end', 'character') == 9 end), told)
  ok('state: with the file', (vim.tbl_get(last(), 'active', 'uri') or ''):match('other%.go$'), last())
  ok('state: and what can be seen', vim.tbl_get(last(), 'active', 'visibleRanges', 1, 'end', 'line') == 2, last())
  ok('state: both files are tabs', #(last().tabs or {}) == 2, last())
  local turn = request(s.client, 'companion/turn/start', { mode = 'ask', input = { { type = 'text', text = 'What do I see?' } } })
  ok('state: a turn that says nothing of it knows', turn and b.completed(), { b.events, b.messages })
  b.keys('<Esc>')
  local n = #told
  vim.api.nvim_buf_set_lines(0, -1, -1, false, { '// typed' })
  vim.api.nvim_exec_autocmds('BufModifiedSet', {}) -- Neovim makes it when it draws, which a headless one does not
  ok(
    'state: unsaved changes are told',
    wait(function()
      return #told > n and b.seen(last().tabs, function(t) return t.isDirty and t.isActive end)
    end),
    last()
  )
  n = #told
  require('companion.state').later()
  vim.wait(400)
  ok('state: nothing is told twice', #told == n or not vim.deep_equal(told[n], told[n + 1]), told)
  vim.cmd('silent write')
end)

scenario('trust', nil, without_gopls, function(s)
  -- the folder was empty when the server started: it is started again with something to trust
  vim.fn.mkdir(s.dir .. '/.companion', 'p')
  vim.fn.writefile({ '{"maxSteps": 7, "mode": "plan"}' }, s.dir .. '/.companion/config.jsonc')
  local before = s.client.id
  vim.cmd('CompanionRestart')
  local client
  ok(
    'trust: :CompanionRestart starts another server',
    wait(function()
      client = vim.lsp.get_clients({ name = 'companion', bufnr = s.buf })[1]
      return client and client.id ~= before and client.initialized
    end),
    b.messages
  )
  ok('trust: it asks', wait(function() return b.said('until you trust this folder') end), b.messages)
  ok('trust: until then the project sets nothing', request(client, 'companion/status', vim.empty_dict()).mode ~= 'plan')
  vim.cmd('CompanionTrust')
  ok(
    'trust: then it does',
    wait(function() return request(client, 'companion/status', vim.empty_dict()).mode == 'plan' end),
    request(client, 'companion/status', vim.empty_dict())
  )
  ok('trust: it says so', b.said('Companion: trusts '), b.messages)
  vim.cmd('CompanionTrust no')
  ok('trust: and takes it back', wait(function() return request(client, 'companion/status', vim.empty_dict()).mode ~= 'plan' end))
  ok('trust: words are completed', vim.deep_equal(vim.fn.getcompletion('CompanionTrust n', 'cmdline'), { 'no' }))
end)

--- gopls as most people have it, and a function that is used in another file.
local function with_gopls(s)
  vim.fn.writefile({ 'package main', '', '// Greet says é🙂.', 'func Greet() string { return "é🙂" }' }, s.dir .. '/greet.go')
  vim.api.nvim_buf_set_lines(s.buf, 0, -1, false, {
    'package main',
    '',
    'func main() {',
    '\tprintln("é🙂", Greet())',
    '}',
  })
  vim.cmd('silent write')
  local id = vim.lsp.start({ name = 'gopls', cmd = { 'gopls' }, root_dir = s.dir }, { bufnr = s.buf })
  return id
    and wait(function()
      local client = vim.lsp.get_client_by_id(id)
      return client and client.initialized and client
    end)
    and vim.lsp.get_client_by_id(id)
end

local function lsp(action, more)
  return { { name = 'lsp', arguments = vim.tbl_extend('force', { action = action, path = 'main.go' }, more) } }
end

-- companion has no gopls here: what the model hears can come from Neovim's only.
scenario(
  'language',
  {
    { calls = lsp('definition', { symbol = 'Greet', line = 4 }) },
    { expect = { 'greet.go:4' }, calls = lsp('hover', { symbol = 'Greet', line = 4 }) },
    { expect = { 'Greet says é🙂' }, calls = lsp('references', { symbol = 'Greet', line = 4 }) },
    { expect = { 'main.go:4' }, text = 'Seen.' },
  },
  without_gopls,
  function(s)
    local gopls = with_gopls(s)
    if not ok('language: gopls runs', gopls) then return end
    vim.cmd('CompanionEdit Who greets?')
    ok('language: the model gets what gopls of this Neovim knows', b.completed(), { b.events, b.messages })
    local uri = vim.uri_from_bufnr(s.buf)
    local at = { textDocument = { uri = uri }, position = { line = 3, character = 18 } }
    local function ask(method, params)
      local result, err = in_coroutine(
        require('companion.language').request,
        { method = method, params = params },
        { client_id = s.client.id }
      )
      wait(function() return result() or err() end)
      return result(), err()
    end
    local symbols = ask('textDocument/documentSymbol', { textDocument = at.textDocument })
    ok('language: symbols of the file', type(symbols) == 'table' and symbols[1] and symbols[1].name == 'main', symbols)
    local renamed = ask('textDocument/rename', vim.tbl_extend('force', at, { newName = 'Hail' }))
    ok('language: a rename is told, not made', vim.inspect(renamed):find('Hail') and b.text(s):find('Greet()', 1, true), renamed)
    local nothing = ask('textDocument/hover', { textDocument = at.textDocument, position = { line = 1, character = 0 } })
    ok('language: nothing is an answer', nothing == vim.NIL, nothing)
    local _, err = ask('textDocument/formatting', at)
    ok('language: what was not offered is refused', err and err.code == vim.lsp.protocol.ErrorCodes.MethodNotFound, err)
    vim.api.nvim_buf_set_lines(s.buf, 3, 4, false, { '\tprintln("é🙂", Greet(), os.Args)' })
    local actions
    ok(
      'language: code actions come with their edits',
      wait(function()
        actions = ask('textDocument/codeAction', {
          textDocument = at.textDocument,
          range = { start = { line = 0, character = 0 }, ['end'] = { line = 0, character = 0 } },
          context = { diagnostics = {}, only = { 'source.organizeImports' } },
        })
        return type(actions) == 'table' and actions[1] and actions[1].edit
      end),
      actions
    )
    vim.cmd('silent undo')
  end
)

-- Servers may count columns in other units than companion: each is told its own.
scenario('columns', nil, without_gopls, function(s)
  local recode = require('companion.recode').positions
  vim.fn.writefile({ 'package main', '', '// é🙂 Greet', 'var é = "🙂"' }, s.dir .. '/greet.go')
  vim.api.nvim_buf_set_lines(s.buf, 0, -1, false, { '\tprintln("é🙂", Greet())' })
  local uri, other = vim.uri_from_bufnr(s.buf), vim.uri_from_fname(s.dir .. '/greet.go')
  local function span(line, from, to) return { start = { line = line, character = from }, ['end'] = { line = line, character = to } } end
  local function same(name, message, from, to, want)
    local got = recode(message, uri, from, to)
    ok('columns: ' .. name, vim.deep_equal(got, want), got)
  end
  -- a tab, println("é🙂", and a space: 16 utf-16 units, 19 bytes, 15 characters
  same('a position that names no document is in the one that is asked about', span(0, 16, 21), 'utf-16', 'utf-8', span(0, 19, 24))
  same('and back', span(0, 19, 24), 'utf-8', 'utf-16', span(0, 16, 21))
  same('to characters', span(0, 16, 21), 'utf-16', 'utf-32', span(0, 15, 20))
  same('past the end is the end', span(0, 16, 500), 'utf-16', 'utf-8', span(0, 19, 27))
  same(
    'places in a file that no buffer has',
    { { uri = other, range = span(2, 10, 15) } },
    'utf-8',
    'utf-16',
    { { uri = other, range = span(2, 7, 12) } }
  )
  same(
    'links, whose ends are in two files',
    { { originSelectionRange = span(0, 19, 24), targetUri = other, targetRange = span(2, 10, 15), targetSelectionRange = span(2, 10, 15) } },
    'utf-8',
    'utf-16',
    { { originSelectionRange = span(0, 16, 21), targetUri = other, targetRange = span(2, 7, 12), targetSelectionRange = span(2, 7, 12) } }
  )
  same(
    'edits by their documents',
    { changes = { [other] = { { range = span(3, 4, 6), newText = 'e' } } } },
    'utf-8',
    'utf-16',
    { changes = { [other] = { { range = span(3, 4, 5), newText = 'e' } } } }
  )
  same('what has no position stays', { contents = { 'a', 'b' }, n = 1 }, 'utf-8', 'utf-16', { contents = { 'a', 'b' }, n = 1 })
end)

scenario('diagnostics', nil, without_gopls, function(s)
  local _, refused = in_coroutine(
    require('companion.diagnostics').await,
    { uris = { vim.uri_from_fname(s.dir .. '/x.unserved') }, since = {}, settleMs = 0, timeoutMs = 60000 },
    { client_id = s.client.id }
  )
  wait(refused)
  ok('diagnostics: without a server it is refused at once', (refused() or {}).code == vim.lsp.protocol.ErrorCodes.MethodNotFound, refused())
  local gopls = vim.lsp.start({ name = 'gopls', cmd = { 'gopls' }, root_dir = s.dir })
  if not ok('diagnostics: gopls shows the problem', gopls and wait(function() return #vim.diagnostic.get(s.buf) > 0 end)) then return end
  local uri = vim.uri_from_bufnr(s.buf)
  local function await(more)
    local params = vim.tbl_extend('force', { uris = { uri }, since = {}, settleMs = 300, timeoutMs = 60000 }, more)
    params.since = { [uri] = more.since or 0 }
    local result = in_coroutine(require('companion.diagnostics').await, params, { client_id = s.client.id })
    wait(result)
    return (result() or {}).items or {}
  end
  local function version() return vim.lsp.util.buf_versions[s.buf] end
  local known = await({ timeoutMs = 0 })[1] or {}
  ok('diagnostics: what is known now comes at once', #(known.diagnostics or {}) > 0, known)
  local problem = known.diagnostics[1]
  ok(
    'diagnostics: as LSP has them',
    problem.severity == 1 and problem.message:find('imported and not used') and problem.range.start.line == 4,
    problem
  )
  ok('diagnostics: with the server', vim.list_contains(known.sources, 'compiler'), known.sources)
  vim.api.nvim_buf_set_lines(s.buf, 4, 5, false, {})
  vim.lsp.buf_notify(s.buf, '$/setTrace', { value = 'off' }) -- what was typed goes before it
  local clean = await({ since = version() })[1] or {}
  ok('diagnostics: after an edit they settle', clean.freshness == 'settled' and clean.version == version(), clean)
  ok('diagnostics: and are those of the new text', #clean.diagnostics == 0, clean)
  ok('diagnostics: quiet for as long as was asked', clean.quietMs >= 300, clean)
  local never = await({ since = version() + 1000, timeoutMs = 100 })[1] or {}
  ok('diagnostics: what never comes is not called clean', never.freshness == 'timeout', never)
  vim.cmd('silent undo')
end)

scenario(
  'files',
  {
    { calls = { { name = 'exec_command', arguments = { command = 'sed -i s/hello/goodbye/ main.go other.go' } } } },
    { text = 'Said.' },
  },
  vim.tbl_extend('force', { mode = 'full' }, without_gopls),
  function(s)
    vim.fn.writefile({ 'package main', '', 'var other = "hello"' }, s.dir .. '/other.go')
    vim.cmd.edit(s.dir .. '/other.go')
    local other = vim.api.nvim_get_current_buf()
    vim.api.nvim_buf_set_lines(other, -1, -1, false, { '// typed' })
    vim.cmd('hide buffer ' .. s.buf)
    b.picks('Run anyway')
    vim.cmd('CompanionEdit Say goodbye.')
    wait(function()
      if require('companion.waiting').count() > 0 then require('companion.waiting').open() end
      return b.event('turn.completed')
    end)
    ok('files: the turn completes', b.completed(), { b.events, b.messages, b.lists })
    ok('files: a buffer is read again', wait(function() return b.text(s):find('goodbye', 1, true) end), b.text(s))
    local text = table.concat(vim.api.nvim_buf_get_lines(other, 0, -1, false), '\n')
    ok('files: one with unsaved changes keeps them', text:find('"hello"', 1, true) and text:find('// typed', 1, true), text)
  end
)

scenario('health', nil, without_gopls, function(s)
  vim.cmd('silent checkhealth companion')
  local function report() return table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n') end
  ok('health: the server answers', report():find('offline/quickfix, mode', 1, true), report())
  ok('health: nothing of tier 0 is missed', not report():find('no codeLens', 1, true), report())
  ok('health: the program says of itself', report():find('version%s+companion '), report())
  vim.cmd('silent! bwipeout!')
  vim.api.nvim_set_current_buf(s.buf)
  require('companion').setup({ cmd = { 'no-such-companion' }, filetypes = { 'go' } })
  vim.cmd('silent! edit')
  ok('health: a missing program is told', wait(function() return b.said('the program no-such-companion is not in $PATH') end), b.messages)
  vim.cmd('silent! doautocmd FileType go')
  local times = #vim.tbl_filter(function(m) return m:find('not in $PATH', 1, true) end, b.messages)
  ok('health: once', times == 1, b.messages)
  vim.cmd('silent checkhealth companion')
  ok('health: and :checkhealth says what to do', report():find('make build', 1, true), report())
  vim.cmd('silent! bwipeout!')
end)
