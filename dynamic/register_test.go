package dynamic

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"companion/tools"
)

func TestANamespaceIsShownWithWhatItsOwnerSaysOfIt(t *testing.T) {
	s := newStand(t, nil)
	text := func() string {
		spec, _ := s.box().Spec("ed.a")
		return spec.NamespaceText
	}
	reg := func(owner string, replace bool, specs []Spec, text ...string) int {
		var spaces []Namespace
		for _, d := range text {
			spaces = append(spaces, Namespace{Name: "ed", Description: d})
		}
		_, _, revision := s.host.Register(owner, specs, spaces, replace)
		return revision
	}
	a := []Spec{define("a", in("ed"))}
	reg("vim", false, a, "Buffers of the editor.")
	if text() != "Buffers of the editor." {
		t.Errorf("shown as %q", text())
	}
	before := s.reg.Revision()
	if after := reg("vim", false, nil, "All of the editor."); after != before+1 || text() != "All of the editor." {
		t.Errorf("revision %d after %d, shown as %q", after, before, text())
	}
	reg("vs", false, nil, "Mine.")
	if text() != "All of the editor." {
		t.Errorf("a stranger made it %q", text())
	}
	if reg("vim", true, a); text() != "" {
		t.Errorf("described no more, and shown as %q", text())
	}
}

func TestOneBadDefinitionRejectsItselfAlone(t *testing.T) {
	s := newStand(t, func(o *Options) { o.Reserved = []string{"tool_search"} })
	s.register("emacs", define("theirs"), define("list", in("buffers")))
	long := strings.Repeat("x", 1_001)
	var wide strings.Builder
	for i := range 400 {
		fmt.Fprintf(&wide, `,"property_%03d":{"type":"string"}`, i)
	}
	for _, c := range []struct {
		name string
		spec Spec
		code Code
		says string
	}{
		{"no name", define(""), BadName, "must be 1 to 64"},
		{"a space", define("a b"), BadName, `"a b" must be`},
		{"a digit first", define("1a"), BadName, "begin with a letter"},
		{"65 characters", define(strings.Repeat("a", 65)), BadName, "1 to 64"},
		{"a dot", define("a.b"), BadName, "1 to 64"},
		{"a line end", define("ab\n"), BadName, "1 to 64"},
		{"mcp", define("mcp_thing"), BadName, "must not begin with mcp"},
		{"mcp in capitals", define("MCPthing"), BadName, "must not begin with mcp"},
		{"mcp namespace", define("x", in("mcp")), BadName, "namespace"},
		{"bad namespace", define("x", in("a/b")), BadName, "namespace"},
		{"built in", define("read"), Reserved, "read is the name of a built-in tool"},
		{"built in, other case", define("Edit"), Reserved, "built-in"},
		{"built in, spelled otherwise", define("Tool-Search"), Reserved, "built-in"},
		{"an alias", define("view"), Reserved, "built-in"},
		{"reserved for later", define("tool_search"), Reserved, "built-in"},
		{"taken", define("theirs"), Taken, "theirs is taken by emacs"},
		{"taken namespace", define("mine", in("buffers")), Taken, "namespace buffers belongs to emacs"},
		{"taken as models know it", define("buffers__list"), Taken, "buffers.list is taken by emacs"},
		{"no schema", define("x", input("")), BadSchema, "inputSchema cannot be used: it is missing"},
		{"no JSON", define("x", input(`{"type":`)), BadSchema, "inputSchema"},
		{"a string's schema", define("x", input(`{"type":"string"}`)), BadSchema, "arguments are an object"},
		{"unknown type", define("x", input(`{"type":"object","properties":{"a":{"type":"int"}}}`)), BadSchema, "cannot be used: /properties/a/type: value must be one of"},
		{"a file", define("x", input(`{"type":"object","properties":{"a":{"$ref":"file:///etc/passwd"}}}`)), BadSchema, "leaves the schema"},
		{"a URL", define("x", input(`{"type":"object","properties":{"a":{"$ref":"http://127.0.0.1:1/x"}}}`)), BadSchema, "leaves the schema"},
		{"missing definition", define("x", input(`{"type":"object","properties":{"a":{"$ref":"#/$defs/No"}}}`)), BadSchema, "$defs/No"},
		{"bad output", define("x", func(s *Spec) { s.Output = json.RawMessage(`{"type":3}`) }), BadSchema, "outputSchema"},
		{"long description", define("x", func(s *Spec) { s.Description = long }), Budget, "1001 bytes, at most 1000"},
		{"wide schema", define("x", input(`{"type":"object","properties":{"a":{}`+wide.String()+`}}`)), Budget, "cannot be shortened to 5000"},
		{"long hint", define("x", func(s *Spec) { s.SearchHint = strings.Repeat(long, 9) }), Budget, "at most 8000"},
		{"a lock without resource", define("x", func(s *Spec) { s.Locks = []tools.Lock{{}} }), BadSchema, "lock"},
	} {
		t.Run(c.name, func(t *testing.T) {
			registered, rejected, _ := s.host.Register("vim", []Spec{define("before"), c.spec, define("after")}, nil, true)
			if !slices.Equal(registered, []string{"before", "after"}) || len(rejected) != 1 {
				t.Fatalf("registered %v, rejected %v", registered, rejected)
			}
			if r := rejected[0]; r.Code != c.code || !strings.Contains(r.Message, c.says) || strings.Contains(r.Message, "\n") {
				t.Errorf("rejected %q: %s %q, want %s %q", r.Name, r.Code, r.Message, c.code, c.says)
			}
		})
	}
}

