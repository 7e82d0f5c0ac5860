import type { CancellationToken, Disposable } from 'vscode';
import { ErrorCodes, LSPErrorCodes, ResponseError, type BaseLanguageClient } from 'vscode-languageclient/node';
import { messageOf, type Feature } from '../feature';
import type { ToolCallParams, ToolCallResult, ToolSpec } from '../protocol.gen';
import { answer } from '../wire';
import { fileEditor } from './places';
import { openTab, readBuffer, save, selection, tabs, type Arguments, type Tool } from './tools/all';

const all: Tool[] = [selection, tabs, readBuffer, openTab, save];

/** What is registered at initialize. */
export const toolSpecs: ToolSpec[] = all.map((tool) => tool.spec);

/** companion/tool/call: the tools that this editor lends to the agent. */
export class EditorTools implements Feature {
  connect(client: BaseLanguageClient): void {
    answer(client, 'companion/tool/call', (call, token) => this.call(call, token));
  }

  private async call(call: ToolCallParams, token: CancellationToken): Promise<ToolCallResult> {
    const tool = call.namespace === undefined ? all.find((t) => t.spec.name === call.name) : undefined;
    if (!tool) throw new ResponseError(ErrorCodes.InvalidParams, `the editor has no tool ${call.name}`);
    try {
      return await unlessCancelled(tool.run(call.arguments as Arguments, fileEditor()), token);
    } catch (err) {
      if (err instanceof ResponseError) throw err;
      return { content: [{ type: 'text', text: messageOf(err) }], isError: true };
    }
  }

  dispose(): void {
    // nothing is held
  }
}

/** A save may wait for a formatter, an opened tab for a dialog: a stop must not wait for those. */
async function unlessCancelled<T>(work: Promise<T>, token: CancellationToken): Promise<T> {
  let listener: Disposable | undefined;
  const cancelled = new Promise<never>((_, reject) => {
    const fail = (): void => {
      reject(new ResponseError(LSPErrorCodes.RequestCancelled, 'cancelled'));
    };
    if (token.isCancellationRequested) fail();
    else listener = token.onCancellationRequested(fail);
  });
  try {
    return await Promise.race([work, cancelled]);
  } finally {
    listener?.dispose();
  }
}
