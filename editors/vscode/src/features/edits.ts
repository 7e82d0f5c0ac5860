import { createHash } from 'node:crypto';
import { FilePermission, Uri, workspace, WorkspaceEdit, type TextDocument } from 'vscode';
import { LSPErrorCodes, ResponseError, type BaseLanguageClient } from 'vscode-languageclient/node';
import type { Feature } from '../feature';
import type { EditParams, EditResult } from '../protocol.gen';
import { answer } from '../wire';

/**
 * companion/edit/apply: one file, all or nothing, one step of undo. What is in no editor is left to the server
 * (notOpen); files are made, moved and removed here, so that the workbench knows and other extensions hear of it.
 */
export class Edits implements Feature {
  connect(client: BaseLanguageClient): void {
    answer(client, 'companion/edit/apply', async (edit, token): Promise<EditResult> => {
      const uri = Uri.parse(edit.uri);
      const document = opened(uri);
      const refused = await refusal(edit, uri, document);
      if (token.isCancellationRequested) throw new ResponseError(LSPErrorCodes.RequestCancelled, 'cancelled');
      if (refused) return { applied: false, reason: refused };
      const change = new WorkspaceEdit();
      const target = edit.renameTo === undefined ? uri : Uri.parse(edit.renameTo);
      if (edit.renameTo !== undefined) change.renameFile(uri, target, { overwrite: false });
      if (edit.delete) {
        change.deleteFile(uri);
      } else if (edit.create) {
        const contents = new TextEncoder().encode(edit.edits.map((e) => e.newText).join(''));
        change.createFile(uri, { overwrite: false, contents });
      } else if (edit.edits.length > 0) {
        change.set(target, await client.protocol2CodeConverter.asTextEdits(edit.edits, token));
      }
      // The version is checked once more where the edit is made: what the user types meanwhile wins.
      if (!(await workspace.applyEdit(change))) {
        const moved = document !== undefined && edit.version !== undefined && document.version !== edit.version;
        return { applied: false, reason: moved ? 'versionMismatch' : 'rejected' };
      }
      if (edit.delete || edit.create) return { applied: true };
      // A file that was in no editor goes back to the disk whole.
      return await settle(opened(target), edit.save === true || !document);
    });
  }

  dispose(): void {
    // nothing is held
  }
}

function opened(uri: Uri): TextDocument | undefined {
  return workspace.textDocuments.find((d) => d.uri.toString() === uri.toString() && !d.isClosed);
}

/** Why an edit is not made (docs/protocol.md, companion/edit/apply). */
type Reason = 'versionMismatch' | 'readOnly' | 'notFound' | 'notOpen' | 'conflict' | 'unsupported';

/** `sha256:` hex of the text as it is told to the server. */
function hashOf(document: TextDocument): string {
  return `sha256:${createHash('sha256').update(document.getText(), 'utf8').digest('hex')}`;
}

async function refusal(edit: EditParams, uri: Uri, document: TextDocument | undefined): Promise<Reason | undefined> {
  if (edit.create) return (await permissions(uri)) === undefined ? undefined : 'conflict';
  if (document?.isUntitled && (edit.delete || edit.renameTo !== undefined)) return 'unsupported';
  if (document) {
    if (edit.version !== undefined && document.version !== edit.version) return 'versionMismatch';
    if (edit.baseHash && hashOf(document) !== edit.baseHash) return 'conflict';
    if (document.isUntitled) return undefined;
  } else if (!edit.delete && edit.renameTo === undefined) {
    return 'notOpen';
  }
  const allowed = await permissions(uri);
  if (allowed === undefined) return document ? undefined : 'notFound'; // a buffer may outlive its file
  return allowed & FilePermission.Readonly ? 'readOnly' : undefined;
}

/** Of the file; undefined = there is none. */
async function permissions(uri: Uri): Promise<number | undefined> {
  try {
    return (await workspace.fs.stat(uri)).permissions ?? 0;
  } catch {
    return undefined;
  }
}

async function settle(document: TextDocument | undefined, save: boolean): Promise<EditResult> {
  if (!document) return { applied: true };
  const edited = { applied: true, version: document.version, hash: hashOf(document) };
  if (!save || document.isUntitled) return { ...edited, saved: false };
  const saved = !document.isDirty || (await document.save());
  const now = hashOf(document);
  return now === edited.hash
    ? { ...edited, saved }
    : { applied: true, version: document.version, hash: now, saved, reason: 'modified' };
}
