package editortest

import (
	"encoding/json"
	"fmt"
	"strconv"
	"time"

	"companion/internal/editortest/fake"
	"companion/internal/editortest/fake/wrong"
	"companion/internal/editortest/line"
)

// switches are the lines that the editor file of a scenario may hold.
func switches() map[string]func(o *fake.Options, args []string) error {
	flag := func(set func(o *fake.Options)) func(*fake.Options, []string) error {
		return func(o *fake.Options, args []string) error {
			if len(args) != 0 {
				return fmt.Errorf("takes no argument")
			}
			set(o)
			return nil
		}
	}
	raw := func(field func(o *fake.Options) *json.RawMessage) func(*fake.Options, []string) error {
		return func(o *fake.Options, args []string) error {
			if len(args) != 1 || !json.Valid([]byte(args[0])) {
				return fmt.Errorf("takes one JSON value")
			}
			*field(o) = json.RawMessage(args[0])
			return nil
		}
	}
	return map[string]func(o *fake.Options, args []string) error{
		"no-apply-edit":       flag(func(o *fake.Options) { o.NoApplyEdit = true }),
		"no-document-changes": flag(func(o *fake.Options) { o.NoDocumentChanges = true }),
		"no-progress":         flag(func(o *fake.Options) { o.NoProgress = true }),
		"no-message-requests": flag(func(o *fake.Options) { o.NoMessageRequest = true }),
		"no-show-document":    flag(func(o *fake.Options) { o.NoShowDocument = true }),
		"refactoring":         flag(func(o *fake.Options) { o.Refactoring = true }),
		"drop-versions":       flag(func(o *fake.Options) { o.Wrong.DropVersions = true }),
		"ignore-versions":     flag(func(o *fake.Options) { o.Wrong.IgnoreVersions = true }),
		"message-twice":       flag(func(o *fake.Options) { o.Wrong.MessageTwice = true }),
		"message-shape":       flag(func(o *fake.Options) { o.Wrong.MessageShape = true }),
		"message-late":        flag(func(o *fake.Options) { o.Wrong.MessageAfterCancel = true }),
		"hold":                flag(func(o *fake.Options) { o.Hold = true }),
		"companion":           raw(func(o *fake.Options) *json.RawMessage { return &o.Companion }),
		"initialization":      raw(func(o *fake.Options) *json.RawMessage { return &o.InitializationOptions }),
		"configuration":       raw(func(o *fake.Options) *json.RawMessage { return &o.Settings }),
		"encodings": func(o *fake.Options, args []string) error {
			o.Encodings = args
			return nil
		},
		"answer": func(o *fake.Options, args []string) error {
			o.Answers = args
			return nil
		},
		"fault":  setFault,
		"typing": setTyping,
	}
}

// setFault is "fault NAME [TIMES]" or "fault lateChange DURATION".
func setFault(o *fake.Options, args []string) (err error) {
	if len(args) < 1 || len(args) > 2 {
		return fmt.Errorf("takes a name and a number")
	}
	o.Wrong.ApplyEdit = wrong.ApplyEditFault(args[0])
	switch {
	case len(args) == 1:
	case o.Wrong.ApplyEdit == wrong.LateChange:
		o.Wrong.Late, err = time.ParseDuration(args[1])
	default:
		o.Wrong.Times, err = strconv.Atoi(args[1])
	}
	return err
}

// setTyping is "typing LINE:COL TEXT", 1-based, in ASCII.
func setTyping(o *fake.Options, args []string) error {
	if len(args) != 2 {
		return fmt.Errorf("takes LINE:COL and a text")
	}
	_, row, column, err := line.Place("x:" + args[0])
	if err != nil {
		return err
	}
	at := fake.Position{Line: row - 1, Character: column - 1}
	o.Wrong.Typing = fake.TextEdit{Range: fake.Range{Start: at, End: at}, NewText: args[1]}
	return nil
}

// editorOptions reads the editor file.
func editorOptions(text string) (fake.Options, error) {
	var o fake.Options
	script, err := line.Parse(text)
	if err != nil {
		return o, fmt.Errorf("editor: %w", err)
	}
	known := switches()
	for _, l := range script {
		set, ok := known[l.Words[0]]
		if !ok {
			return o, fmt.Errorf("editor: no switch %q", l.Words[0])
		}
		if err := set(&o, l.Words[1:]); err != nil {
			return o, fmt.Errorf("editor: %s: %w", l.Text, err)
		}
	}
	return o, nil
}
