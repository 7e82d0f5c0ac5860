package router

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"companion/tools"
)

func builtin(name string, change ...func(*tools.Spec)) tools.Spec {
	s := tools.Spec{Name: name, ReadOnly: true}
	for _, f := range change {
		f(&s)
	}
	return s
}

func external(name string, change ...func(*tools.Spec)) tools.Spec {
	return builtin(name, append([]func(*tools.Spec){func(s *tools.Spec) {
		s.Namespace, s.Source, s.Owner = "ns", tools.Dynamic, "vim"
	}}, change...)...)
}

func wish(e tools.Exposure) func(*tools.Spec) { return func(s *tools.Spec) { s.Exposure = e } }
func writes(s *tools.Spec)                    { s.ReadOnly = false }
func edits(s *tools.Spec)                     { s.Serves = "edit" }
func sees(s *tools.Spec)                      { s.Sees = true }
func asks(s *tools.Spec)                      { s.AsksUser = true }
func shown(s *tools.Spec)                     { s.AlwaysShown = true }
func searches(s *tools.Spec)                  { s.Form = tools.Search }
func was(alias string) func(*tools.Spec) {
	return func(s *tools.Spec) { s.Aliases = append(s.Aliases, alias) }
}

// show renders where tools stand: "name exposure" or "name barred", " denied".
func show(specs []tools.Spec, in Scene) string {
	var out []string
	for i, st := range Stand(specs, in) {
		word := string(st.Exposure)
		switch {
		case st.Denied:
			word = "denied"
		case st.Barred != "":
			word = "barred"
		}
		out = append(out, specs[i].Full()+" "+word)
	}
	return strings.Join(out, ", ")
}

