package archtest

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestTheArchitectureDocumentNamesEveryPackage(t *testing.T) {
	doc, err := os.ReadFile(filepath.Join(top(t), "docs", "architecture.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, p := range packages(t) {
		if !strings.Contains(string(doc), "`"+p.path+"`") {
			t.Errorf("docs/architecture.md does not name %s", p.path)
		}
	}
}

func TestEveryPackageSaysWhatItNeverDoes(t *testing.T) {
	for _, p := range packages(t) {
		said := false
		for _, f := range p.files {
			if f.ast.Doc != nil && strings.Contains(f.ast.Doc.Text(), "Never:") {
				said = true
			}
		}
		if !said {
			t.Errorf("%s: no package comment with a line \"Never: …\"", p.path)
		}
	}
}
