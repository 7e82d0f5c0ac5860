package syntax

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"
)

// brief writes a patch in one line, for comparisons.
func brief(p *Patch) string {
	var b strings.Builder
	for _, s := range p.Sections {
		b.WriteString(string(s.Kind) + " " + s.Path)
		if s.To != "" {
			b.WriteString(" to " + s.To)
		}
		if s.Kind == Add {
			b.WriteString(" [" + strings.Join(s.Lines, "|") + "]")
		}
		if s.Bare {
			b.WriteString(" bare")
		}
		for _, h := range s.Hunks {
			b.WriteString(" {")
			for _, a := range h.Anchors {
				b.WriteString("@" + a + "@")
			}
			for _, l := range h.Lines {
				b.WriteString(string(l.Op) + l.Text + "|")
			}
			if h.EOF {
				b.WriteString("EOF")
			}
			b.WriteString("}")
		}
		b.WriteString("; ")
	}
	return strings.TrimSpace(b.String())
}

const small = "*** Begin Patch\n*** Update File: a.go\n@@ func f\n x\n-y\n+z\n*** End Patch\n"

const smallBrief = "update a.go {@func f@ x|-y|+z|};"

func quoted(s string) string {
	b, _ := json.Marshal(s)
	return string(b)
}

func TestPatchesAreReadAsModelsWriteThem(t *testing.T) {
	indented := "    " + strings.ReplaceAll(strings.TrimSuffix(small, "\n"), "\n", "\n    ") + "\n"
	for name, c := range map[string]struct{ in, want, healed string }{
		"as it should be":        {small, smallBrief, ""},
		"no end of line":         {strings.TrimSuffix(small, "\n"), smallBrief, ""},
		"CRLF":                   {strings.ReplaceAll(small, "\n", "\r\n"), smallBrief, ""},
		"a byte order mark":      {"\ufeff" + small, smallBrief, ""},
		"heredoc":                {"apply_patch <<'EOF'\n" + small + "EOF\n", smallBrief, "heredoc"},
		"bare heredoc":           {"<<EOF\n" + small + "EOF", smallBrief, "heredoc"},
		"cat heredoc":            {"cat <<\"PATCH\" | apply_patch\n" + small + "PATCH\n", smallBrief, "heredoc"},
		"fence":                  {"```diff\n" + small + "```\n", smallBrief, "fence"},
		"prose around":           {"Here it is:\n\n" + small + "\nDone.\n", smallBrief, "text before"},
		"JSON object":            {`{"input": ` + quoted(small) + `}`, smallBrief, "JSON"},
		"JSON command":           {`{"command":["apply_patch",` + quoted(small) + `]}`, smallBrief, "JSON"},
		"JSON string":            {quoted(small), smallBrief, "JSON"},
		"JSON cut off":           {`{"input": ` + strings.TrimSuffix(quoted(small), `"`), smallBrief, "JSON"},
		"a heredoc in JSON":      {`{"input":` + quoted("apply_patch <<'X'\n"+small+"X\n") + "}", smallBrief, "heredoc"},
		"HB-114 indented":        {indented, smallBrief, ""},
		"HB-114 blanks after":    {strings.TrimSuffix(small, "\n") + "  \n\n  \n", smallBrief, ""},
		"only Begin indented":    {" " + small, smallBrief, ""},
		"only the header":        {strings.Replace(small, "*** Update", "  *** Update", 1), smallBrief, ""},
		"only End indented":      {strings.Replace(small, "*** End", "  *** End", 1), smallBrief, ""},
		"no Begin":               {strings.TrimPrefix(small, "*** Begin Patch\n"), smallBrief, `"*** Begin Patch" was missing`},
		"half an End":            {strings.TrimSuffix(small, "atch\n"), smallBrief, ""},
		"heredoc, no End":        {"<<EOF\n" + strings.TrimSuffix(small, "*** End Patch\n") + "EOF\n", smallBrief, "heredoc"},
		"case and spaces":        {"***  begin patch\n***update file:  `a.go` \n@@ func f @@\n x\n-y\n+z\n*** end patch", smallBrief, ""},
		"headers of diff":        {"*** Begin Patch\n*** Update File: a.go\n--- a/a.go\n+++ b/a.go\n@@ -1,2 +1,2 @@ func f\n x\n-y\n+z\n*** End Patch", smallBrief, "line numbers"},
		"HB-114 no space before": {"*** Begin Patch\n*** Update File: a.go\n@@ func f\nx\n-y\n+z\n*** End Patch", smallBrief, "no space"},
		"no @@ at first":         {"*** Begin Patch\n*** Update File: a\n-y\n+z\n*** End Patch", "update a {-y|+z|};", ""},
		"nested anchors":         {"*** Begin Patch\n*** Update File: a\n@@ class A\n@@\n@@   def f\n-y\n+z\n*** End Patch", "update a {@class A@@  def f@-y|+z|};", ""},
		"two patches":            {small + small, smallBrief + " " + smallBrief, "joined"},
		"end of file":            {"*** Begin Patch\n*** Update File: a\n@@\n-y\n+z\n*** End of File\n@@\n+q\n*** End Patch", "update a {-y|+z|EOF} {+q|};", ""},
		"move":                   {"*** Begin Patch\n*** Update File: a\n*** Move to: b c\n*** End Patch", "update a to b c;", ""},
		"add, delete":            {"*** Begin Patch\n*** Add File: a\n+x\n+\n++y\n\n*** Delete File: b\n*** Add File: c\n*** End Patch", "add a [x||+y]; delete b; add c [];", ""},
		"add without plus":       {"*** Begin Patch\n*** Add File: a\n+x\ny\n\n+z\n*** End Patch", "add a [x|y||z];", "had no +"},
		"no newline":             {"*** Begin Patch\n*** Add File: a\n+x\n\\ No newline at end of file\n*** End Patch", "add a [x] bare;", ""},
		"marks as content":       {"*** Begin Patch\n*** Update File: a\n@@\n *** Begin Patch\n-*** End Patch\n+*** End of File\n *** End Patch\n x\n*** End Patch", "update a { *** Begin Patch|-*** End Patch|+*** End of File| *** End Patch| x|};", ""},
		"a fence as content":     {"```\n*** Begin Patch\n*** Update File: a.md\n@@\n-x\n```\n+y\n*** End Patch\n```", "update a.md {-x| ```|+y|};", "fence"},
		"a hunk of nothing":      {"*** Begin Patch\n*** Update File: a\n@@\n\n@@\n-y\n*** End Patch", "update a {-y|};", "changes nothing"},
	} {
		p, err := Parse(c.in)
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if got := brief(p); got != c.want {
			t.Errorf("%s:\n got %s\nwant %s", name, got, c.want)
		}
		if healed := strings.Join(p.Healed, "; "); !strings.Contains(healed, c.healed) || c.healed == "" && healed != "" {
			t.Errorf("%s: healed %q, want %q", name, healed, c.healed)
		}
	}
}

