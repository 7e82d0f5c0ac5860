// The parts of the wire contract that this extension speaks, by hand and small.
// Names and meanings are those of docs/protocol.md. Positions are LSP's: lines
// and UTF-16 code units, both counted from 0.
import type { Range } from 'vscode-languageclient/node';

/** capabilities.experimental.companion: what the extension takes over. */
export interface Flags {
  version: 1;
  commands: true;
  events: true;
  progress: true;
  toolCalls: true;
  approvals: true;
  questions: true;
}

export interface ToolSpec {
  name: string;
  title: string;
  description: string;
  inputSchema: Record<string, unknown>;
  annotations?: { readOnly?: boolean; destructive?: boolean; idempotent?: boolean; openWorld?: boolean };
  timeoutMs?: number;
}

export type Content =
  | { type: 'text'; text: string }
  | { type: 'image'; mimeType: string; data: string }
  | { type: 'resource'; uri: string; range?: Range; text?: string };

export interface ToolCall {
  threadId: string;
  turnId: string;
  callId: string;
  namespace?: string;
  name: string;
  arguments: unknown;
  deadlineMs: number;
}

export interface ToolResult {
  content: Content[];
  isError?: boolean;
  structuredContent?: unknown;
  changed?: string[];
}

export type OptionKind = 'allowOnce' | 'allowThread' | 'allowAlways' | 'rejectOnce' | 'stop';

export interface ApprovalOption {
  id: string;
  label: string;
  kind: OptionKind;
  rule?: string;
}

export interface Approval {
  callId: string;
  kind: string;
  title: string;
  detail: string;
  preview?: { diff?: string; command?: string; cwd?: string; plan?: string };
  arguments?: unknown;
  editable: boolean;
  options: ApprovalOption[];
}

export interface ApprovalAnswer {
  optionId: string;
  arguments?: unknown;
  feedback?: string;
}

export interface Question {
  id: string;
  header: string;
  question: string;
  options?: { label: string; description?: string }[];
  multi?: boolean;
  allowOther?: boolean;
  secret?: boolean;
}

export interface QuestionAsk {
  callId: string;
  questions: Question[];
}

export interface QuestionAnswer {
  answers: Record<string, string[]>;
}

/** The answer of a command that starts a turn. */
export interface TurnRef {
  threadId: string;
  turnId: string;
}

interface EventHead {
  threadId: string;
  turnId?: string;
  seq?: number;
}

export type TurnStatus = 'completed' | 'stopped' | 'failed' | 'limit';

/** companion/event, as far as it is shown. Types not listed are ignored. */
export type CompanionEvent = EventHead &
  (
    | { type: 'turn.started'; input: { type: string; text?: string }[]; mode: string; model: string }
    | { type: 'message.delta'; itemId: string; text: string }
    | { type: 'message.completed'; itemId: string; text: string }
    | { type: 'tool.started'; callId: string; name: string; activity: string }
    | { type: 'tool.progress'; callId: string; activity?: string }
    | { type: 'tool.output'; callId: string; text: string }
    | { type: 'tool.completed'; callId: string; outcome: string; text: string; display?: string; ranMs: number }
    | { type: 'approval.requested'; callId: string }
    | { type: 'approval.resolved'; callId: string; decision: string; by: string }
    | { type: 'plan.updated'; steps: { text?: string; step?: string; status?: string }[] }
    | { type: 'mode.changed'; mode: string }
    | { type: 'context.compacted'; before: number; after: number }
    | { type: 'warning'; code: string; message: string }
    | { type: 'turn.completed'; status: TurnStatus; error?: string }
  );

/** What companion.keep and companion.undo answer. */
export interface HunkOutcomes {
  hunks: { id: string; outcome: 'kept' | 'undone' | 'conflict' | 'stale'; message?: string }[];
}

export interface ThreadList {
  threads: { threadId: string; title: string; cwd: string; updatedAt: string; turns: number; status: string }[];
}
