package app

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"companion/tools"
	"companion/tools/router"
)

// Odd calls that public agents were seen to answer in their ways
// (testdata/robustness.json), through our stages and tools, with the right
// answer beside each.
func TestOddCallsAreAnsweredRight(t *testing.T) {
	data, err := os.ReadFile("testdata/robustness.json")
	if err != nil {
		t.Fatal(err)
	}
	var table struct {
		Rules json.RawMessage
		Files map[string]string
		Rows  []struct {
			Title, Name, Peer string
			Args              json.RawMessage
			Raw               string // arguments that are no JSON, cut off
			First             []struct {
				Name string
				Args json.RawMessage
			}
			Outcome   tools.Outcome
			Says      []string
			Unsaid    []string
			Untouched string // a file that must stay as it was
		}
	}
	if err := json.Unmarshal(data, &table); err != nil {
		t.Fatal(err)
	}
	for _, row := range table.Rows {
		t.Run(row.Title, func(t *testing.T) {
			c := withSettings(t, `{"permissions":{"rules":`+string(table.Rules)+`}}`)
			root := c.ws.Roots()[0]
			for name, content := range table.Files {
				if n, long := strings.CutPrefix(content, "x*"); long {
					content = strings.Repeat("x", len(n)*1_000) + "\nshort\n"
				}
				path := filepath.Join(root, name)
				if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
					t.Fatal(err)
				}
			}
			in := c.scene("t")
			in.Mode = tools.ModeFull
			var cache router.Cache
			box := cache.Box(c.reg, in, nil, nil)
			call := func(id, name, raw string, cut bool) tools.Result {
				res, err := (*c.pipeline.Load())(t.Context(), &tools.Invocation{Box: box, Call: tools.Call{
					Thread: "t", Turn: "u", ID: id, Mode: in.Mode, Roots: []string{root}, Name: name, Raw: json.RawMessage(raw), Cut: cut,
				}})
				if err != nil {
					t.Fatalf("the turn ended: %v", err)
				}
				return res
			}
			for _, f := range row.First {
				call("c0", f.Name, string(f.Args), false)
			}
			raw, cut := string(row.Args), row.Raw != ""
			if cut {
				raw = row.Raw
			}
			res := call("c1", row.Name, raw, cut)
			if res.Outcome != row.Outcome {
				t.Errorf("%s, want %s: %s", res.Outcome, row.Outcome, res.Text)
			}
			for _, words := range row.Says {
				if !strings.Contains(res.Text, words) {
					t.Errorf("the answer lacks %q: %.600s", words, res.Text)
				}
			}
			for _, words := range row.Unsaid {
				if strings.Contains(res.Text, words) {
					t.Errorf("the answer has %q: %.600s", words, res.Text)
				}
			}
			if row.Untouched != "" {
				now, err := os.ReadFile(filepath.Join(root, row.Untouched))
				if err != nil || string(now) != table.Files[row.Untouched] {
					t.Errorf("%s is now %q, %v", row.Untouched, now, err)
				}
			}
		})
	}
}
