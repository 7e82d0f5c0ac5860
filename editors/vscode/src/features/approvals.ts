import { QuickPickItemKind, type CancellationToken, type QuickPickItem } from 'vscode';
import type { BaseLanguageClient } from 'vscode-languageclient/node';
import { messageOf, plain, type Feature } from '../feature';
import type { Approval, ApprovalResult, Option } from '../protocol.gen';
import { answer } from '../wire';
import { input, pick } from './pick';
import type { Views } from './views';
import type { Waiting } from './waiting';

interface Item extends QuickPickItem {
  act?: Option | 'why' | 'arguments' | 'preview';
}

/** companion/approval/request as a quick pick. */
export class Approvals implements Feature {
  constructor(
    private readonly waiting: Waiting,
    private readonly views: Views,
  ) {}

  connect(client: BaseLanguageClient): void {
    answer(client, 'companion/approval/request', (approval, token) =>
      this.waiting.put(approval.title, token, (t) => this.ask(approval, t)),
    );
  }

  private async ask(approval: Approval, token: CancellationToken): Promise<ApprovalResult | undefined> {
    const placeholder = plain(approval.preview?.command ?? approval.detail);
    const chosen = await pick(items(approval), { title: plain(approval.title), placeholder, many: false }, token);
    const act = chosen?.[0]?.act;
    const rejects = approval.options.find((o) => o.kind === 'rejectOnce');
    const allows = approval.options.find((o) => o.kind === 'allowOnce');
    switch (act) {
      case undefined:
        return undefined;
      case 'preview':
        await this.views.show(
          'what Companion wants',
          previewOf(approval),
          approval.preview?.diff ? 'diff' : 'markdown',
        );
        return undefined; // the question goes on waiting
      case 'why': {
        const feedback = await input(
          { title: rejects?.label ?? 'Reject', prompt: 'What should Companion do instead?' },
          token,
        );
        return feedback === undefined || !rejects ? undefined : { optionId: rejects.id, feedback };
      }
      case 'arguments': {
        const changed = await input(
          {
            title: 'Arguments',
            prompt: 'Change them, Enter allows it once.',
            value: JSON.stringify(approval.arguments ?? {}),
            validateInput: (text) => invalid(text),
          },
          token,
        );
        if (changed === undefined || !allows) return undefined;
        return { optionId: allows.id, arguments: JSON.parse(changed) as unknown };
      }
      default:
        return { optionId: act.id };
    }
  }

  dispose(): void {
    // the waiting questions are the server's, it withdraws them
  }
}

function items(approval: Approval): Item[] {
  const out: Item[] = approval.options.map((o) => ({
    label: plain(o.label),
    description: plain(o.rule ?? ''),
    act: o,
  }));
  out.push({ label: '', kind: QuickPickItemKind.Separator });
  if (approval.options.some((o) => o.kind === 'rejectOnce')) {
    out.push({ label: 'Reject and say why…', act: 'why' });
  }
  if (approval.editable && approval.options.some((o) => o.kind === 'allowOnce')) {
    out.push({ label: 'Change the arguments…', act: 'arguments' });
  }
  out.push({ label: 'Show what it would do', act: 'preview' });
  return out;
}

/** A JSON object is expected; the text to show when it is none. */
function invalid(text: string): string | undefined {
  try {
    const value = JSON.parse(text) as unknown;
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? undefined
      : 'A JSON object is expected.';
  } catch (err) {
    return messageOf(err);
  }
}

function previewOf(approval: Approval): string {
  const preview = approval.preview ?? {};
  if (preview.diff) return preview.diff;
  const parts = [`# ${plain(approval.title)}`, approval.detail];
  if (preview.command) parts.push(`In ${preview.cwd ?? 'the working folder'}:`, fenced(preview.command));
  if (preview.plan) parts.push(preview.plan);
  if (approval.arguments !== undefined) parts.push(fenced(JSON.stringify(approval.arguments, null, 2)));
  return parts.filter((p) => p !== '').join('\n\n');
}

function fenced(text: string): string {
  const longest = Math.max(2, ...[...text.matchAll(/`+/g)].map((m) => m[0].length));
  const fence = '`'.repeat(longest + 1);
  return `${fence}\n${text}\n${fence}`;
}
