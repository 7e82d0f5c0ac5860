import { commands, Range, Uri, ViewColumn, window, workspace, type TextDocument, type TextEditor } from 'vscode';
import { uriOf } from '../places';
import type { Range as WireRange, ToolCallResult, ToolSpec } from '../../protocol.gen';

export interface Arguments {
  file?: string;
  startLine?: number;
  endLine?: number;
  line?: number;
  show?: boolean;
}

/** One tool. The server has checked the arguments against the schema. A thrown error is the result's text. */
export interface Tool {
  spec: ToolSpec;
  run: (args: Arguments, editor: TextEditor | undefined) => Promise<ToolCallResult>;
}

/** Lines that one read gives at most. */
const maxLines = 2000;

const readOnly = { readOnly: true, destructive: false, idempotent: true, openWorld: false };
const file = {
  type: 'string',
  description:
    'A path from the workspace folder, an absolute path or a URI. Left out: the file that the user looks at.',
};
const line = { type: 'integer', minimum: 1 };

function object(properties: Record<string, unknown>, required: string[] = []): Record<string, unknown> {
  return { type: 'object', properties, required, additionalProperties: false };
}

export const selection: Tool = {
  spec: {
    name: 'editor_get_selection',
    title: 'Selection in the editor',
    description:
      'What the user has selected in the editor: the file, the lines and columns (counted from 1) and the text. With nothing selected, the place of the cursor and its line.',
    inputSchema: object({}),
    annotations: readOnly,
  },
  run: (_, editor) => {
    if (!editor) throw new Error('The user has no file open.');
    const { document, selection: at } = editor;
    const head = `${nameOf(document.uri)}, ${place(at)}${document.isDirty ? ', unsaved' : ''}`;
    const text = at.isEmpty ? document.lineAt(at.active.line).text : document.getText(at);
    const what = at.isEmpty ? 'Nothing is selected; the line of the cursor is:' : 'Selected:';
    return result(`${head}\n${what}\n${text}`, {
      uri: document.uri.toString(),
      range: rangeOf(at),
      isEmpty: at.isEmpty,
      text,
    });
  },
};

export const tabs: Tool = {
  spec: {
    name: 'editor_list_tabs',
    title: 'Tabs in the editor',
    description: 'The tabs that the user has open, which of them is looked at, and which have unsaved changes.',
    inputSchema: object({}),
    annotations: readOnly,
  },
  run: () => {
    const list = window.tabGroups.all.flatMap((group) =>
      group.tabs.map((tab) => {
        const uri = uriOf(tab);
        return {
          label: tab.label,
          ...(uri && { uri: uri.toString() }),
          isActive: tab.isActive && group.isActive,
          isVisible: tab.isActive,
          isDirty: tab.isDirty,
        };
      }),
    );
    const lines = list.map((t) => {
      const marks = [t.isActive ? 'active' : t.isVisible ? 'visible' : '', t.isDirty ? 'unsaved' : ''].filter(Boolean);
      return `${t.uri ? nameOf(Uri.parse(t.uri)) : t.label}${marks.length > 0 ? ` (${marks.join(', ')})` : ''}`;
    });
    return result(lines.length > 0 ? lines.join('\n') : 'No tab is open.', { tabs: list });
  },
};

export const readBuffer: Tool = {
  spec: {
    name: 'editor_read_buffer',
    title: 'Read a buffer',
    description: `The text of an open file as it stands in the editor, unsaved changes included. At most ${maxLines} lines at once; lines are counted from 1.`,
    inputSchema: object({ file, startLine: line, endLine: line }),
    annotations: readOnly,
  },
  run: (args, editor) => {
    const document = opened(args.file, editor);
    const from = (args.startLine ?? 1) - 1;
    if (from >= document.lineCount) throw new Error(`${nameOf(document.uri)} has ${document.lineCount} lines.`);
    const to = Math.min(args.endLine ?? document.lineCount, document.lineCount, from + maxLines);
    if (to <= from) throw new Error('endLine is before startLine.');
    const range = new Range(from, 0, to - 1, document.lineAt(to - 1).text.length);
    const head = `${nameOf(document.uri)}, lines ${from + 1} to ${to} of ${document.lineCount}${document.isDirty ? ', with unsaved changes' : ''}`;
    return Promise.resolve({
      content: [
        { type: 'text', text: head },
        { type: 'resource', uri: document.uri.toString(), range: rangeOf(range), text: document.getText(range) },
      ],
    });
  },
};

