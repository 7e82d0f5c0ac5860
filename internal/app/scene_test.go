package app

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"testing"

	"companion/agent"
	"companion/dynamic"
	"companion/tools"
	"companion/tools/router"
)

// withSettings is a core under settings that an editor sent.
func withSettings(t testing.TB, settings string) *core {
	t.Helper()
	log, _ := logger(nil, io.Discard)
	c, problems, err := newCore(setup{
		Options: Options{Env: []string{"COMPANION_STATE_DIR=" + t.TempDir(), "COMPANION_CONFIG=" + os.DevNull}},
		roots:   []string{t.TempDir()}, log: log, settings: []byte(settings),
	})
	if err != nil || len(problems) > 0 {
		t.Fatal(err, problems)
	}
	t.Cleanup(func() { _ = c.close(t.Context()) })
	return c
}

func TestSettingsAndRulesDecideWhatAModelIsShown(t *testing.T) {
	for name, c := range map[string]struct {
		settings      string
		shown, called bool
		outcome       tools.Outcome
	}{
		"nothing said": {`{}`, true, true, ""},
		"disabled":     {`{"tools":{"disabled":["write"]}}`, false, false, tools.Blocked},
		"omitted":      {`{"tools":{"omitFrom":["write"]}}`, false, true, ""},
		"denied":       {`{"permissions":{"rules":[{"tool":"write","action":"deny"}]}}`, false, false, tools.Denied},
		"denied for some paths": {
			`{"permissions":{"rules":[{"effect":"write","pattern":"secret/**","action":"deny"}]}}`, true, true, "",
		},
	} {
		t.Run(name, func(t *testing.T) {
			core := withSettings(t, c.settings)
			in := core.scene("t")
			in.Mode = tools.ModeAgent
			var cache router.Cache
			box := cache.Box(core.reg, in, nil, nil)
			shown := slices.ContainsFunc(box.Listed(), func(s tools.Spec) bool { return s.Name == "write" })
			stand := box.Standing("write")
			if shown != c.shown || stand.Open(tools.ByName) != c.called {
				t.Errorf("shown %v, callable %v", shown, stand.Open(tools.ByName))
			}
			if !c.called && stand.Refusal("write").Outcome != c.outcome {
				t.Errorf("a call is %s, want %s", stand.Refusal("write").Outcome, c.outcome)
			}
			spec, _ := box.Spec("write")
			list, err := core.stand("t", "", []tools.Spec{spec})
			if err != nil || (list[0].Barred == "") != c.called {
				t.Errorf("the list of tools says %+v, %v", list, err)
			}
		})
	}
}

func TestTheListSaysWhereToolsStandForAModel(t *testing.T) {
	core := withSettings(t, `{"models":{"openai/plain":{"toolSearch":false}}}`)
	specs := []tools.Spec{{Name: "tool_search", Form: tools.Search, Exposure: tools.DirectModelOnly}}
	for i := range 100 {
		specs = append(specs, tools.Spec{Name: fmt.Sprintf("lent_%d", i), Source: tools.Dynamic})
	}
	for model, want := range map[string]tools.Exposure{"openai/gpt-6-astra": tools.Deferred, "openai/plain": tools.Direct} {
		list, err := core.stand("", model, specs)
		if err != nil || list[50].Exposure != want {
			t.Errorf("%s: %v, want %s, %v", model, list[50].Exposure, want, err)
		}
	}
	if _, err := core.stand("", "no/ne", specs); !errors.Is(err, agent.ErrNoModel) {
		t.Errorf("a model that is none: %v", err)
	}
}

func TestOtherSettingsAreOtherSwitches(t *testing.T) {
	c := withSettings(t, `{}`)
	before := c.scene("t").Switches
	if c.scene("t").Switches != before {
		t.Error("the same settings gave other switches")
	}
	c.configure(t.Context(), []byte(`{"tools":{"disabled":["read"]}}`))
	if c.scene("t").Switches == before {
		t.Error("other settings gave the same switches")
	}
}

func TestStrictNamesHoldAsSoonAsTheyAreSet(t *testing.T) {
	c := withSettings(t, `{}`)
	spec := func(name string) dynamic.Spec {
		return dynamic.Spec{Name: name, Description: "Does it.", Input: json.RawMessage(`{"type":"object"}`)}
	}
	batch := []dynamic.Spec{spec("mine"), spec("read")}
	if registered, _, _ := c.dynamic.Register("vim", batch, nil, true); !slices.Equal(registered, []string{"mine"}) {
		t.Errorf("registered %v", registered)
	}
	c.configure(t.Context(), []byte(`{"tools":{"strictNames":true}}`))
	if registered, rejected, _ := c.dynamic.Register("vim", batch, nil, true); len(registered) > 0 || len(rejected) != 2 {
		t.Errorf("strict: registered %v, rejected %v", registered, rejected)
	}
}