func TestTheFirstOfTwoDefinitionsInABatchCounts(t *testing.T) {
	s := newStand(t, nil)
	registered, rejected, _ := s.host.Register("vim", []Spec{
		define("a"), define("a"), define("b__c", in("a")), define("c", in("a__b")),
	}, nil, false)
	if !slices.Equal(registered, []string{"a", "a.b__c"}) || len(rejected) != 2 {
		t.Fatalf("registered %v, rejected %v", registered, rejected)
	}
	if rejected[0].Code != Duplicate || rejected[1].Code != Duplicate || rejected[1].Name != "a__b.c" {
		t.Errorf("rejected %v", rejected)
	}
}

func TestTheSameOwnerReplacesAndTheSameDefinitionChangesNothing(t *testing.T) {
	s := newStand(t, nil)
	first := s.register("vim", define("a"), define("b"))
	if again := s.register("vim", define("a"), define("b")); again != first {
		t.Errorf("revision %d, then %d for the same definitions", first, again)
	}
	next := s.register("vim", define("a", func(s *Spec) { s.Description = "Other." }))
	if next != first+1 {
		t.Errorf("revision %d after %d", next, first)
	}
	if spec, err := s.host.Spec("a"); err != nil || spec.Description != "Other." {
		t.Errorf("%v, %v", spec.Description, err)
	}
	_, _, _ = s.host.Register("vim", []Spec{define("c")}, nil, true)
	if got := listed(s.box()); !slices.Equal(got, []string{"c", "edit", "read"}) {
		t.Errorf("after replace: %v", got)
	}
}

func TestABadReplacementLeavesTheOldTool(t *testing.T) {
	s := newStand(t, nil)
	s.register("vim", define("a"))
	_, rejected, _ := s.host.Register("vim", []Spec{define("a", input(`[]`))}, nil, false)
	if len(rejected) != 1 {
		t.Fatalf("rejected %v", rejected)
	}
	want(t, s.call("a", `{}`), tools.OK, "done")
}

func TestUnregisterTellsWhatWasNotThere(t *testing.T) {
	s := newStand(t, nil)
	s.register("vim", define("a"), define("b", in("ns")))
	s.register("emacs", define("c"))
	removed, unknown, revision := s.host.Unregister("vim", []string{"ns.b", "b", "c", "read", "ns.b"})
	if !slices.Equal(removed, []string{"ns.b"}) || !slices.Equal(unknown, []string{"b", "c", "read"}) || revision != s.reg.Revision() {
		t.Errorf("removed %v, unknown %v, revision %d", removed, unknown, revision)
	}
	if got := listed(s.box()); !slices.Equal(got, []string{"a", "c", "edit", "read"}) {
		t.Errorf("left %v", got)
	}
	if n := s.host.Namespaces(); len(n) != 0 {
		t.Errorf("namespaces %v", n)
	}
	s.register("emacs", define("b", in("ns"))) // the namespace is free again
}

