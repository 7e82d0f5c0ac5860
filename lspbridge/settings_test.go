package lspbridge

import (
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"companion/workspace"

	"go.lsp.dev/uri"
)

// recorder notes what a Backend is told, in order.
type recorder struct {
	mu  sync.Mutex
	got []string
}

func (r *recorder) add(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.got = append(r.got, fmt.Sprintf(format, args...))
}

func (r *recorder) has(s string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Contains(r.got, s)
}

func TestSettingsArePushedOrPulled(t *testing.T) {
	for _, c := range []struct{ name, caps, pushed, pulled, want string }{
		{"pushed", `{}`, `{"companion":{"model":"a"},"other":1}`, "", `{"companion":{"model":"a"},"other":1}`},
		{"pushed with dots", `{"workspace":{"configuration":true}}`, `{"companion.model":"a"}`, "", `{"companion.model":"a"}`},
		{"null is pulled", `{"workspace":{"configuration":true}}`, `null`, `[{"model":"b"}]`, `{"companion":{"model":"b"}}`},
		{"nothing of ours is pulled", `{"workspace":{"configuration":true}}`, `{}`, `[{"model":"b"}]`, `{"companion":{"model":"b"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r recorder
			f := &fake{tune: func(b *Backend) {
				b.Configure = func(_ context.Context, raw json.RawMessage) []string {
					r.add("%s", raw)
					return []string{"companion.model: no such model a"}
				}
			}}
			p := serve(t, Options{Build: f.build})
			p.initialize(c.caps, "")
			if strings.Contains(c.caps, "configuration") { // asked once at the start
				m := p.expect("workspace/configuration")
				if string(m.Params) != `{"items":[{"section":"companion"}]}` {
					t.Errorf("params %s", m.Params)
				}
				p.reply(m, `[null]`)
			}
			p.notify("workspace/didChangeConfiguration", `{"settings":`+c.pushed+`}`)
			if c.pulled != "" {
				p.reply(p.expect("workspace/configuration"), c.pulled)
			}
			if m := p.expect("window/showMessage"); string(m.Params) != `{"type":2,"message":"Companion settings: companion.model: no such model a"}` {
				t.Errorf("%s", m.Params)
			}
			if !r.has(c.want) {
				t.Errorf("got %q, want %s", r.got, c.want)
			}
		})
	}
}

func TestSettingsThatAreNotOursChangeNothing(t *testing.T) {
	var r recorder
	f := &fake{tune: func(b *Backend) {
		b.Configure = func(_ context.Context, raw json.RawMessage) []string { r.add("%s", raw); return nil }
	}}
	p := serve(t, Options{Build: f.build})
	p.initialize("", "")
	for _, s := range []string{`null`, `{}`, `{"gopls":{}}`, `5`, `"companion"`} {
		p.notify("workspace/didChangeConfiguration", `{"settings":`+s+`}`)
	}
	p.notify("workspace/didChangeConfiguration", `{"settings":{"companion":{"last":true}}}`)
	waitFor(t, "the last arrives", func() bool { return r.has(`{"companion":{"last":true}}`) })
	if len(r.got) != 1 {
		t.Errorf("%q", r.got)
	}
}

func TestWhatIsRegistered(t *testing.T) {
	p := serve(t, Options{})
	p.initialize(`{"workspace":{"didChangeConfiguration":{"dynamicRegistration":true},"didChangeWatchedFiles":{"dynamicRegistration":true}}}`, "")
	m := p.expect("client/registerCapability")
	want := `{"registrations":[{"id":"companion/configuration","method":"workspace/didChangeConfiguration","registerOptions":{"section":"companion"}},{"id":"companion/files","method":"workspace/didChangeWatchedFiles","registerOptions":{"watchers":[{"globPattern":"**/*"}]}}]}`
	if string(m.Params) != want {
		t.Errorf("got  %s\nwant %s", m.Params, want)
	}
}

func TestProblemsOfTheFirstSettingsAreTold(t *testing.T) {
	f := &fake{tune: func(b *Backend) { b.Problems = []string{"companion.mode: no mode x"} }}
	p := serve(t, Options{Build: f.build})
	p.initialize("", `{"settings":{"companion.mode":"x"},"tools":[],"unknown":1}`)
	if m := p.expect("window/showMessage"); !strings.Contains(string(m.Params), "companion.mode: no mode x") {
		t.Errorf("%s", m.Params)
	}
	if string(f.init.Settings) != `{"companion.mode":"x"}` || f.init.Trusted != nil {
		t.Errorf("%+v", f.init)
	}
}

func TestNoticesAreToldAsTheyAre(t *testing.T) {
	f := &fake{tune: func(b *Backend) { b.Notices = []string{`"Patching 2 files" was cut off.`} }}
	p := serve(t, Options{Build: f.build})
	p.initialize("", `{"tools":[]}`)
	if m := p.expect("window/showMessage"); !strings.Contains(string(m.Params), `Companion: \"Patching 2 files\" was cut off.`) {
		t.Errorf("%s", m.Params)
	}
}

func TestTrustIsAskedOncePerFolderThatHasSomethingToTrust(t *testing.T) {
	for _, c := range []struct{ name, answer, want string }{
		{"trusted", `{"title":"Trust"}`, "/r trusted=true"},
		{"not now", `{"title":"Not now"}`, "/r trusted=false"},
		{"closed", `null`, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			var r recorder
			f := &fake{tune: func(b *Backend) {
				b.Untrusted = func() []ProjectConfig {
					return []ProjectConfig{{Root: "/r", Found: []string{".companion/config.jsonc"}}}
				}
				b.Trust = func(_ context.Context, root string, ok bool) { r.add("%s trusted=%v", root, ok) }
			}}
			p := serve(t, Options{Build: f.build})
			p.initialize("", "")
			m := p.expect("window/showMessageRequest")
			var q struct {
				Message string
				Actions []struct{ Title string }
			}
			if json.Unmarshal(m.Params, &q) != nil || len(q.Actions) != 2 || q.Actions[0].Title != "Trust" || q.Actions[1].Title != "Not now" ||
				!strings.Contains(q.Message, "ignores .companion/config.jsonc in /r") {
				t.Errorf("%s", m.Params)
			}
			p.reply(m, c.answer)
			if c.want != "" {
				waitFor(t, c.want, func() bool { return r.has(c.want) })
				return
			}
			p.call("shutdown", "")
			p.notify("exit", "null")
			p.exit()
			if len(r.got) > 0 {
				t.Errorf("%q", r.got)
			}
		})
	}
}

