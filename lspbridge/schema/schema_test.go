package schema

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"companion/lspbridge/companion"

	"github.com/santhosh-tekuri/jsonschema/v6"
)

var update = flag.Bool("update", false, "write the generated files anew")

const (
	document = "../../docs/protocol.md"
	types    = "../../editors/vscode/src/protocol.gen.ts"
)

// compiled gives the schemas of defs.
func compiled(t *testing.T) func(def string) *jsonschema.Schema {
	t.Helper()
	raw, err := JSON()
	if err != nil {
		t.Fatal(err)
	}
	doc, err := jsonschema.UnmarshalJSON(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("companion.json", doc); err != nil {
		t.Fatal(err)
	}
	return func(def string) *jsonschema.Schema {
		s, err := c.Compile("companion.json#/$defs/" + def)
		if err != nil {
			t.Fatal(err)
		}
		return s
	}
}

func TestEveryMethodHasItsSchema(t *testing.T) {
	raw, err := JSON()
	if err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Version int
		Methods map[string]struct {
			Kind, Direction, Description string
			Params, Result               json.RawMessage
		}
		Defs map[string]json.RawMessage `json:"$defs"`
	}
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	if doc.Version != companion.Version || len(doc.Methods) != len(all()) {
		t.Errorf("version %d, %d methods of %d", doc.Version, len(doc.Methods), len(all()))
	}
	for name, m := range doc.Methods {
		if m.Description == "" || len(m.Params) == 0 || (m.Kind == "request") != (len(m.Result) > 0) {
			t.Errorf("%s: %+v", name, m)
		}
	}
	def := compiled(t)
	for name := range doc.Defs {
		def(name)
	}
}

func TestTheSchemaTellsWhatIsWrong(t *testing.T) {
	def := compiled(t)
	for _, c := range []struct {
		def, value string
		ok         bool
	}{
		{"TurnStartParams", `{"input":[{"type":"text","text":"x"}]}`, true},
		{"TurnStartParams", `{"input":[{"type":"text","text":"x"}],"ofTomorrow":1}`, true},
		{"TurnStartParams", `{}`, false},
		{"TurnStartParams", `{"input":[{"type":"song"}]}`, false},
		{"TurnStartParams", `{"input":[],"ifBusy":"wait"}`, false},
		{"ToolSpec", `{"name":"x","description":"y","inputSchema":{"type":"object"}}`, true},
		{"ToolSpec", `{"name":"x"}`, false},
		{"Event", `{"threadId":"t","seq":1,"type":"warning","code":"c","message":"m"}`, true},
		{"Event", `{"threadId":"t","seq":1,"type":"warning","code":"c"}`, false},
		{"EditResult", `{"applied":false,"reason":"notOpen"}`, true},
		{"EditResult", `{}`, false},
	} {
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(c.value))
		if err != nil {
			t.Fatal(err)
		}
		if err := def(c.def).Validate(v); (err == nil) != c.ok {
			t.Errorf("%s %s: %v", c.def, c.value, err)
		}
	}
}

func TestEventsAsTheyAreSentFitTheSchema(t *testing.T) {
	golden, err := os.ReadFile("../wire/testdata/events.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	s := compiled(t)("Event")
	for _, line := range strings.Split(strings.TrimSpace(string(golden)), "\n") {
		if strings.Contains(line, "of.tomorrow") || strings.Contains(line, `"outcome":""`) {
			continue
		}
		v, err := jsonschema.UnmarshalJSON(strings.NewReader(line))
		if err != nil {
			t.Fatal(err)
		}
		if err := s.Validate(v); err != nil {
			t.Errorf("%s: %v", line, err)
		}
	}
}

func TestTypeScriptIsInStep(t *testing.T) {
	want := TypeScript()
	if *update {
		if err := os.WriteFile(types, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(types)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != want {
		t.Errorf("%s is out of step: go test ./lspbridge/schema -update", filepath.Base(types))
	}
}

// The tables between <!-- begin NAME --> and <!-- end NAME --> are generated.
func TestTheDocumentIsInStep(t *testing.T) {
	raw, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	doc := string(raw)
	for _, name := range []string{"fromEditor", "toEditor", "events", "types"} {
		begin, end := "<!-- begin "+name+" -->\n", "<!-- end "+name+" -->"
		i, j := strings.Index(doc, begin), strings.Index(doc, end)
		if i < 0 || j < i {
			t.Fatalf("%s has no section %s", document, name)
		}
		i += len(begin)
		if want := "\n" + Markdown(name) + "\n"; doc[i:j] != want {
			if !*update {
				t.Errorf("section %s is out of step: go test ./lspbridge/schema -update", name)
			}
			doc = doc[:i] + want + doc[j:]
		}
	}
	if *update {
		if err := os.WriteFile(document, []byte(doc), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, m := range all() {
		if !strings.Contains(doc, "`"+m.Name+"`") {
			t.Errorf("%s is not named", m.Name)
		}
	}
	for _, code := range companion.FaultCodes() {
		if !strings.Contains(doc, "`"+code+"`") {
			t.Errorf("the error code %s is not named", code)
		}
	}
}
