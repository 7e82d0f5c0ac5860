package editortest

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sort"
	"strings"

	"companion/internal/editortest/fake"
	"companion/internal/editortest/line"
)

// command is one row of the line language.
type command struct {
	args int // how many, -1 = any
	do   func(w *world, args []string) error
}

// commands is the line language of scripts. FILE is relative to the workspace,
// lines and columns are 1-based, columns count code points.
func commands() map[string]command {
	return map[string]command{
		// The user.
		"open":    {1, func(w *world, a []string) error { _, err := w.e.Open(w.path(a[0])); return err }},
		"new":     {2, func(w *world, a []string) error { return w.e.OpenText(a[0], "plaintext", a[1]) }}, // URI TEXT
		"type":    {2, (*world).typeText},                                                                 // FILE:LINE:COL TEXT
		"save":    {1, func(w *world, a []string) error { return w.e.Save(w.uri(a[0])) }},
		"close":   {1, func(w *world, a []string) error { w.e.CloseDocument(w.uri(a[0])); return nil }},
		"disk":    {2, func(w *world, a []string) error { return os.WriteFile(w.path(a[0]), []byte(a[1]), 0o644) }}, // FILE TEXT, behind the editor's back
		"action":  {2, (*world).action},                                                                             // FILE:LINE TITLE-PREFIX
		"actions": {2, (*world).actions},                                                                            // FILE:LINE NAME: titles against want/NAME
		"command": {-1, (*world).command},                                                                           // NAME JSON…
		"answer":  {-1, func(w *world, a []string) error { w.e.Answer(a...); return nil }},
		"hold":    {0, func(w *world, _ []string) error { w.e.Hold(); return nil }},
		"stop":    {0, (*world).stop},   // the command
		"cancel":  {0, (*world).cancel}, // the Stop of the progress

		"crash": {0, (*world).crash}, // the editor goes away without a word

		// Tier 1 (tier1.go).
		"request":       {-1, (*world).request},     // METHOD [JSON]: a request of ours; its ids become $THREAD and $TURN
		"refused":       {-1, (*world).refused},     // PART METHOD [JSON]: the same, answered with an error that holds PART
		"notify":        {2, (*world).notify},       // METHOD JSON
		"reply":         {2, (*world).reply},        // METHOD JSON (fake.Reply): prepared, or for what is open
		"keep-as":       {2, (*world).keepAs},       // NAME FIELD of the last result: $NAME from here on
		"expect-result": {2, (*world).expectResult}, // FIELD VALUE of the last result; FIELD as in hunks.0.id, # = length
		"expect-asked":  {2, (*world).expectAsked},  // METHOD PART: a request of companion's with it in its params
		"expect-open":   {2, (*world).expectOpen},   // METHOD NUMBER: requests that are neither answered nor withdrawn
		"expect-paired": {0, (*world).expectPaired}, // the pairing rules and gapless seq, over all events that came
		"use":           {2, (*world).use},          // THREAD TURN: what wait turn and $THREAD, $TURN mean from here on
		"restart":       {0, (*world).restart},      // the server ends in the orderly way, and another starts on the same state

		// Waiting.
		"wait": {-1, (*world).wait}, // turn | progress | question PART | asked METHOD [PART] | withdrawn METHOD | edit | event TYPE | file FILE | activity PART | actions FILE:LINE PREFIX

		// What must hold.
		"expect-buffer":        {-1, (*world).expectBuffer}, // FILE [NAME]
		"expect-disk":          {-1, (*world).expectDisk},   // FILE [NAME]
		"expect-no-file":       {1, (*world).expectNoFile},
		"expect-message":       {1, (*world).expectMessage}, // part of a showMessage or logMessage
		"expect-outcome":       {-1, (*world).expectOutcome},
		"expect-talk":          {1, (*world).expectTalk},
		"expect-no-talk":       {1, (*world).expectNoTalk},
		"expect-shown":         {1, (*world).expectShown}, // part of a document that was shown
		"expect-activity":      {1, (*world).expectActivity},
		"expect-events":        {1, (*world).expectEvents}, // NAME: durable events in order against want/NAME
		"expect-edits":         {1, (*world).expectEdits},  // number of workspace/applyEdit
		"expect-gone":          {1, (*world).expectGone},   // FILE holds the id of a process that must have ended
		"expect-no-connection": {0, (*world).expectNoConnection},
	}
}

func (w *world) do(l line.Line) error {
	c, ok := commands()[l.Words[0]]
	if !ok {
		return fmt.Errorf("no such command")
	}
	args := make([]string, len(l.Words)-1)
	for i, a := range l.Words[1:] {
		args[i] = w.expand(a)
	}
	if c.args >= 0 && len(args) != c.args {
		return fmt.Errorf("takes %d arguments", c.args)
	}
	return c.do(w, args)
}

func (w *world) typeText(a []string) error {
	file, row, column, err := line.Place(a[0])
	if err != nil {
		return err
	}
	at, err := w.e.At(w.uri(file), row, column)
	if err != nil {
		return err
	}
	return w.e.Type(w.uri(file), at, a[1])
}

func (w *world) offered(where string) ([]fake.Action, error) {
	file, row, column, err := line.Place(where)
	if err != nil {
		return nil, err
	}
	r, err := w.e.LineRange(w.uri(file), row, row)
	if err != nil {
		return nil, err
	}
	if column > 0 {
		if r.Start, err = w.e.At(w.uri(file), row, column); err != nil {
			return nil, err
		}
		r.End = r.Start
	}
	return w.e.CodeActions(context.Background(), w.uri(file), r)
}

