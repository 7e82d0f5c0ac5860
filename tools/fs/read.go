package fs

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"companion/text"
	"companion/tools"
	"companion/tools/files"
	"companion/tools/lang"
	"companion/tools/lines"
	"companion/tools/notebook"
	"companion/tools/picture"
	"companion/tools/schema"
	"companion/workspace"
)

// Bounds of one read (tools.md, read).
const (
	readLines = 2_000
	readBytes = 50 << 10
	lineChars = 2_000
)

// large is the size in bytes from which on a file is not taken as a whole.
const large = 1 << 20

//go:embed read.md
var readDoc string

type readArgs struct {
	Path   string `json:"path" desc:"File or folder, from the working folder or absolute; a name, not a pattern."`
	Offset int    `json:"offset,omitempty" min:"1" desc:"First line to read, counted from 1. Default 1."`
	Limit  int    `json:"limit,omitempty" min:"1" max:"2000" desc:"Number of lines, 1 to 2000. Default 2000."`
	Symbol string `json:"symbol,omitempty" desc:"Name of a function, method, type or class, such as Open or File.Close: its lines are read instead, with the comments above it. Where several have the name, offset may be a line within the one that is meant. Default none."`
	Column int    `json:"column,omitempty" min:"1" desc:"Read only the line at offset, from this character on, counted from 1: for the rest of a line that was cut. Default none."`
}

type read struct {
	ws      *workspace.Workspace
	declare lang.Declarations
	large   *lines.Files
}

// Read is the tool read; declare finds what symbol names, nil = there are no
// parsers in this build.
func Read(ws *workspace.Workspace, declare lang.Declarations) tools.Tool {
	return read{ws, declare, &lines.Files{}}
}

func (read) Spec() tools.Spec {
	return tools.Spec{
		Name: "read", Title: "Read a file", Description: strings.TrimSpace(readDoc), Input: schema.Of[readArgs](),
		ReadOnly: true, Folded: true, ResultBudget: readBytes + 4<<10, SearchHint: "open show view cat head lines of a file, list a folder, pdf, notebook, image",
	}
}

func (t read) Prepare(ctx context.Context, call tools.Call) (tools.Action, error) {
	args, err := tools.Decode[readArgs](call.Args)
	if err != nil {
		return tools.Action{}, err
	}
	f, told, err := files.Locate(ctx, t.ws, call, args.Path)
	if err != nil {
		return tools.Action{}, err
	}
	return tools.Action{
		Effects:   []tools.Effect{files.Effect(tools.Read, f)},
		Locks:     []tools.Lock{{Resource: f.Path, Shared: true}},
		Activity:  "Reading " + files.Shown(f.Rel),
		Locations: []tools.Location{{Path: f.Path, Line: args.Offset}},
		Run: func(ctx context.Context, _ tools.Progress) (tools.Result, error) {
			res, err := reading{t, call, args, f}.run(ctx)
			return files.Telling(told, res, err)
		},
	}, nil
}

// reading is one call.
type reading struct {
	read
	call tools.Call
	args readArgs
	f    workspace.File
}

func (r reading) name() string { return files.Shown(r.f.Rel) }

func (r reading) run(ctx context.Context) (tools.Result, error) {
	if _, open := r.ws.Document(r.f.URI); open {
		return r.text(ctx)
	}
	if err := files.Still(r.ws, r.f); err != nil {
		return tools.Result{}, err
	}
	info, err := os.Stat(r.f.Path)
	switch {
	case errors.Is(err, fs.ErrPermission):
		return tools.Result{}, tools.Fail(fmt.Sprintf("%s cannot be read: a folder above it may not be entered (permission denied).", r.name()))
	case err != nil: // nothing there, as the workspace sees it
		return r.text(ctx)
	case info.IsDir():
		return listing(ctx, listArgs{Path: r.args.Path, Hidden: true, Offset: r.args.Offset, Limit: r.args.Limit}, r.f, r.call)
	case !info.Mode().IsRegular():
		return tools.Result{}, tools.Fail(fmt.Sprintf("%s is %s, which is not opened: it could keep its reader waiting for ever.", r.name(), kindOf(info.Mode())))
	}
	head, err := headOf(r.f.Path)
	if err != nil {
		return tools.Result{}, r.refuse(err)
	}
	switch {
	case picture.Format(head) != "":
		if !sees(r.call.Box) {
			return tools.Result{}, tools.Fail(fmt.Sprintf("%s is a picture (%s, %d bytes), which this model cannot see.", r.name(), magic(head, r.f.Path), info.Size()))
		}
		return picture.Load(ctx, r.f)
	case strings.HasPrefix(strings.TrimLeft(string(head), "\ufeff \t\r\n"), "%PDF-"):
		return r.pdf(ctx, info.Size())
	case info.Size() > large && r.args.Symbol == "" && !notebook.Is(r.f.Path):
		return r.window(ctx, head, info.Size())
	}
	return r.text(ctx)
}

