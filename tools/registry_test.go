package tools

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"companion/tools/names"
)

func external(name, owner string) fake {
	return fake{spec: Spec{Name: name, Source: Dynamic, Owner: owner}}
}

// HB-170: what comes, goes or is another is there at the next step.
func TestAChangeIsSeenWholeAtTheNextStep(t *testing.T) {
	r := NewRegistry(named("read"))
	_, errs := r.Change(nil, []Tool{external("a", "vim"), external("b", "vim"), external("read", "vim")})
	if errs[0] != nil || errs[1] != nil || errs[2] == nil || !strings.Contains(errs[2].Error(), "builtin") {
		t.Fatalf("added: %v", errs)
	}
	before := r.Box(BoxOptions{})
	rev := r.Revision()
	if got, _ := r.Change([]string{"a", "nothing"}, []Tool{external("c", "vim")}); got != rev+1 || r.Revision() != rev+1 {
		t.Errorf("revision %d after %d", got, rev)
	}
	if got := fulls(before); !slices.Equal(got, []string{"a", "b", "read"}) {
		t.Errorf("the running step sees %v", got)
	}
	if got := fulls(r.Box(BoxOptions{})); !slices.Equal(got, []string{"b", "c", "read"}) {
		t.Errorf("the next step sees %v", got)
	}
}

func fulls(b *Box) []string {
	out := []string{}
	for _, s := range b.Listed() {
		out = append(out, s.Full())
	}
	return out
}

func TestTheListOnlyGrowsForAModelThatWasToldOfIt(t *testing.T) {
	r := NewRegistry(named("read"))
	r.Change(nil, []Tool{external("zeta", "vim"), external("gone", "vim")})
	told := fulls(r.Box(BoxOptions{}))
	r.Change([]string{"gone"}, []Tool{external("alpha", "vim")})
	box := r.Box(BoxOptions{Told: append(told, "zeta", "never")})
	if got, want := fulls(box), append(slices.Clone(told), "alpha"); !slices.Equal(got, want) {
		t.Errorf("listed %v, want %v", got, want)
	}
	h := pipeline()
	wantText(t, mustRun(t, h, invoke(box, "gone", `{}`)), Failed, "gone was not run: it is gone, vim withdrew it")
	r.Change(nil, []Tool{external("gone", "emacs")})
	wantText(t, mustRun(t, h, invoke(r.Box(BoxOptions{Told: told}), "gone", `{}`)), OK, "ran with")
}

func TestDeferredToolsAreListedWhereNobodyCanSearch(t *testing.T) {
	r := NewRegistry(fake{spec: Spec{Name: "later", Exposure: Deferred}}, fake{spec: Spec{Name: "never", Exposure: Hidden}}, named("read"))
	if got := fulls(r.Box(BoxOptions{})); !slices.Equal(got, []string{"later", "read"}) {
		t.Errorf("without search: %v", got)
	}
	box := r.Box(BoxOptions{Search: true})
	if got := fulls(box); !slices.Equal(got, []string{"read"}) {
		t.Errorf("with search: %v", got)
	}
	wantText(t, mustRun(t, pipeline(), invoke(box, "never", `{}`)), OK)
}

// whole is a tool that checks its arguments itself.
type whole struct{ fake }

func (whole) Fit(json.RawMessage) (json.RawMessage, error) {
	return json.RawMessage(`{"whole":true}`), nil
}

func TestAFitterChecksInTheSchemasPlace(t *testing.T) {
	var tool Tool = whole{fake{spec: Spec{Name: "x", Input: json.RawMessage(`{"type":"object","required":["a"]}`)}}}
	res, err := pipeline()(context.Background(), invoke(boxOf(tool), "x", `{}`))
	if err != nil || res.Text != `ran with {"whole":true}` {
		t.Errorf("%q, %v", res.Text, err)
	}
}

func TestAClashWithANameFromOutsideIsToldOnce(t *testing.T) {
	var told []string
	r := NewRegistry(named("read"))
	r.SetNameRules(names.Rules{Warn: func(c *names.Clash) { told = append(told, c.Wants+" "+c.Name) }})
	for _, owner := range []string{"vim", "vs", "vs"} {
		_ = r.Add(external("x", owner))
		_ = r.Add(external("READ", owner))
	}
	if want := []string{"vim READ", "vs x"}; !slices.Equal(told, want) {
		t.Errorf("told %v, want %v", told, want)
	}
	if found, _ := r.Find("x"); found.Spec().Owner != "vim" {
		t.Error("the first did not win")
	}
}

func TestTwoBuiltInToolsOfOneNameAreABug(t *testing.T) {
	for what, pair := range map[string][2]Tool{
		"name":  {named("a"), named("a")},
		"alias": {named("a"), fake{spec: Spec{Name: "b", Aliases: []string{"a"}}}},
	} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s: no panic", what)
				}
			}()
			NewRegistry(pair[0], pair[1])
		}()
	}
}

func TestStrictNamesRefuseAWholeChange(t *testing.T) {
	r := NewRegistry(named("read"))
	r.Change(nil, []Tool{external("old", "vim")})
	r.SetNameRules(names.Rules{Strict: true})
	rev := r.Revision()
	got, errs := r.Change([]string{"old"}, []Tool{external("a", "vim"), external("read", "vim"), external("b", "vim")})
	for i, err := range errs {
		if err == nil || !strings.Contains(err.Error(), `"read"`) {
			t.Errorf("%d: %v", i, err)
		}
	}
	if got != rev || r.Revision() != rev {
		t.Errorf("revision %d after %d", got, rev)
	}
	if have := fulls(r.Box(BoxOptions{})); !slices.Equal(have, []string{"old", "read"}) {
		t.Errorf("there is %v", have)
	}
	if _, errs := r.Change([]string{"old"}, []Tool{external("a", "vim")}); errs[0] != nil {
		t.Error(errs[0])
	}
}

