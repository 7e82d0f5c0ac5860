package names

import (
	"errors"
	"strings"
	"testing"
)

func ours(name string, aliases ...string) Claim {
	return Claim{Name: name, Aliases: aliases, Owner: "builtin"}
}

func theirs(owner, namespace, name string) Claim {
	return Claim{Name: name, Namespace: namespace, Owner: owner, Trust: Foreign}
}

func server(owner, namespace, name string) Claim {
	return Claim{Name: name, Namespace: namespace, Owner: owner, Trust: Server}
}

func TestTheFirstKeepsANameAndOthersHearWhoHasIt(t *testing.T) {
	for name, c := range map[string]struct {
		first []Claim
		then  Claim
		kind  Kind // "" = it is free
		words string
	}{
		"free":                          {[]Claim{ours("read")}, theirs("vim", "", "write"), "", ""},
		"the same name":                 {[]Claim{theirs("vim", "", "x")}, theirs("vs", "", "x"), Taken, `tool name "x" of vs is taken by vim`},
		"an alias":                      {[]Claim{ours("exec_command", "bash")}, ours("bash"), Taken, "exec_command of builtin"},
		"a name as an alias":            {[]Claim{ours("read")}, ours("cat", "read"), Taken, `"read"`},
		"ours in another spelling":      {[]Claim{ours("exec_command")}, theirs("vim", "", "Exec-Command"), Reserved, "the built-in tool exec_command"},
		"ours as a namespace spells it": {[]Claim{ours("git_log")}, theirs("vim", "git", "log"), Reserved, "the built-in tool git_log"},
		"our alias in another case":     {[]Claim{ours("exec_command", "bash")}, server("s", "", "Bash"), Reserved, "the built-in tool exec_command"},
		"HB-164: ours in a namespace":   {[]Claim{ours("read"), ours("edit")}, server("s", "mcp__fs", "read"), "", ""},
		"HB-164: two servers with run":  {[]Claim{server("a", "mcp__a", "run")}, server("b", "mcp__b", "run"), "", ""},
		"HB-164: search-a and search_a": {[]Claim{server("a", "mcp__a", "search-a")}, server("a", "mcp__a", "search_a"), "", ""},
		"mcp for a tool":                {nil, theirs("vim", "", "mcp_run"), Reserved, "tools of MCP servers"},
		"mcp for a namespace":           {nil, theirs("vim", "MCP__github", "run"), Reserved, "tools of MCP servers"},
		"mcp for a server":              {nil, server("github", "mcp__github", "run"), "", ""},
		"another's namespace":           {[]Claim{theirs("vim", "ed", "a")}, theirs("vs", "ed", "b"), NamespaceTaken, "namespace ed of vs belongs to vim"},
		"one's own namespace":           {[]Claim{theirs("vim", "ed", "a")}, theirs("vim", "ed", "b"), "", ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := NewLedger()
			for _, c := range c.first {
				if clash := l.Take(c); clash != nil {
					t.Fatal(clash)
				}
			}
			clash := l.Take(c.then)
			switch {
			case c.kind == "" && clash != nil:
				t.Errorf("refused: %v", clash)
			case c.kind != "" && (clash == nil || clash.Kind != c.kind || !strings.Contains(clash.Error(), c.words)):
				t.Errorf("got %v, want %s with %q", clash, c.kind, c.words)
			}
		})
	}
}

func TestADroppedNameIsFreeButOursStayReserved(t *testing.T) {
	l := NewLedger()
	for _, c := range []Claim{ours("read", "cat"), theirs("vim", "ed", "open")} {
		if clash := l.Take(c); clash != nil {
			t.Fatal(clash)
		}
	}
	if l.Of("cat") != "read" || l.Of("ed.open") != "ed.open" || l.Of("open") != "" {
		t.Errorf("cat is %q, ed.open is %q, open is %q", l.Of("cat"), l.Of("ed.open"), l.Of("open"))
	}
	l.Drop("ed.open")
	l.Drop("read")
	l.Drop("never")
	if l.Of("cat") != "" || l.Of("ed.open") != "" {
		t.Error("dropped names lead somewhere")
	}
	if clash := l.Take(theirs("vs", "ed", "open")); clash != nil {
		t.Errorf("the namespace is not free: %v", clash)
	}
	if clash := l.Take(theirs("vs", "", "Read")); clash == nil || clash.Kind != Reserved {
		t.Errorf("the name of a tool of ours was given away: %v", clash)
	}
}

func TestANamespaceHasOneDescriptionOfItsOwner(t *testing.T) {
	l := NewLedger()
	a, b := theirs("vim", "ed", "a"), theirs("vim", "ed", "b")
	a.Text, b.Text = "first", "second"
	for _, c := range []Claim{a, b} {
		if clash := l.Take(c); clash != nil {
			t.Fatal(clash)
		}
	}
	if l.Text("ed") != "first" {
		t.Errorf("described as %q", l.Text("ed"))
	}
	if changed, clash := l.Describe("vim", "ed", "better"); !changed || clash != nil || l.Text("ed") != "better" {
		t.Errorf("%v, %v, %q", changed, clash, l.Text("ed"))
	}
	if changed, _ := l.Describe("vim", "ed", "better"); changed {
		t.Error("the same again is a change")
	}
	_, clash := l.Describe("vs", "ed", "mine")
	var as *Clash
	if !errors.As(error(clash), &as) || as.Kind != NamespaceTaken || l.Text("ed") != "better" {
		t.Errorf("%v, %q", clash, l.Text("ed"))
	}
	if changed, clash := l.Describe("vs", "none", "x"); changed || clash != nil || l.Text("none") != "" {
		t.Error("a namespace without tools was described")
	}
}

// HB-164: search-a and search_a of one server are both reached.
func TestAnIndexFindsANameAndTheSpellingsThatAreItsAlone(t *testing.T) {
	x := NewIndex(8)
	for i, n := range [][2]string{{"git", "log"}, {"", "read"}, {"", "Read"}, {"mcp__s", "search-a"}, {"mcp__s", "search_a"}, {"time", "time"}} {
		x.Add(n[0], n[1], i)
	}
	for asked, want := range map[string]int{
		"git.log": 0, "git__log": 0, "GIT.Log": 0, "git-log": 0, "git.git.log": 0, "git.git__log": 0, "log": -1,
		"read": 1, "Read": 2, "READ": -1,
		"mcp__s.search-a": 3, "mcp__s.search_a": 4, "mcp__s__search-a": 3, "mcp__s__search_a": 4, "mcp__s__Search-a": -1,
		"time.time": 5, "time": -1, "time.time.time": 5, "": -1,
	} {
		if got := x.Find(asked); got < 0 != (want < 0) || got >= 0 && got != want {
			t.Errorf("%q leads to %d, want %d", asked, got, want)
		}
	}
	if x.Exact("git__log") >= 0 || x.Exact("git.log") != 0 {
		t.Error("exact is not exact")
	}
}

func FuzzASpellingIsItsOwn(f *testing.F) {
	for _, s := range []string{"read", "git.log", "a__b", "É-_.", "\xff."} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := Spelling(s)
		if twice := Spelling(once); twice != once {
			t.Errorf("%q is spelled %q, and that %q", s, once, twice)
		}
		if strings.ContainsAny(once, ".-") || strings.Contains(once, "__") {
			t.Errorf("%q is spelled %q", s, once)
		}
	})
}
