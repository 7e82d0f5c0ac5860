// Code generated from the Go types of the wire; DO NOT EDIT.
// Written anew by: go test ./lspbridge/schema -update

export const protocolVersion = 1;

export interface ActiveEditor {
  uri: string;
  selection?: Range;
  visibleRanges?: Range[];
}

export interface Annotations {
  readOnly?: boolean;
  destructive?: boolean;
  idempotent?: boolean;
  openWorld?: boolean;
}

export interface Approval {
  threadId: string;
  turnId: string;
  callId: string;
  kind: "tool" | "command" | "edit" | "network" | "escalate" | "permissions" | "mode" | "loop" | "trust";
  title: string;
  detail: string;
  preview?: Preview;
  arguments?: Record<string, unknown>;
  editable: boolean;
  options: Option[];
}

export interface ApprovalRequestedEvent {
  threadId: string;
  turnId?: string;
  /** of durable events: from 1 without gaps in a thread */
  seq?: number;
  /** of deltas: the last durable seq before it */
  afterSeq?: number;
  type: "approval.requested";
  callId: string;
}

export interface ApprovalResolvedEvent {
  threadId: string;
  turnId?: string;
  /** of durable events: from 1 without gaps in a thread */
  seq?: number;
  /** of deltas: the last durable seq before it */
  afterSeq?: number;
  type: "approval.resolved";
  callId: string;
  decision: string;
  by: "user" | "rule" | "hook" | "grant";
}

export interface ApprovalResult {
  optionId: string;
  /** changed by the person, when editable */
  arguments?: unknown;
  /** words for the model */
  feedback?: string;
}

export interface ChangedFile {
  uri: string;
  /** URI before a rename */
  from?: string;
  status: "created" | "modified" | "deleted" | "renamed";
  version?: number;
  /** sha256: of the present text, empty when there is none */
  hash: string;
  /** of the text without what is pending */
  baseHash: string;
  hunks: Hunk[];
}

export interface ChangesChanged {
  threadId: string;
  uris: string[];
}

export interface ChangesContentParams {
  threadId: string;
  uri: string;
  side: "base" | "current";
  turnId?: string;
}

export interface ChangesListParams {
  threadId: string;
  turnId?: string;
}

export interface ChangesListResult {
  files: ChangedFile[];
}

export interface ChangesResult {
  hunks: HunkOutcome[];
}

export interface ChangesSelector {
  threadId: string;
  turnId?: string;
  uri?: string;
  hunkIds?: string[];
}

export interface ChangesUpdatedEvent {
  threadId: string;
  turnId?: string;
  /** of durable events: from 1 without gaps in a thread */
  seq?: number;
  /** of deltas: the last durable seq before it */
  afterSeq?: number;
  type: "changes.updated";
  /** URIs */
  files: string[];
}

export interface CompanionCapabilities {
  version: number;
  /** it registers the command ids itself */
  commands?: boolean;
  events?: boolean;
  progress?: boolean;
  /** it shows changes itself */
  review?: boolean;
  toolCalls?: boolean;
  approvals?: boolean;
  questions?: boolean;
  diagnostics?: boolean;
  edits?: boolean;
  models?: boolean;
  files?: boolean;
  secrets?: boolean;
  /** methods of LSP that its own language servers answer */
  language?: string[];
}

export interface Content {
  /** text, image or resource */
  type: string;
  text?: string;
  mimeType?: string;
  /** base64 */
  data?: string;
  uri?: string;
  range?: Range;
}

export interface ContextCompactedEvent {
  threadId: string;
  turnId?: string;
  /** of durable events: from 1 without gaps in a thread */
  seq?: number;
  /** of deltas: the last durable seq before it */
  afterSeq?: number;
  type: "context.compacted";
  /** tokens */
  before: number;
  /** tokens */
  after: number;
}

export interface DiagReport {
  status: string;
  checked: number;
  candidates: number;
  new: Record<string, unknown>[];
  fixed: Record<string, unknown>[];
  remaining: number;
}

export interface DiagnosticsItem {
  uri: string;
  version?: number;
  freshness: "fresh" | "settled" | "stale" | "timeout";
  method?: "pull" | "sync" | "versioned" | "barrier" | "event";
  quietMs?: number;
  sources: string[];
  diagnostics: Record<string, unknown>[];
}

