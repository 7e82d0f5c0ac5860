import { EventEmitter, commands, window, type Disposable } from 'vscode';
import type { BaseLanguageClient } from 'vscode-languageclient/node';
import { headline, plain, type Feature } from '../feature';
import type { Event } from '../protocol.gen';
import { hear } from '../wire';

/** companion/event, told in the output channel "Companion" and to the other features. */
export class Events implements Feature {
  private readonly channel = window.createOutputChannel('Companion');
  private readonly emitter = new EventEmitter<Event>();
  private readonly command: Disposable;
  /** Items of which a part was written already, by deltas. */
  private readonly begun = new Set<string>();
  private midLine = false;

  readonly onEvent = this.emitter.event;

  constructor() {
    this.command = commands.registerCommand('companion.showLog', () => {
      this.reveal();
    });
  }

  connect(client: BaseLanguageClient): void {
    hear(client, 'companion/event', (event) => {
      this.write(event);
      this.emitter.fire(event);
    });
  }

  /** Shows the channel, focus stays where it is. */
  reveal(): void {
    this.channel.show(true);
  }

  private line(text: string): void {
    if (this.midLine) this.channel.appendLine('');
    this.midLine = false;
    this.channel.appendLine(text);
  }

  private write(e: Event): void {
    switch (e.type) {
      case 'turn.started': {
        const asked = headline(e.input.find((i) => i.type === 'text')?.text ?? '', 200);
        this.line(`── ${new Date().toLocaleTimeString()} ${asked} (${e.mode}, ${e.model})`);
        break;
      }
      case 'message.delta':
        this.begun.add(e.itemId);
        this.channel.append(e.text);
        this.midLine = true;
        break;
      case 'message.completed':
        if (!this.begun.delete(e.itemId)) this.line(e.text);
        break;
      case 'tool.started':
        this.line(`▸ ${plain(e.activity || e.name)}`);
        break;
      case 'tool.output':
        this.channel.append(e.text);
        this.midLine = !e.text.endsWith('\n');
        break;
      case 'tool.completed':
        this.line(`  ${e.outcome} after ${e.ranMs} ms${headline(e.display ?? '') && `: ${headline(e.display ?? '')}`}`);
        break;
      case 'approval.requested':
        this.line('  waits for your answer');
        break;
      case 'approval.resolved':
        this.line(`  ${e.decision} (${e.by})`);
        break;
      case 'mode.changed':
        this.line(`mode: ${e.mode}`);
        break;
      case 'context.compacted':
        this.line(`context compacted from ${e.before} to ${e.after} tokens`);
        break;
      case 'warning':
        this.line(`! ${plain(e.message)}`);
        break;
      case 'turn.steered':
        this.line(`+ ${headline(e.input.find((i) => i.type === 'text')?.text ?? '', 200)}`);
        break;
      case 'turn.completed':
        this.begun.clear();
        this.line(`── ${e.status}${e.error ? `: ${plain(e.error)}` : ''}`);
        break;
      default: // what a newer server tells is for a newer extension
    }
  }

  dispose(): void {
    this.command.dispose();
    this.emitter.dispose();
    this.channel.dispose();
  }
}
