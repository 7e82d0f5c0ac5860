-- Neovim with vim.lsp.start and nothing else. Run by scripts/test-editors.sh:
-- nvim --headless -u NONE -i NONE -n -l nvim.lua
-- COMPANION_BIN is the server; WORK is a folder of ours with a broken Go module
-- in WORK/module.
local bin, work = assert(vim.env.COMPANION_BIN), assert(vim.env.WORK)
local PATIENCE = 120000 -- ms, for a loaded machine
local failed = 0

local function say(s)
  io.stdout:write(s .. '\n')
  io.stdout:flush()
end

local function ok(name, cond, seen)
  if not cond then failed = failed + 1 end
  say((cond and 'ok   ' or 'FAIL ') .. name .. ((not cond and seen ~= nil) and ('  ' .. vim.inspect(seen):gsub('%s+', ' ')) or ''))
  return cond
end

local function wait(f, ms) return (vim.wait(ms or PATIENCE, f, 20)) end

local function read(path)
  local f = io.open(path, 'rb')
  if not f then return nil end
  local s = f:read('*a')
  f:close()
  return s
end

local function builds(dir)
  local r = vim.system({ 'go', 'build', '-o', '/dev/null', './...' }, { cwd = dir, text = true }):wait()
  return r.code == 0, r.stderr
end

-- What the servers told, newest last: progress of companion as
-- { kind =, text = }, messages as strings.
local progress, messages, questions = {}, {}, {}
local choose -- what vim.ui.select picks: a function from a label to a boolean
vim.api.nvim_create_autocmd('LspProgress', {
  callback = function(ev)
    local client, params = vim.lsp.get_client_by_id(ev.data.client_id), ev.data.params or ev.data.result
    if client and client.name == 'companion' then
      local v = params.value
      table.insert(progress, { kind = v.kind, text = v.message or v.title or '' })
    end
  end,
})
local function told(_, p) table.insert(messages, p.message) end
vim.ui.select = function(items, opts, on_choice)
  local labels = vim.tbl_map(opts.format_item or tostring, items)
  table.insert(questions, { prompt = opts.prompt, labels = labels })
  for i, label in ipairs(labels) do
    if choose and choose(label) then return on_choice(items[i], i) end
  end
  on_choice(nil, nil)
end

local function seen(list, f)
  for _, x in ipairs(list) do
    if f(x) then return x end
  end
end
local function saw_progress(kind, pattern)
  return seen(progress, function(p) return p.kind == kind and p.text:find(pattern) ~= nil end)
end
local function ended() return seen(progress, function(p) return p.kind == 'end' end) end
local function said(text)
  return seen(messages, function(m) return m:find(text, 1, true) ~= nil end)
end
-- completed: the turn ended, and not with words about a failure; what the
-- editor lacks is no failure.
local function completed()
  return wait(ended) and not ({ Stopped = true, Failed = true })[ended().text]
    and not seen(messages, function(m) return vim.startswith(m, 'Companion: ') and not vim.startswith(m, 'Companion: this editor offers') end)
end

