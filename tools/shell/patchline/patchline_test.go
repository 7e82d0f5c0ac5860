package patchline

import "testing"

func TestPatchesInLinesAreFound(t *testing.T) {
	const p = "*** Begin Patch\n*** Add File: a\n+$HOME `x` \\n \"q\"\n*** End Patch\n"
	for name, c := range map[string]struct{ line, dir, patch string }{
		"quoted":        {"apply_patch <<'EOF'\n" + p + "EOF\n", "", p},
		"double quoted": {"apply_patch << \"PATCH\"\n" + p + "PATCH", "", p},
		"not quoted":    {"apply_patch <<EOF\n" + p + "EOF", "", p},
		"old name":      {"applypatch <<'EOF'\n" + p + "EOF", "", p},
		"behind cd":     {"cd sub/x && apply_patch <<'EOF'\n" + p + "EOF", "sub/x", p},
		"cd, quoted":    {"cd 'a b' && apply_patch <<'EOF'\n" + p + "EOF", "a b", p},
		"piped":         {"cat <<'EOF' | apply_patch\n" + p + "EOF", "", p},
		"cd and piped":  {"cd d && cat <<'EOF' | apply_patch\n" + p + "EOF", "d", p},
		"tabs stripped": {"apply_patch <<-'EOF'\n\t*** Begin Patch\n\t*** End Patch\n\tEOF", "", "*** Begin Patch\n*** End Patch\n"},
		"an argument":   {"apply_patch '" + p + "'", "", p},
		"in quotes":     {"apply_patch \"*** Begin Patch\n+\\$x \\\"y\\\"\n*** End Patch\"", "", "*** Begin Patch\n+$x \"y\"\n*** End Patch"},
		"a here-string": {"apply_patch <<< '" + p + "'", "", p},
	} {
		dir, patch, ok := Find(c.line)
		if !ok || dir != c.dir || patch != c.patch {
			t.Errorf("%s: %q %q %v", name, dir, patch, ok)
		}
	}
	for name, line := range map[string]string{
		"more after":                 "apply_patch <<'EOF'\n" + p + "EOF\nrm x",
		"more before":                "rm x && apply_patch <<'EOF'\n" + p + "EOF",
		"and more":                   "cd x && apply_patch <<'EOF' && go build\n" + p + "EOF",
		"behind a ;":                 "cd x; apply_patch <<'EOF'\n" + p + "EOF",
		"in the background":          "apply_patch <<'EOF' &\n" + p + "EOF",
		"negated":                    "! apply_patch <<'EOF'\n" + p + "EOF",
		"output kept":                "apply_patch <<'EOF' > out\n" + p + "EOF",
		"with a variable":            "X=1 apply_patch <<'EOF'\n" + p + "EOF",
		"a folder that is not known": "cd $X && apply_patch <<'EOF'\n" + p + "EOF",
		"home":                       "cd ~/x && apply_patch <<'EOF'\n" + p + "EOF",
		"a file":                     "apply_patch < p.diff",
		"help":                       "apply_patch --help",
		"in a word":                  "echo apply_patch",
		"a substitution":             "apply_patch \"$(cat p)\"",
		"not a line":                 "apply_patch <<'EOF' (",
	} {
		if dir, patch, ok := Find(line); ok {
			t.Errorf("%s: %q %q", name, dir, patch)
		}
	}
}
