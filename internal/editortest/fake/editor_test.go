package fake

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"companion/internal/editortest/fake/buffer"
	"companion/internal/editortest/fake/wire"
	"companion/internal/editortest/fake/wrong"
)

func edit(uri string, version any, edits ...TextEdit) string {
	if edits == nil {
		edits = []TextEdit{}
	}
	return string(wire.Encode(map[string]any{"label": "Edit", "edit": map[string]any{"documentChanges": []any{
		map[string]any{"textDocument": map[string]any{"uri": uri, "version": version}, "edits": edits},
	}}}))
}

func at(sl, sc, el, ec int, text string) TextEdit {
	return TextEdit{Range: Range{Start: Position{Line: sl, Character: sc}, End: Position{Line: el, Character: ec}}, NewText: text}
}

func TestApplyEditIsStrict(t *testing.T) {
	const text = "one\ntwo\nthree\n"
	tests := []struct {
		name    string
		version any
		edits   []TextEdit
		applied bool
		after   string
		problem string
	}{
		{"two edits at once", 1, []TextEdit{at(0, 0, 0, 3, "1"), at(1, 0, 2, 0, "")}, true, "1\nthree\n", ""},
		{"an old version is refused without blame", 7, []TextEdit{at(0, 0, 0, 3, "1")}, false, text, ""},
		{"no version for an open document", nil, []TextEdit{at(0, 0, 0, 3, "1")}, false, text, "version null"},
		{"overlap", 1, []TextEdit{at(0, 0, 0, 3, "1"), at(0, 2, 1, 0, "")}, false, text, "overlap"},
		{"past the end of a line", 1, []TextEdit{at(0, 0, 0, 9, "1")}, false, text, "past the end"},
		{"past the last line", 1, []TextEdit{at(0, 0, 9, 0, "1")}, false, text, "outside"},
		{"reversed", 1, []TextEdit{at(1, 0, 0, 0, "1")}, false, text, "reversed"},
		{"the whole file", 1, []TextEdit{at(0, 0, 3, 0, "one\n2\n")}, true, "one\n2\n", "whole file"},
		{"nothing", 1, []TextEdit{at(0, 0, 0, 3, "one")}, true, text, "changes nothing"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, s := connect(t, Options{}, plain)
			uri, err := e.Open(write(t, text))
			if err != nil {
				t.Fatal(err)
			}
			s.expect("textDocument/didOpen")
			m, before := s.call("workspace/applyEdit", edit(uri, tt.version, tt.edits...))
			var got struct{ Applied bool }
			if err := json.Unmarshal(m.Result, &got); err != nil || got.Applied != tt.applied {
				t.Errorf("answer %s, want applied %v", m.Result, tt.applied)
			}
			if tt.applied != (len(before) == 1 && before[0].Method == "textDocument/didChange") {
				t.Errorf("before the answer came %v, want a didChange: %v", before, tt.applied)
			}
			if d, _ := e.Buffer(uri); d.Text != tt.after {
				t.Errorf("buffer %q, want %q", d.Text, tt.after)
			}
			if tt.problem == "" {
				wantProblems(t, e)
			} else {
				wantProblems(t, e, tt.problem)
			}
		})
	}
}