func TestAFolderBeforeAHeredocIsKept(t *testing.T) {
	for in, want := range map[string]string{"cd sub/dir && apply_patch <<'EOF'\n": "sub/dir", "cd 'a b' && applypatch << EOF\n": "a b", "apply_patch <<EOF\n": ""} {
		if p, err := Parse(in + small + "EOF\n"); err != nil || p.Dir != want {
			t.Errorf("%s: %+v, %v", in, p, err)
		}
	}
}

func TestWhatCannotBeReadIsNamedWithItsLine(t *testing.T) {
	for in, want := range map[string]string{
		"":                                  "there is no patch",
		"hello":                             "there is no patch",
		"{}":                                "there is no patch",
		"*** Begin Patch\n*** End Patch":    "the patch is empty",
		"*** Begin Patch\n*** Frob File: x": `line 2 of the patch ("*** Frob File: x")`,
		"*** Begin Patch\n*** Update File: x\n*** End Patch":                               "holds no line that begins with + or -",
		"*** Begin Patch\n*** Update File: x\n@@\n y\n*** End Patch":                       "holds no line that begins with + or -",
		"*** Begin Patch\n*** Update File:  \n@@\n-y\n*** End Patch":                       "it names no file",
		"*** Begin Patch\n*** Update File: x\n*** Move to:\n-y\n*** End Patch":             "it names no file",
		"*** Begin Patch\n*** Update File: x\n@@\n-y\n*** Move to: z\n*** End Patch":       `line 5 of the patch ("*** Move to: z")`,
		"*** Begin Patch\n*** Delete File: x\nfoo\n*** End Patch":                          "a section is to begin here",
		"*** Begin Patch\n*** Add File: x\n+y\n*** Move to: z\n*** End Patch":              "it stands right after",
		"*** Begin Patch\n*** Update File: x\n@@\n-y\n*** Rename File: z\n*** End Patch\n": "no such line is known",
	} {
		_, err := Parse(in)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", in, err, want)
		}
	}
}