func TestTrustOfAFolderIsAskedOncePerSession(t *testing.T) {
	f := &fake{tune: func(b *Backend) {
		b.Untrusted = func() []ProjectConfig { return []ProjectConfig{{Root: "/r", Found: []string{"x"}}} }
		b.Trust = func(context.Context, string, bool) {}
	}}
	p := serve(t, Options{Build: f.build})
	p.initialize("", "")
	p.reply(p.expect("window/showMessageRequest"), "null")
	for range 3 {
		dir := t.TempDir()
		n := len(f.workspace.Roots())
		p.notify("workspace/didChangeWorkspaceFolders", fmt.Sprintf(`{"event":{"added":[{"uri":%q,"name":"d"}],"removed":[]}}`, uri.File(dir)))
		waitFor(t, "the root", func() bool { return len(f.workspace.Roots()) > n })
	}
	p.call("shutdown", "")
	p.notify("exit", "null")
	p.exit()
	for m := range p.got {
		if m.Method == "window/showMessageRequest" {
			t.Errorf("asked again: %s", m.Params)
		}
	}
}

func TestEditorThatDistrustsIsNotAskedForTrust(t *testing.T) {
	f := &fake{tune: func(b *Backend) {
		b.Untrusted = func() []ProjectConfig { return []ProjectConfig{{Root: "/r", Found: []string{"x"}}} }
		b.Trust = func(context.Context, string, bool) { t.Error("trusted") }
	}}
	p := serve(t, Options{Build: f.build})
	p.initialize("", `{"trusted":false}`)
	if m := p.expect("window/logMessage"); !strings.Contains(string(m.Params), "ignores x in /r: the folder is not trusted") {
		t.Errorf("%s", m.Params)
	}
}