export interface DiagnosticsParams {
  uris: string[];
  /** the version after the edit, by URI */
  since: Record<string, number>;
  includeOthers?: boolean;
  minSeverity?: number;
  settleMs: number;
  /** 0 = what is known now */
  timeoutMs: number;
}

export interface DiagnosticsResult {
  items: DiagnosticsItem[];
}

export interface EditParams {
  uri: string;
  version?: number;
  baseHash: string;
  edits: TextEdit[];
  create?: boolean;
  delete?: boolean;
  /** URI */
  renameTo?: string;
  save?: boolean;
  label: string;
}

export interface EditResult {
  applied: boolean;
  version?: number;
  /** sha256: of the text as last synced */
  hash?: string;
  saved?: boolean;
  /** versionMismatch, readOnly, notFound, notOpen, rejected, conflict, unsupported or modified */
  reason?: string;
}

export interface EditorState {
  active?: ActiveEditor;
  tabs?: Tab[];
}

export interface EditorStateParams {
  editorState: EditorState;
}

export type Empty = Record<string, never>;

export type Event =
  | TurnStartedEvent
  | MessageDeltaEvent
  | MessageCompletedEvent
  | ReasoningDeltaEvent
  | ReasoningCompletedEvent
  | ToolStartedEvent
  | ToolPreviewEvent
  | ToolProgressEvent
  | ToolOutputEvent
  | ToolCompletedEvent
  | ApprovalRequestedEvent
  | ApprovalResolvedEvent
  | PlanUpdatedEvent
  | ModeChangedEvent
  | TurnSteeredEvent
  | ChangesUpdatedEvent
  | ContextCompactedEvent
  | ThreadRenamedEvent
  | UsageEvent
  | WarningEvent
  | TurnCompletedEvent;

export interface FileEvent {
  uri: string;
  type: number;
}

export interface FilesChanged {
  changes: FileEvent[];
}

export interface FolderTrust {
  uri: string;
  trusted: boolean;
}

export interface Hunk {
  id: string;
  /** in the base */
  oldRange: Range;
  /** in the present text */
  newRange: Range;
  state: "pending" | "kept" | "undone" | "stale";
  /** somebody else changed these lines since */
  conflict?: boolean;
}

export interface HunkOutcome {
  id: string;
  outcome: "kept" | "undone" | "conflict" | "stale";
  message?: string;
}

export interface InitializationOptions {
  settings?: Record<string, unknown>;
  trusted?: boolean;
  tools?: ToolSpec[];
  namespaces?: Namespace[];
}

export interface Input {
  type: "text" | "selection" | "file" | "diagnostics" | "image" | "skill";
  text?: string;
  uri?: string;
  range?: Range;
  diagnostics?: Record<string, unknown>[];
  mimeType?: string;
  /** base64 */
  data?: string;
  /** of a skill */
  name?: string;
}

export interface LanguageParams {
  /** one that the handshake offers */
  method: string;
  params: unknown;
}

export interface LentModel {
  id: string;
  title?: string;
  maxInputTokens?: number;
  /** it can call tools */
  tools?: boolean;
  images?: boolean;
}

export interface Location {
  uri: string;
  range?: Range;
}

export interface MCPList {
  servers: MCPServer[];
}

export interface MCPReconnectParams {
  server: string;
}

export interface MCPServer {
  name: string;
  state: string;
  error?: string;
}

export interface Memory {
  heapBytes: number;
  sysBytes: number;
}

export interface MessageCompletedEvent {
  threadId: string;
  turnId?: string;
  /** of durable events: from 1 without gaps in a thread */
  seq?: number;
  /** of deltas: the last durable seq before it */
  afterSeq?: number;
  type: "message.completed";
  itemId: string;
  text: string;
}

export interface MessageDeltaEvent {
  threadId: string;
  turnId?: string;
  /** of durable events: from 1 without gaps in a thread */
  seq?: number;
  /** of deltas: the last durable seq before it */
  afterSeq?: number;
  type: "message.delta";
  itemId: string;
  text: string;
}

export interface ModeChangedEvent {
  threadId: string;
  turnId?: string;
  /** of durable events: from 1 without gaps in a thread */
  seq?: number;
  /** of deltas: the last durable seq before it */
  afterSeq?: number;
  type: "mode.changed";
  mode: string;
}

export interface Model {
  /** provider/model */
  id: string;
  title?: string;
  /** settings, editor or builtin */
  source: string;
  available: boolean;
  /** why it is not available, and what to do */
  reason?: string;
  /** tokens */
  contextWindow?: number;
  maxOutputTokens?: number;
  images: boolean;
}