func TestANamespaceIsShownWithItsOneDescription(t *testing.T) {
	of := func(name, owner, text string) fake {
		return fake{spec: Spec{Name: name, Namespace: "ed", NamespaceText: text, Source: Dynamic, Owner: owner}}
	}
	r := NewRegistry()
	_, errs := r.Change(nil, []Tool{of("a", "vim", "one"), of("b", "vim", "two"), of("c", "vs", "three")})
	if errs[0] != nil || errs[1] != nil || errs[2] == nil {
		t.Fatal(errs)
	}
	texts := func() (out []string) {
		for _, s := range r.Box(BoxOptions{}).Listed() {
			out = append(out, s.NamespaceText)
		}
		return out
	}
	if got := texts(); !slices.Equal(got, []string{"one", "one"}) {
		t.Errorf("described %v", got)
	}
	rev := r.Revision()
	if err := r.DescribeNamespace("vim", "ed", "new"); err != nil || r.Revision() != rev+1 {
		t.Errorf("%v, revision %d", err, r.Revision())
	}
	if got := texts(); !slices.Equal(got, []string{"new", "new"}) {
		t.Errorf("described %v", got)
	}
	if err := r.DescribeNamespace("vs", "ed", "mine"); err == nil {
		t.Error("a stranger described it")
	}
}

func TestWhatWasFoundIsLoadedUntilItIsListed(t *testing.T) {
	later := func(name string) fake { return fake{spec: Spec{Name: name, Exposure: Deferred, Source: MCP}} }
	r := NewRegistry(named("read"))
	r.Change(nil, []Tool{later("a"), later("b"), later("c")})
	r.Remove("c")
	opt := BoxOptions{Search: true, Loaded: []string{"c", "b", "b", "never"}}
	box := r.Box(opt)
	of := func(specs []Spec) (out []string) {
		for _, s := range specs {
			out = append(out, s.Full())
		}
		return out
	}
	if l, d, f := of(box.Listed()), of(box.Deferred()), of(box.Loaded()); !slices.Equal(l, []string{"read"}) || !slices.Equal(d, []string{"a", "b"}) || !slices.Equal(f, []string{"c", "b"}) {
		t.Errorf("listed %v, deferred %v, loaded %v", l, d, f)
	}
	h := pipeline()
	wantText(t, mustRun(t, h, invoke(box, "b", `{}`)), OK)
	wantText(t, mustRun(t, h, invoke(box, "a", `{}`)), OK)
	wantText(t, mustRun(t, h, invoke(box, "c", `{}`)), Failed, "c was not run: it is gone")
	opt.Told, opt.Loaded = []string{"read", "b"}, nil // after a compaction
	box = r.Box(opt)
	if l, d, f := of(box.Listed()), of(box.Deferred()), of(box.Loaded()); !slices.Equal(l, []string{"read", "b"}) || !slices.Equal(d, []string{"a"}) || f != nil {
		t.Errorf("listed %v, deferred %v, loaded %v", l, d, f)
	}
}

func TestACallKnowsTheBoxOfItsStep(t *testing.T) {
	var seen *Box
	tool := fake{spec: Spec{Name: "x"}, prepare: func(_ context.Context, call Call) (Action, error) {
		seen = call.Box
		return Action{Run: func(context.Context, Progress) (Result, error) { return Result{Text: "ran"}, nil }}, nil
	}}
	box := boxOf(tool)
	mustRun(t, pipeline(), invoke(box, "x", `{}`))
	if seen != box {
		t.Error("the call has another box")
	}
}

func TestAThreadThatKnewARenamedToolIsToldOfTheNewOne(t *testing.T) {
	r := NewRegistry(fake{spec: Spec{Name: "now", Aliases: []string{"before"}}}, fake{spec: Spec{Name: "other", Exposure: Deferred, Aliases: []string{"once"}}}, named("a"))
	box := r.Box(BoxOptions{Search: true, Told: []string{"before", "now", "a"}, Loaded: []string{"once", "other"}})
	if got := fulls(box); !slices.Equal(got, []string{"now", "a"}) {
		t.Errorf("listed %v", got)
	}
	if l := box.Loaded(); len(l) != 1 || l[0].Name != "other" {
		t.Errorf("loaded %v", l)
	}
	wantText(t, mustRun(t, pipeline(), invoke(box, "before", `{}`)), OK)
}

func TestADefinitionThatIsChangedIsListedSo(t *testing.T) {
	r := NewRegistry(named("read"))
	before := r.Revision()
	r.SetDefine(func(s Spec) Spec {
		s.Description += " Changed."
		return s
	})
	box := r.Box(BoxOptions{})
	if spec, _ := box.Spec("read"); spec.Description != " Changed." || box.Listed()[0].Description != " Changed." || r.Revision() == before {
		t.Errorf("listed %+v, revision %d", box.Listed(), r.Revision())
	}
	r.SetDefine(nil)
	if spec, _ := r.Box(BoxOptions{}).Spec("read"); spec.Description != "" {
		t.Errorf("%+v", spec)
	}
}