func TestUntrustedIsSaidWhereNobodyCanBeAsked(t *testing.T) {
	f := &fake{tune: func(b *Backend) {
		b.Untrusted = func() []ProjectConfig { return []ProjectConfig{{Root: "/r", Found: []string{"x"}}} }
		b.Trust = func(context.Context, string, bool) { t.Error("trusted without an answer") }
	}}
	p := serve(t, Options{Build: f.build})
	p.initialize("", "")
	p.refuse(p.expect("window/showMessageRequest"), -32601)
	if m := p.expect("window/showMessage"); !strings.Contains(string(m.Params), "ignores x in /r: the folder is not trusted") {
		t.Errorf("%s", m.Params)
	}
}

func TestEditorThatDistrustsMakesFoldersReadOnlyUntilItTrusts(t *testing.T) {
	first, second := t.TempDir(), t.TempDir()
	var r recorder
	f := &fake{tune: func(b *Backend) {
		b.Trust = func(_ context.Context, root string, ok bool) { r.add("%s %v", root, ok) }
	}}
	p := serve(t, Options{Build: f.build})
	p.call("initialize", fmt.Sprintf(`{"capabilities":{},"workspaceFolders":[{"uri":%q,"name":"a"},{"uri":"vscode-vfs://x/y","name":"b"},{"uri":"file:///does/not/exist","name":"c"}],"initializationOptions":{"trusted":false}}`, uri.File(first)))
	p.notify("initialized", "{}")
	create := func(dir string) error {
		_, err := f.workspace.Apply(context.Background(), "x", []workspace.Change{{Kind: workspace.Create, Path: filepath.Join(dir, "new"), After: "x"}})
		return err
	}
	if err := create(f.workspace.Roots()[0]); err == nil {
		t.Error("a file was written in a distrusted folder")
	}
	p.notify("workspace/didChangeWorkspaceFolders", fmt.Sprintf(`{"event":{"added":[{"uri":%q,"name":"d"}],"removed":[]}}`, uri.File(second)))
	p.call("companion/models/list", "")
	if len(f.workspace.Roots()) != 2 {
		t.Fatal("a request after the change of folders does not see it")
	}
	if err := create(f.workspace.Roots()[1]); err == nil {
		t.Error("a file was written in a folder added to a distrusted window")
	}
	p.notify("companion/workspace/didChangeTrust", fmt.Sprintf(`{"folders":[{"uri":%q,"trusted":true},{"uri":"untitled:x","trusted":true}]}`, uri.File(first)))
	p.call("companion/models/list", "")
	if err := create(f.workspace.Roots()[0]); err != nil {
		t.Errorf("trusted now: %v", err)
	}
	waitFor(t, "the trust is kept", func() bool { return r.has(first + " true") })
	p.notify("workspace/didChangeWorkspaceFolders", fmt.Sprintf(`{"event":{"added":[],"removed":[{"uri":%q,"name":"a"}]}}`, uri.File(first)))
	waitFor(t, "one root", func() bool { return len(f.workspace.Roots()) == 1 })
}

func TestRootsAsClientsTellThem(t *testing.T) {
	dir := t.TempDir()
	u := string(uri.File(dir))
	for params, want := range map[string][]string{
		fmt.Sprintf(`{"capabilities":{},"rootUri":%q}`, u):                                           {dir},
		fmt.Sprintf(`{"capabilities":{},"rootPath":%q}`, dir):                                        {dir},
		fmt.Sprintf(`{"capabilities":{},"rootUri":null,"rootPath":%q,"workspaceFolders":null}`, dir): {dir},
		fmt.Sprintf(`{"capabilities":{},"rootUri":"file:///x","workspaceFolders":[{"uri":%q}]}`, u):  {dir},
		`{"capabilities":{},"rootUri":null}`:                                                         nil,
		`{"capabilities":{},"rootUri":""}`:                                                           nil,
		`{}`:                                                                                         nil,
	} {
		f := &fake{}
		p := serve(t, Options{Build: f.build})
		if m := p.call("initialize", params); m.Error != nil {
			t.Errorf("%s: %+v", params, m.Error)
		}
		if !slices.Equal(f.init.Roots, want) {
			t.Errorf("%s: %v, want %v", params, f.init.Roots, want)
		}
	}
}

