import { MarkdownString, StatusBarAlignment, ThemeColor, window, type Disposable } from 'vscode';
import { State, type BaseLanguageClient } from 'vscode-languageclient/node';
import { headline, plain, type Feature } from '../feature';
import type { Event, Status as ServerStatus } from '../protocol.gen';
import type { Events } from './events';

/** Companion in the status bar: which model, whether it works, and that it has ended. A click shows what happened. */
export class Status implements Feature {
  private readonly bar = window.createStatusBarItem('companion.status', StatusBarAlignment.Left, 0);
  private readonly listener: Disposable;
  private readonly running = new Map<string, string>();
  private client: BaseLanguageClient | undefined;
  private model = '';

  constructor(events: Events) {
    this.bar.name = 'Companion';
    this.listener = events.onEvent((event) => {
      this.hear(event);
    });
  }

  connect(client: BaseLanguageClient): void {
    this.client = client;
    client.onDidChangeState(({ newState }) => {
      this.running.clear();
      if (newState === State.Running) void this.ask();
      this.show();
    });
    this.show();
  }

  private async ask(): Promise<void> {
    try {
      const status = await this.client?.sendRequest<ServerStatus>('companion/status', {});
      this.model = status?.model ?? '';
      this.show();
    } catch {
      // it ended meanwhile, which is shown
    }
  }

  private hear(event: Event): void {
    const id = event.turnId;
    if (id === undefined) return;
    switch (event.type) {
      case 'turn.started':
        this.model = event.model;
        this.running.set(id, 'thinking');
        break;
      case 'tool.started':
        this.running.set(id, event.activity || event.name);
        break;
      case 'tool.completed':
        this.running.set(id, 'thinking');
        break;
      case 'turn.completed':
        this.running.delete(id);
        break;
      default:
        return;
    }
    this.show();
  }

  private show(): void {
    const { bar } = this;
    bar.backgroundColor = undefined;
    bar.command = 'companion.showLog';
    switch (this.client?.state) {
      case State.Running:
        this.showRunning();
        break;
      case State.Starting:
        bar.text = '$(loading~spin) Companion';
        bar.tooltip = 'Companion starts';
        break;
      default:
        bar.text = '$(circle-slash) Companion';
        bar.tooltip = 'Companion does not run. Click to start it.';
        bar.command = 'companion.restart';
        bar.backgroundColor = new ThemeColor('statusBarItem.errorBackground');
    }
    bar.show();
  }

  private showRunning(): void {
    const [activity] = [...this.running.values()].slice(-1);
    const more = this.running.size > 1 ? ` (${this.running.size})` : '';
    this.bar.text =
      activity === undefined ? '$(hubot) Companion' : `$(loading~spin) Companion: ${headline(activity, 40)}${more}`;
    const tip = new MarkdownString('', true);
    tip.isTrusted = { enabledCommands: ['companion.showLog', 'companion.status', 'companion.stop'] };
    tip.appendMarkdown(this.model ? `Model: \`${plain(this.model).replaceAll('`', "'")}\`` : 'Model: not known yet');
    if (this.model.startsWith('offline/')) {
      tip.appendMarkdown(
        '\n\nOnly quick fixes of language servers are taken; the setting `companion.model` names a model.',
      );
    }
    tip.appendMarkdown('\n\n[What happened](command:companion.showLog) · [Status](command:companion.status)');
    if (activity !== undefined) tip.appendMarkdown(' · [Stop](command:companion.stop)');
    this.bar.tooltip = tip;
  }

  dispose(): void {
    this.listener.dispose();
    this.bar.dispose();
  }
}
