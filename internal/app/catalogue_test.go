package app

import (
	"encoding/json"
	"io"
	"os"
	"regexp"
	"slices"
	"sort"
	"strings"
	"testing"

	"companion/tools"
	"companion/tools/schema"
)

// registry is what is wired with no settings.
func registry(t *testing.T) *tools.Registry {
	t.Helper()
	log, _ := logger(nil, io.Discard)
	c, _, err := newCore(setup{
		Options: Options{Env: []string{"COMPANION_STATE_DIR=" + t.TempDir(), "COMPANION_CONFIG=" + os.DevNull}},
		roots:   []string{t.TempDir()}, log: log,
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.close(t.Context()) })
	return c.reg
}

// A tool's name is protocol: renamed = alias, retired = hidden, never deleted.
// testdata/shipped-tools.txt is what was ever registered; -update adds to it and
// takes nothing out.
func TestShippedToolsKeepTheirNames(t *testing.T) {
	const golden = "testdata/shipped-tools.txt"
	data, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	shipped := strings.Fields(string(data))
	reg := registry(t)
	for _, name := range shipped {
		if _, ok := reg.Find(name); !ok {
			t.Errorf("%s was shipped and is gone: give it as an alias of what took its place, or keep it with the exposure hidden", name)
		}
	}
	for _, s := range reg.Specs() {
		for _, name := range append([]string{s.Full()}, s.Aliases...) {
			if slices.Contains(shipped, name) {
				continue
			}
			if !*update {
				t.Errorf("%s is new: go test ./internal/app -update writes it down, and then the name stays", name)
			}
			shipped = append(shipped, name)
		}
	}
	if *update {
		sort.Strings(shipped)
		if err := os.WriteFile(golden, []byte(strings.Join(shipped, "\n")+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
}

type property struct {
	Type        string
	Description string
	Properties  map[string]property
	Required    []string
	Items       *property
	Enum        []string
	Minimum     *float64
	Extra       *bool `json:"additionalProperties"`
}

var (
	rangeWords = regexp.MustCompile(`from \d|\d+ to [\d,]+|[Aa]t most [\d,]+|[Oo]ne or more`)
	unitWords  = regexp.MustCompile(`(?i)\b(ms|milliseconds?|seconds?|bytes?|KB|MB|lines?|characters?|tokens?|columns?|rows?|hits?|results?|matches|files?|tools?|levels?|cells?|pages?|sessions?|number of|counted|index)\b`)
)

func TestEachParameterSaysItsDefaultRangeAndUnit(t *testing.T) {
	for _, spec := range registry(t).Specs() {
		t.Run(spec.Full(), func(t *testing.T) {
			if len(spec.Description) < 80 || strings.TrimSpace(spec.Description) != spec.Description {
				t.Errorf("description %q", spec.Description)
			}
			if len(spec.Input) > 5_000 {
				t.Errorf("the schema has %d bytes, over the budget of 5,000", len(spec.Input))
			}
			var root property
			if err := json.Unmarshal(spec.Input, &root); err != nil {
				t.Fatal(err)
			}
			checkObject(t, spec.Name, root)
		})
	}
}

func checkObject(t *testing.T, at string, o property) {
	t.Helper()
	if o.Extra == nil || *o.Extra {
		t.Errorf("%s takes unknown properties", at)
	}
	for name, p := range o.Properties {
		where := at + "." + name
		if p.Description == "" {
			t.Errorf("%s has no description", where)
		}
		if !slices.Contains(o.Required, name) && !strings.Contains(p.Description, "Default") {
			t.Errorf("%s is optional and does not say its default: %s", where, p.Description)
		}
		if p.Type == "integer" || p.Type == "number" {
			if p.Minimum == nil || !rangeWords.MatchString(p.Description) {
				t.Errorf("%s is a number without its range: %s", where, p.Description)
			}
			if !unitWords.MatchString(p.Description) {
				t.Errorf("%s is a number without its unit: %s", where, p.Description)
			}
		}
		switch {
		case p.Items != nil && p.Items.Type == "object":
			checkObject(t, where+"[]", *p.Items)
		case p.Type == "object":
			checkObject(t, where, p)
		}
	}
}

// No two visible tools serve one intention unsaid: what a model could do by
// either is said in both, with which to prefer.
func TestToolsThatServeOneIntentionNameEachOther(t *testing.T) {
	described, serves := map[string]string{}, map[string]string{}
	for _, s := range registry(t).Specs() {
		described[s.Full()], serves[s.Full()] = s.Description, s.Serves
	}
	seen := 0
	for _, pair := range [][2]string{
		{"read", "exec_command"},
		{"edit", "write"},
		{"edit", "apply_patch"},
		{"grep", "exec_command"},
		{"exec_command", "write_stdin"},
		{"write_stdin", "stop_session"},
		{"grep", "lsp"},
		{"glob", "list"},
		{"read", "list"},
		{"read", "outline"},
		{"read", "view_image"},
		{"diagnostics", "lsp"},
		{"tool_search", "list_mcp_resources"},
	} {
		one, first := described[pair[0]]
		two, second := described[pair[1]]
		if !first || !second {
			continue // not there yet
		}
		if both := serves[pair[0]]; both != "" && both == serves[pair[1]] {
			continue // a model's card chooses one of them
		}
		seen++
		if !strings.Contains(one, "`"+pair[1]+"`") || !strings.Contains(two, "`"+pair[0]+"`") {
			t.Errorf("%s and %s serve one intention and do not both name the other", pair[0], pair[1])
		}
	}
	if seen < 3 {
		t.Errorf("%d pairs were looked at", seen)
	}
}

func TestTraitsAreWhatTheToolsAre(t *testing.T) {
	for _, s := range registry(t).Specs() {
		switch {
		case s.ReadOnly && s.Destructive:
			t.Errorf("%s reads only and destroys", s.Full())
		case s.Folded && !s.ReadOnly:
			t.Errorf("%s changes things and its result is folded away", s.Full())
		case s.Source.External() || s.Namespace != "":
			t.Errorf("%s is built in and says otherwise", s.Full())
		case s.Title == "":
			t.Errorf("%s has no title", s.Full())
		}
		for _, example := range s.Examples {
			compiled, err := schema.Compile(s.Input)
			if err != nil {
				t.Fatal(err)
			}
			if fit, err := compiled.Fit(example); err != nil || string(fit) != string(example) {
				t.Errorf("an example of %s does not fit its schema: %v", s.Full(), err)
			}
		}
	}
}
