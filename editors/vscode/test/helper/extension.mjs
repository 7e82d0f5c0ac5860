// What other people's extensions bring to a workbench, when a test says so.
import process from 'node:process';
import { commands, languages, window, workspace } from 'vscode';
import { LanguageClient, RevealOutputChannelOn } from 'vscode-languageclient/node';

let gopls;
let formatter;

async function startGopls() {
  gopls = new LanguageClient(
    'helper-gopls',
    'gopls',
    // the workbench takes PATH from a login shell
    { command: 'gopls', args: ['serve'], options: { env: { ...process.env, PATH: process.env.HELPER_PATH } } },
    { documentSelector: [{ language: 'go' }], revealOutputChannelOn: RevealOutputChannelOn.Never },
  );
  await gopls.start();
  window.setStatusBarMessage('gopls runs', 60_000);
}

/** A save waits for it until somebody cancels. */
function formatForEver() {
  formatter = languages.registerDocumentFormattingEditProvider(
    { language: 'go' },
    {
      provideDocumentFormattingEdits: (_, __, token) =>
        new Promise((resolve) => token.onCancellationRequested(() => resolve([]))),
    },
  );
  window.setStatusBarMessage('formats for ever', 60_000);
}

export function activate(context) {
  const add = (name, f) => context.subscriptions.push(commands.registerCommand(`helper.${name}`, f));
  add('gopls', startGopls);
  add('goplsEnd', () => gopls?.stop());
  add('slow', formatForEver);
  add('fast', () => formatter?.dispose());
  add('drop', () => workspace.updateWorkspaceFolders(workspace.workspaceFolders.length - 1, 1));
}

export function deactivate() {
  return gopls?.stop();
}