export interface ModelCallParams {
  requestId: string;
  /** without editor/ */
  model: string;
  messages: ModelMessage[];
  tools: ModelTool[];
  options: ModelOptions;
  partialResultToken: string;
}

export interface ModelCallResult {
  stop: "end" | "tools" | "length" | "error";
  usage?: ModelUsage;
  error?: string;
}

export interface ModelList {
  models: Model[];
  default: string;
}

export interface ModelMessage {
  /** system, user or assistant */
  role: string;
  content: ModelPart[];
}

export interface ModelOptions {
  maxOutputTokens?: number;
  effort?: string;
}

export interface ModelPart {
  /** text, image, call or result */
  type: string;
  text?: string;
  mimeType?: string;
  /** base64 */
  data?: string;
  /** of a call, also in its result */
  id?: string;
  name?: string;
  arguments?: Record<string, unknown>;
  /** of a result */
  content?: Content[];
  isError?: boolean;
}

export interface ModelTool {
  name: string;
  description: string;
  inputSchema: Record<string, unknown>;
}

export interface ModelUsage {
  inputTokens?: number;
  cachedTokens?: number;
  outputTokens?: number;
}

export interface ModelsRegisterParams {
  models: LentModel[];
}

export interface Namespace {
  name: string;
  description?: string;
}

export type NoParams = Record<string, never>;

export interface Option {
  id: string;
  label: string;
  kind: "allowOnce" | "allowThread" | "allowAlways" | "rejectOnce" | "stop";
  rule?: string;
}

export interface PlanStep {
  step: string;
  status: "pending" | "in_progress" | "completed";
}

export interface PlanUpdatedEvent {
  threadId: string;
  turnId?: string;
  /** of durable events: from 1 without gaps in a thread */
  seq?: number;
  /** of deltas: the last durable seq before it */
  afterSeq?: number;
  type: "plan.updated";
  /** the whole plan */
  steps: PlanStep[];
}

export interface Position {
  line: number;
  character: number;
}

export interface Preview {
  diff?: string;
  command?: string;
  cwd?: string;
  plan?: string;
}

export interface Question {
  id: string;
  header: string;
  question: string;
  options?: QuestionOption[];
  multi?: boolean;
  allowOther?: boolean;
  secret?: boolean;
}

export interface QuestionOption {
  label: string;
  description: string;
}

export interface QuestionParams {
  threadId: string;
  turnId: string;
  callId: string;
  questions: Question[];
}

export interface QuestionResult {
  /** by the question's id */
  answers: Record<string, string[]>;
}

export interface Range {
  start: Position;
  end: Position;
}

export interface ReasoningCompletedEvent {
  threadId: string;
  turnId?: string;
  /** of durable events: from 1 without gaps in a thread */
  seq?: number;
  /** of deltas: the last durable seq before it */
  afterSeq?: number;
  type: "reasoning.completed";
  itemId?: string;
  text?: string;
}

export interface ReasoningDeltaEvent {
  threadId: string;
  turnId?: string;
  /** of durable events: from 1 without gaps in a thread */
  seq?: number;
  /** of deltas: the last durable seq before it */
  afterSeq?: number;
  type: "reasoning.delta";
  itemId: string;
  text: string;
}

export interface Rejection {
  name: string;
  /** name, schema, reserved, taken, budget or duplicate */
  code: string;
  message: string;
}

export interface Revision {
  revision: number;
}

export interface Sandbox {
  kind: string;
  reason?: string;
}

export interface SecretParams {
  provider: string;
}

export interface SecretResult {
  value?: string;
}

export interface ServerStatus {
  name: string;
  /** URI */
  root: string;
  /** starting, ready, restarting or broken */
  state: string;
  version?: string;
  starts: number;
  /** files that it holds */
  open: number;
  error?: string;
}

export interface Status {
  version: string;
  model: string;
  mode: string;
  /** URIs */
  roots: string[];
  /** turns */
  running: number;
  /** language servers that companion runs */
  servers: ServerStatus[];
  sandbox?: Sandbox;
  memory: Memory;
  /** what this editor cannot do, in words */
  missing?: string[];
}

export interface Tab {
  uri: string;
  isActive?: boolean;
  isDirty?: boolean;
}

export interface Text {
  text: string;
}

