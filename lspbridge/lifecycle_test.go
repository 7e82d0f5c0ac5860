package lspbridge

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"companion/session"
	"companion/text"
	"companion/workspace"

	"go.lsp.dev/uri"
)

// slack is the 1 s of docs/protocol.md, Lifecycle, on a machine that has much
// else to do.
const slack = 3 * time.Second

func TestShutdownThenExitIsZeroAndAllElseIsOne(t *testing.T) {
	for _, c := range []struct {
		name string
		end  func(p *peer)
		want int
	}{
		{"shutdown and exit", func(p *peer) { p.call("shutdown", ""); p.send(`{"jsonrpc":"2.0","method":"exit"}`) }, 0},
		{"shutdown with null params", func(p *peer) { p.call("shutdown", "null"); p.notify("exit", "null") }, 0},
		{"exit alone", func(p *peer) { p.notify("exit", "null") }, 1},
		{"end of input", func(p *peer) { p.in.Close() }, 1},
		{"shutdown and end of input", func(p *peer) { p.call("shutdown", ""); p.in.Close() }, 0},
		{"broken header", func(p *peer) { p.raw("Content-Length 5\r\n\r\n") }, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &fake{}
			p := serve(t, Options{Build: f.build})
			p.initialize("", "")
			c.end(p)
			start := time.Now()
			if got := p.exit(); got != c.want {
				t.Errorf("exit code %d, want %d", got, c.want)
			}
			if d := time.Since(start); d > slack {
				t.Errorf("ended after %v, want at most 1 s", d)
			}
			if !f.closed {
				t.Error("the backend was not closed")
			}
		})
	}
}

func TestExitBeforeInitializeIsOne(t *testing.T) {
	p := serve(t, Options{})
	p.send(`{"jsonrpc":"2.0","method":"exit"}`)
	if got := p.exit(); got != 1 {
		t.Errorf("exit code %d", got)
	}
}

func TestRunningTurnEndsWithTheConnection(t *testing.T) {
	ended := make(chan struct{})
	f := &fake{turn: func(ctx context.Context, _ *fake, _ *fakeTurn) { <-ctx.Done(); close(ended) }}
	p := serve(t, Options{Build: f.build})
	p.initialize("", "")
	p.call("workspace/executeCommand", `{"command":"companion.ask","arguments":[{"prompt":"hi"}]}`)
	waitFor(t, "the turn runs", func() bool { return len(f.Running()) == 1 })
	p.in.Close()
	p.exit()
	select {
	case <-ended:
	default:
		t.Error("the turn still runs")
	}
}

func TestHangingTurnAndBackendDoNotKeepTheProcess(t *testing.T) {
	release := make(chan struct{})
	defer close(release)
	f := &fake{
		turn: func(context.Context, *fake, *fakeTurn) { <-release },
		tune: func(b *Backend) { b.Close = func(context.Context) error { <-release; return nil } },
	}
	p := serve(t, Options{Build: f.build})
	p.initialize("", "")
	p.call("workspace/executeCommand", `{"command":"companion.ask","arguments":[{"prompt":"hi"}]}`)
	waitFor(t, "the turn runs", func() bool { return len(f.Running()) == 1 })
	start := time.Now()
	p.in.Close()
	p.exit()
	if d := time.Since(start); d > slack {
		t.Errorf("ended after %v", d)
	}
}

func TestDeathOfTheEditorEndsTheServer(t *testing.T) {
	child := exec.Command("sleep", "600")
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer child.Process.Kill()
	p := serve(t, Options{})
	p.call("initialize", fmt.Sprintf(`{"processId":%d,"capabilities":{}}`, child.Process.Pid))
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	child.Wait()
	start := time.Now()
	if got := p.exit(); got != 1 {
		t.Errorf("exit code %d", got)
	}
	if d := time.Since(start); d > slack {
		t.Errorf("ended after %v", d)
	}
}

func TestProcessThatIsDeadAlreadyIsIgnored(t *testing.T) {
	child := exec.Command("true")
	if err := child.Run(); err != nil {
		t.Fatal(err)
	}
	p := serve(t, Options{})
	p.call("initialize", fmt.Sprintf(`{"processId":%d,"capabilities":{}}`, child.Process.Pid))
	if !strings.Contains(p.log.String(), "not watched") {
		t.Error("it is watched")
	}
	if m := p.call("companion/status", ""); m.Error != nil {
		t.Errorf("%+v", m.Error)
	}
}

