package fake

import (
	"fmt"
	"os"
	"time"

	"companion/internal/editortest/fake/buffer"
	"companion/internal/editortest/fake/shape"
	"companion/internal/editortest/fake/wire"
	"companion/internal/editortest/fake/wrong"
)

// serveApplyEdit is workspace/applyEdit, done strictly, or wrongly as asked.
func (e *Editor) serveApplyEdit(r *reverse) {
	e.applied++
	file, problems, err := shape.ReadApplyEdit(r.params, !e.opt.NoDocumentChanges, e.opt.Refactoring)
	for _, p := range problems {
		e.problem("workspace/applyEdit %s", p)
	}
	if err != nil {
		e.problem("workspace/applyEdit: %v", err)
		e.answer(r, map[string]any{"applied": false, "failureReason": err.Error()})
		return
	}
	if d := e.docs[file.TextDocument.URI]; d != nil && e.opt.NoDocumentChanges {
		file.TextDocument.Version = &d.Version
	}
	fault := e.opt.Wrong.ApplyEdit
	if n := e.opt.Wrong.Times; n > 0 && e.applied > n {
		fault = ""
	}
	switch fault {
	case wrong.Silent:
		r.cancelled = func() {}
	case wrong.Reject:
		e.answer(r, map[string]any{"applied": false})
	case wrong.Error:
		e.refuse(r, wire.RequestFailed, "the editor is busy")
	case wrong.Lie:
		e.answer(r, map[string]any{"applied": true})
	case wrong.AfterCancel:
		r.cancelled = func() { e.applyAndAnswer(r, file, file.Refactoring, nil) }
	case wrong.TypeFirst:
		if d := e.docs[file.TextDocument.URI]; d != nil {
			if err := e.change(d, []TextEdit{e.opt.Wrong.Typing}); err != nil {
				e.problem("Wrong.Typing: %v", err)
			}
		}
		e.applyAndAnswer(r, file, file.Refactoring, nil)
	case wrong.Misapplies:
		file.Edits = file.Edits[:min(1, len(file.Edits))]
		if len(file.Edits) == 1 {
			file.Edits[0].NewText = "misapplied\n"
		}
		e.applyAndAnswer(r, file, false, nil)
	case wrong.LateChange:
		e.applyLate(r, file)
	default:
		e.applyAndAnswer(r, file, file.Refactoring, func() {
			switch fault {
			case wrong.Twice:
				e.answer(r, map[string]any{"applied": true})
				e.answer(r, map[string]any{"applied": true})
			case wrong.WrongShape:
				e.answer(r, "yes")
			default:
				e.answer(r, map[string]any{"applied": true})
			}
			if d := e.docs[file.TextDocument.URI]; fault == wrong.Formats && d != nil {
				end := buffer.PositionOf(d.Text, len(d.Text), e.encoding)
				_ = e.change(d, []TextEdit{{Range: Range{Start: end, End: end}, NewText: "\n"}})
			}
		})
	}
}

// applyAndAnswer does an edit and answers; then runs instead of the plain
// answer when it is not nil and the edit was done.
func (e *Editor) applyAndAnswer(r *reverse, f shape.FileEdit, refactoring bool, then func()) {
	reason := e.apply(f, refactoring, true)
	switch {
	case reason != "":
		e.answer(r, map[string]any{"applied": false, "failureReason": reason})
	case then != nil:
		then()
	default:
		e.answer(r, map[string]any{"applied": true})
	}
}

func (e *Editor) applyLate(r *reverse, f shape.FileEdit) {
	if reason := e.apply(f, false, false); reason != "" {
		e.answer(r, map[string]any{"applied": false, "failureReason": reason})
		return
	}
	e.answer(r, map[string]any{"applied": true})
	e.wg.Go(func() {
		timer := time.NewTimer(e.opt.Wrong.Late)
		defer timer.Stop()
		select {
		case <-timer.C:
		case <-e.done:
			return
		}
		e.mu.Lock()
		defer e.mu.Unlock()
		if d := e.docs[f.TextDocument.URI]; d != nil {
			e.send(wire.Message{Method: "textDocument/didChange", Params: wire.Encode(map[string]any{
				"textDocument":   map[string]any{"uri": d.URI, "version": d.Version},
				"contentChanges": []map[string]any{{"text": d.Text}},
			})})
		}
	})
}

// apply changes the buffer, opening it first when it is not open; the reason
// why not is "" on success.
func (e *Editor) apply(f shape.FileEdit, refactoring, tell bool) (reason string) {
	d := e.docs[f.TextDocument.URI]
	v := f.TextDocument.Version
	if d == nil {
		if v != nil {
			return fmt.Sprintf("version %d of a document that is not open", *v)
		}
		b, err := os.ReadFile(buffer.Path(f.TextDocument.URI))
		if err != nil {
			return err.Error()
		}
		d, err = e.open(f.TextDocument.URI, buffer.Language(f.TextDocument.URI), string(b))
		if err != nil {
			return err.Error()
		}
	} else if !e.opt.Wrong.IgnoreVersions && !e.opt.Wrong.DropVersions {
		switch {
		case v == nil:
			e.problem("workspace/applyEdit: version null for the open document %s", d.URI)
			return "no version for an open document"
		case *v != d.Version:
			return fmt.Sprintf("made for version %d, the document is at %d", *v, d.Version)
		}
	}
	spans, err := buffer.Resolve(d.Text, f.Edits, e.encoding)
	if err != nil {
		e.problem("workspace/applyEdit %s: %v", d.URI, err)
		return err.Error()
	}
	after := buffer.Splice(d.Text, spans)
	if why := buffer.NotMinimal(d.Text, after, spans); why != "" {
		e.problem("workspace/applyEdit %s: %s", d.URI, why)
	}
	clean := !d.Dirty
	before := d.Text
	d.Text, d.Dirty = after, true
	d.Version++
	if tell {
		e.tellChange(d, before, spans)
	}
	if refactoring && clean {
		if err := e.save(d); err != nil {
			e.problem("save %s: %v", d.URI, err)
		}
	}
	return ""
}