export interface TextEdit {
  range: Range;
  newText: string;
}

export interface Thread {
  threadId: string;
  title: string;
  cwd: string;
  createdAt: string;
  updatedAt: string;
  turns: number;
  status: string;
}

export interface ThreadForkParams {
  threadId: string;
  /** the last turn of the copy */
  atTurnId?: string;
}

export interface ThreadID {
  threadId: string;
}

export interface ThreadListParams {
  /** file URI: threads of this folder only */
  cwd?: string;
  /** words of the title */
  query?: string;
  limit?: number;
  cursor?: string;
}

export interface ThreadListResult {
  threads: Thread[];
  /** for the next page */
  cursor?: string;
}

export interface ThreadReadParams {
  threadId: string;
  /** exclusive */
  sinceSeq?: number;
  /** of events */
  limit?: number;
}

export interface ThreadReadResult {
  thread: Thread;
  events: Event[];
  /** text so far by item id */
  live: Record<string, string>;
  /** the next sinceSeq, when there is more */
  nextSeq?: number;
}

export interface ThreadRenameParams {
  threadId: string;
  title: string;
}

export interface ThreadRenamedEvent {
  threadId: string;
  turnId?: string;
  /** of durable events: from 1 without gaps in a thread */
  seq?: number;
  /** of deltas: the last durable seq before it */
  afterSeq?: number;
  type: "thread.renamed";
  title: string;
}

export interface ThreadStartParams {
  /** file URI of the working folder; absent = the first workspace folder */
  cwd?: string;
  title?: string;
  mode?: "ask" | "plan" | "edit" | "agent" | "full";
  /** provider/model */
  model?: string;
}

export interface ToolCallParams {
  threadId: string;
  turnId: string;
  callId: string;
  namespace?: string;
  name: string;
  arguments: Record<string, unknown>;
  /** from now */
  deadlineMs: number;
  progressToken: string;
}

export interface ToolCallResult {
  content: Content[];
  isError?: boolean;
  structuredContent?: unknown;
  /** URIs of files that the call changed */
  changed?: string[];
}

export interface ToolCompletedEvent {
  threadId: string;
  turnId?: string;
  /** of durable events: from 1 without gaps in a thread */
  seq?: number;
  /** of deltas: the last durable seq before it */
  afterSeq?: number;
  type: "tool.completed";
  callId: string;
  outcome: "ok" | "failed" | "denied" | "blocked" | "aborted" | "timeout";
  text: string;
  display?: string;
  truncated: boolean;
  fullOutput?: string;
  /** URIs */
  changed: string[];
  diff?: string;
  diagnostics?: DiagReport;
  queuedMs: number;
  ranMs: number;
  settleMs: number;
}

export interface ToolInfo {
  name: string;
  namespace?: string;
  source: string;
  form: string;
  exposure: string;
  enabled: boolean;
  /** why it is not enabled */
  reason?: string;
  readOnly: boolean;
  owner?: string;
  description: string;
  inputSchema?: unknown;
}

export interface ToolLock {
  resource: string;
  shared?: boolean;
}

export interface ToolOutputEvent {
  threadId: string;
  turnId?: string;
  /** of durable events: from 1 without gaps in a thread */
  seq?: number;
  /** of deltas: the last durable seq before it */
  afterSeq?: number;
  type: "tool.output";
  callId: string;
  text: string;
}

export interface ToolPreviewEvent {
  threadId: string;
  turnId?: string;
  /** of durable events: from 1 without gaps in a thread */
  seq?: number;
  /** of deltas: the last durable seq before it */
  afterSeq?: number;
  type: "tool.preview";
  callId: string;
  diff?: string;
  text?: string;
}

export interface ToolProgress {
  message?: string;
  done?: number;
  total?: number;
}

export interface ToolProgressEvent {
  threadId: string;
  turnId?: string;
  /** of durable events: from 1 without gaps in a thread */
  seq?: number;
  /** of deltas: the last durable seq before it */
  afterSeq?: number;
  type: "tool.progress";
  callId: string;
  activity?: string;
}

export interface ToolSpec {
  /** ^[A-Za-z_][A-Za-z0-9_-]{0,63}$, not mcp… */
  name: string;
  namespace?: string;
  title?: string;
  description: string;
  /** JSON Schema of type object */
  inputSchema: unknown;
  outputSchema?: unknown;
  annotations?: Annotations;
  /** direct, deferred or hidden */
  exposure?: string;
  searchHint?: string;
  locks?: ToolLock[];
  timeoutMs?: number;
  /** never, ask or always */
  approval?: string;
}

