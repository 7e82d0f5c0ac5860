package companion

import (
	"context"
	"encoding/json"
	"reflect"

	"companion/lspbridge/rpc"
	"companion/lspbridge/wire"
)

// Version is the number of the companion/* surface.
const Version = 1

// Method is one companion/* request or notification (docs/protocol.md).
type Method struct {
	Name string
	Doc  string // one line, for the schema
	// Params and Result are the Go types of the wire form; Result is nil for
	// notifications.
	Params, Result reflect.Type
	// Handle answers it; nil for what goes to the editor. Errors name fields
	// below prefix, "" = params.
	Handle func(h *Handlers, ctx context.Context, r *rpc.Request, params json.RawMessage, prefix string) (any, error)
}

// Notification reports whether the method has no answer.
func (m Method) Notification() bool { return m.Result == nil }

// request is a row of what the editor asks: params are decoded and checked
// before handle runs.
func request[P, R any](name, doc string, handle func(*Handlers, context.Context, *rpc.Request, P) (R, error)) Method {
	return Method{
		Name: name, Doc: doc, Params: reflect.TypeFor[P](), Result: reflect.TypeFor[R](),
		Handle: func(h *Handlers, ctx context.Context, r *rpc.Request, params json.RawMessage, prefix string) (any, error) {
			var p P
			if err := rpc.Decode(params, prefix, &p); err != nil {
				return nil, err
			}
			if err := wire.Check(p, prefix); err != nil {
				return nil, err
			}
			v, err := handle(h, ctx, r, p)
			if err != nil {
				return nil, Fault(err)
			}
			return v, nil
		},
	}
}

// notice is a row of what the editor tells.
func notice[P any](name, doc string, handle func(*Handlers, P) error) Method {
	m := request(name, doc, func(h *Handlers, _ context.Context, _ *rpc.Request, p P) (struct{}, error) {
		return struct{}{}, handle(h, p)
	})
	m.Result = nil
	return m
}

// asked is a row of what the editor is asked.
func asked[P, R any](name, doc string) Method {
	return Method{Name: name, Doc: doc, Params: reflect.TypeFor[P](), Result: reflect.TypeFor[R]()}
}

// told is a row of what the editor is told.
func told[P any](name, doc string) Method {
	return Method{Name: name, Doc: doc, Params: reflect.TypeFor[P]()}
}

// FromEditor is every companion/* method that the server hears.
func FromEditor() []Method {
	return []Method{
		request("companion/thread/start", "Start an empty thread.", (*Handlers).threadStart),
		request("companion/thread/list", "List threads, the last changed first.", (*Handlers).threadList),
		request("companion/thread/read", "Replay the durable events of a thread.", (*Handlers).threadRead),
		request("companion/thread/resume", "Open a thread of an earlier session and follow its events.", (*Handlers).threadResume),
		request("companion/thread/close", "Let go of a thread; it stays in the list.", (*Handlers).threadClose),
		request("companion/thread/fork", "Make a new thread of a thread up to one turn.", (*Handlers).threadFork),
		request("companion/thread/rename", "Give a thread another title.", (*Handlers).threadRename),
		request("companion/thread/delete", "Delete a thread.", (*Handlers).threadDelete),

		request("companion/turn/start", "Start a turn; answered when it has started.", (*Handlers).turnStart),
		request("companion/turn/steer", "Give a running turn more input, read before its next step.", (*Handlers).turnSteer),
		request("companion/turn/stop", "Stop a turn; answered once its tools have stopped.", (*Handlers).turnStop),
		request("companion/turn/compact", "Shorten what the model is sent of a thread.", (*Handlers).turnCompact),

		request("companion/tools/register", "Offer tools that the editor runs.", (*Handlers).toolsRegister),
		request("companion/tools/unregister", "Withdraw tools.", (*Handlers).toolsUnregister),
		request("companion/tools/setEnabled", "Switch tools on or off.", (*Handlers).toolsSetEnabled),
		request("companion/tools/list", "List the tools.", (*Handlers).toolsList),

		request("companion/changes/list", "List what a thread or a turn changed.", (*Handlers).changesList),
		request("companion/changes/keep", "Keep changes.", (*Handlers).changesKeep),
		request("companion/changes/undo", "Take changes back.", (*Handlers).changesUndo),
		request("companion/changes/content", "Give a changed file as it is, or without what is pending.", (*Handlers).changesContent),

		request("companion/mcp/list", "List MCP servers.", (*Handlers).mcpList),
		request("companion/mcp/reconnect", "Connect again to an MCP server.", (*Handlers).mcpReconnect),
		request("companion/models/list", "List models.", (*Handlers).modelsList),
		request("companion/models/register", "Lend the editor's models; replaces those lent before.", (*Handlers).modelsRegister),
		request("companion/status", "Tell how companion is.", (*Handlers).status),

		notice("companion/editor/didChangeState", "The editor shows something else.", (*Handlers).didChangeState),
		notice("companion/workspace/didChangeTrust", "The user trusts folders, or does so no longer.", (*Handlers).didChangeTrust),
	}
}

// ToEditor is every companion/* method that goes to an editor.
func ToEditor() []Method {
	return []Method{
		asked[wire.ToolCallParams, wire.ToolCallResult]("companion/tool/call", "Run a tool that the editor registered."),
		asked[wire.Approval, wire.ApprovalResult]("companion/approval/request", "Ask a person for an approval."),
		asked[wire.QuestionParams, wire.QuestionResult]("companion/question/ask", "Ask a person questions."),
		asked[wire.DiagnosticsParams, wire.DiagnosticsResult]("companion/diagnostics/await", "Wait for the diagnostics of files."),
		asked[wire.EditParams, wire.EditResult]("companion/edit/apply", "Change one file."),
		asked[wire.LanguageParams, any]("companion/language/request", "Ask the editor's own language servers."),
		asked[wire.ModelCallParams, wire.ModelCallResult]("companion/model/call", "Ask a model that the editor lends."),
		asked[wire.SecretParams, wire.SecretResult]("companion/secret/get", "Ask for the key of a provider."),
		told[wire.FilesChanged]("companion/files/didChange", "Files on disk were changed by companion or its children."),
		told[wire.ToolsChanged]("companion/tools/didChange", "The tools are others."),
		told[wire.ChangesChanged]("companion/changes/didChange", "What is pending in files is other."),
		told[wire.Event]("companion/event", "Something happened in a thread that this connection follows."),
	}
}

// Offered are the names of FromEditor, as the handshake tells them.
func Offered() []string {
	var out []string
	for _, m := range FromEditor() {
		out = append(out, m.Name)
	}
	return out
}

// Call answers one method of FromEditor, for callers other than the connection.
// Errors name fields below prefix.
func (h *Handlers) Call(ctx context.Context, r *rpc.Request, name string, params json.RawMessage, prefix string) (any, error) {
	for _, m := range FromEditor() {
		if m.Name == name {
			return m.Handle(h, ctx, r, params, prefix)
		}
	}
	return nil, rpc.Errorf(rpc.MethodNotFound, "no request %q", name)
}
