// A real workbench: code-server with our extension, in Chromium, and the wire between the extension and companion.
import { Buffer } from 'node:buffer';
import { spawn, execFileSync } from 'node:child_process';
import fs from 'node:fs';
import http from 'node:http';
import { createRequire } from 'node:module';
import net from 'node:net';
import path from 'node:path';

/** Milliseconds, for a loaded machine. */
export const patience = Number(process.env.PATIENCE ?? 120_000);

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** Waits until f gives something true, and gives that. */
export async function until(what, f, ms = patience) {
  const end = Date.now() + ms;
  for (;;) {
    const value = await f();
    if (value) return value;
    if (Date.now() > end) throw new Error(`no ${what} within ${ms / 1000} s`);
    await sleep(100);
  }
}

function freePort() {
  return new Promise((resolve) => {
    const server = net.createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}

const healthy = (port) =>
  new Promise((resolve) => {
    http
      .get({ host: '127.0.0.1', port, path: '/healthz' }, (answer) => {
        answer.resume();
        resolve(true);
      })
      .on('error', () => resolve(false));
  });

/** The JSON of every frame in a recorded stream. */
function frames(file) {
  const out = [];
  let rest = fs.existsSync(file) ? fs.readFileSync(file) : Buffer.alloc(0);
  for (;;) {
    const at = rest.indexOf('\r\n\r\n');
    const length = /content-length: *(\d+)/i.exec(rest.subarray(0, Math.max(at, 0)).toString());
    if (at < 0 || !length) return out;
    const end = at + 4 + Number(length[1]);
    if (rest.length < end) return out;
    out.push(JSON.parse(rest.subarray(at + 4, end).toString()));
    rest = rest.subarray(end);
  }
}

/** What was said on the wire: by the extension, and by the server. */
export class Wire {
  constructor(folder) {
    this.folder = folder;
    this.client = path.join(folder, 'wire.client');
    this.server = path.join(folder, 'wire.server');
  }

  said(by, match) {
    return frames(this[by]).filter(match);
  }

  /** Says something in the server's place. */
  async inject(message) {
    const port = Number(fs.readFileSync(path.join(this.folder, 'inject.port'), 'utf8'));
    const socket = net.connect(port, '127.0.0.1');
    await new Promise((resolve, reject) => {
      socket.on('error', reject).end(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`, resolve);
    });
  }

  /** The extension's answer to a request of the server that runs: one that was restarted counts its ids from the start. */
  answer(id) {
    return until(`answer to ${id}`, () => {
      const all = frames(this.client);
      const start = all.findLastIndex((m) => m.method === 'initialize');
      return all.slice(start + 1).find((m) => m.id === id && m.method === undefined);
    });
  }

  events(type) {
    return this.said('server', (m) => m.method === 'companion/event' && m.params.type === type).map((m) => m.params);
  }

  /** Requests of the server by method, each with the extension's answer. */
  asked(method) {
    const answers = new Map(this.said('client', (m) => m.method === undefined).map((m) => [m.id, m]));
    return this.said('server', (m) => m.method === method && m.id !== undefined).map((m) => ({
      params: m.params,
      answer: answers.get(m.id),
    }));
  }

  initialized() {
    return this.said('server', (m) => m.result?.serverInfo?.name === 'companion')[0]?.result;
  }
}

const proxy = new URL('proxy.mjs', import.meta.url).pathname;

/** Starts code-server and opens the folder. program: code-server; vsix: the extension; helper: one of the tests; work: a folder of ours. */
export async function start({ program, vsix, helper, playwright, work, folder, settings }) {
  const { chromium } = createRequire(path.join(playwright, 'package.json'))('playwright-core');
  const data = path.join(work, 'user-data');
  const extensions = path.join(work, 'extensions');
  const wire = new Wire(work);
  const companion = path.join(work, 'companion');
  fs.writeFileSync(
    companion,
    // the workbench takes PATH from a login shell
    `#!/bin/sh\nPATH='${process.env.PATH}' exec '${process.execPath}' '${proxy}' '${work}' '${process.env.COMPANION_BIN}' "$@"\n`,
    { mode: 0o755 },
  );
  const writeSettings = (more) => {
    // machine settings: those that a repository cannot set count only there when the workbench is remote
    fs.mkdirSync(path.join(data, 'Machine'), { recursive: true });
    const file = path.join(data, 'Machine/settings.json');
    fs.writeFileSync(`${file}.new`, JSON.stringify({ 'companion.path': companion, ...more }));
    fs.renameSync(`${file}.new`, file);
  };
  fs.mkdirSync(path.join(data, 'User'), { recursive: true });
  fs.mkdirSync(extensions, { recursive: true });
  writeSettings(settings);
  fs.writeFileSync(
    path.join(data, 'User/settings.json'),
    JSON.stringify({
      'security.workspace.trust.enabled': true,
      'security.workspace.trust.startupPrompt': 'never',
      'security.workspace.trust.banner': 'never',
      'workbench.startupEditor': 'none',
      'workbench.secondarySideBar.defaultVisibility': 'hidden',
      'telemetry.telemetryLevel': 'off',
      'update.mode': 'none',
      'extensions.autoUpdate': false,
      'extensions.autoCheckUpdates': false,
      'extensions.ignoreRecommendations': true,
      'workbench.enableExperiments': false,
      'workbench.tips.enabled': false,
      'chat.disableAIFeatures': true,
      'editor.minimap.enabled': false,
      'editor.wordBasedSuggestions': 'off',
      'editor.quickSuggestions': { other: 'off', comments: 'off', strings: 'off' },
      'editor.autoClosingBrackets': 'never',
      'editor.autoIndent': 'none',
      'files.autoSave': 'off',
      'git.enabled': false,
    }),
  );
  const env = {
    ...process.env,
    XDG_CONFIG_HOME: path.join(work, 'xdg/config'),
    XDG_DATA_HOME: path.join(work, 'xdg/data'),
    HELPER_PATH: process.env.PATH,
    COMPANION_MODEL: undefined, // it would win over the settings
    EXTENSIONS_GALLERY: JSON.stringify({ serviceUrl: '' }), // looks nothing up
  };
  const base = ['--user-data-dir', data, '--extensions-dir', extensions];
  execFileSync(program, [...base, '--install-extension', vsix, '--install-extension', helper], {
    env,
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  const port = await freePort();
  const log = fs.openSync(path.join(work, 'code-server.log'), 'a');
  const server = spawn(
    program,
    [
      ...base,
      ...['--auth', 'none', '--bind-addr', `127.0.0.1:${port}`, '--ignore-last-opened'],
      ...['--disable-telemetry', '--disable-update-check', '--disable-getting-started-override'],
    ],
    { env, stdio: ['ignore', log, log], detached: true },
  );
  let browser;
  const close = async () => {
    await browser?.close().catch(() => undefined);
    for (const signal of ['SIGTERM', 'SIGKILL']) {
      try {
        process.kill(-server.pid, signal);
      } catch {
        return; // gone
      }
      await sleep(500);
    }
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) {
    process.once(signal, () => void close().finally(() => process.exit(143))); // it is in a process group of its own
  }
  try {
    await until('answer of code-server', () => healthy(port));
    browser = await chromium.launch({
      executablePath: '/usr/bin/chromium',
      headless: true,
      args: [
        ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
        ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
      ],
    });
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
    const page = await context.newPage();
    page.setDefaultTimeout(patience);
    await page.route('**/*', (route) => {
      const url = new URL(route.request().url());
      return /^(https?|wss?):$/.test(url.protocol) && url.hostname !== '127.0.0.1' ? route.abort() : route.continue();
    });
    /** Opens a folder, or a workspace of several. */
    const open = async (what, file) => {
      await page.goto(`http://127.0.0.1:${port}/?${what}=${encodeURIComponent(file)}`);
      await page.waitForSelector('.monaco-workbench .part.sidebar');
    };
    await open('folder', folder);
    return { page, wire, writeSettings, open, close };
  } catch (err) {
    await close();
    throw err;
  }
}

/** What a person does in the workbench. */
export class Person {
  constructor(page) {
    this.page = page;
  }

  /** A row of the quick pick that is open. */
  row(text) {
    return this.page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first();
  }

  async open(file) {
    await this.page.keyboard.press('Control+P');
    await this.page.waitForSelector('.quick-input-widget input');
    await this.page.keyboard.type(file);
    await this.row(path.basename(file)).click(); // not Enter: the first row may be the one of before the typing
    await this.page.waitForSelector(`.tab.active[data-resource-name="${path.basename(file)}"]`);
    await this.page.waitForSelector('.part.editor .monaco-editor .view-line');
  }

  async command(title) {
    await this.page.keyboard.press('F1');
    await this.page.waitForSelector('.quick-input-widget input');
    await this.page.keyboard.type(title);
    await this.row(title).click();
  }

  /** Types into the input box with that title. */
  async answer(title, text) {
    await this.page.locator('.quick-input-titlebar', { hasText: title }).waitFor();
    await this.page.keyboard.type(text);
    await this.page.keyboard.press('Enter');
  }

  /** The text of the editor in front, as it is on the screen. */
  text() {
    return this.page.evaluate(() =>
      [...document.querySelectorAll('.part.editor .editor-group-container.active .monaco-editor .view-line')]
        .map((line) => ({ top: parseFloat(line.style.top), text: line.textContent.replace(/\u00a0/g, ' ') }))
        .sort((a, b) => a.top - b.top)
        .map((line) => line.text)
        .join('\n'),
    );
  }

  /** Puts the cursor at a line and column, both from 1. */
  async goto(line, column = 1) {
    await this.page.keyboard.press('Control+G');
    await this.page.waitForSelector('.quick-input-widget input');
    await this.page.keyboard.type(`${line}:${column}`);
    await this.page.keyboard.press('Enter');
    await this.page.locator('.quick-input-widget').waitFor({ state: 'hidden' });
  }

  async focusEditor() {
    await this.page.keyboard.press('Control+1');
  }

  inEditor() {
    return this.page.evaluate(() => document.activeElement?.closest('.part.editor .monaco-editor') != null);
  }

  toast(text) {
    return this.page.locator('.notification-toast', { hasText: text }).first();
  }

  async closeToasts() {
    await this.command('Notifications: Clear All Notifications');
    await this.page.locator('.notification-toast').first().waitFor({ state: 'hidden' });
  }
}
