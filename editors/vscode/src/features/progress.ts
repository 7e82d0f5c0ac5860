import { commands, ProgressLocation, window, type Disposable, type Progress as Report } from 'vscode';
import { State, type BaseLanguageClient } from 'vscode-languageclient/node';
import { headline, messageOf, plain, type Feature } from '../feature';
import type { Event, TurnCompletedEvent } from '../protocol.gen';
import type { Events } from './events';

interface Running {
  answer: string;
  report: Report<{ message?: string }> | undefined;
  done: () => void;
}

/**
 * A running turn as a notification with Cancel, which stops it. Driven by events instead of work-done progress: those
 * cover turns that were not started by a command, tell when a person is waited for, and end only with the turn.
 */
export class Progress implements Feature {
  private readonly running = new Map<string, Running>();
  private client: BaseLanguageClient | undefined;
  private readonly listener: Disposable;

  constructor(private readonly events: Events) {
    this.listener = events.onEvent((event) => {
      this.hear(event);
    });
  }

  connect(client: BaseLanguageClient): void {
    this.client = client;
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Stopped) this.endAll(); // a server that died sends no turn.completed
    });
  }

  private hear(event: Event): void {
    const id = event.turnId;
    if (id === undefined) return;
    switch (event.type) {
      case 'turn.started':
        this.begin(
          event.threadId,
          id,
          headline(event.input.find((i) => i.type === 'text')?.text ?? 'working').replace(/[.:]$/, ''),
        );
        break;
      case 'tool.started':
        this.say(id, event.activity || event.name);
        break;
      case 'tool.progress':
        if (event.activity) this.say(id, event.activity);
        break;
      case 'approval.requested':
        this.say(id, 'waits for your answer');
        break;
      case 'message.completed': {
        const entry = this.running.get(id);
        if (entry) entry.answer = event.text;
        break;
      }
      case 'turn.completed':
        this.tellEnd(event, this.running.get(id)?.answer ?? '');
        this.end(id);
        break;
      default:
    }
  }

  private begin(threadId: string, turnId: string, title: string): void {
    const entry: Running = { answer: '', report: undefined, done: () => undefined };
    this.running.set(turnId, entry);
    this.setContext();
    void window.withProgress(
      { location: ProgressLocation.Notification, title: `Companion: ${title}`, cancellable: true },
      (report, token) =>
        new Promise<void>((resolve) => {
          entry.report = report;
          entry.done = resolve;
          if (this.running.get(turnId) !== entry) resolve(); // over before it was shown
          token.onCancellationRequested(() => {
            this.stop(threadId, turnId);
          });
        }),
    );
  }

  private stop(threadId: string, turnId: string): void {
    this.client
      ?.sendRequest('workspace/executeCommand', { command: 'companion.stop', arguments: [{ threadId, turnId }] })
      .catch((err: unknown) => window.showErrorMessage(`Companion: ${plain(messageOf(err))}`));
  }

  private say(turnId: string, message: string): void {
    this.running.get(turnId)?.report?.report({ message: plain(message) });
  }

  private end(turnId: string): void {
    const entry = this.running.get(turnId);
    this.running.delete(turnId);
    entry?.done();
    this.setContext();
  }

  private endAll(): void {
    for (const id of [...this.running.keys()]) this.end(id);
  }

  private setContext(): void {
    void commands.executeCommand('setContext', 'companion.running', this.running.size > 0);
  }

  /** A failure as a message, all else for a moment in the status bar. */
  private tellEnd(event: TurnCompletedEvent, answer: string): void {
    if (event.status !== 'failed' && event.status !== 'limit') {
      const words = event.status === 'completed' ? headline(answer) || 'done' : event.status;
      window.setStatusBarMessage(`Companion: ${words}`, 15_000);
      return;
    }
    const show = 'Show What Happened';
    const words = `Companion ${event.status === 'limit' ? 'stopped at a limit' : 'failed'}: ${plain(event.error ?? '')}`;
    void window.showErrorMessage(words, show).then((choice) => {
      if (choice === show) this.events.reveal();
    });
  }

  dispose(): void {
    this.listener.dispose();
    this.endAll();
  }
}