func TestNamespacesHaveOneOwnerAndOneDescription(t *testing.T) {
	s := newStand(t, nil)
	_, rejected, _ := s.host.Register("vim", []Spec{define("a", in("buf"))}, []Namespace{
		{"buf", "Buf\u202Efers."}, {"mcp_x", ""}, {"big", strings.Repeat("x", 1_025)},
	}, false)
	if len(rejected) != 2 || rejected[0].Code != BadName || rejected[1].Code != Budget || rejected[1].Name != "big" {
		t.Errorf("rejected %v", rejected)
	}
	if got := s.host.Namespaces(); !slices.Equal(got, []Namespace{{"buf", "Buffers."}}) {
		t.Errorf("namespaces %v", got)
	}
	_, rejected, _ = s.host.Register("emacs", nil, []Namespace{{"buf", "Mine."}}, false)
	if len(rejected) != 1 || rejected[0].Code != Taken || !strings.Contains(rejected[0].Message, "vim") {
		t.Errorf("rejected %v", rejected)
	}
}

func TestStrictNamesRefuseTheWholeBatch(t *testing.T) {
	s := newStand(t, func(o *Options) { o.Strict = true })
	s.register("vim", define("old"))
	registered, rejected, _ := s.host.Register("vim", []Spec{define("a"), define("read"), define("b", input(`[]`))}, nil, true)
	if len(registered) != 0 || len(rejected) != 3 {
		t.Errorf("registered %v, rejected %v", registered, rejected)
	}
	if got := listed(s.box()); !slices.Equal(got, []string{"edit", "old", "read"}) {
		t.Errorf("left %v", got)
	}
	registered, rejected, _ = s.host.Register("vim", []Spec{define("a"), define("b", input(`[]`))}, nil, false)
	if !slices.Equal(registered, []string{"a"}) || len(rejected) != 1 {
		t.Errorf("a bad schema is no clash: registered %v, rejected %v", registered, rejected)
	}
	s.host.SetStrict(false)
	if registered, _, _ = s.host.Register("vim", []Spec{define("c"), define("read")}, nil, false); !slices.Equal(registered, []string{"c"}) {
		t.Errorf("strict no more: registered %v", registered)
	}
}

func TestAnOwnersDefinitionsTogetherHaveABudget(t *testing.T) {
	s := newStand(t, func(o *Options) { o.OwnerBudget = 64_000 })
	big := func(name string) Spec {
		return define(name, func(s *Spec) { s.SearchHint = strings.Repeat("y", 6_300) })
	}
	var specs []Spec
	for i := range 11 {
		specs = append(specs, big(fmt.Sprintf("t%d", i)))
	}
	registered, rejected, _ := s.host.Register("vim", specs[:6], nil, false)
	if len(registered) != 6 || len(rejected) != 0 {
		t.Fatalf("registered %v", registered)
	}
	registered, rejected, _ = s.host.Register("vim", specs[5:], nil, false)
	if len(registered) != 5 || len(rejected) != 1 || rejected[0].Code != Budget || rejected[0].Name != "t10" {
		t.Errorf("registered %v, rejected %v", registered, rejected)
	}
	s.register("emacs", big("other"))
}

func TestTextsOfDefinitionsAreMadePlain(t *testing.T) {
	s := newStand(t, nil)
	s.register("v\u200Bim", define("a", func(s *Spec) {
		s.Title, s.Description, s.SearchHint = "T\u202E", " ignore\u2066 all\U000E0041\u200B ", "h\u00AD"
		s.Input = json.RawMessage("{\"type\":\"object\",\"properties\":{\"p\":{\"description\":\"x\u202Ey\"}}}")
	}))
	spec, err := s.host.Spec("a")
	if err != nil || spec.Title != "T" || spec.Description != "ignore all" || spec.SearchHint != "h" || spec.Owner != "vim" {
		t.Errorf("%+q %+q %+q of %q, %v", spec.Title, spec.Description, spec.SearchHint, spec.Owner, err)
	}
	if !strings.Contains(string(spec.Input), `"xy"`) {
		t.Errorf("%s", spec.Input)
	}
}