func TestDidChangeReplaysInOrder(t *testing.T) {
	e, s := connect(t, Options{Encodings: []string{"utf-8"}},
		`{"capabilities":{"positionEncoding":"utf-8","textDocumentSync":2}}`)
	uri, _ := e.Open(write(t, "ä1\nb2\n"))
	s.expect("textDocument/didOpen")
	if err := e.Edit(uri, at(0, 2, 0, 3, "X"), at(1, 0, 1, 2, "Y")); err != nil {
		t.Fatal(err)
	}
	m := s.expect("textDocument/didChange")
	var p struct {
		TextDocument   struct{ Version int }
		ContentChanges []struct {
			Range Range
			Text  string
		}
	}
	if err := json.Unmarshal(m.Params, &p); err != nil {
		t.Fatal(err)
	}
	mirror := "ä1\nb2\n"
	for _, c := range p.ContentChanges {
		spans, err := buffer.Resolve(mirror, []TextEdit{{Range: c.Range, NewText: c.Text}}, "utf-8")
		if err != nil {
			t.Fatal(err)
		}
		mirror = buffer.Splice(mirror, spans)
	}
	if d, _ := e.Buffer(uri); mirror != "äX\nY\n" || d.Text != mirror || p.TextDocument.Version != 2 {
		t.Errorf("mirror %q, buffer %q, version %d", mirror, d.Text, p.TextDocument.Version)
	}
}

func TestWrongEditors(t *testing.T) {
	const text = "one\ntwo\n"
	tests := []struct {
		fault   wrong.ApplyEditFault
		answers int    // within the test's patience
		buffer  string // afterwards
		result  string
	}{
		{wrong.Silent, 0, text, ""},
		{wrong.Lie, 1, text, `{"applied":true}`},
		{wrong.Reject, 1, text, `{"applied":false}`},
		{wrong.Error, 1, text, ""},
		{wrong.Twice, 2, "1\ntwo\n", `{"applied":true}`},
		{wrong.WrongShape, 1, "1\ntwo\n", `"yes"`},
		{wrong.TypeFirst, 1, "one!\ntwo\n", ""},
		{wrong.Formats, 1, "1\ntwo\n\n", `{"applied":true}`},
		{wrong.Misapplies, 1, "misapplied\n\ntwo\n", `{"applied":true}`},
		{wrong.LateChange, 1, "1\ntwo\n", `{"applied":true}`},
		{wrong.AfterCancel, 1, "1\ntwo\n", `{"applied":true}`},
	}
	for _, tt := range tests {
		t.Run(string(tt.fault), func(t *testing.T) {
			path := write(t, text)
			synctest.Test(t, func(t *testing.T) {
				e, s := connect(t, Options{Wrong: Wrong{ApplyEdit: tt.fault, Typing: at(0, 3, 0, 3, "!"), Late: time.Second}}, plain)
				uri, _ := e.Open(path)
				s.ask("workspace/applyEdit", edit(uri, 1, at(0, 0, 0, 3, "1")))
				if tt.fault == wrong.AfterCancel {
					s.notify("$/cancelRequest", `{"id":"s1"}`)
				}
				synctest.Wait()
				var got []wire.Message
				drain := func() {
					for len(s.in) > 0 {
						if m := <-s.in; m.Method == "" {
							got = append(got, m)
						}
					}
				}
				drain()
				if len(got) != tt.answers {
					t.Fatalf("%d answers, want %d", len(got), tt.answers)
				}
				if tt.result != "" && string(got[0].Result) != tt.result {
					t.Errorf("result %s, want %s", got[0].Result, tt.result)
				}
				if d, _ := e.Buffer(uri); d.Text != tt.buffer {
					t.Errorf("buffer %q, want %q", d.Text, tt.buffer)
				}
				if tt.fault == wrong.LateChange {
					time.Sleep(1100 * time.Millisecond)
					if m := s.expect("textDocument/didChange"); !strings.Contains(string(m.Params), `"version":2`) {
						t.Errorf("late didChange %s", m.Params)
					}
				}
				wantProblems(t, e)
			})
		})
	}
}

