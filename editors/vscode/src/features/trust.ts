import { workspace, type Disposable, type WorkspaceFolder } from 'vscode';
import type { BaseLanguageClient } from 'vscode-languageclient/node';
import type { Feature } from '../feature';
import { tell } from '../wire';

/** Tells the server when the user trusts the window later, and of folders that come later. The state at the start goes
 * with initialize. */
export class Trust implements Feature {
  private readonly listeners: Disposable[] = [];

  connect(client: BaseLanguageClient): void {
    const say = (folders: readonly WorkspaceFolder[]): void => {
      if (!client.isRunning() || folders.length === 0) return;
      tell(client, 'companion/workspace/didChangeTrust', {
        folders: folders.map((f) => ({
          uri: client.code2ProtocolConverter.asUri(f.uri),
          trusted: workspace.isTrusted,
        })),
      }).catch((err: unknown) => {
        client.error('Trust was not told to companion', err, false);
      });
    };
    this.listeners.push(
      workspace.onDidGrantWorkspaceTrust(() => {
        say(workspace.workspaceFolders ?? []);
      }),
      workspace.onDidChangeWorkspaceFolders(({ added }) => {
        say(added);
      }),
    );
  }

  dispose(): void {
    for (const l of this.listeners) l.dispose();
  }
}
