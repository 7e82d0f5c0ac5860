-- Neovim with this plug-in, headless. Run by scripts/test-editors.sh nvim-plugin:
-- nvim --headless -u NONE -i NONE -n -l drive.lua
-- COMPANION_BIN is the server; WORK is a folder of ours with a broken Go module
-- in WORK/module. ONLY=NAME runs one scenario.
local here = vim.fs.dirname(vim.fs.normalize(debug.getinfo(1, 'S').source:sub(2)))
vim.opt.runtimepath:append(vim.fs.dirname(here))
package.path = here .. '/?.lua;' .. package.path
vim.cmd('filetype on')
local b = require('bench')
local ok, wait, scenario = b.ok, b.wait, b.scenario

b.say('up')

scenario('handshake', nil, {}, function(s)
  local c = s.client.server_capabilities
  ok('handshake: the server speaks version 1', vim.tbl_get(c, 'experimental', 'companion', 'version') == 1, c.experimental)
  ok('handshake: it leaves the command ids to the client', c.executeCommandProvider == nil, c.executeCommandProvider)
  vim.cmd('CompanionStatus')
  ok('handshake: the status is shown', wait(function() return vim.api.nvim_buf_get_name(0):match('companion://status$') end), b.messages)
  vim.cmd('wincmd p')
  vim.cmd('CompanionTools')
  ok('handshake: the tools are shown', wait(function() return vim.api.nvim_buf_get_name(0):match('companion://tools$') end), b.messages)
  local tools = table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n')
  for _, name in ipairs({ 'get_selection', 'list_tabs', 'read_buffer', 'open_tab', 'save' }) do
    ok('handshake: editor_' .. name .. ' is registered', tools:find('editor_' .. name, 1, true))
  end
  local help = s.dir .. '/help/doc'
  vim.fn.mkdir(help, 'p')
  vim.fn.system({ 'cp', vim.fs.dirname(here) .. '/doc/companion.txt', help })
  vim.cmd.helptags(help)
  vim.opt.runtimepath:append(s.dir .. '/help')
  for name in pairs(vim.api.nvim_get_commands({})) do
    if name:match('^Companion') then ok('handshake: :help :' .. name, pcall(vim.cmd.help, ':' .. name)) end
  end
end)

