package tools

import (
	"context"
	"encoding/json"
	"slices"

	"companion/text"
)

// A Tool is one capability: what the model reads and what runs, bound in one
// value.
type Tool interface {
	Spec() Spec
	// Prepare decodes and checks one call and says what running it would
	// touch. It changes nothing. An error is a *Refusal (heard by the model as
	// a failed result) or a broken contract of ours.
	Prepare(ctx context.Context, call Call) (Action, error)
}

// Form is how the model writes a call.
type Form string

// The forms; freeform, namespace members, search and hosted tools are projected
// by model providers as docs/tools.md says.
const (
	Function Form = "function"
	Freeform Form = "freeform"
	Search   Form = "tool_search"
	Hosted   Form = "hosted"
)

// Exposure says where a tool is seen: in the model's list, by search, in code.
type Exposure string

// The exposures of docs/tools.md. Hidden is callable by nobody's list and runs
// all the same.
const (
	Direct            Exposure = "direct"
	Deferred          Exposure = "deferred"
	DirectModelOnly   Exposure = "directModelOnly"
	DeferredModelOnly Exposure = "deferredModelOnly"
	CodeModeOnly      Exposure = "codeModeOnly"
	Hidden            Exposure = "hidden"
)

// Source names where a tool comes from.
type Source string

// The four sources that register runtimes, from the most trusted to the least.
// "" is BuiltIn.
const (
	BuiltIn   Source = "builtin"
	Extension Source = "extension"
	MCP       Source = "mcp"
	Dynamic   Source = "dynamic"
)

// External tells whether tools of the source come from outside: their names may
// clash, their texts and annotations are not ours.
func (s Source) External() bool { return s != "" && s != BuiltIn }

// Spec is what the model and the policy read of a tool. It must not change
// while the tool is registered.
type Spec struct {
	Name        string // ^[A-Za-z_][A-Za-z0-9_-]{0,63}$
	Namespace   string // "" for built-in tools
	Title       string
	Description string
	Form        Form // "" = Function
	// Grammar is the Lark grammar of a Freeform tool's text, "" = any text. The
	// call's Args are {"input": TEXT} once it is decoded.
	Grammar string
	// Tolerant: the tool understands more than Grammar describes, so that texts are
	// not held against it.
	Tolerant bool
	// NamespaceText describes Namespace as a whole; the same in all members.
	NamespaceText string
	Input         json.RawMessage // JSON Schema, type object, properties in the order a model should fill them
	Output        json.RawMessage // nil = text only
	Exposure      Exposure        // the tool's wish; "" = Direct
	SearchHint    string
	// AlwaysShown: stays in the model's list where others of its source are
	// deferred.
	AlwaysShown bool
	// Folded: a display may fold the result away (reads and searches).
	Folded bool
	// Examples are whole arguments, JSON objects, of good calls.
	Examples    []json.RawMessage
	Aliases     []string
	ReadOnly    bool
	Destructive bool
	OpenWorld   bool
	// Finish says that a stop waits for a running call (at most 2 s) instead of
	// cancelling it at once.
	Finish bool
	// ResultBudget is the most bytes of text that the model sees of one
	// result; 0 = limit.DefaultBudget.
	ResultBudget int
	// Serves names what the tool is for where several do it ("edit"): a model is
	// shown the one that its card prefers.
	Serves string
	// Sees: the result is a picture, of use only to a model that sees images.
	Sees bool
	// AsksUser: it puts something to the person, which a sub-agent may not.
	AsksUser bool
	// Polls: a call waits for something, so that the same call again is no circle.
	Polls bool
	// Kept: what the tool was told is kept apart when a thread is shortened.
	Kept   bool
	Source Source // "" = BuiltIn
	Owner  string
}

// Full is the name by which grants, rules and lists know the tool:
// "name" or "namespace.name".
func (s Spec) Full() string {
	if s.Namespace == "" {
		return s.Name
	}
	return s.Namespace + "." + s.Name
}

// Named tells whether a name is the tool's, or one that it had: rules and
// history match both.
func (s Spec) Named(name string) bool { return name == s.Full() || slices.Contains(s.Aliases, name) }

// Mode is how much a thread may do.
type Mode string

// The modes, from the fewest rights to the most.
const (
	ModeAsk   Mode = "ask"   // no write tool
	ModePlan  Mode = "plan"  // no write tool, the plan is shown
	ModeEdit  Mode = "edit"  // every change asks
	ModeAgent Mode = "agent" // workspace edits allowed, commands by rule
	ModeFull  Mode = "full"  // what rules do not deny
)

// Call is one request of the model to run a tool. Nothing that a tool needs
// rides on context.Context.
type Call struct {
	Thread, Turn string
	Step         int    // 1-based within the turn
	ID           string // unique in the thread, ours, not the provider's
	Agent        string // "" = the main agent
	Mode         Mode
	Roots        []string // canonical absolute paths; [0] is the working folder
	Name         string   // as resolved: Spec.Name
	Namespace    string
	Raw          json.RawMessage // the model's bytes, possibly not JSON
	Args         json.RawMessage // decoded and coerced: a JSON object
	Cut          bool            // the arguments were cut off by the output limit
	Tainted      bool            // the model has read text from outside in this thread
	Box          *Box            // what the step sees; set by Lookup
}