func TestMessageRequests(t *testing.T) {
	const ask = `{"type":3,"message":"Run go test?","actions":[{"title":"Allow once"},{"title":"Reject"}]}`
	tests := []struct {
		name    string
		prepare []string
		hold    bool
		params  string
		want    string
		code    int
		problem string
	}{
		{"prepared", []string{"Allow once"}, false, ask, `{"title":"Allow once"}`, 0, ""},
		{"dismissed", []string{"(dismiss)"}, false, ask, `null`, 0, ""},
		{"unsupported", []string{"(unsupported)"}, false, ask, ``, wire.MethodNotFound, ""},
		{"no such button", []string{"Yes"}, false, ask, `null`, 0, "no button"},
		{"unexpected", nil, false, ask, `null`, 0, "not expected"},
		{"two lines", []string{"A"}, false, `{"type":3,"message":"a\nb","actions":[{"title":"A"}]}`, `{"title":"A"}`, 0, "more than one line"},
		{"a button twice", []string{"A"}, false, `{"type":3,"message":"a","actions":[{"title":"A"},{"title":"A"}]}`, `{"title":"A"}`, 0, "twice"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, s := connect(t, Options{}, plain)
			e.Answer(tt.prepare...)
			m, _ := s.call("window/showMessageRequest", tt.params)
			if tt.code != 0 && (m.Error == nil || m.Error.Code != tt.code) || tt.code == 0 && string(m.Result) != tt.want {
				t.Errorf("answer %s, %v; want %s, %d", m.Result, m.Error, tt.want, tt.code)
			}
			if tt.problem == "" {
				wantProblems(t, e)
			} else {
				wantProblems(t, e, tt.problem)
			}
		})
	}
	t.Run("held, then pressed", func(t *testing.T) {
		e, s := connect(t, Options{}, plain)
		e.Hold()
		s.ask("window/showMessageRequest", ask)
		if err := e.WaitFor("the question", func(v *View) bool { return v.Question == "Run go test?" }); err != nil {
			t.Fatal(err)
		}
		e.Answer("Reject")
		if m := <-s.in; string(m.Result) != `{"title":"Reject"}` {
			t.Errorf("answer %s", m.Result)
		}
	})
	t.Run("unused", func(t *testing.T) {
		e, _ := connect(t, Options{}, plain)
		e.Answer("Allow once")
		wantProblems(t, e, "never asked for")
	})
}

