import {
  CancellationTokenSource,
  commands,
  Disposable,
  ProgressLocation,
  StatusBarAlignment,
  ThemeColor,
  window,
  type CancellationToken,
} from 'vscode';
import { LSPErrorCodes, ResponseError } from 'vscode-languageclient/node';
import { plain } from '../feature';

/** Shows the question; undefined = closed without an answer, it goes on waiting. */
export type Ask<T> = (token: CancellationToken) => Promise<T | undefined>;

interface Entry {
  id: number;
  title: string;
  source: CancellationTokenSource;
  open: () => Promise<void>;
  /** Takes the message away. */
  gone: () => void;
}

/**
 * What companion asks, until it is answered or withdrawn. Nothing opens by itself: a pick that came up under the user's
 * hands would take their typing for an answer. A message and the status bar tell, a click opens. The message is a
 * progress: other messages cannot be taken away when the question is.
 */
export class Waiting implements Disposable {
  private readonly entries = new Set<Entry>();
  private asked = 0;
  private readonly status = window.createStatusBarItem('companion.waiting', StatusBarAlignment.Left, 1);
  private readonly command: Disposable;

  constructor() {
    this.status.name = 'Companion asks';
    this.status.command = 'companion.answer';
    this.status.backgroundColor = new ThemeColor('statusBarItem.warningBackground');
    this.command = commands.registerCommand('companion.answer', (id?: number) => this.openOne(id));
  }

  /** Waits for a person's answer. Rejects when the request is withdrawn. */
  async put<T>(title: string, withdrawn: CancellationToken, ask: Ask<T>): Promise<T> {
    const source = new CancellationTokenSource();
    const listener = withdrawn.onCancellationRequested(() => {
      source.cancel();
    });
    if (withdrawn.isCancellationRequested) source.cancel();
    let remove: (() => void) | undefined;
    try {
      return await new Promise<T>((resolve, reject) => {
        const entry = this.add(plain(title), source, async () => {
          try {
            const answer = await ask(source.token);
            if (answer !== undefined) resolve(answer);
          } catch (err) {
            reject(err instanceof Error ? err : new Error(String(err)));
          }
        });
        remove = () => {
          this.entries.delete(entry);
          entry.gone();
          this.show();
        };
        const cancelled = (): void => {
          reject(new ResponseError(LSPErrorCodes.RequestCancelled, 'withdrawn'));
        };
        source.token.onCancellationRequested(cancelled);
        if (source.token.isCancellationRequested) cancelled();
      });
    } finally {
      remove?.();
      listener.dispose();
      source.dispose();
    }
  }

  /** Withdraws all: the server has ended. */
  clear(): void {
    for (const entry of [...this.entries]) entry.source.cancel();
  }

  private add(title: string, source: CancellationTokenSource, ask: () => Promise<void>): Entry {
    let showing = false;
    const entry: Entry = {
      id: ++this.asked,
      title,
      source,
      gone: () => undefined,
      open: async () => {
        if (showing) return;
        showing = true;
        try {
          await ask();
        } finally {
          showing = false;
        }
      },
    };
    this.entries.add(entry);
    this.show();
    this.tell(entry);
    return entry;
  }

  private tell(entry: Entry): void {
    const answer = `command:companion.answer?${encodeURIComponent(JSON.stringify([entry.id]))}`;
    const title = `Companion asks: ${entry.title} [Answer…](${answer})`;
    void window.withProgress({ location: ProgressLocation.Notification, title }, () =>
      this.entries.has(entry)
        ? new Promise<void>((resolve) => {
            entry.gone = resolve;
          })
        : Promise.resolve(),
    );
  }

  private show(): void {
    const [first] = this.entries;
    void commands.executeCommand('setContext', 'companion.waiting', first !== undefined);
    if (!first) {
      this.status.hide();
      return;
    }
    const more = this.entries.size > 1 ? ` (${this.entries.size})` : '';
    this.status.text = `$(question) Companion asks${more}`;
    this.status.tooltip = first.title;
    this.status.show();
  }

  private async openOne(id: number | undefined): Promise<void> {
    const list = [...this.entries].filter((entry) => id === undefined || entry.id === id);
    const chosen =
      list.length > 1
        ? await window.showQuickPick(
            list.map((entry) => ({ label: entry.title, entry })),
            { title: 'Companion asks' },
          )
        : list.map((entry) => ({ entry }))[0];
    await chosen?.entry.open();
  }

  dispose(): void {
    this.clear();
    this.command.dispose();
    this.status.dispose();
  }
}
