package fs

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sort"
	"strings"

	"companion/tools"
	"companion/tools/files"
	"companion/tools/schema"
	"companion/tools/search/walk"
	"companion/workspace"
)

const (
	// listEntries is how many entries come at once.
	listEntries = 1_000
	// mostEntries bounds how many entries of a folder are read at all: a second or
	// two, and 50 MB.
	mostEntries = 200_000
)

//go:embed list.md
var listDoc string

type listArgs struct {
	Path   string `json:"path,omitempty" desc:"Folder, from the working folder or absolute. Default the working folder."`
	Hidden bool   `json:"hidden,omitempty" desc:"List names that begin with a dot too. Default false."`
	Offset int    `json:"offset,omitempty" min:"1" desc:"First entry to list, counted from 1. Default 1."`
	Limit  int    `json:"limit,omitempty" min:"1" max:"1000" desc:"Number of entries, 1 to 1000. Default 1000."`
}

type list struct{ ws *workspace.Workspace }

// List is the tool list.
func List(ws *workspace.Workspace) tools.Tool { return list{ws} }

func (list) Spec() tools.Spec {
	return tools.Spec{
		Name: "list", Title: "List a folder", Description: strings.TrimSpace(listDoc), Input: schema.Of[listArgs](),
		ReadOnly: true, Folded: true, ResultBudget: readBytes + 4<<10, SearchHint: "ls dir directory folder contents entries",
	}
}

func (t list) Prepare(ctx context.Context, call tools.Call) (tools.Action, error) {
	args, err := tools.Decode[listArgs](call.Args)
	if err != nil {
		return tools.Action{}, err
	}
	if args.Path == "" {
		args.Path = "."
	}
	f, told, err := files.Locate(ctx, t.ws, call, args.Path)
	if err != nil {
		return tools.Action{}, err
	}
	return tools.Action{
		Effects:   []tools.Effect{files.Effect(tools.Read, f)},
		Locks:     []tools.Lock{{Resource: f.Path, Shared: true}},
		Activity:  "Listing " + files.Shown(f.Rel),
		Locations: []tools.Location{{Path: f.Path}},
		Run: func(ctx context.Context, _ tools.Progress) (tools.Result, error) {
			if err := files.Still(t.ws, f); err != nil {
				return tools.Result{}, err
			}
			res, err := listing(ctx, args, f, call)
			return files.Telling(told, res, err)
		},
	}, nil
}

// listing names the entries of a folder, folders with a slash.
func listing(ctx context.Context, args listArgs, f workspace.File, call tools.Call) (tools.Result, error) {
	name := files.Shown(f.Rel)
	info, err := os.Stat(f.Path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r := files.Missing(call, f)
		r.Text = strings.Replace(r.Text, "There is no file ", "There is no folder ", 1)
		return tools.Result{}, r
	case err == nil && !info.IsDir():
		return tools.Result{}, tools.Fail(fmt.Sprintf("%s is no folder but %s; use read.", name, strings.Replace(kindOf(info.Mode()), "no regular file", "a file", 1)))
	}
	entries, left, err := entriesOf(ctx, f.Path)
	if err != nil {
		if ctx.Err() != nil {
			return tools.Result{}, ctx.Err()
		}
		return tools.Result{}, tools.Fail(fmt.Sprintf("The folder %s cannot be listed: %v.", name, err))
	}
	hidden := 0
	if !args.Hidden {
		shown := entries[:0:0]
		for _, e := range entries {
			if strings.HasPrefix(e.Name(), ".") {
				hidden++
				continue
			}
			shown = append(shown, e)
		}
		entries = shown
	}
	return page(args, f, call, entries, hidden, left)
}

// entriesOf are the entries sorted by name; left: there are more.
func entriesOf(ctx context.Context, dir string) (entries []fs.DirEntry, left bool, err error) {
	d, err := os.Open(dir)
	if err != nil {
		return nil, false, err
	}
	defer d.Close()
	for len(entries) < mostEntries {
		some, err := d.ReadDir(4096)
		entries = append(entries, some...)
		if ctx.Err() != nil {
			return nil, false, ctx.Err()
		}
		if err != nil || len(some) == 0 {
			sort.Slice(entries, func(i, j int) bool { return entries[i].Name() < entries[j].Name() })
			if len(entries) == 0 && err != nil && !errors.Is(err, io.EOF) {
				return nil, false, err
			}
			return entries, false, nil
		}
	}
	sort.Slice(entries, func(i, j int) bool { return entries[i].Name() < entries[j].Name() })
	return entries, true, nil
}

func page(args listArgs, f workspace.File, call tools.Call, entries []fs.DirEntry, hidden int, left bool) (tools.Result, error) {
	name := files.Shown(f.Rel)
	first := max(args.Offset, 1)
	limit := args.Limit
	if limit <= 0 || limit > listEntries {
		limit = listEntries
	}
	if first > max(len(entries), 1) {
		return tools.Result{}, tools.Fail(fmt.Sprintf("%s has %d entries; offset %d is past the last.", name, len(entries), first))
	}
	var b strings.Builder
	count := fmt.Sprintf("%d entries", len(entries))
	if len(entries) == 1 {
		count = "1 entry"
	}
	if hidden > 0 {
		count += fmt.Sprintf(" and %d hidden", hidden)
	}
	fmt.Fprintf(&b, "Folder %s, %s:\n", name, count)
	ignored := ignoredIn(f, call)
	last := first - 1
	for last < len(entries) && last < first-1+limit && b.Len() < readBytes {
		b.WriteString(entry(f.Path, entries[last], ignored))
		last++
	}
	if last < len(entries) {
		fmt.Fprintf(&b, "(Entries %d to %d of %d. Go on with offset %d.)\n", first, last, len(entries), last+1)
	}
	if left {
		fmt.Fprintf(&b, "(The folder has more than the %d entries that were read; use glob for some of them.)\n", mostEntries)
	}
	return tools.Result{Outcome: tools.OK, Text: b.String(), Display: fmt.Sprintf("Listed %s, %s", name, count)}, nil
}

// entry is one line of a listing.
func entry(dir string, e fs.DirEntry, ignored func(name string, folder bool) bool) string {
	name := files.Shown(e.Name())
	words := ""
	switch m := e.Type(); {
	case m.IsDir():
		name += "/"
	case m&fs.ModeSymlink != 0:
		path := filepath.Join(dir, e.Name())
		target, err := os.Readlink(path)
		if err != nil {
			target = "?"
		}
		words = " -> " + files.Shown(target)
		if info, err := os.Stat(path); err != nil {
			words += " (leads to nothing)"
		} else if info.IsDir() {
			words += "/"
		}
	case m.IsRegular():
		if info, err := e.Info(); err == nil {
			words = fmt.Sprintf("  %d bytes", info.Size())
		}
	default:
		words = fmt.Sprintf("  (%s)", strings.TrimPrefix(kindOf(m), "a "))
	}
	if ignored(e.Name(), e.IsDir()) {
		words += "  (ignored)"
	}
	return name + words + "\n"
}

// ignoredIn tells what git ignores of a folder.
func ignoredIn(f workspace.File, call tools.Call) func(name string, folder bool) bool {
	top := ""
	if len(call.Roots) > 0 {
		top = call.Roots[0]
	}
	tree := walk.Open(f.Path, walk.Options{Hidden: true, Top: top})
	return func(name string, folder bool) bool {
		if name == ".git" || tree.All() {
			return false
		}
		if folder {
			name += "/\u2060" // a file that no rule is about
		}
		return fs.ValidPath(name) && !tree.Visible(name)
	}
}