// EffectKind is what the policy judges.
type EffectKind string

// The effects of rules (docs/protocol.md, Rules).
const (
	Read     EffectKind = "read"
	Write    EffectKind = "write"
	Command  EffectKind = "command"
	Network  EffectKind = "network"
	External EffectKind = "external"
	Escalate EffectKind = "escalate"
)

// Effect is one thing that running an action would do.
type Effect struct {
	Kind    EffectKind
	Path    string // canonical absolute path, for Read and Write
	Outside bool   // Path lies outside every root
	Command string // for Command: the line as the shell gets it
	// Shell that gets a Command: "" = bash or its kin, else a name such as "cmd" or
	// "powershell", whose lines are not understood and ask.
	Shell string
	Host  string // for Network
	// Private: Host is one of a private network, so that only a rule without
	// wildcards covers it.
	Private bool
	Tool    string // for External: Spec.Full()
	// Key joins what a yes covers, so that a yes for one definition of a tool is
	// none for another of the same name; "" for tools of ours.
	Key string
	// Asking is when a person is asked about an External effect; "" = by rules
	// and mode.
	Asking Asking
}

// Asking is a tool's own wish about approvals.
type Asking string

// The wishes. AskNever stands where no rule says otherwise and is set only for
// owners that the user trusts; AskAlways is skipped by no rule, mode or grant.
const (
	AskNever  Asking = "never"
	AskByRule Asking = "ask"
	AskAlways Asking = "always"
)

// Lock is a resource that an action touches. Resources are opaque strings:
// a canonical path, "session:N", "terminal", "user"; "*" is everything.
type Lock struct {
	Resource string
	Shared   bool
}

// Preview is what an approval and the progress line show.
type Preview struct {
	Diff    string // unified diff
	Command string
	Cwd     string
	Text    string
}

// Location is a place that a call reads or writes, for "follow the agent".
type Location struct {
	Path string
	Line int // 1-based, 0 = unknown
}

// Action is a prepared call.
type Action struct {
	Effects   []Effect // none = read-only inside the roots
	Locks     []Lock   // none declared = exclusive of everything, unless the Spec is ReadOnly
	Preview   Preview
	Activity  string // "Reading foo.go"
	Locations []Location
	// Run does it. It re-checks what Prepare read and refuses when that moved.
	// A Result is always heard by the model; an error means that the turn
	// cannot go on, except *Refusal and context errors, which become results.
	Run func(ctx context.Context, out Progress) (Result, error)
}

// Progress takes what a running call tells before it ends.
type Progress interface {
	Output(text string)   // raw output as it comes
	Activity(text string) // replaces the activity line
}

// Outcome is how a call ended.
type Outcome string

// The six outcomes. Denied (by a person or a rule) is not failed; blocked is
// by a hook or by the step's box; aborted is by a stop.
const (
	OK      Outcome = "ok"
	Failed  Outcome = "failed"
	Denied  Outcome = "denied"
	Blocked Outcome = "blocked"
	Aborted Outcome = "aborted"
	Timeout Outcome = "timeout"
)

// ContentKind tells the parts of a result apart.
type ContentKind string

// Content kinds of results.
const (
	TextContent     ContentKind = "text"
	ImageContent    ContentKind = "image"
	ResourceContent ContentKind = "resource"
)

// Content is one non-text part of a result.
type Content struct {
	Kind     ContentKind
	Text     string
	MimeType string
	Data     []byte // decoded
	URI      string
}

// Result is what a call gave. Text is never empty once the pipeline returns it.
type Result struct {
	Outcome    Outcome
	Text       string // for the model
	Real       string // the tool's own text, for the log, where a hook put another into Text; "" = Text
	Display    string // for the person, "" = Text
	Content    []Content
	Structured json.RawMessage
	Changed    []Change // files that the call changed, in order
	Truncated  bool
	FullOutput string // path of the file that holds all of a truncated text
	Report     *Report
	Tainted    bool // the text comes from outside (web, MCP, foreign editor tools)
	// Loads are the full names of deferred tools that the model may call from the
	// next step on, to the end of the thread.
	Loads []string
}

// Change is one file that a call changed. Before and After are decoded texts;
// "" with Created or Deleted set.
type Change struct {
	Path          string // canonical absolute
	From          string // for renames: the old path
	Before, After string
	Created       bool
	Deleted       bool
	Format        text.Format // of the file before the change
	Version       *int32      // of the editor's document after the change, when open
}

// Refusal is an error that the model can act on; the pipeline turns it into a
// result with its outcome and text.
type Refusal struct {
	Outcome Outcome
	Text    string
}

func (r *Refusal) Error() string { return r.Text }

// Fail is a *Refusal with outcome failed.
func Fail(text string) *Refusal { return &Refusal{Failed, text} }
