package tools

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
)

func external(name, owner string) fake {
	return fake{spec: Spec{Name: name, Source: Dynamic, Owner: owner}}
}

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
