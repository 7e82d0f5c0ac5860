package app

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"companion/agent/model"
	"companion/internal/app/models"
	"companion/tools"
)

var update = flag.Bool("update", false, "rewrite the generated parts of docs/")

// TestGeneratedDocumentsAreInStep holds docs/tools.md to the registry and
// docs/models.md to the table of providers.
func TestGeneratedDocumentsAreInStep(t *testing.T) {
	for name, want := range map[string]string{"tools.md": toolsDoc(t), "models.md": modelsDoc()} {
		inStep(t, "../../docs/"+name, want)
	}
}

func inStep(t *testing.T, name, generated string) {
	t.Helper()
	const begin, end = "<!-- generated: go test ./internal/app -update -->\n", "<!-- end -->"
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(data), begin)
	_, foot, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s lacks its marks", name)
	}
	want := head + begin + generated + end + foot
	if want == string(data) {
		return
	}
	if !*update {
		t.Fatalf("%s is out of step: run go test ./internal/app -update", name)
	}
	if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}

func toolsDoc(t *testing.T) string {
	t.Helper()
	var b bytes.Buffer
	for _, s := range registry(t).Specs() {
		fmt.Fprintf(&b, "### `%s` (%s)\n\n%s\n\n```json\n%s\n```\n\n", s.Full(), traits(s), strings.TrimSpace(s.Description), s.Input)
	}
	return b.String()
}

// traits are what the policy, the router and displays read of a tool.
func traits(s tools.Spec) string {
	out := []string{"changes things"}
	if s.ReadOnly {
		out[0] = "read-only"
	}
	for _, t := range []struct {
		word string
		has  bool
	}{
		{string(s.Exposure), s.Exposure != "" && s.Exposure != tools.Direct},
		{string(s.Form), s.Form != "" && s.Form != tools.Function},
		{"destructive", s.Destructive},
		{"open world", s.OpenWorld},
		{"finishes when stopped", s.Finish},
		{"folded", s.Folded},
		{"always shown", s.AlwaysShown},
		{"for models that see", s.Sees},
		{"asks the user", s.AsksUser},
		{"serves " + s.Serves, s.Serves != ""},
		{"once called " + strings.Join(s.Aliases, ", "), len(s.Aliases) > 0},
	} {
		if t.has {
			out = append(out, t.word)
		}
	}
	return strings.Join(out, ", ")
}

func modelsDoc() string {
	var b bytes.Buffer
	b.WriteString("| provider | key | base URL | default model | where that name comes from |\n| --- | --- | --- | --- | --- |\n")
	for _, v := range models.Vendors() {
		name, source := model.DefaultModel(v.Name)
		if name == "" {
			name, source = "none: name one", "the server's own list"
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | `%s` | %s | %s |\n", v.Name, v.KeyEnv, v.URLEnv, name, source)
	}
	return b.String()
}
