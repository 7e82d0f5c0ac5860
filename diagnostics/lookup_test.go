package diagnostics

import (
	"slices"
	"strings"
	"testing"
	"time"

	"companion/text"
	"companion/tools"
)

// looked is what the lookups of a real server are asked about: the symbol
// double, called once in another file.
type looked struct {
	server, file, user string
	files              map[string]string
	at                 text.Position // of the symbol, in file
}

func lookups() []looked {
	return []looked{
		{"gopls", "lib.go", "main.go", map[string]string{
			"go.mod":  "module example.com/m\n\ngo 1.24\n",
			"lib.go":  "package main\n\nfunc double(n int) int {\nreturn 2   * n\n}\n",
			"main.go": "package main\n\nfunc main() {\n\tprintln(double(2))\n}\n",
		}, text.Position{Line: 2, Character: 5}},
		{"typescript-language-server", "lib.ts", "main.ts", map[string]string{
			"tsconfig.json": `{"compilerOptions":{"strict":true,"module":"esnext","target":"es2022","types":[]},"include":["*.ts"]}`,
			"lib.ts":        "export function double(n: number): number {\nreturn 2   * n;\n}\n",
			"main.ts":       "import { double } from \"./lib\";\n\nexport function main(): number {\n  return double(2);\n}\n",
		}, text.Position{Line: 0, Character: 16}},
	}
}

func TestServersFindCallersAndSymbolsRenameAndFormat(t *testing.T) {
	for _, c := range lookups() {
		t.Run(c.server, func(t *testing.T) {
			need(t, c.server)
			ws, at := project(t, c.files)
			s := start(t, Options{Workspace: ws, Env: env(t), Bounds: Bounds{Query: 2 * time.Minute}}) // a cold tsserver takes its time
			for _, name := range []string{c.user, c.file} {
				if rep, _, err := s.Diagnostics(t.Context(), []string{at(name)}, tools.Warning); err != nil || rep.Status != tools.Complete {
					t.Fatalf("%s: %+v %v", name, rep, err)
				}
			}
			callers, err := s.Locations(t.Context(), "callers", at(c.file), c.at)
			if err != nil || !slices.ContainsFunc(callers, func(x tools.Symbol) bool { return x.Name == "main" && x.Path == at(c.user) && x.Range.Start.Line == 3 }) {
				t.Errorf("callers: %+v %v", callers, err)
			}
			for _, path := range []string{at(c.file), ""} {
				found, err := s.Find(t.Context(), "double", path)
				if err != nil || !slices.ContainsFunc(found, func(x tools.Symbol) bool {
					return strings.HasPrefix(x.Name, "double") && x.Path == at(c.file) && x.Range.Start.Line == c.at.Line
				}) {
					t.Errorf("symbols by %q: %+v %v", path, found, err)
				}
			}
			edits, err := s.Rename(t.Context(), at(c.file), c.at, "twice")
			if err != nil || len(edits) != 2 {
				t.Fatalf("rename: %+v %v", edits, err)
			}
			for _, e := range edits {
				if after := applied(t, s, e); !strings.Contains(after, "twice") || strings.Contains(after, "double(") {
					t.Errorf("%s after the rename:\n%s", e.Path, after)
				}
			}
			if _, err := s.Rename(t.Context(), at(c.file), text.Position{Line: 1, Character: 1}, "twice"); err == nil {
				t.Error("a keyword was renamed")
			}
			edits, err = s.Format(t.Context(), at(c.file))
			if err != nil || len(edits) != 1 || strings.Contains(applied(t, s, edits[0]), "2   *") {
				t.Errorf("format: %+v %v", edits, err)
			}
			if edits, err = s.Format(t.Context(), at(c.user)); err != nil || len(edits) > 0 {
				t.Errorf("format of what is formatted: %+v %v", edits, err)
			}
		})
	}
}

// applied is what an edit makes of the present text.
func applied(t *testing.T, s *Service, e tools.FileEdit) string {
	t.Helper()
	snap, err := s.ws.Read(t.Context(), e.Path)
	if err != nil {
		t.Fatal(err)
	}
	byOffset, err := text.ByOffset(text.NewIndex(snap.Text), e.Edits, text.UTF16)
	if err != nil {
		t.Fatal(err)
	}
	out, err := text.Apply(snap.Text, byOffset)
	if err != nil {
		t.Fatal(err)
	}
	return out
}
