import {
  EventEmitter,
  languages,
  Uri,
  window,
  workspace,
  type Disposable,
  type TextDocumentContentProvider,
} from 'vscode';

const scheme = 'companion';

/** Texts that are shown as read-only documents. Only ever opened by the user's own command. */
export class Views implements TextDocumentContentProvider, Disposable {
  private readonly texts = new Map<string, string>();
  private readonly changed = new EventEmitter<Uri>();
  private readonly registration = workspace.registerTextDocumentContentProvider(scheme, this);
  readonly onDidChange = this.changed.event;

  async show(name: string, text: string, language: string): Promise<void> {
    const uri = Uri.from({ scheme, path: `/${name}` });
    this.texts.set(uri.toString(), text);
    this.changed.fire(uri);
    const document = await languages.setTextDocumentLanguage(await workspace.openTextDocument(uri), language);
    await window.showTextDocument(document, { preview: true });
  }

  async showJSON(name: string, value: unknown): Promise<void> {
    await this.show(name, `${JSON.stringify(value, null, 2)}\n`, 'json');
  }

  provideTextDocumentContent(uri: Uri): string {
    return this.texts.get(uri.toString()) ?? '';
  }

  dispose(): void {
    this.registration.dispose();
    this.changed.dispose();
  }
}
