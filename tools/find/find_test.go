package find_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"companion/tools"
	"companion/tools/find"
)

// fake is a tool of which only the spec matters.
type fake struct{ spec tools.Spec }

func (f fake) Spec() tools.Spec { return f.spec }
func (f fake) Prepare(context.Context, tools.Call) (tools.Action, error) {
	return tools.Action{}, errors.New("not to be run")
}

func deferred(ns, name, text string, properties ...string) tools.Spec {
	var in []string
	for _, p := range properties {
		in = append(in, fmt.Sprintf(`%q:{"type":"string"}`, p))
	}
	return tools.Spec{
		Namespace: ns, Name: name, Description: text, Exposure: tools.Deferred, Source: tools.Dynamic,
		Input: json.RawMessage(`{"type":"object","properties":{` + strings.Join(in, ",") + `}}`),
	}
}

var few = []tools.Spec{
	deferred("", "spell", "Checks the spelling of a text.", "text"),
	deferred("gh", "create_issue", "Opens a new issue in a repository.", "title", "body"),
	deferred("gh", "listPullRequests", "Lists the pull requests of a repository.", "state"),
	deferred("gh", "merge", "Merges a pull request.", "number"),
	deferred("kv", "get", "Reads the value of a key.", "key"),
	deferred("kv", "set", "Writes the value of a key.", "key", "value"),
}

func box(specs []tools.Spec) *tools.Box {
	r := tools.NewRegistry(find.Tool(find.NewCache()))
	for _, s := range specs {
		if err := r.Add(fake{s}); err != nil {
			panic(err)
		}
	}
	return r.Box(tools.BoxOptions{Search: true})
}

// search runs tool_search; an error is what the model would hear.
func search(t *testing.T, b *tools.Box, args string) (tools.Result, error) {
	t.Helper()
	a, err := find.Tool(find.NewCache()).Prepare(t.Context(), tools.Call{ID: "c1", Args: json.RawMessage(args), Box: b})
	if err != nil {
		return tools.Result{}, err
	}
	return a.Run(t.Context(), nil)
}

func TestTheBestHitsComeFirstAndThoseOfANamespaceTogether(t *testing.T) {
	for args, want := range map[string]string{
		`{"query":"open an issue"}`:                       "gh.create_issue",
		`{"query":"list pull requests"}`:                  "gh.listPullRequests gh.merge",
		`{"query":"listing PULL-REQUEST"}`:                "gh.listPullRequests gh.merge",
		`{"query":"value of a key"}`:                      "kv.set kv.get",
		`{"query":"value of a key","limit":1}`:            "kv.set",
		`{"query":"spelling"}`:                            "spell",
		`{"query":"gh.merge"}`:                            "gh.merge gh.create_issue gh.listPullRequests",
		`{"query":"gh__merge","limit":1}`:                 "gh.merge",
		`{"query":"call kv.get please"}`:                  "kv.get kv.set",
		`{"query":"set"}`:                                 "kv.set",
		`{"query":"select:kv.set,GH__merge"}`:             "kv.set gh.merge",
		`{"query":"select: spell, kv.nothing"}`:           "spell",
		`{"query":"select:kv.set,kv.set,set","limit":50}`: "kv.set",
	} {
		res, err := search(t, box(few), args)
		if err != nil {
			t.Errorf("%s: %v", args, err)
			continue
		}
		if got := strings.Join(res.Loads, " "); got != want {
			t.Errorf("%s loads %q, want %q", args, got, want)
		}
	}
}

func TestAnAnswerHoldsNamesTextsAndParameters(t *testing.T) {
	specs := append(slices.Clone(few), tools.Spec{
		Namespace: "gh", Name: "fork", Exposure: tools.Deferred, Source: tools.Dynamic,
		Description: "Copies a repository\nto your account. Slow for large ones.\n\nReturns JSON.",
		Input:       json.RawMessage(`{"type":"object","properties":{"owner":{"type":"string"},"into":{}},"required":["owner"]}`),
	})
	res, err := search(t, box(specs), `{"query":"fork"}`)
	if err != nil {
		t.Fatal(err)
	}
	want := "1 of the 7 tools that can be found; each may be called from the next step on.\n\n" +
		"gh (4 tools)\n- gh.fork(owner, into?): Copies a repository to your account."
	if res.Text != want {
		t.Errorf("got:\n%s\nwant:\n%s", res.Text, want)
	}
	if res.Tainted || res.Outcome != tools.OK {
		t.Errorf("outcome %q, tainted %v", res.Outcome, res.Tainted)
	}
}

