package config

import (
	"flag"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "rewrite the generated part of docs/settings.md")

// TestSettingsDocumentIsInStep holds docs/settings.md to the struct.
func TestSettingsDocumentIsInStep(t *testing.T) {
	const name, begin, end = "../docs/settings.md", "<!-- generated: go test ./config -update -->\n", "<!-- end -->"
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	head, rest, ok := strings.Cut(string(data), begin)
	_, foot, ok2 := strings.Cut(rest, end)
	if !ok || !ok2 {
		t.Fatalf("%s lacks its marks", name)
	}
	want := head + begin + Markdown() + end + foot
	if want == string(data) {
		return
	}
	if !*update {
		t.Fatalf("%s is out of step: run go test ./config -update", name)
	}
	if err := os.WriteFile(name, []byte(want), 0o644); err != nil {
		t.Fatal(err)
	}
}
