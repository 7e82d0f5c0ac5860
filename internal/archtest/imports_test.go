package archtest

import (
	"sort"
	"strings"
	"testing"
)

// row says what one package may import of ours and of the wire modules, and why.
type row struct {
	may string // space-separated packages of ours; "x/..." = x and all below
	why string
}

// imports is the whole import table. A package without a row fails the test.
var imports = map[string]row{
	"filelock":   {"", "a leaf: locks of files between processes"},
	"text":       {"", "the floor: positions, edits, diffs"},
	"config":     {"", "a leaf: settings by value"},
	"text/match": {"text", "finding a remembered text in a real one"},
	"tools":      {"text tools/arguments tools/lang tools/names tools/schema", "the contract of tools; text for formats of files, lang for what servers know of code, schema for arguments, names for lookup"},

	"workspace":            {"text workspace/...", "the only writer of user files"},
	"workspace/disk":       {"text workspace/place", "bytes on disk, atomically"},
	"workspace/intent":     {"filelock workspace/disk workspace/place", "sets of changes on their way, taken back after a crash"},
	"workspace/seen":       {"", "a leaf: what each thread has read"},
	"workspace/mirror":     {"workspace/disk workspace/place text", "buffers as an editor tells of them"},
	"workspace/place":      {"", "URIs and paths"},
	"tools/find":           {"tools tools/names tools/schema", "tool_search: an index of what a step has deferred"},
	"tools/names":          {"", "a leaf: spellings of tools' names"},
	"tools/router":         {"tools tools/names", "which tools a step sees"},
	"tools/endings":        {"workspace text", "endings and charset of new and replaced texts"},
	"tools/files":          {"tools tools/names workspace text", "paths as models write them, and errors of files in words"},
	"tools/limit":          {"tools text", "the stage that bounds results"},
	"tools/attempt":        {"tools", "the stages around one run: readiness, record before it, second try"},
	"tools/hooks":          {"tools", "the stages at which others have a say in calls"},
	"tools/outputs":        {"tools tools/schema", "the stage that holds tools to the results that they declare"},
	"tools/gate":           {"tools", "the stage that orders calls by what they touch"},
	"tools/arguments":      {"tools/grammar tools/schema", "arguments as models write them"},
	"tools/lang":           {"text", "what language servers know of code; text for ranges"},
	"tools/patch":          {"tools tools/endings tools/files tools/patch/match tools/patch/syntax tools/schema workspace text", "apply_patch"},
	"tools/patch/match":    {"text tools/patch/syntax", "where hunks belong"},
	"tools/patch/syntax":   {"", "a leaf: patches as text"},
	"tools/grammar":        {"", "a leaf: Lark grammars of freeform tools"},
	"tools/schema":         {"", "a leaf: JSON Schemas of arguments"},
	"tools/schema/foreign": {"tools/schema", "schemas and texts from outside, made usable"},
	"session":              {"filelock", "threads on disk; knows no models or tools"},
	"permission":           {"permission/command permission/paths permission/program tools workspace text", "judges effects"},
	"permission/command":   {"permission/paths permission/program", "shell lines taken apart"},
	"permission/remember":  {"permission", "rules allowed for good, in a file"},
	"permission/granted":   {"permission permission/paths permission/program tools", "rules that a person gave to one thread"},
	"permission/program":   {"permission/paths", "what single programs do with their arguments"},
	"permission/paths":     {"", "what a permission needs to know of a path"},
	"dynamic":              {"dynamic/changed tools tools/names tools/schema tools/schema/foreign workspace text", "tools that the editor offers and runs; schema for their definitions"},
	"dynamic/changed":      {"tools workspace", "what a call of another program did to files"},
	"changes":              {"changes/hunk tools workspace workspace/place text", "what the agent changed, kept and undone through the workspace"},
	"changes/hunk":         {"text", "the arithmetic of changes, as values"},

	"agent/card":                  {"", "what is known of models"},
	"agent/model":                 {"", "vendor-neutral contract"},
	"agent/model/anthropic":       {"agent/model agent/model/subset", "one projection, on the vendor's SDK"},
	"agent/model/openai":          {"agent/model agent/model/subset", "one projection, on the vendor's SDK"},
	"agent/model/gemini":          {"agent/model agent/model/subset", "one projection, on the vendor's SDK"},
	"agent/model/compatible":      {"agent/model agent/model/subset", "one projection, on OpenAI's SDK"},
	"agent/model/subset":          {"", "a leaf: what of a JSON Schema a vendor takes"},
	"agent/model/retry":           {"agent/model", "wraps any provider"},
	"agent/model/script":          {"agent/model", "scripted turns"},
	"agent/model/editor":          {"agent/model agent/model/subset", "models that the editor lends"},
	"agent/model/offline":         {"agent/model text", "a planner that reads what any model reads"},
	"agent/model/modeltest":       {"agent/model", "loopback servers that speak the vendors' wires"},
	"agent/model/modeltest/suite": {"agent/model agent/model/modeltest", "what every provider must keep"},
	"agent/context":               {"agent agent/model session tools tools/find", "what a step should know besides the talk"},
	"agent/transcript":            {"agent/model tools session", "items and events of a thread, in memory and in its log"},
	"agent/prompt":                {"agent/card agent/model tools session", "what a model is told, in words"},
	"agent/guard":                 {"", "notices a model that goes round in circles"},
	"agent/line":                  {"", "who has the thread, who waits, and input for the turn that runs"},
	"agent/openset":               {"", "what is open, by id"},
	"agent/archive":               {"agent/openset session", "threads in a store: their list and events"},
	"agent/meter":                 {"agent/model agent/prompt", "what a thread takes of a model's window"},
	"agent/turns":                 {"session tools", "what others see of turns, as values"},
	"agent/sent":                  {"agent/card agent/compact agent/meter agent/model agent/prompt agent/transcript session tools tools/router", "what a model is sent of a thread: requests, and what takes the place of a long one"},
	"agent/consent":               {"session tools", "what a person is asked about a thread as a whole"},
	"agent/sections":              {"agent/prompt tools", "what a step knows besides the talk, kept up to date"},
	"agent/compact":               {"agent/model", "items that stand for a long thread"},
	"agent/calls":                 {"agent/model agent/guard agent/prompt agent/transcript tools tools/gate tools/limit session", "the calls of one step; their order is a line of the gate"},
	"agent/answer":                {"agent/model agent/calls agent/transcript session tools", "one stream of a model, into the transcript"},
	"agent":                       {"agent/archive agent/card agent/consent agent/model agent/answer agent/calls agent/compact agent/guard agent/line agent/openset agent/prompt agent/sections agent/sent agent/transcript agent/turns tools tools/router session", "the loop; alone maps models to tools"},

	"tools/fs":       {"tools tools/endings tools/files tools/lang tools/lines tools/notebook tools/outline tools/pdf tools/picture tools/schema tools/search/walk workspace text", "read, list and write; the rooms of what files hold"},
	"tools/plan":     {"tools tools/schema", "update_plan, mode_set, mode_get"},
	"tools/window":   {"tools tools/schema", "get_context_remaining, new_context, current_time"},
	"tools/person":   {"tools tools/schema", "ask_user and request_permissions"},
	"tools/cells":    {"tools tools/files tools/schema workspace text", "notebook_edit"},
	"tools/edit":     {"tools tools/endings tools/files tools/schema workspace text text/match", "edit; match for what a model remembers of a text"},
	"tools/move":     {"tools tools/files tools/schema workspace text", "delete and move"},
	"tools/shell":    {"tools tools/files tools/schema tools/shell/... workspace text", "exec_command and its sessions"},
	"tools/lines":    {"workspace text", "lines of texts of any size"},
	"tools/picture":  {"tools tools/bounded tools/files tools/lines tools/schema workspace", "view_image"},
	"tools/notebook": {"", "a leaf: notebooks as text"},
	"tools/outline":  {"tools tools/bounded tools/files tools/lang tools/schema workspace", "outline; parsers come from internal/app"},
	"tools/bounded":  {"", "code of others on bytes of others, bounded"},
	"tools/pdf":      {"tools/bounded", "text of PDF files"},
	"tools/web":      {"tools tools/bounded tools/pdf tools/schema", "web_fetch"},
	"tools/nav":      {"tools tools/files tools/schema workspace text", "diagnostics and lsp"},

	"tools/search/walk":  {"", "a leaf: files below a folder, ignore files as git reads them"},
	"tools/search/match": {"text", "a pattern in one text; text for charsets"},
	"tools/search":       {"tools tools/files tools/schema tools/search/match tools/search/pick tools/search/walk workspace text", "glob and grep"},
	"tools/search/pick":  {"", "a leaf: which files a search takes, by name"},

	"tools/shell/screen":    {"", "what a program's output looks like, as text"},
	"tools/shell/output":    {"tools/shell/screen", "one output: head, tail, file, listeners"},
	"tools/shell/proc":      {"", "one process group, with pipes or a terminal"},
	"tools/shell/sessions":  {"tools/shell/output tools/shell/proc", "commands that run, by thread"},
	"tools/shell/patchline": {"", "a patch in a shell line"},

	"diagnostics":           {"diagnostics/... tools workspace text", "settle, delta, feedback"},
	"diagnostics/wire":      {"tools text", "a server's process, messages and JSON"},
	"diagnostics/lspclient": {"diagnostics/wire tools workspace text", "downstream language servers: a client of LSP"},
	"diagnostics/ask":       {"diagnostics/lspclient diagnostics/wire tools text", "code actions, places, hover"},
	"diagnostics/preset":    {"diagnostics/lspclient diagnostics/wire", "how each server is found and started"},
	"diagnostics/supervise": {"diagnostics/lspclient diagnostics/preset diagnostics/wire", "one server over its restarts"},
	"diagnostics/delta":     {"tools text", "what an edit changed, and its words"},
	"diagnostics/batch":     {"diagnostics/delta diagnostics/lspclient tools", "what a step changed"},
	"diagnostics/lookup":    {"diagnostics/ask diagnostics/lspclient tools workspace text", "questions to all servers of a file"},
	"diagnostics/lent":      {"diagnostics/delta diagnostics/wire tools workspace text", "diagnostics of the editor's own servers"},
	"diagnostics/syntax":    {"text tools tools/lang", "tree-sitter"},
	"diagnostics/lsptest":   {"diagnostics/wire diagnostics/lspclient text", "a language server that misbehaves on demand"},

	"lspbridge":           {"lspbridge/... agent agent/model session tools changes permission workspace text", "the only room that knows LSP"},
	"lspbridge/rpc":       {"", "the connection"},
	"lspbridge/serial":    {"", "one thing after the other"},
	"lspbridge/parent":    {"", "whether the editor's process lives"},
	"lspbridge/wire":      {"lspbridge/rpc changes session tools permission text", "JSON forms of the companion/* surface"},
	"lspbridge/schema":    {"lspbridge/companion lspbridge/wire session", "JSON Schema and TypeScript of the wire forms"},
	"lspbridge/editor":    {"lspbridge/rpc lspbridge/action lspbridge/wire agent/model agent/model/editor dynamic session tools permission workspace text", "everything that is asked of an editor"},
	"lspbridge/document":  {"lspbridge/rpc agent session tools permission workspace text", "document methods"},
	"lspbridge/action":    {"lspbridge/rpc agent session tools permission workspace text", "code actions"},
	"lspbridge/language":  {"diagnostics/ask diagnostics/lent diagnostics/wire lspbridge/editor lspbridge/wire tools tools/nav workspace text", "the editor's own language servers"},
	"lspbridge/lens":      {"lspbridge/rpc lspbridge/wire changes", "code lenses"},
	"lspbridge/command":   {"lspbridge/rpc lspbridge/action lspbridge/companion lspbridge/document lspbridge/wire agent session tools permission workspace text", "commands"},
	"lspbridge/companion": {"lspbridge/rpc lspbridge/wire agent changes dynamic session tools permission workspace text", "companion/* methods"},

	"internal/app/hands":       {"agent agent/consent lspbridge/editor lspbridge/rpc lspbridge/wire permission permission/granted session tools tools/files tools/person tools/plan tools/window workspace", "maps tools about the thread and its person to agent, rules and editor"},
	"internal/app/models":      {"agent agent/card agent/model/... config", "providers by name"},
	"internal/app/demo":        {"internal/editortest/fake text", "the main job, shown"},
	"internal/mcpdump":         {"", "writes down the tools of real MCP servers"},
	"internal/fixtable":        {"", "measures fix on real modules"},
	"internal/app":             {"...", "constructs and connects"},
	"internal/archtest":        {"", "reads the tree as text"},
	"internal/editortest":      {"internal/... lspbridge agent/... diagnostics/... workspace text", "tests through the front door"},
	"internal/editortest/fake": {"internal/editortest/fake/...", "an editor written apart from the product, to be its oracle"},

	"internal/editortest/fake/wire":       {"", "frames and JSON-RPC, read strictly"},
	"internal/editortest/fake/buffer":     {"", "positions and edits, refused where they do not fit"},
	"internal/editortest/fake/progress":   {"", "the rules of work-done progress"},
	"internal/editortest/fake/shape":      {"internal/editortest/fake/buffer", "what an editor reads of LSP"},
	"internal/editortest/fake/transcript": {"internal/editortest/fake/buffer internal/editortest/fake/wire", "messages in words"},
	"internal/editortest/fake/wrong":      {"internal/editortest/fake/buffer", "the zoo of wrong editors"},
	"internal/editortest/fake/lent":       {"internal/editortest/fake/buffer internal/editortest/fake/wire", "what an editor of tier 1 is asked and replies"},
	"internal/editortest/line":            {"", "the words of a scenario's script"},
	"internal/editortest/talk":            {"", "thread logs and events, read apart from the product"},
	"internal/editortest/fakels":          {"internal/editortest/fake/wire", "a language server by rules, apart from the product"},

	"cmd/companion": {"internal/app", "flags and exit codes"},
}