export interface ToolStartedEvent {
  threadId: string;
  turnId?: string;
  /** of durable events: from 1 without gaps in a thread */
  seq?: number;
  /** of deltas: the last durable seq before it */
  afterSeq?: number;
  type: "tool.started";
  itemId: string;
  callId: string;
  name: string;
  namespace?: string;
  source: string;
  activity: string;
  readOnly: boolean;
  locations: Location[];
  /** JSON, as run */
  arguments?: string;
}

export interface ToolsListParams {
  threadId?: string;
  model?: string;
}

export interface ToolsListResult {
  tools: ToolInfo[];
  revision: number;
}

export interface ToolsRegisterParams {
  owner: string;
  tools: ToolSpec[];
  namespaces?: Namespace[];
  /** withdraw all else of the owner */
  replace?: boolean;
}

export interface ToolsRegisterResult {
  registered: string[];
  rejected: Rejection[];
  revision: number;
}

export interface ToolsSetEnabledParams {
  names: string[];
  enabled: boolean;
  /** absent = every thread */
  threadId?: string;
}

export interface ToolsUnregisterParams {
  owner: string;
  /** name or namespace.name */
  names: string[];
}

export interface ToolsUnregisterResult {
  removed: string[];
  unknown: string[];
  revision: number;
}

export interface TrustParams {
  folders: FolderTrust[];
}

export interface TurnCompactResult {
  before: number;
  after: number;
}

export interface TurnCompletedEvent {
  threadId: string;
  turnId?: string;
  /** of durable events: from 1 without gaps in a thread */
  seq?: number;
  /** of deltas: the last durable seq before it */
  afterSeq?: number;
  type: "turn.completed";
  status: "completed" | "stopped" | "failed" | "limit";
  error?: string;
  usage: Usage;
}

export interface TurnID {
  threadId: string;
  turnId: string;
}

export interface TurnStartParams {
  /** absent = a new thread */
  threadId?: string;
  input: Input[];
  mode?: "ask" | "plan" | "edit" | "agent" | "full";
  model?: string;
  effort?: "low" | "medium" | "high";
  editorState?: EditorState;
  ifBusy?: "reject" | "queue" | "steer";
}

export interface TurnStartedEvent {
  threadId: string;
  turnId?: string;
  /** of durable events: from 1 without gaps in a thread */
  seq?: number;
  /** of deltas: the last durable seq before it */
  afterSeq?: number;
  type: "turn.started";
  input: Input[];
  mode: string;
  model: string;
}

export interface TurnSteerParams {
  threadId: string;
  turnId: string;
  input: Input[];
}

export interface TurnSteerResult {
  accepted: boolean;
}

export interface TurnSteeredEvent {
  threadId: string;
  turnId?: string;
  /** of durable events: from 1 without gaps in a thread */
  seq?: number;
  /** of deltas: the last durable seq before it */
  afterSeq?: number;
  type: "turn.steered";
  input: Input[];
}

export interface Usage {
  inputTokens: number;
  cachedTokens: number;
  cacheWriteTokens?: number;
  outputTokens: number;
  contextUsed?: number;
  contextWindow?: number;
  prefixBroken?: string;
}

export interface UsageEvent {
  threadId: string;
  turnId?: string;
  /** of durable events: from 1 without gaps in a thread */
  seq?: number;
  /** of deltas: the last durable seq before it */
  afterSeq?: number;
  type: "usage";
  inputTokens: number;
  cachedTokens: number;
  cacheWriteTokens?: number;
  outputTokens: number;
  contextUsed?: number;
  contextWindow?: number;
  prefixBroken?: string;
}

export interface WarningEvent {
  threadId: string;
  turnId?: string;
  /** of durable events: from 1 without gaps in a thread */
  seq?: number;
  /** of deltas: the last durable seq before it */
  afterSeq?: number;
  type: "warning";
  code: string;
  message: string;
}

