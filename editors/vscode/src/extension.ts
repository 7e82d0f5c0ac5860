import { commands, window, workspace, type ExtensionContext } from 'vscode';
import { State as ClientState } from 'vscode-languageclient/node';
import { newClient, type Client } from './client';
import { messageOf, plain, type Feature } from './feature';
import { Approvals } from './features/approvals';
import { Commands } from './features/commands';
import { Diagnostics } from './features/diagnostics';
import { Edits } from './features/edits';
import { Events } from './features/events';
import { Language } from './features/language';
import { follow } from './features/places';
import { Progress } from './features/progress';
import { Questions } from './features/questions';
import { State } from './features/state';
import { Status } from './features/status';
import { EditorTools, toolSpecs } from './features/tools';
import { Trust } from './features/trust';
import { Views } from './features/views';
import { Waiting } from './features/waiting';
import { program } from './settings';

let client: Client | undefined;

export async function activate(context: ExtensionContext): Promise<void> {
  const log = window.createOutputChannel('Companion Server', { log: true });
  const started = newClient(log, toolSpecs);
  client = started;
  const events = new Events();
  const waiting = new Waiting();
  const views = new Views();
  const features: Feature[] = [
    events,
    new Progress(events),
    new Approvals(waiting, views),
    new Questions(waiting),
    new Edits(),
    new EditorTools(),
    new Language(),
    new Diagnostics(),
    new State(),
    new Status(events),
    new Trust(),
    new Commands(events, views),
  ];
  context.subscriptions.push(log, follow(), waiting, views, ...features);
  for (const feature of features) feature.connect(started);
  context.subscriptions.push(
    started.onDidChangeState(({ newState }) => {
      if (newState === ClientState.Stopped) waiting.clear();
    }),
    commands.registerCommand('companion.showServerLog', () => {
      log.show(true);
    }),
    commands.registerCommand('companion.restart', () => attempt(() => started.restart())),
    workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration('companion.path') && started.outdated) void attempt(() => started.restart());
    }),
  );
  await attempt(() => started.start());
}

export async function deactivate(): Promise<void> {
  await client?.stop();
}

/** Runs what starts the program, and says what to do when it does not start. */
async function attempt(start: () => Promise<void>): Promise<void> {
  try {
    await start();
  } catch (err) {
    await unable(err);
  }
}

async function unable(err: unknown): Promise<void> {
  const settings = 'Open Settings';
  const retry = 'Try Again';
  const words = missing(err)
    ? `Companion: there is no program "${program()}"${/[/\\]/.test(program()) ? '' : ' on PATH'}. Build it in the repository of companion (make build) and put bin/companion on PATH, or set companion.path to it.`
    : `Companion did not start "${program()}": ${plain(messageOf(err))}. "Companion: Show the Log of the Server" has its words.`;
  switch (await window.showErrorMessage(words, settings, retry)) {
    case settings:
      await commands.executeCommand('workbench.action.openSettings', 'companion.path');
      break;
    case retry:
      await commands.executeCommand('companion.restart');
      break;
    default:
  }
}

function missing(err: unknown): boolean {
  return /\bENOENT\b/.test(messageOf(err));
}
