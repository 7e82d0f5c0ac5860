import { commands, Disposable, StatusBarAlignment, ThemeColor, window, type CancellationToken } from 'vscode';
import { LSPErrorCodes, ResponseError } from 'vscode-languageclient/node';
import { plain } from '../feature';

/** Shows the question; undefined = closed without an answer, it goes on waiting. */
export type Ask<T> = (token: CancellationToken) => Promise<T | undefined>;

interface Entry {
  title: string;
  open: () => Promise<void>;
}

/**
 * What companion asks, until it is answered or withdrawn. Nothing opens by itself: a pick that came up under the user's
 * hands would take their typing for an answer. A message and the status bar tell, a click opens.
 */
export class Waiting implements Disposable {
  private readonly entries = new Set<Entry>();
  private readonly status = window.createStatusBarItem('companion.waiting', StatusBarAlignment.Left, 1);
  private readonly command: Disposable;

  constructor() {
    this.status.name = 'Companion asks';
    this.status.command = 'companion.answer';
    this.status.backgroundColor = new ThemeColor('statusBarItem.warningBackground');
    this.command = commands.registerCommand('companion.answer', () => this.openOne());
  }

  /** Waits for a person's answer. Rejects when the server withdraws the request. */
  async put<T>(title: string, withdrawn: CancellationToken, ask: Ask<T>): Promise<T> {
    const line = plain(title);
    let dispose: (() => void) | undefined;
    let remove: (() => void) | undefined;
    try {
      return await new Promise<T>((resolve, reject) => {
        const cancelled = (): void => {
          reject(new ResponseError(LSPErrorCodes.RequestCancelled, 'withdrawn'));
        };
        if (withdrawn.isCancellationRequested) {
          cancelled();
          return;
        }
        const listener = withdrawn.onCancellationRequested(cancelled);
        dispose = () => {
          listener.dispose();
        };
        let showing = false;
        const entry: Entry = {
          title: line,
          open: async () => {
            if (showing) return;
            showing = true;
            try {
              const answer = await ask(withdrawn);
              if (answer !== undefined) resolve(answer);
            } catch (err) {
              reject(err instanceof Error ? err : new Error(String(err)));
            } finally {
              showing = false;
            }
          },
        };
        remove = () => {
          this.entries.delete(entry);
          this.show();
        };
        this.entries.add(entry);
        this.show();
        this.tell(entry);
      });
    } finally {
      dispose?.();
      remove?.();
    }
  }

  private tell(entry: Entry): void {
    const answer = 'Answer…';
    void window.showInformationMessage(`Companion asks: ${entry.title}`, answer).then((choice) => {
      if (choice !== answer) return;
      if (this.entries.has(entry)) void entry.open();
      else void window.showInformationMessage('Companion no longer asks that.');
    });
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

  private async openOne(): Promise<void> {
    const list = [...this.entries];
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
    this.command.dispose();
    this.status.dispose();
  }
}
