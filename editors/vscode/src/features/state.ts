import { window, workspace, type Disposable } from 'vscode';
import type { BaseLanguageClient } from 'vscode-languageclient/node';
import type { Feature } from '../feature';
import type { EditorState, Tab } from '../protocol.gen';
import { tell } from '../wire';
import { fileEditor, uriOf } from './places';

const method = 'companion/editor/didChangeState';

/** How long it must be the same before it is told, in ms. */
const quiet = 200;

/** companion/editor/didChangeState: what the user looks at, for turns that say nothing of it themselves. */
export class State implements Feature {
  private client: BaseLanguageClient | undefined;
  private timer: NodeJS.Timeout | undefined;
  /** What was told last. */
  private told = '';
  private readonly listeners: Disposable[];

  constructor() {
    const later = (): void => {
      this.later();
    };
    this.listeners = [
      window.onDidChangeActiveTextEditor(later),
      window.onDidChangeTextEditorSelection(later),
      window.onDidChangeTextEditorVisibleRanges(later),
      window.tabGroups.onDidChangeTabs(later),
      window.tabGroups.onDidChangeTabGroups(later),
      workspace.onDidSaveTextDocument(later),
    ];
  }

  connect(client: BaseLanguageClient): void {
    this.client = client;
    client.onDidChangeState(() => {
      this.told = ''; // another server knows nothing
      this.later();
    });
  }

  private later(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.say();
    }, quiet);
  }

  private say(): void {
    const { client } = this;
    if (!client?.isRunning() || !offers(client)) return;
    const editorState = stateOf(client);
    const text = JSON.stringify(editorState);
    if (text === this.told) return;
    this.told = text;
    tell(client, method, { editorState }).catch((err: unknown) => {
      client.error('What the editor shows was not told to companion', err, false);
    });
  }

  dispose(): void {
    clearTimeout(this.timer);
    for (const l of this.listeners) l.dispose();
  }
}

function offers(client: BaseLanguageClient): boolean {
  const experimental = client.initializeResult?.capabilities.experimental as
    { companion?: { methods?: string[] } } | undefined;
  return experimental?.companion?.methods?.includes(method) ?? false;
}

function stateOf(client: BaseLanguageClient): EditorState {
  const convert = client.code2ProtocolConverter;
  const editor = fileEditor();
  const tabs = window.tabGroups.all.flatMap((group) =>
    group.tabs.flatMap((tab): Tab[] => {
      const uri = uriOf(tab);
      return uri ? [{ uri: convert.asUri(uri), isActive: tab.isActive && group.isActive, isDirty: tab.isDirty }] : [];
    }),
  );
  return {
    ...(editor && {
      active: {
        uri: convert.asUri(editor.document.uri),
        selection: convert.asRange(editor.selection),
        visibleRanges: editor.visibleRanges.map((r) => convert.asRange(r)),
      },
    }),
    tabs,
  };
}