// text reads what the workspace takes as one text.
func (r reading) text(ctx context.Context) (tools.Result, error) {
	snap, err := r.ws.Read(ctx, r.f.Path)
	if errors.Is(err, workspace.ErrBinary) {
		return r.noText()
	}
	if err != nil {
		return tools.Result{}, r.refuse(err)
	}
	if !snap.Exists {
		return tools.Result{}, files.Missing(r.call, r.f)
	}
	if !snap.Open && garbled(snap.Text, snap.Format.Charset) {
		return r.noText()
	}
	v := view{name: r.name(), args: r.args}
	if snap.Dirty {
		v.note("(This is the text in the editor, which is not saved; the file on disk differs.)\n")
	}
	v.charset(snap.Format.Charset)
	content := snap.Text
	if n, err := notebook.Parse(content); notebook.Is(r.f.Path) && err == nil {
		content = n.Text()
		v.note(n.Summary())
	} else if r.args.Symbol != "" {
		if err := v.symbol(ctx, r.declare, r.f, content); err != nil {
			return tools.Result{}, err
		}
	}
	out, err := v.show(ctx, lines.Of(content))
	if err != nil {
		return tools.Result{}, r.refuse(err)
	}
	r.ws.NoteRead(r.call.Thread, r.f.Path, snap.Hash)
	return tools.Result{Outcome: tools.OK, Text: out, Display: "Read " + r.name()}, nil
}

// window reads from a large file what is asked for.
func (r reading) window(ctx context.Context, head []byte, size int64) (tools.Result, error) {
	if _, charset := guess16(head); charset == "" && strings.IndexByte(string(head), 0) >= 0 && !marked16(head) {
		return tools.Result{}, tools.Fail(binary(r.name(), head, r.f.Path, size)) // the rest need not be looked at
	}
	t, err := r.large.Open(ctx, r.f.Path, max(r.args.Offset, 1)+readLines)
	if errors.Is(err, text.ErrBinary) {
		return tools.Result{}, tools.Fail(binary(r.name(), head, r.f.Path, size))
	}
	if err != nil {
		return tools.Result{}, r.refuse(err)
	}
	defer t.Close()
	if decoded, format, err := text.Decode(head); err == nil && garbled(decoded, format.Charset) {
		return tools.Result{}, tools.Fail(binary(r.name(), head, r.f.Path, size))
	}
	v := view{name: r.name(), args: r.args}
	v.charset(t.Charset())
	out, err := v.show(ctx, t)
	if err != nil {
		return tools.Result{}, r.refuse(err)
	}
	if t.Hash() != "" {
		r.ws.NoteRead(r.call.Thread, r.f.Path, t.Hash())
	}
	return tools.Result{Outcome: tools.OK, Text: out, Display: "Read " + r.name()}, nil
}

func (r reading) refuse(err error) error {
	if errors.Is(err, fs.ErrPermission) {
		return tools.Fail(fmt.Sprintf("%s cannot be read: permission denied to the user that companion runs as.", r.name()))
	}
	return files.Refuse(r.f, err)
}

// sees tells whether the step's model is offered pictures.
func sees(box *tools.Box) bool {
	if box == nil {
		return false
	}
	for _, s := range box.Listed() {
		if s.Sees && box.Standing(s.Full()).Exposure != tools.Hidden {
			return true
		}
	}
	return false
}

func kindOf(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "a folder"
	case m&fs.ModeSymlink != 0:
		return "a link"
	case m&fs.ModeNamedPipe != 0:
		return "a named pipe"
	case m&fs.ModeSocket != 0:
		return "a socket"
	case m&fs.ModeDevice != 0:
		return "a device"
	}
	return "no regular file"
}
