package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestBreakingTypeScriptIsSeeded(t *testing.T) {
	var before string
	for range 2 {
		dir := t.TempDir()
		if err := os.MkdirAll(filepath.Join(dir, "src", "core"), 0o755); err != nil {
			t.Fatal(err)
		}
		src := "import {\n\tdie,\n\teach\n} from \"../x\"\n\nexport function f(a: any) {\n\tdie(1)\n\tlatest(a)\n\tconst b = a\n\treturn b\n}\n"
		for _, name := range []string{"a.ts", "b.ts", "c.ts", "d.ts"} {
			if err := os.WriteFile(filepath.Join(dir, "src", "core", name), []byte(src), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		done, err := breakTS(dir, 3)
		if err != nil {
			t.Fatal(err)
		}
		if len(done) != len(tsBreakages()) {
			t.Fatalf("one of each kind: %v", done)
		}
		all := ""
		for _, b := range done {
			data, err := os.ReadFile(b.file)
			if err != nil {
				t.Fatal(err)
			}
			if string(data) == src {
				t.Errorf("%s left its file whole", b.kind)
			}
			all += filepath.Base(b.file) + string(data)
		}
		if before != "" && before != all {
			t.Error("one seed, one breakage")
		}
		before = all
	}
}