func TestFileWithoutAFolderMakesItsDirectoryARoot(t *testing.T) {
	dir := t.TempDir()
	f := &fake{}
	p := serve(t, Options{Build: f.build})
	p.initialize("", "")
	u := uri.File(filepath.Join(dir, "a.go"))
	p.notify("textDocument/didOpen", fmt.Sprintf(`{"textDocument":{"uri":%q,"languageId":"go","version":1,"text":""}}`, u))
	p.call("workspace/executeCommand", fmt.Sprintf(`{"command":"companion.fix","arguments":[{"uri":%q}]}`, u))
	f.mu.Lock()
	defer f.mu.Unlock()
	if got := f.turns[0].o.Roots; len(got) != 1 || filepath.Base(got[0]) != filepath.Base(dir) {
		t.Errorf("roots %v, want %s", got, dir)
	}
}

func TestInitializeThatFailsCanBeRepeated(t *testing.T) {
	f := &fake{}
	n := 0
	p := serve(t, Options{Build: func(ctx context.Context, in Init) (*Backend, error) {
		if n++; n == 1 {
			return nil, fmt.Errorf("the state folder cannot be written")
		}
		return f.build(ctx, in)
	}})
	if m := p.call("initialize", `{"capabilities":{}}`); m.Error == nil || m.Error.Code != -32603 || !strings.Contains(m.Error.Message, "cannot be written") {
		t.Errorf("%+v", m.Error)
	}
	for params, want := range map[string]string{
		`{"capabilities":5}`: "capabilities: number",
		`{"processId":"x"}`:  "processId: string",
		`{"capabilities":{"workspace":{"applyEdit":"yes"}}}`:           "capabilities.workspace.applyEdit: string",
		`{"capabilities":{"experimental":{"companion":true}}}`:         "capabilities.experimental.companion: bool",
		`{"initializationOptions":{"trusted":"yes"}}`:                  "initializationOptions.trusted: string",
		`{"capabilities":{"general":{"positionEncodings":"utf-8"}}}`:   "capabilities.general.positionEncodings: string",
		`{"capabilities":{},"workspaceFolders":[{"uri":{"path":""}}]}`: "workspaceFolders[0].uri: object",
	} {
		if m := p.call("initialize", params); m.Error == nil || m.Error.Code != -32602 || !strings.HasPrefix(m.Error.Message, want) {
			t.Errorf("%s: %+v, want %s", params, m.Error, want)
		}
	}
	if m := p.call("initialize", `{"capabilities":{"experimental":true,"textDocument":{"codeAction":{"unknown":[1]}}}}`); m.Error != nil {
		t.Errorf("%+v", m.Error)
	}
	if m := p.call("initialize", `{"capabilities":{}}`); m.Error == nil || m.Error.Code != -32600 {
		t.Errorf("a second time: %+v", m.Error)
	}
}

func TestCommandsAreNotOfferedToAClientThatHasThem(t *testing.T) {
	for _, c := range []struct {
		caps string
		want bool
	}{{`{}`, true}, {`{"experimental":{"companion":{"version":1,"commands":true}}}`, false}} {
		p := serve(t, Options{})
		m := p.initialize(c.caps, "")
		if got := strings.Contains(string(m.Result), "executeCommandProvider"); got != c.want {
			t.Errorf("%s: %s", c.caps, m.Result)
		}
		if m := p.call("workspace/executeCommand", `{"command":"companion.status"}`); m.Error != nil {
			t.Errorf("%s: %+v", c.caps, m.Error)
		}
	}
}
