import {
  TabInputCustom,
  TabInputNotebook,
  TabInputText,
  TabInputTextDiff,
  window,
  type Disposable,
  type Tab,
  type TextEditor,
  type Uri,
} from 'vscode';

/** The last editor of a file: an output channel has the focus of an editor too. */
let last: TextEditor | undefined;

/** Remembers where the user is. */
export function follow(): Disposable {
  const remember = (editor: TextEditor | undefined): void => {
    if (editor && isFile(editor)) last = editor;
  };
  remember(window.activeTextEditor);
  return window.onDidChangeActiveTextEditor(remember);
}

function isFile(editor: TextEditor): boolean {
  return ['file', 'untitled'].includes(editor.document.uri.scheme);
}

/** The editor of a file that the user was in last, if it can still be seen. */
export function fileEditor(): TextEditor | undefined {
  const shown = window.visibleTextEditors.filter(isFile);
  return shown.find((e) => e === last) ?? shown.find((e) => e === window.activeTextEditor) ?? shown[0];
}

/** The file of a tab; of a comparison the changed side. */
export function uriOf(tab: Tab): Uri | undefined {
  const { input } = tab;
  if (input instanceof TabInputText || input instanceof TabInputCustom || input instanceof TabInputNotebook) {
    return input.uri;
  }
  return input instanceof TabInputTextDiff ? input.modified : undefined;
}