// wire modules and who may import them.
var wire = map[string]string{
	"go.lsp.dev/":                       "lspbridge/... diagnostics/...",
	"github.com/anthropics/":            "agent/model/anthropic",
	"github.com/openai/":                "agent/model/openai agent/model/compatible",
	"google.golang.org/genai":           "agent/model/gemini",
	"github.com/smacker/go-tree-sitter": "diagnostics/syntax",
	"testing":                           "agent/model/modeltest agent/model/modeltest/suite internal/editortest/...",
	"github.com/spf13/cobra":            "cmd/companion internal/app",
}

func TestEveryPackageImportsOnlyWhatItsRowAllows(t *testing.T) {
	for _, p := range packages(t) {
		r, ok := imports[p.path]
		if !ok {
			t.Errorf("%s has no row in the import table of internal/archtest: add one with a reason", p.path)
			continue
		}
		for _, imp := range p.imports {
			if ours, is := strings.CutPrefix(imp, "companion/"); is && !allowed(r.may, ours) {
				t.Errorf("%s may not import %s (%s)", p.path, ours, r.why)
			}
			for prefix, who := range wire {
				if strings.HasPrefix(imp, prefix) && !allowed(who, p.path) {
					t.Errorf("%s may not import %s: only %s may", p.path, imp, who)
				}
			}
		}
	}
}

func TestTheImportTableHasNoDeadRows(t *testing.T) {
	have := map[string]bool{}
	for _, p := range packages(t) {
		have[p.path] = true
	}
	var dead []string
	for path := range imports {
		if !have[path] {
			dead = append(dead, path)
		}
	}
	sort.Strings(dead)
	if len(dead) > 0 {
		t.Errorf("rows without a package: %v", dead)
	}
}

func allowed(list, path string) bool {
	for _, a := range strings.Fields(list) {
		if a == "..." || a == path {
			return true
		}
		if base, tree := strings.CutSuffix(a, "/..."); tree && (path == base || strings.HasPrefix(path, base+"/")) {
			return true
		}
	}
	return false
}