-- The lightbulb: gopls runs beside, as most people have it.
scenario('lightbulb', nil, {}, function(s)
  local gopls = vim.lsp.start({ name = 'gopls', cmd = { 'gopls' }, root_dir = s.dir })
  local function errors() return vim.diagnostic.get(s.buf, { severity = vim.diagnostic.severity.ERROR }) end
  local before = b.text(s)
  if not ok('lightbulb: gopls shows the problem', gopls and wait(function() return #errors() > 0 end)) then return end
  local problem = errors()[1]
  vim.api.nvim_win_set_cursor(0, { problem.lnum + 1, problem.col })
  local tick = vim.fn.undotree().seq_cur
  b.picks('Fix with Companion: ')
  -- companion learns of problems from a gopls of its own, whenever that has them
  ok(
    'lightbulb: the action is offered',
    wait(function()
      local n = #b.lists
      vim.lsp.buf.code_action()
      if not wait(function() return #b.lists > n end, 10000) then return false end
      return b.seen(b.lists[#b.lists].labels, b.choose) ~= nil
    end),
    b.lists[#b.lists]
  )
  ok('lightbulb: the turn completes', b.completed(), { b.events, b.messages })
  ok('lightbulb: the buffer is clean', wait(function() return #errors() == 0 end) and b.text(s) ~= before, errors())
  ok('lightbulb: one step of undo was made', vim.fn.undotree().seq_cur == tick + 1, { tick, vim.fn.undotree().seq_cur })
  ok('lightbulb: focus is in the file', vim.api.nvim_get_current_buf() == s.buf)
  ok(
    'lightbulb: Keep, Undo and Diff stand above the change',
    wait(function() return #vim.lsp.codelens.get(s.buf) >= 3 end),
    vim.lsp.codelens.get(s.buf)
  )
  local fixed = b.text(s)
  vim.cmd('silent write')
  ok('lightbulb: the saved file builds', b.builds(s.dir))
  vim.cmd('silent undo')
  ok('lightbulb: one undo takes it back', b.text(s) == before, b.text(s))
  vim.cmd('silent redo')
  ok('lightbulb: redo brings it again', b.text(s) == fixed)
end)

scenario('ask', { { expect = { 'What is this?', 'main.go' }, text = 'A program that says hello.' } }, {}, function(s)
  vim.cmd('CompanionAsk What is this?')
  ok('ask: the turn completes', b.completed(), { b.events, b.messages })
  ok('ask: it was in mode ask', (b.event('turn.started') or {}).mode == 'ask', b.event('turn.started'))
  ok('ask: the answer is in the events', b.events_text():find('A program that says hello.', 1, true), b.events_text())
  ok('ask: the events can be seen', wait(function() return vim.fn.bufwinid('^companion://events$') > 0 end))
  ok('ask: focus stays in the file', vim.api.nvim_get_current_buf() == s.buf)
end)

-- What is on the screen: a selection in main.go, and another file with unsaved changes.
scenario('tools', {
  {
    calls = { { name = 'editor_get_selection', arguments = vim.empty_dict() }, { name = 'editor_list_tabs', arguments = vim.empty_dict() } },
  },
  {
    expect = { 'main.go, line 9, column 6 to line 9, column 13', 'Selected:', 'Println', 'other.go (unsaved)', 'main.go (active)' },
    calls = {
      { name = 'editor_read_buffer', arguments = { file = 'other.go' } },
      { name = 'editor_save', arguments = { file = 'other.go' } },
    },
  },
  {
    expect = { 'var typed = "héllo 🙂"', 'other.go is saved' },
    calls = {
      { name = 'editor_read_buffer', arguments = { file = 'nowhere.go' } },
      { name = 'editor_open_tab', arguments = { file = 'third.go', line = 3, show = true } },
    },
  },
  { expect = { 'nowhere.go is not open in the editor', 'third.go is open beside' }, text = 'Seen.' },
}, { ['tools.trustedOwners'] = { 'Neovim' } }, function(s)
  vim.fn.writefile({ 'package main', '', 'var other = 1' }, s.dir .. '/other.go')
  vim.fn.writefile({ 'package main', '', 'var third = 3' }, s.dir .. '/third.go')
  vim.cmd.edit(s.dir .. '/other.go')
  vim.bo.bufhidden = 'hide'
  vim.api.nvim_buf_set_lines(0, -1, -1, false, { 'var typed = "héllo 🙂"' })
  vim.cmd('hide buffer ' .. s.buf)
  vim.api.nvim_win_set_cursor(0, { 9, 5 })
  vim.cmd('normal! ve')
  ok('tools: something is selected', vim.fn.mode() == 'v', vim.fn.mode())
  b.picks('Allow')
  vim.cmd('CompanionEdit Look around.')
  local function answering()
    if require('companion.waiting').count() > 0 then require('companion.waiting').open() end
    return b.event('turn.completed')
  end
  wait(answering)
  ok('tools: the model got what is on the screen', b.completed(), { b.events, b.messages, b.lists })
  local asked = vim.tbl_map(function(list) return list.prompt end, b.lists)
  ok(
    'tools: what only reads did not ask',
    #asked == 2 and asked[1]:find('editor_save', 1, true) and asked[2]:find('editor_open_tab', 1, true),
    asked
  )
  ok('tools: other.go is saved', (b.read(s.dir .. '/other.go') or ''):find('héllo 🙂', 1, true))
  ok(
    'tools: third.go is beside, at its line',
    b.seen(
      vim.api.nvim_tabpage_list_wins(0),
      function(win)
        return vim.api.nvim_buf_get_name(vim.api.nvim_win_get_buf(win)):match('third%.go$') and vim.api.nvim_win_get_cursor(win)[1] == 3
      end
    )
  )
  ok('tools: focus and selection stay', vim.api.nvim_get_current_buf() == s.buf and vim.fn.mode() == 'v', { vim.fn.mode() })
  b.keys('<Esc>')
end)

scenario('refuse', {
  { calls = { { name = 'read', arguments = { path = 'main.go' } } } },
  { calls = { { name = 'edit', arguments = { path = 'main.go', edits = { { old = 'hello', new = 'goodbye' } } } } } },
  { expect = { 'Use a constant instead' }, text = 'A constant, then.' },
}, { mode = 'edit' }, function(s)
  local before = b.text(s)
  vim.cmd('CompanionEdit Say goodbye.')
  ok('refuse: a message says that something is asked', wait(function() return b.said('Companion asks: ') end), { b.events, b.messages })
  ok('refuse: nothing opened by itself', #b.lists == 0 and vim.api.nvim_get_current_buf() == s.buf)
  ok('refuse: the statusline tells', require('companion').status():find('asks 1', 1, true), require('companion').status())
  b.picks('Show what it would do')
  vim.cmd('CompanionAnswer')
  ok('refuse: the change can be looked at', wait(function() return vim.api.nvim_buf_get_name(0):match('companion://preview$') end), b.lists)
  ok(
    'refuse: as a diff',
    table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n'):find('+.*goodbye'),
    vim.api.nvim_buf_get_lines(0, 0, -1, false)
  )
  vim.cmd('silent! close')
  b.picks('Reject and say why')
  b.words = 'Use a constant instead'
  vim.cmd('CompanionAnswer')
  ok('refuse: the turn goes on', b.completed(), { b.events, b.messages })
  ok('refuse: the words reached the model', b.event('message.completed', function(e) return e.text == 'A constant, then.' end))
  ok('refuse: nothing was changed', b.text(s) == before and not vim.bo[s.buf].modified)
  ok('refuse: nothing is asked any more', require('companion.waiting').count() == 0)
end)

scenario('stop', {
  { calls = { { name = 'exec_command', arguments = { command = 'echo $$ >pid; exec sleep 600' } } } },
  { text = 'Never said.' },
}, { mode = 'full' }, function(s)
  vim.cmd('CompanionEdit Wait for it.')
  ok('stop: the command runs', wait(function() return (b.read(s.dir .. '/pid') or ''):find('\n') end), { b.events, b.messages })
  ok(
    'stop: the statusline tells',
    wait(function() return require('companion').status():find('1 running', 1, true) end),
    require('companion').status()
  )
  local pid = tonumber(b.read(s.dir .. '/pid') or '')
  vim.cmd('CompanionStop')
  ok('stop: the turn is stopped', b.ended().status == 'stopped', { b.events, b.messages })
  ok('stop: the command is dead', pid and wait(function() return vim.uv.kill(pid, 0) ~= 0 end, 10000))
  ok('stop: the model said no more', not b.events_text():find('Never said', 1, true))
end)

-- A stop withdraws what is asked, and a late answer is told to be one.
scenario('withdrawn', {
  { calls = { { name = 'read', arguments = { path = 'main.go' } } } },
  { calls = { { name = 'edit', arguments = { path = 'main.go', edits = { { old = 'hello', new = 'goodbye' } } } } } },
  { text = 'Never said.' },
}, { mode = 'edit' }, function(s)
  local before = b.text(s)
  vim.cmd('CompanionEdit Say goodbye.')
  ok('withdrawn: something is asked', wait(function() return require('companion.waiting').count() == 1 end), { b.events, b.messages })
  local answer
  local select = vim.ui.select
  vim.ui.select = function(items, _, cb)
    answer = function() cb(items[1]) end
  end
  vim.cmd('CompanionAnswer')
  vim.ui.select = select
  vim.cmd('CompanionStop')
  ok('withdrawn: the turn is stopped', b.ended().status == 'stopped', { b.events, b.messages })
  ok('withdrawn: nothing is asked any more', wait(function() return require('companion.waiting').count() == 0 end))
  answer()
  ok('withdrawn: a late answer is told', wait(function() return b.said('no longer asks') end), b.messages)
  ok('withdrawn: nothing was changed', b.text(s) == before)
end)

-- The user types while an approval is open, then undoes the agent's change alone.
scenario('typing', {
  { calls = { { name = 'read', arguments = { path = 'main.go' } } } },
  { calls = { { name = 'edit', arguments = { path = 'main.go', edits = { { old = '"hello"', new = '"goodbye"' } } } } } },
  { expect = { 'Edited main.go' }, text = 'Said.' },
}, { mode = 'edit', ['lsp.gopls.disabled'] = true }, function(s)
  local disk = b.read(s.file)
  vim.cmd('CompanionEdit Say goodbye.')
  ok('typing: something is asked', wait(function() return require('companion.waiting').count() == 1 end), { b.events, b.messages })
  b.keys('ggO// Typed meanwhile: héllo 🙂.<Esc>')
  local typed = b.text(s)
  b.picks('Allow once')
  vim.cmd('CompanionAnswer')
  ok('typing: the turn completes', b.completed(), { b.events, b.messages })
  local both = typed:gsub('"hello"', '"goodbye"')
  ok('typing: both changes are there', b.text(s) == both, b.text(s))
  ok('typing: what was typed is not saved', vim.bo[s.buf].modified and b.read(s.file) == disk)
  vim.cmd('silent undo')
  ok("typing: one undo takes the agent's change back and leaves the typing", b.text(s) == typed, b.text(s))
  vim.cmd('silent redo')
  vim.cmd('CompanionUndo')
  ok('typing: so does :CompanionUndo', wait(function() return b.text(s) == typed end), { b.text(s), b.messages })
  ok('typing: and says so', wait(function() return b.said('1 undone') end), b.messages)
end)

-- The user is in insert mode all the while.
scenario('insert', {
  { calls = { { name = 'read', arguments = { path = 'main.go' } } } },
  { calls = { { name = 'exec_command', arguments = { command = 'until [ -e typed ]; do sleep 0.1; done; echo seen' } } } },
  { calls = { { name = 'edit', arguments = { path = 'main.go', edits = { { old = '"hello"', new = '"goodbye"' } } } } } },
  { expect = { 'Edited main.go' }, text = 'Said.' },
}, { mode = 'full', ['lsp.gopls.disabled'] = true }, function(s)
  local before = b.text(s)
  vim.cmd('CompanionEdit Say goodbye.')
  ok(
    'insert: the turn is between reading and editing',
    wait(function()
      return b.event('tool.started', function(e) return e.name == 'exec_command' end)
    end),
    { b.events, b.messages }
  )
  local mode
  function _G.CompanionTyping()
    vim.fn.writefile({}, s.dir .. '/typed')
    b.ended()
    mode = vim.fn.mode()
  end
  b.keys('ggO// Typed meanwhile.<Cmd>lua CompanionTyping()<CR> And more.<Esc>')
  ok('insert: the turn completes', b.completed(), { b.events, b.messages })
  ok('insert: insert mode was never left', mode == 'i', mode)
  local typed = '// Typed meanwhile.\n' .. before
  local both = typed:gsub('"hello"', '"goodbye"')
  ok('insert: all changes are there', b.text(s) == both:gsub('meanwhile%.', '%0 And more.'), b.text(s))
  vim.cmd('silent undo')
  ok('insert: the first undo takes back what was typed after', b.text(s) == both, b.text(s))
  vim.cmd('silent undo')
  ok("insert: the second the agent's change, alone", b.text(s) == typed, b.text(s))
  vim.cmd('silent undo')
  ok('insert: the third what was typed before', b.text(s) == before, b.text(s))
end)

-- companion asks no questions of this kind yet; the handler is run as Neovim runs it.
scenario('question', nil, {}, function(s)
  local picks = { 'Blue', 'Red', 'That is all', 'Something else' }
  b.choose = function(label) return label:find(picks[1], 1, true) and table.remove(picks, 1) ~= nil end
  b.words = 'sans'
  local result, err
  coroutine.wrap(function()
    result, err = require('companion.questions').ask(nil, {
      turnId = 'u',
      callId = 'c',
      questions = {
        {
          id = 'colour',
          header = 'Colour',
          question = 'Which?',
          multi = true,
          options = { { label = 'Red' }, { label = 'Green' }, { label = 'Blue' } },
        },
        {
          id = 'font',
          header = 'Font',
          question = 'Which?',
          allowOther = true,
          options = { { label = 'serif', description = 'with feet' } },
        },
        { id = 'name', header = 'Name', question = 'What is it called?' },
      },
    }, { client_id = s.client.id })
  end)()
  ok('question: it waits, and nothing opened', result == nil and #b.lists == 0 and require('companion.waiting').count() == 1)
  vim.cmd('CompanionAnswer')
  ok('question: all is answered', wait(function() return result end), { err, b.lists })
  ok(
    'question: as it was picked and typed',
    vim.deep_equal(result, { answers = { colour = { 'Blue', 'Red' }, font = { 'sans' }, name = { 'sans' } } }),
    result
  )
end)

scenario('keep', {
  { calls = { { name = 'read', arguments = { path = 'main.go' } } } },
  { calls = { { name = 'edit', arguments = { path = 'main.go', edits = { { old = '"hello"', new = '"goodbye"' } } } } } },
  { text = 'Said.' },
}, { ['lsp.gopls.disabled'] = true }, function(s)
  vim.cmd('CompanionEdit Say goodbye.')
  ok('keep: the turn completes', b.completed(), { b.events, b.messages })
  vim.cmd('CompanionDiff')
  ok('keep: the change is shown', wait(function() return vim.api.nvim_buf_get_name(0):match('companion://diff$') end), b.messages)
  ok(
    'keep: as a diff',
    table.concat(vim.api.nvim_buf_get_lines(0, 0, -1, false), '\n'):find('+.*goodbye'),
    vim.api.nvim_buf_get_lines(0, 0, -1, false)
  )
  vim.cmd('silent! close')
  vim.api.nvim_set_current_win(vim.fn.bufwinid(s.buf))
  vim.cmd('CompanionKeep')
  ok('keep: it is kept', wait(function() return b.said('1 kept') end), b.messages)
  ok('keep: and stays', b.text(s):find('goodbye', 1, true))
end)

require('lent')
b.finish()