-- scenario opens main.go of a fresh copy of the module with companion attached
-- and hands { dir, file, buf, client } to f. steps: what a scripted model
-- answers; nil = no model, quick fixes of gopls.
local function scenario(name, steps, settings, f)
  say('-- ' .. name)
  progress, messages, questions, choose = {}, {}, {}, nil
  local dir, state = work .. '/' .. name, work .. '/state-' .. name
  vim.fn.mkdir(state, 'p')
  vim.fn.system({ 'cp', '-r', work .. '/module', dir })
  local model = 'offline/quickfix'
  if steps then
    vim.fn.writefile({ vim.json.encode({ turns = steps }) }, state .. '/model.json')
    model = 'script/' .. state .. '/model.json'
  end
  local file = dir .. '/main.go'
  vim.cmd.edit(file)
  local buf = vim.api.nvim_get_current_buf()
  local id = vim.lsp.start({
    name = 'companion', cmd = { bin, 'serve' }, root_dir = dir, reuse_client = function() return false end,
    cmd_env = { COMPANION_MODEL = model, COMPANION_STATE_DIR = state, COMPANION_CONFIG = state .. '/config.jsonc', COMPANION_LOG = state .. '/log' },
    init_options = { settings = settings or vim.empty_dict() },
    handlers = { ['window/showMessage'] = told, ['window/logMessage'] = told },
  })
  local client = id and vim.lsp.get_client_by_id(id)
  if ok(name .. ': companion starts', client and wait(function() return client.initialized end)) then
    local fine, err = xpcall(f, debug.traceback, { dir = dir, file = file, buf = buf, client = client, id = id })
    if not fine then ok(name .. ': the driver ran to its end', false, err) end
  end
  vim.lsp.stop_client(vim.lsp.get_clients())
  ok(name .. ': the servers stop', wait(function() return #vim.lsp.get_clients() == 0 end))
  vim.cmd('bwipeout! ' .. buf)
end

local function lines(s) return table.concat(vim.api.nvim_buf_get_lines(s.buf, 0, -1, false), '\n') .. '\n' end

-- command runs a command of companion and gives its result.
local function command(s, id, argument)
  local done, err, result
  s.client.request('workspace/executeCommand', { command = id, arguments = { argument } }, function(e, r)
    done, err, result = true, e, r
  end, s.buf)
  ok(id .. ' is answered', wait(function() return done end) and err == nil, err)
  return result
end

local function edit(s, prompt) return command(s, 'companion.edit', { prompt = prompt, uri = vim.uri_from_bufnr(s.buf) }) end

say('up')

-- The lightbulb: gopls runs beside, as most people have it.
scenario('fix', nil, nil, function(s)
  local gopls = vim.lsp.start({ name = 'gopls', cmd = { 'gopls' }, root_dir = s.dir })
  local function errors() return vim.diagnostic.get(s.buf, { severity = vim.diagnostic.severity.ERROR }) end
  local before, disk = lines(s), read(s.file)
  if not ok('fix: gopls shows the problem', gopls and wait(function() return #errors() > 0 end)) then return end
  local problem = errors()[1]
  vim.api.nvim_win_set_cursor(0, { problem.lnum + 1, problem.col })
  local tick = vim.fn.undotree().seq_cur
  choose = function(label) return label:find('Fix with Companion: ', 1, true) ~= nil end
  -- companion learns of problems from a gopls of its own, whenever that has them
  ok('fix: the action is offered', wait(function()
    local n = #questions
    vim.lsp.buf.code_action()
    if not wait(function() return #questions > n end, 10000) then return false end
    return seen(questions[#questions].labels, choose) ~= nil
  end), questions[#questions])
  ok('fix: the buffer changes', wait(function() return lines(s) ~= before end), messages)
  ok('fix: progress is shown until the end', wait(ended) and saw_progress('begin', '^Companion: '), progress)
  ok('fix: one step of undo was made', vim.fn.undotree().seq_cur == tick + 1, { tick, vim.fn.undotree().seq_cur })
  ok('fix: the problem is gone', wait(function() return #errors() == 0 end), errors())
  local fixed = lines(s)
  ok('fix: what is not saved is not on the disk', not vim.bo[s.buf].modified or read(s.file) == disk)
  vim.cmd('silent write')
  ok('fix: the saved file builds', builds(s.dir))
  vim.cmd('silent undo')
  ok('fix: one undo takes it back', lines(s) == before, lines(s))
  vim.cmd('silent redo')
  ok('fix: redo brings it again', lines(s) == fixed)
end)

-- Without gopls in the editor: what companion itself knows is enough.
scenario('alone', nil, nil, function(s)
  local before = lines(s)
  choose = function(label) return label:find('Fix', 1, true) == 1 and label:find('Companion', 1, true) ~= nil end
  vim.lsp.buf.code_action()
  ok('alone: a fix is offered at once', wait(function() return #questions > 0 end) and seen(questions[1].labels, choose), questions)
  ok('alone: the buffer changes', wait(function() return lines(s) ~= before end), messages)
  ok('alone: the turn ends', completed(), { progress, messages })
  vim.cmd('silent write')
  ok('alone: the saved file builds', builds(s.dir))
end)

scenario('stop', {
  { calls = { { name = 'exec_command', arguments = { command = 'echo $$ >pid; exec sleep 600' } } } },
  { text = 'Never said.' },
}, { ['companion.mode'] = 'full' }, function(s)
  local turn = edit(s, 'Wait for it.')
  ok('stop: the command runs, and progress says so', wait(function()
    return saw_progress('report', 'sleep 600') and (read(s.dir .. '/pid') or ''):find('\n')
  end), progress)
  local pid = tonumber(read(s.dir .. '/pid') or '')
  choose = function(label) return label == 'Stop Companion' end
  vim.lsp.buf.code_action({ apply = false })
  ok('stop: Stop is among the code actions', wait(function() return #questions > 0 end) and seen(questions[1].labels, choose), questions)
  local stopped = command(s, 'companion.stop', vim.empty_dict())
  -- the action above or this command, whichever came first
  ok('stop: it names the turn, or the action had stopped it', stopped and (#stopped.stopped == 0 or stopped.stopped[1] == turn.turnId), stopped)
  ok('stop: progress ends', wait(ended) and ended().text == 'Stopped', progress)
  ok('stop: the command is dead', pid and wait(function() return vim.uv.kill(pid, 0) ~= 0 end, 10000))
  ok('stop: the model said no more', not said('Never said'))
end)

scenario('refuse', {
  { calls = { { name = 'read', arguments = { path = 'main.go' } } } },
  { calls = { { name = 'edit', arguments = { path = 'main.go', edits = { { old = 'hello', new = 'goodbye' } } } } } },
  { expect = { 'the user refused' }, text = 'Then it stays as it is.' },
}, { ['companion.mode'] = 'edit' }, function(s)
  local before = lines(s)
  choose = function(label) return label == 'Reject' end
  edit(s, 'Say goodbye.')
  ok('refuse: the turn ends', completed(), { progress, messages })
  ok('refuse: the person was asked once, with buttons', #questions == 1 and seen(questions[1].labels, function(l) return l == 'Allow once' end), questions)
  ok('refuse: the model heard it and answered', wait(function() return said('Then it stays as it is.') end), messages)
  ok('refuse: nothing was changed', lines(s) == before and not vim.bo[s.buf].modified)
end)

-- The user types in the same file between the agent's reading and its edit, as
-- by keys, and then goes on to another line, which is what ends a step of undo.
local function typing(name, after_typing)
  scenario(name, {
    { calls = { { name = 'read', arguments = { path = 'main.go' } } } },
    { calls = { { name = 'exec_command', arguments = { command = 'until [ -e typed ]; do sleep 0.1; done; echo seen' } } } },
    { calls = { { name = 'edit', arguments = { path = 'main.go', edits = { { old = '"hello"', new = '"goodbye"' } } } } } },
    { expect = { 'Edited main.go' }, text = 'Said.' },
  }, { ['companion.mode'] = 'full' }, function(s)
    local disk = read(s.file)
    edit(s, 'Say goodbye.')
    ok(name .. ': the turn is between reading and editing', wait(function() return saw_progress('report', 'typed') end), { progress, messages })
    vim.api.nvim_feedkeys(vim.keycode('ggO// Typed meanwhile: héllo 🙂.<Esc>j'), 'xt', false)
    local typed = lines(s)
    after_typing(s)
    vim.fn.writefile({}, s.dir .. '/typed')
    ok(name .. ': the turn ends', completed(), { progress, messages })
    ok(name .. ': both changes are there', lines(s) == (typed:gsub('"hello"', '"goodbye"')), lines(s))
    ok(name .. ': what was typed is not saved by companion', vim.bo[s.buf].modified and read(s.file) == disk)
    vim.cmd('silent undo')
    ok(name .. ": one undo takes the agent's change back and leaves the typing", lines(s) == typed, lines(s))
  end)
end

-- A request makes Neovim tell what was typed before it.
typing('typing', function(s) command(s, 'companion.status', vim.empty_dict()) end)

-- Neovim tells the server what was typed 150 ms later: the edit comes first.
typing('racing', function() end)

os.exit(failed == 0 and 0 or 1)