func TestDocumentsFollowTheEditor(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.go")
	if err := os.WriteFile(path, []byte("disk\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	u := string(uri.File(path))
	for _, c := range []struct {
		name, caps string
		want       text.Encoding
		change     string
	}{
		{"utf-16 when nothing is said", `{}`, text.UTF16, `{"start":{"line":0,"character":2},"end":{"line":0,"character":3}}`},
		{"utf-16 when offered", `{"general":{"positionEncodings":["utf-8","utf-16"]}}`, text.UTF16, `{"start":{"line":0,"character":2},"end":{"line":0,"character":3}}`},
		{"utf-8 when only that", `{"general":{"positionEncodings":["utf-8"]}}`, text.UTF8, `{"start":{"line":0,"character":4},"end":{"line":0,"character":5}}`},
		{"utf-32 first", `{"general":{"positionEncodings":["utf-32","utf-8"]}}`, text.UTF32, `{"start":{"line":0,"character":1},"end":{"line":0,"character":2}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := &fake{roots: []string{dir}}
			p := serve(t, Options{Build: f.build})
			m := p.initialize(c.caps, "")
			var r struct {
				Capabilities struct{ PositionEncoding string }
			}
			if err := json.Unmarshal(m.Result, &r); err != nil || r.Capabilities.PositionEncoding != string(c.want) {
				t.Fatalf("positionEncoding %q %v", r.Capabilities.PositionEncoding, err)
			}
			p.notify("textDocument/didOpen", fmt.Sprintf(`{"textDocument":{"uri":%q,"languageId":"go","version":1,"text":"😀x\n"}}`, u))
			p.notify("textDocument/didChange", fmt.Sprintf(`{"textDocument":{"uri":%q,"version":2},"contentChanges":[{"range":%s,"text":"yz"},{"range":{"start":{"line":1,"character":0},"end":{"line":1,"character":0}},"text":"end"}]}`, u, c.change))
			p.call("companion/models/list", "")
			doc, ok := f.workspace.Document(u)
			if !ok || doc.Text != "😀yz\nend" || *doc.Version != 2 {
				t.Errorf("document %+v", doc)
			}
			p.notify("textDocument/didChange", fmt.Sprintf(`{"textDocument":{"uri":%q,"version":3},"contentChanges":[{"text":"whole"}]}`, u))
			p.notify("textDocument/didSave", fmt.Sprintf(`{"textDocument":{"uri":%q}}`, u))
			p.call("companion/models/list", "")
			if doc, _ = f.workspace.Document(u); doc.Text != "whole" || doc.Dirty {
				t.Errorf("after save: %+v", doc)
			}
			waitFor(t, "the file is opened for diagnostics", func() bool {
				f.mu.Lock()
				defer f.mu.Unlock()
				return len(f.opened) == 1
			})
			p.notify("textDocument/didClose", fmt.Sprintf(`{"textDocument":{"uri":%q}}`, u))
			p.call("companion/models/list", "")
			if _, ok := f.workspace.Document(u); ok {
				t.Error("still open")
			}
		})
	}
}

func TestBadChangesChangeNothingAndAreLogged(t *testing.T) {
	f := &fake{}
	p := serve(t, Options{Build: f.build})
	p.initialize("", "")
	p.notify("textDocument/didOpen", `{"textDocument":{"uri":"untitled:1","languageId":"go","version":1,"text":"abc"}}`)
	for _, change := range []string{
		`{"range":{"start":{"line":"x","character":0},"end":{"line":0,"character":1}},"text":"b"}`,
		`{"range":{"start":{"line":0,"character":2},"end":{"line":0,"character":1}},"text":"b"}`,
		`{"range":{"start":{"line":0,"character":2}},"text":"b"}`,
		`{}`,
		`5`,
	} {
		p.notify("textDocument/didChange", `{"textDocument":{"uri":"untitled:1","version":2},"contentChanges":[`+change+`]}`)
	}
	for range 3 {
		p.notify("textDocument/didChange", `{"textDocument":{"uri":"untitled:other","version":2},"contentChanges":[{"text":"x"}]}`)
	}
	p.call("companion/models/list", "")
	if doc, _ := f.workspace.Document("untitled:1"); doc.Text != "abc" || !doc.Lost {
		t.Errorf("text %q, lost %v", doc.Text, doc.Lost)
	}
	told := 0
	for _, m := range p.held {
		if m.Method == "window/showMessage" && strings.Contains(string(m.Params), "cannot follow the changes of untitled:1") {
			told++
		}
	}
	if told != 1 {
		t.Errorf("told %d times that the document is lost", told)
	}
	p.notify("textDocument/didChange", `{"textDocument":{"uri":"untitled:1","version":3},"contentChanges":[{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":0}},"text":"x"}]}`)
	p.notify("textDocument/didChange", `{"textDocument":{"uri":"untitled:1","version":4},"contentChanges":[{"text":"whole"},{"range":{"start":{"line":0,"character":0},"end":{"line":0,"character":1}},"text":"W"}]}`)
	p.call("companion/models/list", "")
	if doc, _ := f.workspace.Document("untitled:1"); doc.Text != "Whole" || doc.Lost {
		t.Errorf("after the whole text: %q, lost %v", doc.Text, doc.Lost)
	}
	log := p.log.String()
	if n := strings.Count(log, "not open"); n != 1 {
		t.Errorf("the unknown document was logged %d times", n)
	}
	if n := strings.Count(log, "method=textDocument/didChange"); n != 5 {
		t.Errorf("%d bad changes were logged, want 5:\n%s", n, log)
	}
}

func TestBurstOfChangesStaysInOrder(t *testing.T) {
	const n = 10_000
	f := &fake{}
	p := serve(t, Options{Build: f.build})
	p.initialize("", "")
	p.notify("textDocument/didOpen", `{"textDocument":{"uri":"untitled:1","languageId":"go","version":0,"text":""}}`)
	for i := range n {
		p.notify("textDocument/didChange", fmt.Sprintf(
			`{"textDocument":{"uri":"untitled:1","version":%d},"contentChanges":[{"range":{"start":{"line":0,"character":%d},"end":{"line":0,"character":%d}},"text":"%d"}]}`, i+1, i, i, i%10))
		if i%1000 == 500 { // requests between notifications see what came before
			p.request("companion/status", "")
		}
	}
	p.call("companion/models/list", "")
	doc, _ := f.workspace.Document("untitled:1")
	if want := strings.Repeat("0123456789", n/10); doc.Text != want || *doc.Version != n {
		t.Errorf("out of order: version %d, %d bytes", *doc.Version, len(doc.Text))
	}
}

func TestCommandIsAnsweredBeforeItsTurnSpeaks(t *testing.T) {
	f := &fake{turn: func(_ context.Context, _ *fake, ft *fakeTurn) {
		ft.tell(session.Event{Type: session.MessageCompleted, ItemID: "i", Text: "hello"})
	}}
	p := serve(t, Options{Build: f.build})
	p.initialize(`{"window":{"workDoneProgress":true},"experimental":{"companion":{"version":1,"events":true}}}`, "")
	for range 50 {
		id := p.request("workspace/executeCommand", `{"command":"companion.ask","arguments":[{"prompt":"hi"}]}`)
		m := <-p.got
		if m.Method != "" || string(m.ID) != fmt.Sprint(id) {
			t.Fatalf("first came %+v", m)
		}
		for seen := 0; seen < 4; {
			switch m := <-p.got; m.Method {
			case "companion/event":
				seen++
			case "window/workDoneProgress/create":
				p.reply(m, "null")
				seen++
			}
		}
		p.find("the end of the progress", func(m message) bool { return m.Method == "$/progress" && strings.Contains(string(m.Params), `"end"`) })
	}
}

func TestApplyEditAsksForOneFileWithItsVersion(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.txt")
	if err := os.WriteFile(path, []byte("one\ntwo\nthree\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	u := string(uri.File(path))
	f := &fake{roots: []string{dir}}
	p := serve(t, Options{Build: f.build})
	p.initialize(`{"workspace":{"applyEdit":true,"workspaceEdit":{"documentChanges":true}}}`, "")
	p.notify("textDocument/didOpen", fmt.Sprintf(`{"textDocument":{"uri":%q,"languageId":"x","version":7,"text":"one\ntwo\nthree\n"}}`, u))
	p.call("companion/models/list", "")
	type result struct {
		applied []workspace.Applied
		err     error
	}
	done := make(chan result, 1)
	snap, _ := f.workspace.Document(u)
	go func() {
		a, err := f.workspace.Apply(context.Background(), "Companion: two", []workspace.Change{{
			Kind: workspace.Modify, Path: snap.Path, Base: snap.Hash, Before: snap.Text, After: "one\nTWO\nthree\n",
		}})
		done <- result{a, err}
	}()
	m := p.expect("workspace/applyEdit")
	want := fmt.Sprintf(`{"label":"Companion: two","edit":{"documentChanges":[{"textDocument":{"uri":%q,"version":7},"edits":[{"range":{"start":{"line":1,"character":0},"end":{"line":2,"character":0}},"newText":"TWO\n"}]}]}}`, u)
	if string(m.Params) != want {
		t.Errorf("params\n%s\nwant\n%s", m.Params, want)
	}
	p.notify("textDocument/didChange", fmt.Sprintf(`{"textDocument":{"uri":%q,"version":8},"contentChanges":[{"range":{"start":{"line":1,"character":0},"end":{"line":1,"character":3}},"text":"TWO"}]}`, u))
	p.reply(m, `{"applied":true}`)
	r := <-done
	if r.err != nil || len(r.applied) != 1 || r.applied[0].After != "one\nTWO\nthree\n" {
		t.Errorf("%+v %v", r.applied, r.err)
	}
}
