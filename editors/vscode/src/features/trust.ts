import { workspace, type Disposable, type WorkspaceFolder } from 'vscode';
import type { BaseLanguageClient } from 'vscode-languageclient/node';
import type { Feature } from '../feature';

/** Tells the server when the user trusts the window later, and of folders that come later. The state at the start goes
 * with initialize. */
export class Trust implements Feature {
  private readonly listeners: Disposable[] = [];

  connect(client: BaseLanguageClient): void {
    const tell = (folders: readonly WorkspaceFolder[]): void => {
      if (!client.isRunning() || folders.length === 0) return;
      client
        .sendNotification('companion/workspace/didChangeTrust', {
          folders: folders.map((f) => ({
            uri: client.code2ProtocolConverter.asUri(f.uri),
            trusted: workspace.isTrusted,
          })),
        })
        .catch((err: unknown) => {
          client.error('Trust was not told to companion', err, false);
        });
    };
    this.listeners.push(
      workspace.onDidGrantWorkspaceTrust(() => {
        tell(workspace.workspaceFolders ?? []);
      }),
      workspace.onDidChangeWorkspaceFolders(({ added }) => {
        tell(added);
      }),
    );
  }

  dispose(): void {
    for (const l of this.listeners) l.dispose();
  }
}
