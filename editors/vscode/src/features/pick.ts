import { window, type CancellationToken, type InputBoxOptions, type QuickPickItem } from 'vscode';

/** A quick pick that stays when focus goes elsewhere and goes when the token says so; undefined = closed. */
export function pick<T extends QuickPickItem>(
  items: T[],
  options: { title: string; placeholder: string; many: boolean },
  token: CancellationToken,
): Promise<T[] | undefined> {
  const box = window.createQuickPick<T>();
  box.title = options.title;
  box.placeholder = options.placeholder;
  box.canSelectMany = options.many;
  box.items = items;
  box.ignoreFocusOut = true;
  box.matchOnDescription = true;
  return new Promise((resolve) => {
    const gone = token.onCancellationRequested(() => {
      box.hide();
    });
    box.onDidAccept(() => {
      resolve([...box.selectedItems]);
      box.hide();
    });
    box.onDidHide(() => {
      resolve(undefined); // no effect after an accept
      gone.dispose();
      box.dispose();
    });
    if (token.isCancellationRequested) resolve(undefined);
    else box.show();
  });
}

export async function input(options: InputBoxOptions, token: CancellationToken): Promise<string | undefined> {
  return await window.showInputBox({ ignoreFocusOut: true, ...options }, token);
}
