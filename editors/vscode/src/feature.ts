import type { BaseLanguageClient } from 'vscode-languageclient/node';

/** A part of the extension. It hooks itself onto the client before that starts, and outlives the client's restarts. */
export interface Feature {
  connect(client: BaseLanguageClient): void;
  dispose(): void;
}

/** The client cannot withdraw a message that is shown already; its links would run commands. One plain line. */
export function plain(text: string): string {
  return text.replace(/\s+/g, ' ').replace(/\]\(/g, '] (').trim();
}

/** The first line of text, at most max UTF-16 code units long. */
export function headline(text: string, max = 80): string {
  const line = plain(text.trim().split('\n', 1)[0] ?? '');
  return line.length <= max ? line : `${line.slice(0, max - 1)}…`;
}

export function messageOf(err: unknown): string {
  return err instanceof Error ? err.message : String(err);
}