func TestSectionsAreSeenAsTheyCome(t *testing.T) {
	var p Parser
	p.Feed(small[:strings.Index(small, "-y")])
	s := p.Sections()
	if len(s) != 1 || s[0].Path != "a.go" || len(s[0].Hunks) != 1 || len(s[0].Hunks[0].Lines) != 1 {
		t.Fatalf("%+v", s)
	}
	p.Feed("-y\n+z\n")
	if s = p.Sections(); len(s[0].Hunks[0].Lines) != 3 {
		t.Fatalf("%+v", s)
	}
}

// However the text is split, the patch is the same.
func FuzzStreamingIsWhole(f *testing.F) {
	for _, s := range []string{
		small, "{\"input\":" + quoted(small+"é\U0001F600\"\\\n") + "}", "```\n" + small + "```", " " + small, "<<EOF\n" + small + "EOF\n",
		`["\ud83d\ude00\u00e9 *** Begin Patch\n"`, "\ufeff" + small, "*** Begin Patch\n*** Add File: a\n+x\n\n\n+y\n *** End Patch\n\n",
	} {
		f.Add(s, 3)
	}
	f.Fuzz(func(t *testing.T, s string, cut int) {
		if len(s) > 4096 {
			return
		}
		whole, wrong := Parse(s)
		at := func(cuts ...int) {
			var p Parser
			last := 0
			for _, c := range cuts {
				p.Feed(s[last:c])
				last = c
			}
			p.Feed(s[last:])
			got, err := p.Close()
			if !reflect.DeepEqual(got, whole) || !reflect.DeepEqual(err, wrong) {
				t.Fatalf("split at %v: %+v, %v; whole: %+v, %v", cuts, got, err, whole, wrong)
			}
		}
		for i := range min(len(s), 512) {
			at(i)
		}
		step := max(1, (cut%7+7)%7)
		var all []int
		for i := 0; i < len(s); i += step {
			all = append(all, i)
		}
		at(all...)
	})
}

// A patch without its last line may be half of one, at whatever line it was cut:
// to make that half would be a partial change.
func TestAPatchThatIsCutOffIsRefused(t *testing.T) {
	lines := strings.SplitAfter("*** Begin Patch\n*** Update File: a\n@@\n-y\n+z\n*** Add File: b\n+x\n\n*** Delete File: c\n*** End Patch\n", "\n")
	for n := range len(lines) - 2 {
		cut := strings.Join(lines[:n], "")
		for _, in := range []string{cut, strings.TrimSuffix(cut, "\n"), cut + "\n", `{"input": ` + strings.TrimSuffix(quoted(cut), `"`)} {
			if p, err := Parse(in); err == nil {
				t.Errorf("%q is a patch: %s", in, brief(p))
			}
		}
	}
}