func TestWhereAToolStandsFollowsFromWishModelSettingsModeAgentRulesAndCount(t *testing.T) {
	search := builtin("find", searches)
	able := Model{Search: true}
	three := []tools.Spec{external("a"), external("b", shown), external("c", wish(tools.Deferred)), search}
	six := []tools.Spec{
		builtin("a"), builtin("b", wish(tools.Deferred)), builtin("c", wish(tools.DirectModelOnly)),
		builtin("d", wish(tools.DeferredModelOnly)), builtin("e", wish(tools.CodeModeOnly)), builtin("f", wish(tools.Hidden)),
	}
	for name, c := range map[string]struct {
		specs []tools.Spec
		in    Scene
		want  string
	}{
		"a wish is granted where the model can search": {
			append(slices.Clone(six), search),
			Scene{Model: able},
			"a direct, b deferred, c directModelOnly, d deferredModelOnly, e codeModeOnly, f hidden, find direct",
		},
		"what is deferred is listed where it cannot": {
			append(slices.Clone(six), search),
			Scene{},
			"a direct, b direct, c directModelOnly, d directModelOnly, e codeModeOnly, f hidden, find hidden",
		},
		"or where nothing searches": {six[:2], Scene{Model: able}, "a direct, b direct"},
		"or where the search is barred": {
			append(slices.Clone(six[:2]), search),
			Scene{Model: able, Switches: New(Settings{Disabled: []string{"find"}})},
			"a direct, b direct, find barred",
		},
		"a search with nothing to find is not shown": {[]tools.Spec{builtin("a"), search}, Scene{Model: able}, "a direct, find hidden"},
		"omitted, a search finds it": {
			append(slices.Clone(six[:5]), search),
			Scene{Model: able, Switches: New(Settings{OmitFrom: []string{"a", "c", "e"}})},
			"a deferred, b deferred, c deferredModelOnly, d deferredModelOnly, e codeModeOnly, find direct",
		},
		"omitted without search, only code may call it": {
			six[:5],
			Scene{Switches: New(Settings{OmitFrom: []string{"a", "b", "c", "d"}})},
			"a codeModeOnly, b codeModeOnly, c hidden, d hidden, e codeModeOnly",
		},
		"omitted by alias":                            {[]tools.Spec{builtin("a", was("old"))}, Scene{Switches: New(Settings{OmitFrom: []string{"old"}})}, "a codeModeOnly"},
		"a namespace is forced direct":                {three, Scene{Model: able, Switches: New(Settings{Direct: []string{"ns.*"}, MostDirect: 1})}, "ns.a direct, ns.b direct, ns.c direct, find hidden"},
		"few tools from outside are listed":           {three, Scene{Model: able, Switches: New(Settings{MostDirect: 2})}, "ns.a direct, ns.b direct, ns.c deferred, find direct"},
		"many are deferred, but what is always shown": {three, Scene{Model: able, Switches: New(Settings{MostDirect: 1})}, "ns.a deferred, ns.b direct, ns.c deferred, find direct"},
		"but not for a model that cannot search":      {three, Scene{Switches: New(Settings{MostDirect: 1})}, "ns.a direct, ns.b direct, ns.c direct, find hidden"},
		"many tools of ours are listed":               {six[:1], Scene{Model: able, Switches: New(Settings{MostDirect: 0})}, "a direct"},
		"pictures are for models that see":            {[]tools.Spec{builtin("view", sees)}, Scene{}, "view hidden"},
		"and shown to those":                          {[]tools.Spec{builtin("view", sees)}, Scene{Model: Model{Images: true}}, "view direct"},
		"of two that edit the preferred is shown":     {[]tools.Spec{builtin("patch", edits), builtin("edit", edits)}, Scene{Model: Model{Edit: "patch"}}, "patch direct, edit hidden"},
		"preferred by an alias":                       {[]tools.Spec{builtin("patch", edits, was("apply")), builtin("edit", edits)}, Scene{Model: Model{Edit: "apply"}}, "patch direct, edit hidden"},
		"both where none is preferred":                {[]tools.Spec{builtin("patch", edits), builtin("edit", edits)}, Scene{}, "patch direct, edit direct"},
		"the other where the preferred is missing":    {[]tools.Spec{builtin("edit", edits)}, Scene{Model: Model{Edit: "patch"}}, "edit direct"},
		"the other where the preferred is barred": {
			[]tools.Spec{builtin("patch", edits), builtin("edit", edits)},
			Scene{Model: Model{Edit: "patch"}, Switches: New(Settings{Disabled: []string{"patch"}})},
			"patch barred, edit direct",
		},
		"ask changes nothing":         {[]tools.Spec{builtin("r"), builtin("w", writes)}, Scene{Mode: tools.ModeAsk}, "r direct, w barred"},
		"plan changes nothing":        {[]tools.Spec{builtin("r"), builtin("w", writes)}, Scene{Mode: tools.ModePlan}, "r direct, w barred"},
		"edit may":                    {[]tools.Spec{builtin("r"), builtin("w", writes)}, Scene{Mode: tools.ModeEdit}, "r direct, w direct"},
		"a sub-agent asks nobody":     {[]tools.Spec{builtin("ask", asks)}, Scene{Agent: "reviewer"}, "ask barred"},
		"the main agent asks":         {[]tools.Spec{builtin("ask", asks)}, Scene{}, "ask direct"},
		"disabled by alias":           {[]tools.Spec{builtin("a", was("old"))}, Scene{Switches: New(Settings{Disabled: []string{"old"}})}, "a barred"},
		"disabled by namespace":       {[]tools.Spec{builtin("a"), external("b")}, Scene{Switches: New(Settings{Disabled: []string{"ns"}})}, "a direct, ns.b barred"},
		"disabled as models write it": {[]tools.Spec{external("b")}, Scene{Switches: New(Settings{Disabled: []string{"ns__b"}})}, "ns.b barred"},
		"switched off in the thread": {
			[]tools.Spec{builtin("a"), builtin("b")},
			Scene{Off: func(s tools.Spec) string { return map[string]string{"b": "off"}[s.Name] }},
			"a direct, b barred",
		},
		"denied as a whole": {
			[]tools.Spec{builtin("a"), external("b")},
			Scene{Switches: New(Settings{Denied: func(s tools.Spec) string { return map[string]string{"ns": "a rule says no"}[s.Namespace] }})},
			"a direct, ns.b denied",
		},
		"a rule counts before a setting": {
			[]tools.Spec{builtin("a")},
			Scene{Switches: New(Settings{Disabled: []string{"a"}, Denied: func(tools.Spec) string { return "no" }})},
			"a denied",
		},
	} {
		t.Run(name, func(t *testing.T) {
			if got := show(c.specs, c.in); got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

func TestMoreThanTwentyToolsFromOutsideAreSearchedFor(t *testing.T) {
	specs := []tools.Spec{builtin("find", searches)}
	for i := range 20 {
		specs = append(specs, external(fmt.Sprint("t", i)))
	}
	in := Scene{Model: Model{Search: true}}
	if got := Stand(specs, in)[1].Exposure; got != tools.Direct {
		t.Errorf("one of 20 is %s", got)
	}
	if got := Stand(append(specs, external("more")), in)[1].Exposure; got != tools.Deferred {
		t.Errorf("one of 21 is %s", got)
	}
}

// The columns of docs/tools.md: in the list, by search, by name, by code.
func TestAnExposureIsOpenWhereTheDocumentSaysSo(t *testing.T) {
	for e, want := range map[tools.Exposure]string{
		"": "yes no yes yes", tools.Direct: "yes no yes yes", tools.Deferred: "no yes yes yes", tools.DirectModelOnly: "yes no yes no",
		tools.DeferredModelOnly: "no yes yes no", tools.CodeModeOnly: "no no yes yes", tools.Hidden: "no no yes no", "nonsense": "no no yes no",
	} {
		var got []string
		for _, w := range []tools.Way{tools.InList, tools.BySearch, tools.ByName, tools.ByCode} {
			got = append(got, map[bool]string{true: "yes", false: "no"}[tools.Standing{Exposure: e}.Open(w)])
			if (tools.Standing{Exposure: e, Barred: "x"}).Open(w) {
				t.Errorf("%s: barred and open", e)
			}
		}
		if strings.Join(got, " ") != want {
			t.Errorf("%q is open %v, want %s", e, got, want)
		}
	}
}

func TestARefusalTellsARuleFromASwitch(t *testing.T) {
	for _, c := range []struct {
		in      tools.Standing
		outcome tools.Outcome
		text    string
	}{
		{tools.Standing{Barred: "the rule says no", Denied: true}, tools.Denied, "x was not run: the rule says no. Do not try to reach the same in another way; say what you need, or go on without it."},
		{tools.Standing{Barred: "it is off"}, tools.Blocked, "x may not be called in this step: it is off"},
		{tools.Standing{Exposure: tools.Hidden}, tools.Blocked, "x may not be called from code: call it yourself."},
	} {
		if got := c.in.Refusal("x"); got.Outcome != c.outcome || got.Text != c.text {
			t.Errorf("%+v: %+v", c.in, got)
		}
	}
}