/** What the editor asks. */
export interface RequestsToServer {
  /** Start an empty thread. */
  "companion/thread/start": { params: ThreadStartParams; result: ThreadID };
  /** List threads, the last changed first. */
  "companion/thread/list": { params: ThreadListParams; result: ThreadListResult };
  /** Replay the durable events of a thread. */
  "companion/thread/read": { params: ThreadReadParams; result: ThreadReadResult };
  /** Open a thread of an earlier session and follow its events. */
  "companion/thread/resume": { params: ThreadID; result: ThreadID };
  /** Let go of a thread; it stays in the list. */
  "companion/thread/close": { params: ThreadID; result: ThreadID };
  /** Make a new thread of a thread up to one turn. */
  "companion/thread/fork": { params: ThreadForkParams; result: ThreadID };
  /** Give a thread another title. */
  "companion/thread/rename": { params: ThreadRenameParams; result: ThreadID };
  /** Delete a thread. */
  "companion/thread/delete": { params: ThreadID; result: ThreadID };
  /** Start a turn; answered when it has started. */
  "companion/turn/start": { params: TurnStartParams; result: TurnID };
  /** Give a running turn more input, read before its next step. */
  "companion/turn/steer": { params: TurnSteerParams; result: TurnSteerResult };
  /** Stop a turn; answered once its tools have stopped. */
  "companion/turn/stop": { params: TurnID; result: Empty };
  /** Shorten what the model is sent of a thread. */
  "companion/turn/compact": { params: ThreadID; result: TurnCompactResult };
  /** Offer tools that the editor runs. */
  "companion/tools/register": { params: ToolsRegisterParams; result: ToolsRegisterResult };
  /** Withdraw tools. */
  "companion/tools/unregister": { params: ToolsUnregisterParams; result: ToolsUnregisterResult };
  /** Switch tools on or off. */
  "companion/tools/setEnabled": { params: ToolsSetEnabledParams; result: Revision };
  /** List the tools. */
  "companion/tools/list": { params: ToolsListParams; result: ToolsListResult };
  /** List what a thread or a turn changed. */
  "companion/changes/list": { params: ChangesListParams; result: ChangesListResult };
  /** Keep changes. */
  "companion/changes/keep": { params: ChangesSelector; result: ChangesResult };
  /** Take changes back. */
  "companion/changes/undo": { params: ChangesSelector; result: ChangesResult };
  /** Give a changed file as it is, or without what is pending. */
  "companion/changes/content": { params: ChangesContentParams; result: Text };
  /** List MCP servers. */
  "companion/mcp/list": { params: NoParams; result: MCPList };
  /** Connect again to an MCP server. */
  "companion/mcp/reconnect": { params: MCPReconnectParams; result: Empty };
  /** List models. */
  "companion/models/list": { params: NoParams; result: ModelList };
  /** Lend the editor's models; replaces those lent before. */
  "companion/models/register": { params: ModelsRegisterParams; result: Revision };
  /** Tell how companion is. */
  "companion/status": { params: NoParams; result: Status };
}

/** What the editor tells. */
export interface NotificationsToServer {
  /** The editor shows something else. */
  "companion/editor/didChangeState": EditorStateParams;
  /** The user trusts folders, or does so no longer. */
  "companion/workspace/didChangeTrust": TrustParams;
}

/** What the editor is asked. */
export interface RequestsToEditor {
  /** Run a tool that the editor registered. */
  "companion/tool/call": { params: ToolCallParams; result: ToolCallResult };
  /** Ask a person for an approval. */
  "companion/approval/request": { params: Approval; result: ApprovalResult };
  /** Ask a person questions. */
  "companion/question/ask": { params: QuestionParams; result: QuestionResult };
  /** Wait for the diagnostics of files. */
  "companion/diagnostics/await": { params: DiagnosticsParams; result: DiagnosticsResult };
  /** Change one file. */
  "companion/edit/apply": { params: EditParams; result: EditResult };
  /** Ask the editor's own language servers. */
  "companion/language/request": { params: LanguageParams; result: unknown };
  /** Ask a model that the editor lends. */
  "companion/model/call": { params: ModelCallParams; result: ModelCallResult };
  /** Ask for the key of a provider. */
  "companion/secret/get": { params: SecretParams; result: SecretResult };
}

/** What the editor is told. */
export interface NotificationsToEditor {
  /** Files on disk were changed by companion or its children. */
  "companion/files/didChange": FilesChanged;
  /** The tools are others. */
  "companion/tools/didChange": Revision;
  /** What is pending in files is other. */
  "companion/changes/didChange": ChangesChanged;
  /** Something happened in a thread that this connection follows. */
  "companion/event": Event;
}