func TestWhatCannotBeFoundIsToldSoThatTheModelCanGoOn(t *testing.T) {
	for args, want := range map[string]string{
		`{"query":" "}`:                                 "query is empty",
		`{"query":"zebra"}`:                             `No tool fits "zebra". Try other words: what it should do, to what, with which service. What can be found: without a namespace (1), gh (3), kv (2).`,
		`{"query":"the of"}`:                            "No tool fits",
		`{"query":"select:kv.gett"}`:                    `There is no tool "kv.gett" to be found. Near names: kv.get`,
		`{"query":"` + strings.Repeat("x", 2001) + `"}`: "at most 2000",
	} {
		_, err := search(t, box(few), args)
		var r *tools.Refusal
		if !errors.As(err, &r) || r.Outcome != tools.Failed || !strings.Contains(r.Text, want) {
			t.Errorf("%.60s: %v, want %q", args, err, want)
		}
	}
	if _, err := search(t, box(nil), `{"query":"x"}`); err == nil || !strings.Contains(err.Error(), "nothing to find") {
		t.Errorf("without deferred tools: %v", err)
	}
	res, err := search(t, box(few), `{"query":"select:spell,nope"}`)
	if err != nil || !strings.Contains(res.Text, `There is no tool "nope"`) {
		t.Errorf("a part that is missing is not told: %q, %v", res.Text, err)
	}
}

func TestNoHitsWithManyNamespacesStaysShort(t *testing.T) {
	var specs []tools.Spec
	for i := range 500 {
		specs = append(specs, deferred(fmt.Sprintf("namespace%d", i), "run", "Runs."))
	}
	_, err := search(t, box(specs), `{"query":"zebra"}`)
	if err == nil || len(err.Error()) > 2000 || !strings.Contains(err.Error(), "namespaces more") {
		t.Errorf("%v", err)
	}
}

func TestTiesAreStableByName(t *testing.T) {
	var specs []tools.Spec
	for _, n := range []string{"b", "d", "a", "c"} {
		specs = append(specs, deferred("same", n, "Does the same thing."))
	}
	for range 20 {
		res, err := search(t, box(specs), `{"query":"thing","limit":3}`)
		if err != nil || strings.Join(res.Loads, " ") != "same.a same.b same.c" {
			t.Fatalf("%v, %v", res.Loads, err)
		}
	}
}

func TestAnIndexIsBuiltOnceForOneSetOfTools(t *testing.T) {
	c := find.NewCache()
	a := c.Of(1, few)
	if c.Of(1, slices.Clone(few)) != a {
		t.Error("the same tools were indexed again")
	}
	if c.Of(2, few) == a {
		t.Error("a new revision was not indexed")
	}
	if c.Of(1, few[:5]) == a {
		t.Error("fewer tools were not indexed anew")
	}
	if c.Of(1, few) != a {
		t.Error("the first index was forgotten after two more")
	}
	for i := range 4 {
		c.Of(10+i, few)
	}
	if c.Of(1, few) == a {
		t.Error("indexes are kept for ever")
	}
}

func TestASchemaThatCannotBeReadLeavesTheOtherWords(t *testing.T) {
	for _, in := range []string{``, `null`, `[]`, `{"properties":3}`, `{"properties":{"a":{"description":4,"items":true},"zebra":{"description":"stripes"}}}`} {
		s := deferred("x", "odd", "Feeds animals.")
		s.Input = json.RawMessage(in)
		res, err := search(t, box([]tools.Spec{s}), `{"query":"feed an animal"}`)
		if err != nil || len(res.Loads) != 1 {
			t.Errorf("%s: %v, %v", in, res.Loads, err)
		}
	}
}
