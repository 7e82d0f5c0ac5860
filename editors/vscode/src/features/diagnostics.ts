import path from 'node:path';
import {
  languages,
  Uri,
  workspace,
  type CancellationToken,
  type Diagnostic,
  type Disposable,
  type TextDocument,
} from 'vscode';
import { ErrorCodes, LSPErrorCodes, ResponseError, type BaseLanguageClient } from 'vscode-languageclient/node';
import type { Feature } from '../feature';
import type { DiagnosticsItem, DiagnosticsParams, DiagnosticsResult } from '../protocol.gen';
import { answer } from '../wire';

/** When diagnostics of a file were last told, by Date.now(), and the version that the file had then. */
interface Told {
  version: number;
  at: number;
}

/**
 * companion/diagnostics/await. The workbench does not tell for which text diagnostics are, so none are called fresh:
 * settled means that some came after the edit, and then no more for a while.
 */
export class Diagnostics implements Feature {
  private readonly told = new Map<string, Told>();
  /** Endings of the files that something was ever told of. */
  private readonly endings = new Set<string>();
  private readonly listener: Disposable;
  private readonly waking = new Set<() => void>();

  constructor() {
    this.listener = languages.onDidChangeDiagnostics(({ uris }) => {
      for (const uri of uris) {
        this.told.set(uri.toString(), { version: opened(uri)?.version ?? 0, at: Date.now() });
        this.endings.add(path.extname(uri.path));
      }
      for (const wake of this.waking) wake();
    });
  }

  connect(client: BaseLanguageClient): void {
    answer(client, 'companion/diagnostics/await', async (params, token) => await this.wait(client, params, token));
  }

  private async wait(
    client: BaseLanguageClient,
    params: DiagnosticsParams,
    token: CancellationToken,
  ): Promise<DiagnosticsResult> {
    // Without an extension for such files nothing would ever come, and companion has to know that.
    if (!params.uris.some((uri) => this.endings.has(path.extname(Uri.parse(uri).path)))) {
      throw new ResponseError(ErrorCodes.MethodNotFound, 'no extension of this editor told anything of such files');
    }
    const begun = Date.now();
    for (;;) {
      const left = Math.max(...params.uris.map((uri) => this.unsettled(uri, params)), 0);
      const time = begun + params.timeoutMs - Date.now();
      if (left === 0 || time <= 0) break;
      await this.sleep(Math.min(left, time), token);
      if (token.isCancellationRequested) throw new ResponseError(LSPErrorCodes.RequestCancelled, 'withdrawn');
    }
    const mine = params.uris.map((uri) => Uri.parse(uri));
    const items = mine.map((uri, i) => this.item(client, uri, params, this.freshness(params.uris[i] ?? '', params)));
    if (params.includeOthers) {
      const known = new Set(mine.map((uri) => uri.toString()));
      for (const [uri, list] of languages.getDiagnostics()) {
        const told = this.told.get(uri.toString());
        const since = told !== undefined && told.at >= begun;
        if (known.has(uri.toString()) || (list.length === 0 && !since)) continue;
        items.push(this.item(client, uri, params, since ? 'settled' : 'stale'));
      }
    }
    return { items };
  }

  /** For how long at least it cannot be settled, in ms; 0 = it is. */
  private unsettled(uri: string, { since, settleMs }: DiagnosticsParams): number {
    const told = this.told.get(Uri.parse(uri).toString());
    if (!told || told.version < (since[uri] ?? 0)) return Infinity;
    return Math.max(0, told.at + settleMs - Date.now());
  }

  private freshness(uri: string, params: DiagnosticsParams): DiagnosticsItem['freshness'] {
    if (this.unsettled(uri, params) === 0) return 'settled';
    return params.timeoutMs === 0 && languages.getDiagnostics(Uri.parse(uri)).length > 0 ? 'stale' : 'timeout';
  }

  private item(
    client: BaseLanguageClient,
    uri: Uri,
    { minSeverity }: DiagnosticsParams,
    freshness: DiagnosticsItem['freshness'],
  ): DiagnosticsItem {
    const all = languages.getDiagnostics(uri);
    const told = this.told.get(uri.toString());
    const document = opened(uri);
    return {
      uri: client.code2ProtocolConverter.asUri(uri),
      ...(document && { version: document.version }),
      freshness,
      method: 'event',
      ...(told && { quietMs: Date.now() - told.at }),
      sources: [...new Set(all.flatMap((d) => d.source ?? []))],
      diagnostics: all.filter((d) => d.severity + 1 <= (minSeverity ?? 4)).map((d) => wire(client, d)),
    };
  }

  /** Until diagnostics change, the time is over, or nobody waits any more. */
  private async sleep(ms: number, token: CancellationToken): Promise<void> {
    let over: Disposable | undefined;
    let timer: NodeJS.Timeout | undefined;
    let wake: (() => void) | undefined;
    await new Promise<void>((resolve) => {
      wake = resolve;
      this.waking.add(resolve);
      timer = setTimeout(resolve, ms);
      over = token.onCancellationRequested(() => {
        resolve();
      });
    });
    if (wake) this.waking.delete(wake);
    clearTimeout(timer);
    over?.dispose();
  }

  dispose(): void {
    this.listener.dispose();
  }
}

function opened(uri: Uri): TextDocument | undefined {
  return workspace.textDocuments.find((d) => d.uri.toString() === uri.toString() && !d.isClosed);
}

/** As LSP has it: severities count from 1. */
function wire(client: BaseLanguageClient, d: Diagnostic): Record<string, unknown> {
  const code = typeof d.code === 'object' ? d.code.value : d.code;
  return {
    range: client.code2ProtocolConverter.asRange(d.range),
    severity: d.severity + 1,
    message: d.message,
    ...(d.source !== undefined && { source: d.source }),
    ...(code !== undefined && { code }),
  };
}
