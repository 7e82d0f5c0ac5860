import {
  commands,
  Location,
  MarkdownString,
  Uri,
  type CancellationToken,
  type CodeAction,
  type Command,
  type DocumentHighlight,
  type DocumentSymbol,
  type Hover,
  type LocationLink,
  type Position,
  type Range,
  type SignatureHelp,
  type SymbolInformation,
  type WorkspaceEdit,
} from 'vscode';
import {
  ErrorCodes,
  LSPErrorCodes,
  ResponseError,
  type BaseLanguageClient,
  type Position as WirePosition,
  type Range as WireRange,
} from 'vscode-languageclient/node';
import type { Feature } from '../feature';
import { answer } from '../wire';

/** What the params of the offered methods hold. */
interface Asked {
  textDocument?: { uri: string };
  position?: WirePosition;
  range?: WireRange;
  context?: { only?: string[] };
  newName?: string;
  query?: string;
}

interface At {
  client: BaseLanguageClient;
  asked: Asked;
  uri: Uri;
  position: Position;
}

type Ask = (at: At) => Promise<unknown>;

/** Code actions whose edit is asked for at most. */
const maxResolved = 20;

/** LSP's methods by what the workbench calls them. Its commands ask every extension that knows the file. */
const methods: Record<string, Ask> = {
  'textDocument/definition': places('vscode.executeDefinitionProvider'),
  'textDocument/declaration': places('vscode.executeDeclarationProvider'),
  'textDocument/typeDefinition': places('vscode.executeTypeDefinitionProvider'),
  'textDocument/implementation': places('vscode.executeImplementationProvider'),
  'textDocument/references': places('vscode.executeReferenceProvider'),
  'textDocument/hover': hover,
  'textDocument/signatureHelp': signature,
  'textDocument/documentHighlight': highlights,
  'textDocument/documentSymbol': symbols,
  'textDocument/codeAction': actions,
  'textDocument/rename': rename,
  'workspace/symbol': workspaceSymbols,
};

/** What is offered in the handshake. */
export const languageMethods = Object.keys(methods);

/** companion/language/request: what the language extensions of this editor know. They run already, and have its buffers. */
export class Language implements Feature {
  connect(client: BaseLanguageClient): void {
    answer(client, 'companion/language/request', async ({ method, params }, token) => {
      const ask = methods[method];
      if (!ask) throw new ResponseError(ErrorCodes.MethodNotFound, `not offered: ${method}`);
      const asked = params as Asked;
      const uri = asked.textDocument ? Uri.parse(asked.textDocument.uri) : Uri.file('/');
      const position = client.protocol2CodeConverter.asPosition(asked.position ?? { line: 0, character: 0 });
      return await unlessWithdrawn(ask({ client, asked, uri, position }), token);
    });
  }

  dispose(): void {
    // nothing is held
  }
}

/** The commands of the workbench take no token. */
async function unlessWithdrawn<T>(work: Promise<T>, token: CancellationToken): Promise<T> {
  const result = await work;
  if (token.isCancellationRequested) throw new ResponseError(LSPErrorCodes.RequestCancelled, 'withdrawn');
  return result;
}

async function run<T>(command: string, ...args: unknown[]): Promise<T | undefined> {
  return await commands.executeCommand<T | undefined>(command, ...args);
}

function places(command: string): Ask {
  return async ({ client, uri, position }) => {
    const found = await run<(Location | LocationLink)[]>(command, uri, position);
    const convert = client.code2ProtocolConverter;
    return (found ?? []).map((place) =>
      place instanceof Location
        ? { uri: convert.asUri(place.uri), range: convert.asRange(place.range) }
        : {
            targetUri: convert.asUri(place.targetUri),
            targetRange: convert.asRange(place.targetRange),
            targetSelectionRange: convert.asRange(place.targetSelectionRange ?? place.targetRange),
          },
    );
  };
}

async function hover({ uri, position }: At): Promise<unknown> {
  const found = await run<Hover[]>('vscode.executeHoverProvider', uri, position);
  const parts = (found ?? []).flatMap((h) => h.contents).map(markdown);
  const value = parts.filter((p) => p.trim() !== '').join('\n\n');
  return value === '' ? null : { contents: { kind: 'markdown', value } };
}