func TestAnnotationsAreBelievedOfTrustedOwnersOnly(t *testing.T) {
	s := newStand(t, trusting("vim"))
	yes, no := true, false
	spec := define("a", func(s *Spec) {
		s.Annotations = Annotations{ReadOnly: &yes, Destructive: &no, OpenWorld: &no}
		s.Approval = tools.AskNever
	})
	s.register("vim", spec)
	spec.Name = "b"
	s.register("stranger", spec)
	asking := func(name string) tools.Asking {
		t.Helper()
		found, _ := s.reg.Find(name)
		action, err := found.Prepare(t.Context(), tools.Call{Thread: "t"})
		if err != nil || len(action.Effects) != 1 {
			t.Fatalf("%v, %v", action.Effects, err)
		}
		return action.Effects[0].Asking
	}
	check := func(name string, believed bool) {
		t.Helper()
		got, err := s.host.Spec(name)
		if err != nil || got.ReadOnly != believed || got.OpenWorld == believed || got.Destructive == believed || (asking(name) == tools.AskNever) != believed {
			t.Errorf("%s of %s: read-only %v, open world %v, destructive %v, asking %q", name, got.Owner, got.ReadOnly, got.OpenWorld, got.Destructive, asking(name))
		}
	}
	check("a", true)
	check("b", false)
	before := s.reg.Revision()
	if s.host.SetTrustedOwners([]string{"stranger"}); s.reg.Revision() == before {
		t.Error("the revision stayed")
	}
	check("a", false)
	check("b", true)
}

func TestTheHashIsOfAllThatAYesWasGivenTo(t *testing.T) {
	base := define("a")
	yes := true
	seen := map[string]string{Hash("vim", base): "the definition", Hash("emacs", base): "the owner"}
	for name, change := range map[string]func(*Spec){
		"description": func(s *Spec) { s.Description = "Other." },
		"schema":      func(s *Spec) { s.Input = json.RawMessage(`{"type":"object","properties":{"p":{}}}`) },
		"annotations": func(s *Spec) { s.Annotations.Destructive = &yes },
		"locks":       func(s *Spec) { s.Locks = []tools.Lock{{Resource: "x"}} },
		"approval":    func(s *Spec) { s.Approval = tools.AskAlways },
		"timeout":     func(s *Spec) { s.Timeout = time.Second },
	} {
		hash := Hash("vim", define("a", change))
		if other, clash := seen[hash]; clash {
			t.Errorf("%s has the hash of %s", name, other)
		}
		seen[hash] = name
	}
	if Hash("vim", base) != Hash("vim", define("a")) {
		t.Error("the same definition has two hashes")
	}
}

// HB-163, HB-164: names that are long, or alike, stay distinct and callable.
func TestHB163HB164LongAndLikeNamesStayReachable(t *testing.T) {
	s := newStand(t, nil)
	ns := strings.Repeat("n", 60)
	a, b := strings.Repeat("t", 40)+"a", strings.Repeat("t", 40)+"b"
	s.register("vim", define(a, in(ns)), define(b, in(ns)), define("search-a"), define("search_a"), define("run", in("x")), define("run", in("y")), define("read", in("x")))
	for _, full := range []string{ns + "." + a, ns + "." + b, "search-a", "search_a", "x.run", "y.run", "x.read"} {
		want(t, s.call(full, `{}`), tools.OK, "done")
		calls := s.ed.called()
		last := calls[len(calls)-1]
		if got := (tools.Spec{Name: last.Name, Namespace: last.Namespace}).Full(); got != full {
			t.Errorf("%s called %s", full, got)
		}
	}
	want(t, s.call("read", `{}`), tools.OK, "built in")
}

func TestSwitchesHoldForAThreadOrForAll(t *testing.T) {
	s := newStand(t, nil)
	s.register("vim", define("a"), define("b", in("ns")))
	on := func(thread string) (out []bool) {
		for _, n := range []string{"a", "ns.b", "read"} {
			out = append(out, s.host.Enabled(thread, n))
		}
		return out
	}
	first := s.reg.Revision()
	if got := s.host.SetEnabled([]string{"ns.b", "view"}, false, "t"); got != first+1 {
		t.Errorf("revision %d after %d", got, first)
	}
	if got := s.host.SetEnabled([]string{"ns.b"}, false, "t"); got != first+1 {
		t.Errorf("switched twice it is revision %d", got)
	}
	if got := on("t"); !slices.Equal(got, []bool{true, false, false}) {
		t.Errorf("thread t: %v", got)
	}
	if got := on("other"); !slices.Equal(got, []bool{true, true, true}) {
		t.Errorf("another thread: %v", got)
	}
	want(t, s.call("ns.b", `{}`), tools.Blocked, "switched it off")
	want(t, s.call("read", `{}`), tools.Blocked, "switched it off")
	s.host.SetEnabled([]string{"a", "ns.b"}, false, "")
	s.host.SetEnabled([]string{"ns.b"}, true, "t")
	if got := on("t"); !slices.Equal(got, []bool{false, true, false}) {
		t.Errorf("thread t: %v", got)
	}
	s.host.ForgetThread("t")
	if got := on("t"); !slices.Equal(got, []bool{false, false, true}) {
		t.Errorf("thread t, forgotten: %v", got)
	}
	for _, l := range s.host.List("t") {
		if l.Enabled || l.Reason == "" {
			t.Errorf("listed %s: %v %q", l.Full(), l.Enabled, l.Reason)
		}
	}
	s.host.SetEnabled([]string{"a", "ns.b"}, true, "")
	want(t, s.call("a", `{}`), tools.OK)
	if n := len(s.ed.called()); n != 1 {
		t.Errorf("the editor was called %d times", n)
	}
}

