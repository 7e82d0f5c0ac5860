package config

import (
	"encoding/json"
	"testing"
)

func TestSchemaNamesEveryKey(t *testing.T) {
	raw, err := Schema()
	if err != nil {
		t.Fatal(err)
	}
	type node struct {
		Type        string
		Description string
		Enum        []string
		Default     any
		Properties  map[string]node
		Items       *node
	}
	var doc node
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	top := doc.Properties["companion"].Properties
	if s := top["mode"]; s.Type != "string" || len(s.Enum) != 5 || s.Default != "agent" || s.Description == "" {
		t.Errorf("mode: %+v", s)
	}
	if s := top["maxSteps"]; s.Type != "integer" || s.Default != 100.0 {
		t.Errorf("maxSteps: %+v", s)
	}
	if s := top["tools"].Properties["strictNames"]; s.Type != "boolean" || s.Default != false {
		t.Errorf("tools.strictNames: %+v", s)
	}
	if s := top["permissions"].Properties["rules"]; s.Type != "array" || s.Items == nil || s.Items.Properties["action"].Type != "string" {
		t.Errorf("permissions.rules: %+v", s)
	}
}
