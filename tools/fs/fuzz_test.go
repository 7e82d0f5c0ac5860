package fs

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"companion/text"
	"companion/tools"
	"companion/workspace"
)

// FuzzRead: any bytes at any offset and limit give what a slow reader gives, or are
// named; a call never ends a turn.
func FuzzRead(f *testing.F) {
	f.Add([]byte("a\r\nb\rc\n"), 2, 1, 0)
	f.Add([]byte("caf\xe9\n"), 1, 0, 2)
	f.Add([]byte("\xFF\xFEa\x00\n\x00b\x00"), 2, 9, 0)
	f.Add([]byte("a\x00b\x00\n\x00"), 0, 0, 0)
	f.Add([]byte("%PDF-1.4\n"), 0, 0, 0)
	f.Add([]byte("\x89PNG\r\n\x1a\n"), 0, 0, 0)
	f.Add([]byte(strings.Repeat("é", 2100)+"\nz"), 1, 2, 2001)
	f.Fuzz(func(t *testing.T, content []byte, offset, limit, column int) {
		offset, limit, column = max(offset, 0), min(max(limit, 0), readLines), min(max(column, 0), 1<<30)
		root := t.TempDir()
		if err := os.WriteFile(filepath.Join(root, "f"), content, 0o644); err != nil {
			t.Fatal(err)
		}
		ws, err := workspace.New(workspace.Options{Roots: []string{root}})
		if err != nil {
			t.Fatal(err)
		}
		raw, _ := json.Marshal(readArgs{Path: "f", Offset: offset, Limit: limit, Column: column})
		action, err := Read(ws, nil).Prepare(context.Background(), tools.Call{Roots: []string{root}, Args: raw})
		if err != nil {
			t.Fatal(err)
		}
		res, err := action.Run(context.Background(), nil)
		var refusal *tools.Refusal
		if err != nil && !errors.As(err, &refusal) {
			t.Fatal(err)
		}
		if refusal != nil && (refusal.Text == "" || len(refusal.Text) > 500) {
			t.Fatalf("a refusal of %d bytes", len(refusal.Text))
		}
		if len(res.Text) > readBytes+200 {
			t.Fatalf("%d bytes", len(res.Text))
		}
		decoded, format, err := text.Decode(content)
		if err != nil || refusal != nil || format.Charset != text.CharsetUTF8 || strings.HasPrefix(res.Text, "(The text of a PDF") {
			return
		}
		if got, want := res.Text, slowly(decoded, offset, limit, column); !strings.HasPrefix(got, want) {
			t.Fatalf("got %.300q, want %.300q", got, want)
		}
	})
}

// slowly is the asked lines of a text, numbered and cut, without the words about
// how to go on.
func slowly(s string, offset, limit, column int) string {
	list := strings.Split(strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n"), "\n")
	if list[len(list)-1] == "" {
		list = list[:len(list)-1]
	}
	if len(list) == 0 {
		return "(The file is empty.)\n"
	}
	first := max(offset, 1)
	if column > 1 {
		rest := string([]rune(list[first-1])[column-1:])
		return fmt.Sprintf("%d\t%s", first, rest[:min(len(rest), readBytes/2)])
	}
	if limit == 0 {
		limit = readLines
	}
	var b strings.Builder
	for n := first; n <= len(list) && n < first+limit; n++ {
		line := []rune(list[n-1])
		part := fmt.Sprintf("%d\t%s", n, string(line[:min(len(line), lineChars)]))
		if b.Len()+len(part) > readBytes-200 {
			break
		}
		b.WriteString(part)
		if len(line) > lineChars {
			break // the words that follow are not the point here
		}
		b.WriteByte('\n')
	}
	return b.String()
}
