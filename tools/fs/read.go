package fs

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"unicode/utf8"

	"companion/text"
	"companion/tools"
	"companion/tools/files"
	"companion/tools/schema"
	"companion/workspace"
)

// Bounds of one read (tools.md, read).
const (
	readLines = 2_000
	readBytes = 50 << 10
	lineChars = 2_000
)

//go:embed read.md
var readDoc string

type readArgs struct {
	Path   string `json:"path" desc:"File or folder, from the working folder or absolute."`
	Offset int    `json:"offset,omitempty" min:"1" desc:"First line to read, counted from 1. Default 1."`
	Limit  int    `json:"limit,omitempty" min:"1" max:"2000" desc:"Number of lines, 1 to 2000. Default 2000."`
}

type read struct{ ws *workspace.Workspace }

// Read is the tool read.
func Read(ws *workspace.Workspace) tools.Tool { return read{ws} }

func (read) Spec() tools.Spec {
	return tools.Spec{
		Name: "read", Title: "Read a file", Description: strings.TrimSpace(readDoc), Input: schema.Of[readArgs](),
		ReadOnly: true, Folded: true, ResultBudget: readBytes + 4<<10, SearchHint: "open show view cat head lines of a file, list a folder",
	}
}

func (t read) Prepare(_ context.Context, call tools.Call) (tools.Action, error) {
	args, err := tools.Decode[readArgs](call.Args)
	if err != nil {
		return tools.Action{}, err
	}
	f, err := files.Resolve(t.ws, call, args.Path)
	if err != nil {
		return tools.Action{}, err
	}
	return tools.Action{
		Effects:   []tools.Effect{files.Effect(tools.Read, f)},
		Locks:     []tools.Lock{{Resource: f.Path, Shared: true}},
		Activity:  "Reading " + f.Rel,
		Locations: []tools.Location{{Path: f.Path, Line: args.Offset}},
		Run: func(ctx context.Context, _ tools.Progress) (tools.Result, error) {
			return t.run(ctx, call, args, f)
		},
	}, nil
}

func (t read) run(ctx context.Context, call tools.Call, args readArgs, f workspace.File) (tools.Result, error) {
	snap, err := t.ws.Read(ctx, f.Path)
	switch {
	case errors.Is(err, workspace.ErrNotFile):
		if info, statErr := os.Stat(f.Path); statErr == nil && info.IsDir() {
			return listing(args, f)
		}
		return tools.Result{}, files.Refuse(f, err)
	case errors.Is(err, workspace.ErrBinary):
		return tools.Result{}, tools.Fail(binary(f))
	case err != nil:
		return tools.Result{}, files.Refuse(f, err)
	case !snap.Exists:
		return tools.Result{}, files.Missing(call, f)
	}
	out, err := numbered(snap, args)
	if err != nil {
		return tools.Result{}, err
	}
	t.ws.NoteRead(call.Thread, f.Path, snap.Hash)
	return tools.Result{Outcome: tools.OK, Text: out, Display: fmt.Sprintf("Read %s", f.Rel)}, nil
}

// numbered renders the asked lines and says what is missing.
func numbered(snap workspace.Snapshot, args readArgs) (string, error) {
	index := text.NewIndex(snap.Text)
	total := index.Lines()
	if index.Line(total-1) == "" {
		total-- // what follows the last line ending is no line
	}
	first := max(args.Offset, 1)
	limit := args.Limit
	if limit <= 0 || limit > readLines {
		limit = readLines
	}
	if first > total && first > 1 {
		return "", tools.Fail(fmt.Sprintf("%s has %d lines; offset %d is past its end.", snap.Rel, total, first))
	}
	var b strings.Builder
	if snap.Dirty {
		b.WriteString("(This is the text in the editor, which is not saved; the file on disk differs.)\n")
	}
	if total == 0 {
		b.WriteString("(The file is empty.)\n")
		return b.String(), nil
	}
	last := first - 1
	for last < total && last < first-1+limit {
		line := fmt.Sprintf("%d\t%s\n", last+1, short(index.Line(last)))
		if b.Len()+len(line) > readBytes {
			break
		}
		b.WriteString(line)
		last++
	}
	if last < total {
		fmt.Fprintf(&b, "(Lines %d to %d of %d. Go on with offset %d.)\n", first, last, total, last+1)
	} else if first > 1 {
		fmt.Fprintf(&b, "(Lines %d to %d; that is the end of the file.)\n", first, last)
	}
	return b.String(), nil
}

// short cuts a line at lineChars characters and says so.
func short(line string) string {
	if len(line) <= lineChars {
		return line
	}
	count := 0
	for off := range line {
		if count == lineChars {
			return fmt.Sprintf("%s… (cut here: the line has %d characters)", line[:off], utf8.RuneCountInString(line))
		}
		count++
	}
	return line
}

// listing names the entries of a folder, folders with a slash.
func listing(args readArgs, f workspace.File) (tools.Result, error) {
	entries, err := os.ReadDir(f.Path)
	if err != nil {
		return tools.Result{}, tools.Fail(fmt.Sprintf("The folder %s cannot be listed: %v.", f.Rel, err))
	}
	first := max(args.Offset, 1)
	limit := args.Limit
	if limit <= 0 || limit > readLines {
		limit = readLines
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Folder %s, %d entries:\n", f.Rel, len(entries))
	last := first - 1
	for last < len(entries) && last < first-1+limit && b.Len() < readBytes {
		b.WriteString(entries[last].Name())
		if entries[last].IsDir() {
			b.WriteByte('/')
		}
		b.WriteByte('\n')
		last++
	}
	if last < len(entries) {
		fmt.Fprintf(&b, "(Entries %d to %d of %d. Go on with offset %d.)\n", first, last, len(entries), last+1)
	}
	return tools.Result{Outcome: tools.OK, Text: b.String()}, nil
}

// binary says what a file is that is no text.
func binary(f workspace.File) string {
	size, kind := int64(0), "unknown kind"
	if file, err := os.Open(f.Path); err == nil {
		head := make([]byte, 512) // what DetectContentType looks at
		n, _ := io.ReadFull(file, head)
		kind = http.DetectContentType(head[:n])
		if info, err := file.Stat(); err == nil {
			size = info.Size()
		}
		_ = file.Close()
	}
	return fmt.Sprintf("%s is a binary file (%s, %d bytes); its bytes are not shown.", f.Rel, kind, size)
}
