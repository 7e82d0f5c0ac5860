package config

import "testing"

func TestASettingThatWasTakenBackDoesNotLiveOn(t *testing.T) {
	for name, c := range map[string]struct{ before, was, now, mode, model string }{
		"taken back":             {`{"companion":{"mode":"edit","model":"a/b"}}`, `{"mode":"edit","model":"a/b"}`, `{"model":"a/b"}`, "agent", "a/b"},
		"bare":                   {`{"mode":"edit","model":"a/b"}`, `{"mode":"edit"}`, `{}`, "agent", "a/b"},
		"dotted":                 {`{"companion.mode":"edit"}`, `{"companion":{"mode":"edit"}}`, `{}`, "agent", ""},
		"never answered":         {`{"mode":"edit"}`, `null`, `{}`, "edit", ""},
		"not in what was pulled": {`{"mode":"edit"}`, `{"model":"a/b"}`, `{"model":"a/b"}`, "edit", "a/b"},
		"changed":                {`{"mode":"edit"}`, `{"mode":"edit"}`, `{"mode":"plan"}`, "plan", ""},
		"all of it":              {`{"mode":"edit"}`, `{"mode":"edit"}`, `null`, "agent", ""},
		"no settings at all":     {``, `{"mode":"edit"}`, `{}`, "agent", ""},
	} {
		layer := Withdrawn([]byte(c.before), []byte(c.was), []byte(c.now))
		s, problems := Load(Layer{Name: "initialize", Data: layer, Section: true}, Layer{Name: "configuration", Data: []byte(c.now), Section: true})
		if s.Mode != c.mode || s.Model != c.model || len(problems) > 0 {
			t.Errorf("%s: mode %q, model %q, %v", name, s.Mode, s.Model, problems)
		}
	}
}