func TestProtocolBreachesAreSeen(t *testing.T) {
	created := func(s *stub) { s.call("window/workDoneProgress/create", `{"token":"t"}`) }
	progress := func(s *stub, kind string) {
		s.notify("$/progress", fmt.Sprintf(`{"token":"t","value":{"kind":%q,"title":"Fix"}}`, kind))
	}
	tests := []struct {
		name    string
		opt     Options
		do      func(e *Editor, s *stub)
		problem string
	}{
		{"progress without create", Options{}, func(_ *Editor, s *stub) { progress(s, "begin") }, "never created"},
		{"report before begin", Options{}, func(_ *Editor, s *stub) { created(s); progress(s, "report") }, "before its begin"},
		{"report after end", Options{}, func(_ *Editor, s *stub) {
			created(s)
			progress(s, "begin")
			progress(s, "end")
			progress(s, "report")
		}, "after its end"},
		{"progress not offered", Options{NoProgress: true}, func(_ *Editor, s *stub) { created(s) }, "capability was not given"},
		{"applyEdit not offered", Options{NoApplyEdit: true}, func(_ *Editor, s *stub) {
			s.call("workspace/applyEdit", `{"edit":{}}`)
		}, "capability was not given"},
		{"an event at tier 0", Options{}, func(_ *Editor, s *stub) {
			s.notify("companion/event", `{"threadId":"a","type":"usage","seq":1}`)
		}, "not offered"},
		{"a gap in seq", Options{Companion: json.RawMessage(`{"events":true}`)}, func(_ *Editor, s *stub) {
			s.notify("companion/event", `{"threadId":"a","type":"usage","seq":1}`)
			s.notify("companion/event", `{"threadId":"a","type":"usage","seq":3}`)
		}, "seq 3 follows 1"},
		{"unknown request", Options{}, func(_ *Editor, s *stub) { s.call("companion/approval/request", `{}`) }, "not offered"},
		{"an id used twice", Options{}, func(_ *Editor, s *stub) {
			s.call("workspace/workspaceFolders", `null`)
			s.next = 0
			s.call("workspace/workspaceFolders", `null`)
		}, "was used before"},
		{"an answer to nothing", Options{}, func(_ *Editor, s *stub) {
			s.write(wire.Message{ID: json.RawMessage("77"), Result: json.RawMessage("1")})
		}, "never asked"},
		{"a second answer", Options{}, func(_ *Editor, s *stub) {
			s.write(wire.Message{ID: json.RawMessage("1"), Result: json.RawMessage("1")})
		}, "second answer"},
		{"the turn begins before its command is answered", Options{}, func(e *Editor, s *stub) {
			s.wg.Go(func() { _, _ = e.Run(context.Background(), "companion.fix", struct{}{}) })
			m := s.expect("workspace/executeCommand")
			created(s)
			s.write(wire.Message{ID: m.ID, Result: json.RawMessage("{}")})
		}, "before the answer"},
		{"a log line on stdout", Options{}, func(_ *Editor, s *stub) { _, _ = s.rwc.Write([]byte("hello\n")) }, "not an LSP frame"},
		{"two files in one applyEdit", Options{}, func(_ *Editor, s *stub) {
			s.call("workspace/applyEdit", `{"label":"x","edit":{"documentChanges":[{},{}]}}`)
		}, "exactly one file"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			e, s := connect(t, tt.opt, plain)
			tt.do(e, s)
			var got []string
			err := e.WaitFor("the problem", func(*View) bool { got = e.problems; return len(got) > 0 })
			if len(got) != 1 || !strings.Contains(got[0], tt.problem) {
				t.Errorf("problems %q (%v), want one with %q", got, err, tt.problem)
			}
		})
	}
	t.Run("a progress without end", func(t *testing.T) {
		e, s := connect(t, Options{}, plain)
		created(s)
		progress(s, "begin")
		_ = s.rwc.Close()
		<-e.Done()
		wantProblems(t, e, "has no end")
	})
}

func TestRequestEnds(t *testing.T) {
	t.Run("with the server's error", func(t *testing.T) {
		e, s := connect(t, Options{}, plain)
		s.wg.Go(func() {
			m := s.expect("x/y")
			s.write(wire.Message{ID: m.ID, Error: &ResponseError{Code: -32601, Message: "no"}})
		})
		var bad *ResponseError
		if err := e.Request(context.Background(), "x/y", nil, nil); !errors.As(err, &bad) || bad.Code != -32601 {
			t.Errorf("error %v", err)
		}
	})
	t.Run("with the connection", func(t *testing.T) {
		e, s := connect(t, Options{}, plain)
		s.wg.Go(func() { s.expect("x/y"); _ = s.rwc.Close() })
		if err := e.Request(context.Background(), "x/y", nil, nil); err == nil || !strings.Contains(err.Error(), "ended") {
			t.Errorf("error %v", err)
		}
	})
	t.Run("in time", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			e, _ := connect(t, Options{Timeout: 3 * time.Second}, plain)
			before := time.Now()
			err := e.Request(context.Background(), "x/y", nil, nil)
			if err == nil || time.Since(before) != 3*time.Second {
				t.Errorf("error %v after %v", err, time.Since(before))
			}
		})
	})
	t.Run("cancelled by us", func(t *testing.T) {
		e, s := connect(t, Options{}, plain)
		ctx, cancel := context.WithCancel(context.Background())
		heard := make(chan wire.Message, 1)
		s.wg.Go(func() { s.expect("x/y"); cancel(); heard <- s.expect("$/cancelRequest") })
		if err := e.Request(ctx, "x/y", nil, nil); !errors.Is(err, context.Canceled) {
			t.Errorf("error %v", err)
		}
		if m := <-heard; string(m.Params) != `{"id":2}` {
			t.Errorf("cancelled %s, want the request's id", m.Params)
		}
	})
}