func (w *world) action(a []string) error {
	list, err := w.offered(a[0])
	if err != nil {
		return err
	}
	act, err := fake.Find(list, a[1])
	switch {
	case err != nil:
		return err
	case act.Command == nil:
		return fmt.Errorf("the action %q has no command", act.Title)
	}
	return w.started(w.e.Execute(context.Background(), *act.Command))
}

func (w *world) actions(a []string) error {
	list, err := w.offered(a[0])
	if err != nil {
		return err
	}
	var lines []string
	for _, x := range list {
		if x.IsPreferred || x.Edit != nil || x.Command == nil {
			return fmt.Errorf("an action must carry a command, no edit and no isPreferred: %+v", x)
		}
		lines = append(lines, x.Kind+" "+x.Title+"\n")
	}
	sort.Strings(lines)
	w.got[a[1]] = strings.Join(lines, "")
	return nil
}

func (w *world) command(a []string) error {
	c := fake.Command{Command: a[0]}
	for _, arg := range a[1:] {
		if !json.Valid([]byte(arg)) {
			return fmt.Errorf("%s is no JSON", arg)
		}
		c.Arguments = append(c.Arguments, json.RawMessage(arg))
	}
	var result json.RawMessage
	var err error
	// A thread is given back a moment after its turn was told as ended.
	stuck := w.until("the end of the turn before", func() bool {
		var busy *fake.ResponseError
		result, err = w.e.Execute(context.Background(), c)
		return !errors.As(err, &busy) || !strings.Contains(string(busy.Data), "turnRunning")
	})
	if stuck != nil {
		return stuck
	}
	return w.started(result, err)
}

// started keeps the ids that a command answered.
func (w *world) started(result json.RawMessage, err error) error {
	if err != nil {
		return err
	}
	var ids struct {
		ThreadID string `json:"threadId"`
		TurnID   string `json:"turnId"`
	}
	if json.Unmarshal(result, &ids) == nil && ids.TurnID != "" {
		w.thread, w.turn = ids.ThreadID, ids.TurnID
		w.turns++
	}
	return nil
}

func (w *world) stop([]string) error {
	result, err := w.e.Run(context.Background(), "companion.stop", struct{}{})
	if err != nil {
		return err
	}
	var r struct {
		Stopped []string `json:"stopped"`
	}
	if err := json.Unmarshal(result, &r); err != nil || len(r.Stopped) != 1 || r.Stopped[0] != w.turn {
		return fmt.Errorf("stopped %s (%v), want the turn %s", result, err, w.turn)
	}
	return nil
}

func (w *world) cancel([]string) error {
	token := ""
	err := w.e.WaitFor("a running progress", func(v *fake.View) bool {
		for _, p := range v.Progress {
			if p.Begun && !p.Ended && p.Cancel {
				token = p.Token
			}
		}
		return token != ""
	})
	if err != nil {
		return err
	}
	w.e.CancelProgress(token)
	return nil
}

// crash closes the connection; the server must end by itself, with code 1.
func (w *world) crash([]string) error {
	w.crashed = true
	if err := w.e.Close(); err != nil {
		return err
	}
	if code, err := w.exit(); err != nil || code != 1 {
		return fmt.Errorf("the server ended with code %d, %v; want 1", code, err)
	}
	return nil
}

func (w *world) wait(a []string) error {
	if len(a) < 1 {
		return fmt.Errorf("for what?")
	}
	switch a[0] {
	case "turn":
		return w.waitTurn()
	case "progress":
		return w.e.WaitFor("a running progress", func(v *fake.View) bool {
			begun, ended := v.Turns()
			return begun > ended
		})
	case "question":
		return w.e.WaitFor("the question", func(v *fake.View) bool {
			return v.Question != "" && (len(a) < 2 || strings.Contains(v.Question, a[1]))
		})
	case "edit":
		return w.e.WaitFor("workspace/applyEdit", func(v *fake.View) bool { return v.Applied > 0 })
	case "event":
		return w.e.WaitFor("the event", func(v *fake.View) bool {
			for _, e := range v.Events {
				if e.Type == a[1] {
					return true
				}
			}
			return false
		})
	case "asked", "withdrawn":
		return w.waitAsked(a)
	case "file":
		return w.until("the file", func() bool {
			_, err := os.Stat(w.path(a[1]))
			return err == nil
		})
	case "activity":
		return w.e.WaitFor("the activity", func(v *fake.View) bool { return doing(v, a[1]) })
	case "actions":
		var last error
		err := w.until("the code action", func() bool {
			list, err := w.offered(a[1])
			if err == nil {
				_, err = fake.Find(list, a[2])
			}
			last = err
			return err == nil
		})
		if err != nil {
			return fmt.Errorf("%w: %w", err, last)
		}
		return nil
	}
	return fmt.Errorf("%q cannot be waited for", a[0])
}

func doing(v *fake.View, part string) bool {
	for _, p := range v.Progress {
		for _, m := range p.Messages {
			if strings.Contains(m, part) {
				return true
			}
		}
	}
	return false
}

// ended is the turn.completed of the present turn.
func (w *world) ended() (status, problem string) {
	for _, l := range w.events() {
		if l.Event.Turn == w.turn && l.Event.Type == "turn.completed" {
			return l.Event.Status, l.Event.Error
		}
	}
	return "", ""
}

func (w *world) waitTurn() error {
	if w.turn == "" {
		return fmt.Errorf("no turn was started")
	}
	err := w.until("the end of the turn", func() bool {
		status, _ := w.ended()
		return status != ""
	})
	if err != nil {
		return err
	}
	if w.quiet {
		return w.waitTold()
	}
	return w.e.WaitFor("the end of every progress", func(v *fake.View) bool {
		_, ended := v.Turns()
		return ended == w.turns
	})
}