/** The workbench answers with Markdown only; older forms are for extensions. */
function markdown(part: unknown): string {
  return part instanceof MarkdownString ? part.value : typeof part === 'string' ? part : '';
}

async function signature({ uri, position }: At): Promise<unknown> {
  const help = await run<SignatureHelp>('vscode.executeSignatureHelpProvider', uri, position);
  if (!help || help.signatures.length === 0) return null;
  return {
    signatures: help.signatures.map((s) => ({
      label: s.label,
      ...(s.documentation && { documentation: { kind: 'markdown', value: markdown(s.documentation) } }),
      parameters: s.parameters.map((p) => ({ label: p.label })),
    })),
    activeSignature: help.activeSignature,
    activeParameter: help.activeParameter,
  };
}

async function highlights({ client, uri, position }: At): Promise<unknown> {
  const found = await run<DocumentHighlight[]>('vscode.executeDocumentHighlights', uri, position);
  // kinds of LSP count from 1
  return (found ?? []).map((h) => ({
    range: client.code2ProtocolConverter.asRange(h.range),
    kind: (h.kind ?? 0) + 1,
  }));
}

async function symbols({ client, uri }: At): Promise<unknown> {
  const found = await run<(DocumentSymbol | SymbolInformation)[]>('vscode.executeDocumentSymbolProvider', uri);
  return (found ?? []).map((s) => ('location' in s && !('children' in s) ? information(client, s) : tree(client, s)));
}

function tree(client: BaseLanguageClient, symbol: DocumentSymbol | SymbolInformation): Record<string, unknown> {
  const s = symbol as DocumentSymbol; // the workbench answers with those that are both
  const convert = client.code2ProtocolConverter;
  return {
    name: s.name,
    ...(s.detail !== '' && { detail: s.detail }),
    kind: s.kind + 1,
    range: convert.asRange(s.range),
    selectionRange: convert.asRange(s.selectionRange),
    children: s.children.map((c) => tree(client, c)),
  };
}

function information(client: BaseLanguageClient, s: SymbolInformation): Record<string, unknown> {
  const convert = client.code2ProtocolConverter;
  return {
    name: s.name,
    kind: s.kind + 1,
    containerName: s.containerName,
    location: { uri: convert.asUri(s.location.uri), range: convert.asRange(s.location.range) },
  };
}

async function workspaceSymbols({ client, asked }: At): Promise<unknown> {
  const found = await run<SymbolInformation[]>('vscode.executeWorkspaceSymbolProvider', asked.query ?? '');
  return (found ?? []).map((s) => information(client, s));
}

/** Those that bring an edit: a command of this editor is nothing that companion could run. Its own are left out. */
async function actions({ client, asked, uri, position }: At): Promise<unknown> {
  const range = asked.range ? client.protocol2CodeConverter.asRange(asked.range) : rangeAt(client, position);
  const out: unknown[] = [];
  for (const only of asked.context?.only ?? [undefined]) {
    const found = await run<(CodeAction | Command)[]>(
      'vscode.executeCodeActionProvider',
      uri,
      range,
      only,
      maxResolved,
    );
    for (const action of found ?? []) {
      const { title, kind, isPreferred, edit } = action as CodeAction;
      if (!edit || kind?.value.includes('companion')) continue;
      out.push({
        title,
        ...(kind && { kind: kind.value }),
        ...(isPreferred && { isPreferred }),
        edit: workspaceEdit(client, edit),
      });
    }
  }
  return out;
}

function rangeAt(client: BaseLanguageClient, position: Position): Range {
  const at = client.code2ProtocolConverter.asPosition(position);
  return client.protocol2CodeConverter.asRange({ start: at, end: at });
}

/** The edit, not yet made. */
async function rename({ client, asked, uri, position }: At): Promise<unknown> {
  const edit = await run<WorkspaceEdit>('vscode.executeDocumentRenameProvider', uri, position, asked.newName ?? '');
  return edit && edit.size > 0 ? workspaceEdit(client, edit) : null;
}

function workspaceEdit(client: BaseLanguageClient, edit: WorkspaceEdit): unknown {
  const convert = client.code2ProtocolConverter;
  return {
    changes: Object.fromEntries(
      edit
        .entries()
        .map(([uri, edits]) => [
          convert.asUri(uri),
          edits.map((e) => ({ range: convert.asRange(e.range), newText: e.newText })),
        ]),
    ),
  };
}
