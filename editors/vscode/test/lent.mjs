// What the workbench tells and lends besides tools, and what goes wrong in it.
import fs from 'node:fs';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { until } from './bench.mjs';
import { fresh, start } from './scenarios.mjs';

const uriOf = (file) => pathToFileURL(file).href;
const quiet = { 'companion.lsp': { gopls: { disabled: true } } };

/** Says a request in the server's place and gives the answer. */
let asked = 0;
async function ask(wire, method, params) {
  const id = `lent-${++asked}`;
  await wire.inject({ id, method, params });
  return wire.answer(id);
}

export const lent = {
  /** What the user looks at is told, when it changes. */
  async state(s) {
    const { page, person, wire, ok, script, turn } = s;
    const all = () =>
      wire.said('client', (m) => m.method === 'companion/editor/didChangeState').map((m) => m.params.editorState);
    const before = all().length; // told to a server that was restarted, and to the next one again
    const told = () => all().slice(before);
    await fresh(s, 'state/state.go', 'package state\n\nvar alpha = 1\n');
    await person.goto(3, 5);
    for (let i = 0; i < 5; i++) await page.keyboard.press('Shift+ArrowRight');
    const last = await until('word of the selection', () =>
      told().find((e) => e.active?.uri.endsWith('/state/state.go') && e.active.selection.end.character === 9),
    );
    ok('the selection is told', last.active.selection.start.line === 2, last);
    ok('and the tab that is looked at', last.tabs.find((t) => t.isActive)?.uri.endsWith('/state/state.go'), last);
    await page.keyboard.press('ArrowRight');
    await page.keyboard.type('s');
    await until('word of unsaved changes', () =>
      told()
        .at(-1)
        .tabs.some((t) => t.isDirty && t.isActive),
    );
    ok('unsaved changes are told', true);
    const texts = told().map((e) => JSON.stringify(e));
    ok('nothing is told twice', !texts.some((e, i) => e === texts[i - 1]));
    await page.keyboard.press('Control+Z');
    await script([{ expect: ['Active file: ', 'state.go'], text: 'Seen.' }], quiet);
    const end = await turn(async () => {
      await person.command('Companion: Ask…');
      await person.answer('Ask Companion', 'Where am I?');
    });
    ok('the model knows', end.status === 'completed', end);
  },

  /** The lenses go when the user takes the change back by the editor's own undo, and come again with redo. */
  async ownUndo(s) {
    const { page, person, ok, script, look } = s;
    await fresh(s, 'own/own.go', 'package own\n\nvar one = 1\n');
    await script(
      [
        { calls: [{ name: 'read', arguments: { path: 'own/own.go' } }] },
        { calls: [{ name: 'edit', arguments: { path: 'own/own.go', edits: [{ old: 'one', new: 'uno' }] } }] },
        { text: 'Done.' },
      ],
      quiet,
    );
    const end = await start(s, 'Rename it.');
    ok('the turn completes', end.status === 'completed', end);
    const lens = page.locator('.part.editor .codelens-decoration a', { hasText: 'Keep' }).first();
    await lens.waitFor();
    await person.focusEditor();
    await page.keyboard.press('Control+Z');
    await until('undone buffer', async () => (await person.text()).includes('var one = 1'));
    await lens.waitFor({ state: 'hidden' });
    ok("the user's own undo takes the lenses away", true);
    await page.keyboard.press('Control+Shift+Z');
    await until('redone buffer', async () => (await person.text()).includes('var uno = 1'));
    await lens.waitFor();
    ok('redo brings them again', true);
    await look('own-undo');
    await person.command('Companion: Keep the Changes in This File');
    await lens.waitFor({ state: 'hidden' });
    ok('keep takes them away', (await person.text()).includes('var uno = 1'));
  },

  /** A stop does not wait for a tool of the editor that hangs. */
  async stopTool(s) {
    const { page, person, ok, script, wire, look } = s;
    await fresh(s, 'slow/slow.go', 'package slow\n\nvar one = 1\n');
    await script([{ calls: [{ name: 'editor_save', arguments: { file: 'slow/slow.go' } }] }, { text: 'Never said.' }], {
      ...quiet,
      'editor.formatOnSave': true,
      'companion.permissions': { rules: [{ effect: 'external', action: 'allow' }] },
    });
    await person.command('Helper: Format for Ever');
    await page.locator('.statusbar-item', { hasText: 'formats for ever' }).waitFor();
    await person.goto(1, 13);
    await page.keyboard.type(' // typed');
    const running = start(s, 'Save it.');
    const call = () => wire.said('server', (m) => m.method === 'companion/tool/call').at(-1);
    await until('call of the tool', () => call()?.params.name === 'editor_save');
    await look('slow-tool');
    const clicked = Date.now();
    await person.toast('Companion: Save it').locator('.monaco-button', { hasText: 'Cancel' }).click();
    const end = await running;
    ok('the turn is stopped in the middle of a tool', end.status === 'stopped', end);
    ok('soon', Date.now() - clicked < 10_000, Date.now() - clicked);
    const answer = await wire.answer(call().id);
    ok('the editor answers that it was withdrawn', answer.error?.code === -32800, answer);
    const done = wire.events('tool.completed').at(-1);
    ok('the call ends as aborted', done.outcome === 'aborted', done);
    await person.command('Helper: Format No More');
    const skip = page.locator('.notification-toast .monaco-button', { hasText: 'Skip' }).first();
    await skip.click(); // the save that hangs
    await skip.waitFor({ state: 'hidden' });
    ok('what the user typed is there', (await person.text()).includes('// typed'));
  },

  /** companion/edit/apply with a rename: of an open file with an edit, of one that is in no editor, onto one that is there. */
  async rename(s) {
    const { page, person, folder, wire, ok, look } = s;
    const old = await fresh(s, 'rename/old.go', 'package rename\n\nvar one = 1\n');
    const target = path.join(folder, 'rename/new.go');
    const edit = (more) => ({ uri: uriOf(old), baseHash: '', edits: [], label: 'Companion: rename', ...more });
    const range = { start: { line: 2, character: 4 }, end: { line: 2, character: 7 } };
    const { result } = await ask(
      wire,
      'companion/edit/apply',
      edit({ renameTo: uriOf(target), edits: [{ range, newText: 'uno' }], save: true }),
    );
    ok('an open file is renamed and edited', result.applied && result.saved, result);
    ok('on the disk too', !fs.existsSync(old) && fs.readFileSync(target, 'utf8').includes('var uno = 1'));
    await page.locator('.tab[data-resource-name="new.go"]').waitFor();
    ok('its tab goes with it', (await page.locator('.tab[data-resource-name="old.go"]').count()) === 0);
    ok('with the text', (await until('text', () => person.text())).includes('var uno = 1'));
    await look('renamed');
    const closed = path.join(folder, 'rename/closed.go');
    fs.writeFileSync(closed, 'package rename\n');
    const moved = path.join(folder, 'rename/moved.go');
    const second = await ask(wire, 'companion/edit/apply', edit({ uri: uriOf(closed), renameTo: uriOf(moved) }));
    ok('a file in no editor is renamed', second.result.applied && fs.existsSync(moved), second.result);
    ok('and is gone from its old place', !fs.existsSync(closed));
    const third = await ask(wire, 'companion/edit/apply', edit({ uri: uriOf(moved), renameTo: uriOf(target) }));
    ok('a file that is there is not written over', third.result.applied === false, third.result);
    ok('both are as they were', fs.existsSync(moved) && fs.readFileSync(target, 'utf8').includes('uno'));
    const fourth = await ask(wire, 'companion/edit/apply', edit({ renameTo: uriOf(`${old}.x`) }));
    ok('a file that is not there is not found', fourth.result.reason === 'notFound', fourth.result);
    await person.command('View: Close Editor');
  },

  /** What gopls of this workbench knows is what the model gets: companion has none of its own here. */
  async language(s) {
    const { page, person, folder, wire, ok, script, look } = s;
    fs.mkdirSync(path.join(folder, 'greet'), { recursive: true });
    fs.writeFileSync(
      path.join(folder, 'greet/greet.go'),
      'package greet\n\n// Greet says é🙂.\nfunc Greet() string { return "é🙂" }\n',
    );
    const file = await fresh(s, 'greet/use.go', 'package greet\n\nvar said = "é🙂" + Greet()\n');
    const unserved = await ask(wire, 'companion/diagnostics/await', {
      ...{ uris: [uriOf(path.join(folder, 'x.unserved'))], since: {}, settleMs: 0, timeoutMs: 60_000 },
    });
    ok('without an extension for it diagnostics are refused at once', unserved.error?.code === -32601, unserved);
    await person.command('Helper: Start gopls');
    await page.locator('.statusbar-item', { hasText: 'gopls runs' }).waitFor();
    const lsp = (action, more) => ({
      calls: [{ name: 'lsp', arguments: { action, path: 'greet/use.go', line: 3, symbol: 'Greet', ...more } }],
    });
    await script(
      [
        lsp('definition'),
        { expect: ['greet/greet.go:4'], ...lsp('hover') },
        { expect: ['Greet says é🙂'], ...lsp('references') },
        { expect: ['greet/use.go:3'], text: 'Seen.' },
      ],
      { ...quiet, 'companion.mode': 'full' },
    );
    const end = await start(s, 'Who greets?');
    ok('the model gets what gopls of this editor knows', end.status === 'completed', [
      end,
      wire.events('tool.completed').slice(-3),
    ]);
    await look('language');
    const textDocument = { uri: uriOf(file) };
    const at = { textDocument, position: { line: 2, character: 20 } };
    const request = async (method, params) =>
      (await ask(wire, 'companion/language/request', { method, params })).result;
    const symbols = await request('textDocument/documentSymbol', { textDocument });
    ok('symbols of the file', symbols[0]?.name === 'said' && symbols[0].kind === 13, symbols);
    const renamed = await request('textDocument/rename', { ...at, newName: 'Hail' });
    ok('a rename is told for both files', Object.keys(renamed.changes).length === 2, renamed);
    ok('and not made', (await person.text()).includes('Greet()'));
    const found = await request('workspace/symbol', { query: 'Greet' });
    ok(
      'symbols of the workspace',
      found.some((x) => x.name.endsWith('Greet') && x.location.uri.endsWith('/greet.go')),
      found,
    );
    const nothing = await request('textDocument/hover', { textDocument, position: { line: 1, character: 0 } });
    ok('nothing is an answer', nothing === null, nothing);
    const refused = await ask(wire, 'companion/language/request', { method: 'textDocument/formatting', params: at });
    ok('what was not offered is refused', refused.error?.code === -32601, refused);
    await person.goto(3, 1);
    await page.keyboard.press('End');
    await page.keyboard.type(' + os.Args[0]');
    const range = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };
    const actions = await until('code action', async () => {
      const list = await request('textDocument/codeAction', {
        ...{ textDocument, range },
        context: { diagnostics: [], only: ['source.organizeImports'] },
      });
      return list.length > 0 && list;
    });
    ok('code actions come with their edits', JSON.stringify(actions[0].edit).includes('\\"os\\"'), actions);

    const diagnostics = async (more) =>
      (
        await ask(wire, 'companion/diagnostics/await', {
          ...{ uris: [textDocument.uri], since: {}, settleMs: 300, timeoutMs: 60_000, ...more },
        })
      ).result.items[0];
    const broken = await until('problem', async () => {
      const item = await diagnostics();
      return item.diagnostics.length > 0 && item;
    });
    ok('diagnostics are awaited', broken.freshness === 'settled' && broken.diagnostics[0].severity === 1, broken);
    ok('with their source', broken.sources.includes('compiler'), broken);
    await person.focusEditor();
    for (let i = 0; i < ' + os.Args[0]'.length; i++) await page.keyboard.press('Backspace');
    await until('text as before', async () => !(await person.text()).includes('os.Args'));
    const version = wire
      .said('client', (m) => m.method === 'textDocument/didChange' && m.params.textDocument.uri === textDocument.uri)
      .at(-1).params.textDocument.version;
    const clean = await diagnostics({ since: { [textDocument.uri]: version } });
    ok('after an edit they settle', clean.freshness === 'settled' && clean.version >= version, clean);
    ok('and are those of the new text', clean.diagnostics.length === 0, clean);
    const never = await diagnostics({ since: { [textDocument.uri]: version + 1000 }, timeoutMs: 100 });
    ok('what never comes is not called clean', never.freshness === 'timeout', never);
    await person.command('Helper: End gopls');
  },

  /** A program that is not there is told with what to do, and the next setting starts it. */
  async missing(s) {
    const { page, person, ok, wire, look, writeSettings } = s;
    writeSettings({ 'companion.path': '/nowhere/companion' });
    await person.toast('there is no program "/nowhere/companion"').waitFor();
    ok('a missing program is told', true);
    const broken = page.locator('.statusbar-item.error-kind', { hasText: 'Companion' });
    await broken.waitFor();
    ok('once', (await page.locator('.notification-toast').count()) === 1);
    await look('missing');
    const starts = () =>
      wire.said('client', (m) => m.method === 'companion/status' || m.method === 'initialize').length;
    const before = starts();
    writeSettings({});
    await until('running companion', () => starts() >= before + 2);
    await broken.waitFor({ state: 'hidden' });
    ok('the next setting starts it', true);
    await page.locator('.statusbar-item[id$="companion.status"]').hover();
    await page.locator('.monaco-hover', { hasText: 'Model: offline/quickfix' }).waitFor();
    await look('status-bar');
    ok('the status bar has its model', true);
    await page.keyboard.press('Escape');
    await person.closeToasts();
  },

  /** A workspace of two folders: both are told, an edit lands in the second, and one that goes is told. */
  async folders(s) {
    const { page, person, folder, work, wire, ok, look, script, open } = s;
    const second = path.join(work, 'second');
    fs.mkdirSync(second, { recursive: true });
    fs.writeFileSync(path.join(second, 'go.mod'), 'module example.com/second\n\ngo 1.24\n');
    fs.writeFileSync(path.join(second, 'second.go'), 'package second\n\nvar one = 1\n');
    const file = path.join(work, 'two.code-workspace');
    fs.writeFileSync(file, JSON.stringify({ folders: [{ path: folder }, { path: second }] }));
    const initializes = () => wire.said('client', (m) => m.method === 'initialize');
    const before = initializes().length;
    const changes = () => wire.said('client', (m) => m.method === 'workspace/didChangeWorkspaceFolders');
    const changed = changes().length;
    await open('workspace', file);
    // VS Code may start extensions before it has read the workspace; the folders and the trust come after then.
    const { params } = await until('another companion', () => initializes()[before]);
    const told = await until('word of both folders', () => {
      const added = changes()
        .slice(changed)
        .flatMap((m) => m.params.event.added);
      const names = [...(params.workspaceFolders ?? []), ...added].map((f) => f.name);
      return names.length >= 2 && names;
    });
    ok('both folders are told', told.join() === `${path.basename(folder)},second`, told);
    await person.open('second.go');
    await page.locator('.tab.active[data-resource-name="second.go"]').waitFor();
    const trust = () =>
      wire.said('client', (m) => m.method === 'companion/workspace/didChangeTrust' && m.params.folders.length === 2)[0];
    if (!params.initializationOptions.trusted) {
      await person.command('Workspaces: Manage Workspace Trust');
      const button = page.locator('.workspace-trust-editor .monaco-button', { hasText: /^Trust$/ }).first();
      await until('trust or its button', async () => trust() || (await button.isVisible()));
      if (!trust()) await button.click();
      const word = await until('word of the trust', trust);
      ok(
        'trust is told for both',
        word.params.folders.every((f) => f.trusted),
        word.params,
      );
      await person.command('View: Close Editor');
    }
    const name = path.join(second, 'second.go');
    await script(
      [
        { calls: [{ name: 'read', arguments: { path: name } }] },
        { calls: [{ name: 'edit', arguments: { path: name, edits: [{ old: 'one', new: 'uno' }] } }] },
        { text: 'Done.' },
      ],
      quiet,
    );
    const end = await start(s, 'Rename it.');
    ok('the turn completes', end.status === 'completed', end);
    await until('edited buffer', async () => (await person.text()).includes('var uno = 1'));
    ok('an edit lands in the second folder', true);
    await look('folders');
    await person.command('Helper: Drop the Last Folder');
    const gone = await until('word of the folder', () => changes().findLast((m) => m.params.event.removed.length > 0));
    ok('a folder that goes is told', gone.params.event.removed[0]?.uri === uriOf(second), gone.params);
    const status = await until('status', async () => {
      await person.command('Companion: Status');
      await page.waitForSelector('.tab.active[data-resource-name="status"]');
      const text = await person.text();
      return text.includes('"roots"') && text;
    });
    ok('and is none of its roots any more', status.includes('/module') && !status.includes('/second"'), status);
    await look('one-folder');
  },
};