export const openTab: Tool = {
  spec: {
    name: 'editor_open_tab',
    title: 'Open a tab',
    description:
      'Opens a file as a tab for the user, in the background; with "show" beside what the user looks at, at a line when one is given. The cursor stays where it is.',
    inputSchema: object(
      {
        file: { ...file, description: 'A path from the workspace folder, an absolute path or a URI.' },
        line,
        show: { type: 'boolean' },
      },
      ['file'],
    ),
    annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
  },
  run: async (args) => {
    const uri = await existing(args.file ?? '');
    if (args.show) {
      const document = await workspace.openTextDocument(uri);
      const at = Math.min(args.line ?? 1, document.lineCount) - 1;
      await window.showTextDocument(document, {
        viewColumn: ViewColumn.Beside,
        preserveFocus: true,
        preview: false,
        selection: new Range(at, 0, at, 0),
      });
    } else {
      await commands.executeCommand('vscode.open', uri, { background: true, preserveFocus: true, preview: false });
    }
    return result(`${nameOf(uri)} is open${args.show ? ' beside' : ' in the background'}.`, undefined);
  },
};

export const save: Tool = {
  spec: {
    name: 'editor_save',
    title: 'Save a file',
    description:
      'Saves an open file that has unsaved changes, as the user would: formatters and actions on save run, and may change it.',
    inputSchema: object({ file }),
    annotations: { readOnly: false, destructive: false, idempotent: true, openWorld: false },
    timeoutMs: 30_000,
  },
  run: async (args, editor) => {
    const document = opened(args.file, editor);
    const name = nameOf(document.uri);
    if (document.isUntitled) throw new Error(`${name} has no file yet; only the user can say where it goes.`);
    if (!document.isDirty) return result(`${name} has no unsaved changes.`, undefined);
    const before = document.getText();
    if (!(await document.save())) throw new Error(`${name} was not saved: the editor refused.`);
    const changed = document.getText() !== before;
    return {
      content: [{ type: 'text', text: `${name} is saved${changed ? '; saving changed it (format on save)' : ''}.` }],
      changed: [document.uri.toString()],
    };
  },
};

function result(text: string, structuredContent: unknown): Promise<ToolCallResult> {
  return Promise.resolve({
    content: [{ type: 'text', text }],
    ...(structuredContent !== undefined && { structuredContent }),
  });
}

/** The path from the workspace folder, else the path, else the URI. */
function nameOf(uri: Uri): string {
  return uri.scheme === 'file' ? workspace.asRelativePath(uri) : uri.toString();
}

function place(at: Range): string {
  const { start, end } = at;
  const from = `line ${start.line + 1}, column ${start.character + 1}`;
  return at.isEmpty ? from : `${from} to line ${end.line + 1}, column ${end.character + 1}`;
}

function rangeOf(r: Range): WireRange {
  return {
    start: { line: r.start.line, character: r.start.character },
    end: { line: r.end.line, character: r.end.character },
  };
}

/** Every place that the words may mean: a URI, an absolute path, a path in one of the folders. */
function candidates(words: string): Uri[] {
  if (/^[A-Za-z][A-Za-z0-9+.-]+:/.test(words)) return [Uri.parse(words)]; // one letter is a drive
  if (/^([/\\]|[A-Za-z]:[/\\])/.test(words)) return [Uri.file(words)];
  return (workspace.workspaceFolders ?? []).map((folder) => Uri.joinPath(folder.uri, words));
}

function opened(words: string | undefined, editor: TextEditor | undefined): TextDocument {
  if (words === undefined) {
    if (!editor) throw new Error('The user has no file open.');
    return editor.document;
  }
  const wanted = candidates(words).map((uri) => uri.toString());
  const document = workspace.textDocuments.find((d) => wanted.includes(d.uri.toString()));
  if (!document) throw new Error(`${words} is not open in the editor.`);
  return document;
}

async function existing(words: string): Promise<Uri> {
  for (const uri of candidates(words)) {
    try {
      await workspace.fs.stat(uri);
      return uri;
    } catch {
      // the next folder may have it
    }
  }
  throw new Error(`There is no file ${words}.`);
}