func TestANameOfAnotherSourceIsTaken(t *testing.T) {
	s := newStand(t, nil)
	if err := s.reg.Add(builtin{tools.Spec{Name: "query", Source: tools.Extension, Owner: "plugin db"}}); err != nil {
		t.Fatal(err)
	}
	_, rejected, _ := s.host.Register("vim", []Spec{define("query")}, nil, false)
	if len(rejected) != 1 || rejected[0].Code != Taken || !strings.Contains(rejected[0].Message, "plugin db") {
		t.Errorf("rejected %v", rejected)
	}
}

func TestRegisteringWithdrawingAndCallingAtOnceLeavesTheLastWord(t *testing.T) {
	s := newStand(t, nil)
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			owner := fmt.Sprintf("o%d", i%4)
			for j := range 25 {
				name := fmt.Sprintf("t%d_%d", i, j)
				s.host.Register(owner, []Spec{define(name, in("ns_"+owner))}, []Namespace{{"ns_" + owner, "x"}}, false)
				res, err := s.run(t.Context(), s.invocation("ns_"+owner+"."+name, `{}`))
				if err != nil || res.Outcome != tools.OK && !strings.Contains(res.Text, "gone") && !strings.Contains(res.Text, "disconnected") {
					t.Errorf("%v, %v", res, err)
				}
				s.host.SetEnabled([]string{name}, j%2 == 0, owner)
				s.host.List(owner)
				if j%10 == 9 {
					s.host.Withdraw(owner)
				}
			}
		})
	}
	all.Wait()
	for i := range 4 {
		s.host.Withdraw(fmt.Sprintf("o%d", i))
	}
	if got := listed(s.box()); !slices.Equal(got, []string{"edit", "read"}) || len(s.host.List("")) != 0 || len(s.host.Namespaces()) != 0 {
		t.Errorf("left %v, %v, %v", got, s.host.List(""), s.host.Namespaces())
	}
}

func TestChangesAreToldInTheirOrder(t *testing.T) {
	s := newStand(t, nil)
	var heard []int
	cancel := s.host.OnChange(func(r int) { heard = append(heard, r) })
	var all sync.WaitGroup
	for i := range 20 {
		all.Go(func() { s.host.Register("vim", []Spec{define(fmt.Sprintf("t%d", i))}, nil, false) })
	}
	all.Wait()
	if len(heard) != 20 || !slices.IsSorted(heard) {
		t.Errorf("heard %v", heard)
	}
	cancel()
	s.host.Withdraw("vim")
	if len(heard) != 20 {
		t.Error("heard a change after the end")
	}
	if got := listed(s.box()); !slices.Equal(got, []string{"edit", "read"}) {
		t.Errorf("left %v", got)
	}
}

func BenchmarkRegisterThousandTools(b *testing.B) {
	specs := make([]Spec, 1_000)
	for i := range specs {
		specs[i] = Spec{
			Name: fmt.Sprintf("tool_%d", i), Description: "Does one of a thousand things.",
			Input: json.RawMessage(fmt.Sprintf(`{"$schema":"http://json-schema.org/draft-07/schema#","type":"object","properties":{
				"path":{"type":"string","description":"The file."},"line":{"type":"integer","minimum":1},
				"options":{"type":"object","properties":{"deep":{"type":"boolean"},"kinds":{"type":"array","items":{"enum":["a","b","c%d"]}}}},
				"where":{"$ref":"#/definitions/place"}},"required":["path"],"definitions":{"place":{"anyOf":[{"type":"string"},{"type":"null"}]}}}`, i)),
		}
	}
	for b.Loop() {
		h := New(Options{Registry: tools.NewRegistry(), Caller: &editor{}})
		if got, rejected, _ := h.Register("vim", specs, nil, false); len(got) != 1_000 {
			b.Fatalf("%d registered, %v", len(got), rejected)
		}
	}
}
