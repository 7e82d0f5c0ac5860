import { commands, window, type Disposable } from 'vscode';
import type { BaseLanguageClient } from 'vscode-languageclient/node';
import { headline, messageOf, plain, type Feature } from '../feature';
import type { ChangesResult, Text, ThreadListResult, TurnID } from '../protocol.gen';
import type { Events } from './events';
import type { Views } from './views';

type Argument = Record<string, unknown>;

/** The argument of a command that came without one; undefined = the user thought better of it. */
type Complete = (client: BaseLanguageClient, given: Argument | undefined) => Promise<Argument | undefined>;

/**
 * The server's commands under their own ids: code actions and lenses of the server run them with an argument, the palette
 * without. The library would register the ids a second time and fail, so commands:true keeps them out of the server's
 * capabilities.
 */
export class Commands implements Feature {
  private readonly registered: Disposable[] = [];
  /** Turns whose answer is to be shown when they end. */
  private readonly answers = new Set<string>();

  constructor(
    private readonly events: Events,
    private readonly views: Views,
  ) {
    this.registered.push(
      events.onEvent((event) => {
        if (event.type === 'turn.completed' && this.answers.delete(event.turnId ?? '')) this.events.reveal();
      }),
    );
  }

  connect(client: BaseLanguageClient): void {
    const add = (name: string, complete: Complete, then?: (result: unknown) => Promise<void> | void): void => {
      const id = `companion.${name}`;
      this.registered.push(
        commands.registerCommand(id, async (given?: Argument) => {
          try {
            const argument = await complete(client, given);
            if (!argument) return undefined;
            const result: unknown = await client.sendRequest('workspace/executeCommand', {
              command: id,
              arguments: [argument],
            });
            await then?.(result);
            return result;
          } catch (err) {
            void window.showErrorMessage(`Companion: ${plain(messageOf(err))}`);
            return undefined;
          }
        }),
      );
    };
    const answered = (result: unknown): void => {
      this.answers.add((result as TurnID).turnId);
    };
    add('ask', ask, answered);
    add('edit', edit);
    add('fix', fix);
    add('explain', onRange, answered);
    for (const name of ['document', 'test', 'extract']) add(name, onRange);
    for (const name of ['stop', 'approve']) add(name, asGiven);
    for (const name of ['keep', 'undo']) add(name, onFile, tellOutcomes);
    add('diff', onFile, (r) => this.views.show('changes', (r as Text).text, 'diff'));
    add('threads', asGiven, showThreads);
    add('tools', asGiven, (r) => this.views.showJSON('tools', r));
    add('status', asGiven, (r) => this.views.showJSON('status', r));
    add('restartServer', asGiven, (r) => {
      const names = (r as { restarted: string[] }).restarted;
      window.setStatusBarMessage(`Companion restarted ${names.length > 0 ? names.join(', ') : 'no server'}`, 5000);
    });
  }

  dispose(): void {
    for (const d of this.registered) d.dispose();
  }
}

const asGiven: Complete = (_, given) => Promise.resolve(given ?? {});

/** The file that the user looks at, and what is selected in it. */
function here(client: BaseLanguageClient): Argument {
  const editor = window.activeTextEditor;
  if (!editor) throw new Error('Open a file first.');
  const convert = client.code2ProtocolConverter;
  return {
    uri: convert.asUri(editor.document.uri),
    ...(!editor.selection.isEmpty && { range: convert.asRange(editor.selection) }),
  };
}

const onFile: Complete = (client, given) => Promise.resolve(given ?? { uri: here(client).uri });

const fix: Complete = (client, given) => Promise.resolve(given ?? here(client));

/** Without a selection the cursor's place. */
const onRange: Complete = (client, given) => {
  if (given) return Promise.resolve(given);
  const editor = window.activeTextEditor;
  const at = here(client);
  return Promise.resolve({ range: editor && client.code2ProtocolConverter.asRange(editor.selection), ...at });
};

const ask: Complete = async (client, given) => {
  if (given?.prompt !== undefined) return given;
  const about = given ?? (window.activeTextEditor ? here(client) : {});
  const prompt = await window.showInputBox({ title: 'Ask Companion', prompt: 'What do you want to know?' });
  return prompt?.trim() ? { ...about, prompt } : undefined;
};

/** An empty prompt is sent as none: a comment that mentions @companion says what to do. */
const edit: Complete = async (client, given) => {
  if (given?.prompt !== undefined) return given;
  const about = given ?? here(client);
  const prompt = await window.showInputBox({
    title: 'Edit with Companion',
    prompt: 'What should be changed? Empty: what a comment with @companion says.',
  });
  if (prompt === undefined) return undefined;
  return prompt.trim() ? { ...about, prompt } : about;
};

function tellOutcomes(result: unknown): void {
  const { hunks } = result as ChangesResult;
  const count = (outcome: string): number => hunks.filter((h) => h.outcome === outcome).length;
  const words = ['kept', 'undone', 'conflict', 'stale'].filter((o) => count(o) > 0).map((o) => `${count(o)} ${o}`);
  const line = `Companion: ${words.length > 0 ? words.join(', ') : 'no changes here'}`;
  const why = hunks.find((h) => h.outcome === 'conflict')?.message;
  if (count('conflict') > 0) void window.showWarningMessage(plain(why ? `${line}: ${why}` : line));
  else window.setStatusBarMessage(line, 5000);
}

async function showThreads(result: unknown): Promise<void> {
  const { threads } = result as ThreadListResult;
  const chosen = await window.showQuickPick(
    threads.map((t) => ({
      label: headline(t.title) || 'untitled',
      description: t.status,
      detail: `${new Date(t.updatedAt).toLocaleString()}, ${t.turns} ${t.turns === 1 ? 'turn' : 'turns'}`,
      threadId: t.threadId,
    })),
    { title: 'Companion threads', placeHolder: 'Ask in a thread' },
  );
  if (chosen) await commands.executeCommand('companion.ask', { threadId: chosen.threadId });
}
