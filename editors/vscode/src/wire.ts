// The companion/* methods with the types of src/protocol.gen.ts, which is written from the server's own.
import type { CancellationToken } from 'vscode';
import type { BaseLanguageClient } from 'vscode-languageclient/node';
import type { NotificationsToEditor, NotificationsToServer, RequestsToEditor } from './protocol.gen';

/** Answers what the server asks. */
export function answer<M extends keyof RequestsToEditor>(
  client: BaseLanguageClient,
  method: M,
  handle: (params: RequestsToEditor[M]['params'], token: CancellationToken) => Promise<RequestsToEditor[M]['result']>,
): void {
  client.onRequest(method, handle);
}

/** Hears what the server tells. */
export function hear<M extends keyof NotificationsToEditor>(
  client: BaseLanguageClient,
  method: M,
  handle: (params: NotificationsToEditor[M]) => void,
): void {
  client.onNotification(method, handle);
}

/** Tells the server. */
export function tell<M extends keyof NotificationsToServer>(
  client: BaseLanguageClient,
  method: M,
  params: NotificationsToServer[M],
): Promise<void> {
  return client.sendNotification(method, params);
}
