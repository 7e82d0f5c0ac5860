import { window, type CancellationToken, type Disposable, type TextEditor } from 'vscode';
import { ErrorCodes, LSPErrorCodes, ResponseError, type BaseLanguageClient } from 'vscode-languageclient/node';
import { messageOf, type Feature } from '../feature';
import type { ToolCallParams, ToolCallResult, ToolSpec } from '../protocol.gen';
import { answer } from '../wire';
import { openTab, readBuffer, save, selection, tabs, type Arguments, type Tool } from './tools/all';

const all: Tool[] = [selection, tabs, readBuffer, openTab, save];

/** What is registered at initialize. */
export const toolSpecs: ToolSpec[] = all.map((tool) => tool.spec);

/** companion/tool/call: the tools that this editor lends to the agent. */
export class EditorTools implements Feature {
  /** The last editor of a file: an output channel has the focus of an editor too. */
  private last: TextEditor | undefined;
  private readonly listener: Disposable;

  constructor() {
    this.remember(window.activeTextEditor);
    this.listener = window.onDidChangeActiveTextEditor((editor) => {
      this.remember(editor);
    });
  }

  private remember(editor: TextEditor | undefined): void {
    if (editor && ['file', 'untitled'].includes(editor.document.uri.scheme)) this.last = editor;
  }

  /** The editor of a file that the user was in last, if it can still be seen. */
  private editor(): TextEditor | undefined {
    const shown = window.visibleTextEditors.filter((e) => ['file', 'untitled'].includes(e.document.uri.scheme));
    return shown.find((e) => e === this.last) ?? shown.find((e) => e === window.activeTextEditor) ?? shown[0];
  }

  connect(client: BaseLanguageClient): void {
    answer(client, 'companion/tool/call', (call, token) => this.call(call, token));
  }

  private async call(call: ToolCallParams, token: CancellationToken): Promise<ToolCallResult> {
    const tool = call.namespace === undefined ? all.find((t) => t.spec.name === call.name) : undefined;
    if (!tool) throw new ResponseError(ErrorCodes.InvalidParams, `the editor has no tool ${call.name}`);
    try {
      return await unlessCancelled(tool.run(call.arguments as Arguments, this.editor()), token);
    } catch (err) {
      if (err instanceof ResponseError) throw err;
      return { content: [{ type: 'text', text: messageOf(err) }], isError: true };
    }
  }

  dispose(): void {
    this.listener.dispose();
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
