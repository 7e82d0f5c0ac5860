package files

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"companion/tools"
	"companion/workspace"
)

// mostEntries bounds how many entries of one folder are compared with a name.
const mostEntries = 50_000

// Locate is Resolve for a file that should be there. Where nothing has the very
// name, and one name alone looks the same (accents composed otherwise, another
// kind of blank, hyphen or quotation mark, invisible characters), that file is
// meant: told is a sentence that says so, or that a link leads to nothing, else
// "". Where several look the same it
// is a *tools.Refusal that lists them with what tells them apart. A file that is
// not there at all is no error.
func Locate(ctx context.Context, ws *workspace.Workspace, call tools.Call, path string) (f workspace.File, told string, err error) {
	f, err = Resolve(ws, call, path)
	if err != nil || there(ws, f) || strings.Contains(f.Path, "://") || ctx.Err() != nil {
		return f, "", err
	}
	found, several := alike(f.Path)
	if len(several) > 0 {
		return f, "", tools.Fail(fmt.Sprintf("There is no file %s, but several whose names look the same: %s. Write the name with the characters of the one that is meant.",
			Shown(f.Rel), strings.Join(several, "; ")))
	}
	if found == "" {
		return f, dangling(ws, call, path), nil
	}
	other, err := ws.Resolve(found)
	if err != nil {
		return f, "", nil
	}
	return other, fmt.Sprintf("There is no file %s; this is %s, whose name looks the same but is written otherwise: %s.", Shown(f.Rel), Shown(other.Rel), codePoints(f.Rel, other.Rel)), nil
}

// Telling puts what Locate told of a name before what came of the call.
func Telling(told string, res tools.Result, err error) (tools.Result, error) {
	var r *tools.Refusal
	switch {
	case told == "":
	case errors.As(err, &r):
		return res, &tools.Refusal{Outcome: r.Outcome, Text: told + " " + r.Text}
	case err == nil:
		res.Text = "(" + told + ")\n" + res.Text
	}
	return res, err
}

// dangling says what a link leads to where nothing is.
func dangling(ws *workspace.Workspace, call tools.Call, path string) string {
	if !filepath.IsAbs(path) && len(call.Roots) > 0 {
		path = filepath.Join(call.Roots[0], path)
	}
	target, err := os.Readlink(path)
	if err != nil {
		return ""
	}
	name := path
	if f, err := ws.Resolve(filepath.Dir(path)); err == nil {
		name = filepath.ToSlash(filepath.Join(f.Rel, filepath.Base(path)))
	}
	return fmt.Sprintf("%s is a symbolic link to %s, where nothing is.", Shown(name), Shown(target))
}

// Still tells that f lies where it did when it was named: a part of its path that
// became a link since would lead elsewhere, past what was allowed. The error is a
// *tools.Refusal.
func Still(ws *workspace.Workspace, f workspace.File) error {
	if now, err := ws.Resolve(f.Path); err == nil && now.Path != f.Path && !strings.Contains(f.Path, "://") {
		return tools.Fail(fmt.Sprintf("Not done: %s leads to %s by now. Name the file anew.", Shown(f.Rel), Shown(now.Path)))
	}
	return nil
}

func there(ws *workspace.Workspace, f workspace.File) bool {
	if _, open := ws.Document(f.URI); open {
		return true
	}
	_, err := os.Lstat(f.Path)
	return err == nil || !os.IsNotExist(err)
}

// alike finds the path that looks as path does; several are the candidates where
// one part of it has more than one.
func alike(path string) (found string, several []string) {
	vol := filepath.VolumeName(path)
	sep := string(filepath.Separator)
	at := vol + sep
	parts := strings.Split(strings.Trim(path[len(vol):], sep), sep)
	for _, part := range parts {
		next := filepath.Join(at, part)
		if _, err := os.Lstat(next); err == nil {
			at = next
			continue
		}
		same := lookalikes(at, part)
		if len(same) == 0 {
			return "", nil
		}
		if len(same) > 1 {
			for _, n := range same {
				several = append(several, fmt.Sprintf("%s (%s)", Shown(n), codePoints(part, n)))
			}
			return "", several
		}
		at = filepath.Join(at, same[0])
	}
	return at, nil
}

func lookalikes(dir, name string) []string {
	d, err := os.Open(dir)
	if err != nil {
		return nil
	}
	defer d.Close()
	list, _ := d.Readdirnames(mostEntries) // what cannot be read has no names
	want := looks(name)
	var out []string
	for _, n := range list {
		if looks(n) == want {
			out = append(out, n)
		}
	}
	slices.Sort(out)
	return out
}

// looks is one spelling of the names that a reader cannot tell apart.
func looks(name string) string {
	if !strings.ContainsFunc(name, func(r rune) bool { return r >= utf8.RuneSelf }) {
		return name
	}
	name = norm.NFC.String(name)
	return strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Zs, r):
			return ' '
		case unicode.Is(unicode.Cf, r) || unicode.Is(unicode.Variation_Selector, r):
			return -1
		case r >= '\u2010' && r <= '\u2015' || r == '\u2212' || r == '\uFE63' || r == '\uFF0D':
			return '-'
		case strings.ContainsRune("\u2018\u2019\u201B\u02BC\u2032", r):
			return '\''
		case strings.ContainsRune("\u201C\u201D\u201F\u2033", r):
			return '"'
		}
		return r
	}, name)
}

// codePoints names the first characters by which two names differ.
func codePoints(asked, have string) string {
	a, h := []rune(asked), []rune(have)
	i := 0
	for i < len(a) && i < len(h) && a[i] == h[i] {
		i++
	}
	name := func(r []rune) string {
		r = r[min(i, len(r)):]
		out := make([]string, 0, 3)
		for _, c := range r[:min(2, len(r))] {
			out = append(out, fmt.Sprintf("U+%04X", c))
		}
		if len(out) == 0 {
			return "nothing"
		}
		return strings.Join(out, " ")
	}
	return fmt.Sprintf("it has %s where %s was asked for, at character %d", name(h), name(a), i+1)
}

// Shown is a name as it can stand in a line: one with control characters is
// quoted as in Go.
func Shown(name string) string {
	if strings.ContainsFunc(name, unicode.IsControl) || strings.ContainsRune(name, '\u2028') || strings.ContainsRune(name, '\u2029') {
		return strconv.Quote(name)
	}
	return name
}
