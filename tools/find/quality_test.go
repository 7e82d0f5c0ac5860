package find

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"companion/tools"
)

// corpus reads the tools of real MCP servers that internal/mcpdump wrote down.
func corpus(t testing.TB) []tools.Spec {
	t.Helper()
	files, err := filepath.Glob("testdata/corpus/*.json")
	if err != nil {
		t.Fatal(err)
	}
	var out []tools.Spec
	for _, f := range files {
		raw, err := os.ReadFile(f)
		if err != nil {
			t.Fatal(err)
		}
		var c struct {
			Namespace, Instructions string
			Tools                   []struct {
				Name, Title, Description string
				InputSchema              json.RawMessage
			}
		}
		if err := json.Unmarshal(raw, &c); err != nil {
			t.Fatalf("%s: %v", f, err)
		}
		for _, x := range c.Tools {
			out = append(out, tools.Spec{
				Namespace: c.Namespace, NamespaceText: c.Instructions, Name: x.Name, Title: x.Title, Description: x.Description,
				Input: x.InputSchema, Exposure: tools.Deferred, Source: tools.MCP,
			})
		}
	}
	slices.SortFunc(out, func(a, b tools.Spec) int { return strings.Compare(a.Full(), b.Full()) })
	return out
}

// labelled is one line of a table of testdata.
type labelled struct {
	set, text string
	fits      []string // none = nothing fits
}

func table(t testing.TB, name string, sets ...string) []labelled {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	var out []labelled
	for line := range strings.Lines(string(raw)) {
		part := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if len(part) == 3 && slices.Contains(sets, part[0]) && part[2] != "none" {
			out = append(out, labelled{part[0], part[1], strings.Fields(part[2])})
		}
	}
	return out
}

// recall is the share of queries of which one fitting tool is among the first n,
// and the queries where none is.
func recall(ix *Index, queries []labelled, n int) (share float64, missed []labelled) {
	for _, q := range queries {
		if !slices.ContainsFunc(ix.Search(q.text, n), func(h Hit) bool { return slices.Contains(q.fits, h.Spec.Full()) }) {
			missed = append(missed, q)
		}
	}
	return 1 - float64(len(missed))/float64(len(queries)), missed
}
