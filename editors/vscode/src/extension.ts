import { commands, window, workspace, type ExtensionContext } from 'vscode';
import { State } from 'vscode-languageclient/node';
import { newClient, type Client } from './client';
import { messageOf, type Feature } from './feature';
import { Approvals } from './features/approvals';
import { Commands } from './features/commands';
import { Edits } from './features/edits';
import { Events } from './features/events';
import { Progress } from './features/progress';
import { Questions } from './features/questions';
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
    new Trust(),
    new Commands(events, views),
  ];
  context.subscriptions.push(log, waiting, views, ...features);
  for (const feature of features) feature.connect(started);
  context.subscriptions.push(
    started.onDidChangeState(({ newState }) => {
      if (newState === State.Stopped) waiting.clear();
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
    const settings = 'Open Settings';
    void window
      .showErrorMessage(
        `Companion did not start "${program()}": ${messageOf(err)}. Set companion.path to the program.`,
        settings,
      )
      .then((choice) => {
        if (choice === settings) void commands.executeCommand('workbench.action.openSettings', 'companion.path');
      });
  }
}
