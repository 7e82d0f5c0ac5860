package router

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"companion/tools"
)

// world is a random registry in a random scene.
type world struct {
	r      *rand.Rand
	reg    *tools.Registry
	in     Scene
	told   []string
	loaded []string
	denied map[string]bool
	ran    []string
}

// watched is a tool that notes that it ran.
type watched struct {
	tool
	w *world
}

func (t watched) Prepare(context.Context, tools.Call) (tools.Action, error) {
	return tools.Action{Run: func(context.Context, tools.Progress) (tools.Result, error) {
		t.w.ran = append(t.w.ran, t.spec.Full())
		return tools.Result{Outcome: tools.OK, Text: "ran"}, nil
	}}, nil
}

func pick[T any](r *rand.Rand, list ...T) T { return list[r.IntN(len(list))] }

func (w *world) name() string {
	return pick(w.r, "read", "Read", "log", "a-b", "a_b", "git_log", "edit", "x") + pick(w.r, "", "", "2", "_3", "-3")
}

func (w *world) spec() tools.Spec {
	s := tools.Spec{
		Name: w.name(), ReadOnly: w.r.IntN(2) == 0, AlwaysShown: w.r.IntN(6) == 0, Sees: w.r.IntN(6) == 0, AsksUser: w.r.IntN(6) == 0,
		Exposure: pick(w.r, "", tools.Direct, tools.Deferred, tools.DirectModelOnly, tools.DeferredModelOnly, tools.CodeModeOnly, tools.Hidden),
		Input:    json.RawMessage(`{"type":"object"}`),
		Serves:   pick(w.r, "", "", "edit"),
	}
	if w.r.IntN(8) == 0 {
		s.Form = tools.Search
	}
	if w.r.IntN(3) == 0 {
		s.Aliases = []string{w.name()}
	}
	if w.r.IntN(2) == 0 {
		s.Source = pick(w.r, tools.MCP, tools.Dynamic, tools.Extension)
		s.Namespace = pick(w.r, "", "git", "Git", "log", "a-b")
		s.Owner = pick(w.r, "vim", "server")
	}
	return s
}

func newWorld(seed uint64) *world {
	w := &world{r: rand.New(rand.NewPCG(seed, 7)), reg: tools.NewRegistry(), denied: map[string]bool{}}
	var names []string
	for range 3 + w.r.IntN(30) {
		s := w.spec()
		if _, errs := w.reg.Change(nil, []tools.Tool{watched{tool{s}, w}}); errs[0] == nil {
			names = append(names, s.Full())
		}
	}
	some := func() (out []string) {
		for _, n := range names {
			if w.r.IntN(4) == 0 {
				out = append(out, n)
			}
		}
		w.r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
		return out
	}
	for _, n := range some() {
		w.denied[n] = true
	}
	w.told, w.loaded = some(), some()
	w.in = Scene{
		Mode: pick(w.r, tools.ModeAsk, tools.ModePlan, tools.ModeEdit, tools.ModeAgent, tools.ModeFull), Agent: pick(w.r, "", "helper"),
		Model: Model{Search: w.r.IntN(2) == 0, Images: w.r.IntN(2) == 0, Edit: pick(w.r, "", "edit", "x")},
		Switches: New(Settings{
			Disabled: some(), OmitFrom: some(), Direct: some(), MostDirect: 1 + w.r.IntN(8),
			Denied: func(s tools.Spec) string {
				if w.denied[s.Full()] {
					return "a rule denies it"
				}
				return ""
			},
		}),
	}
	if w.r.IntN(3) == 0 {
		off := some()
		w.in.Off = func(s tools.Spec) string {
			if slices.Contains(off, s.Full()) {
				return "it is off"
			}
			return ""
		}
	}
	for _, n := range some() {
		if w.r.IntN(3) == 0 {
			w.reg.Remove(n)
		}
	}
	return w
}

// call runs one call through the stages and says what ran.
func (w *world) call(t *testing.T, box *tools.Box, namespace, name string) (tools.Result, []string) {
	t.Helper()
	w.ran = nil
	h := tools.Chain(tools.Run, tools.Answer(nil), tools.Lookup(), tools.Validate(), tools.Prepare())
	res, err := h(context.Background(), &tools.Invocation{Box: box, Call: tools.Call{
		Thread: "t", ID: "c", Mode: w.in.Mode, Namespace: namespace, Name: name, Raw: json.RawMessage(`{}`),
	}})
	if err != nil {
		t.Fatalf("%s.%s ended the turn: %v", namespace, name, err)
	}
	return res, w.ran
}

// spelled is a name as a careless model writes it.
func (w *world) spelled(full string) string {
	switch w.r.IntN(6) {
	case 0:
		return strings.ToUpper(full)
	case 1:
		return strings.ReplaceAll(full, ".", "__")
	case 2:
		return strings.ReplaceAll(full, "-", "_")
	case 3:
		return strings.ReplaceAll(full, "_", "-")
	case 4:
		ns, _, _ := strings.Cut(full, ".")
		return ns + "." + full
	}
	return full
}

func TestWhatIsVisibleIsCallableAndWhatIsBarredNeverRuns(t *testing.T) {
	for seed := range uint64(400) {
		w := newWorld(seed)
		var c Cache
		box := c.Box(w.reg, w.in, w.told, w.loaded)
		seen := map[string]bool{}
		for i, s := range append(slices.Clone(box.Listed()), box.Deferred()...) {
			full := s.Full()
			if seen[full] {
				t.Errorf("seed %d: %s is seen twice", seed, full)
			}
			seen[full] = true
			_, there := box.Spec(full)
			told := slices.Contains(w.told, full)
			if i >= len(box.Listed()) && told {
				t.Errorf("seed %d: %s was told of and left the list", seed, full)
			}
			res, ran := w.call(t, box, s.Namespace, s.Name)
			switch {
			case res.Outcome == tools.OK && slices.Equal(ran, []string{full}):
			case told && !there && res.Outcome == tools.Failed && ran == nil:
			case told && there && box.Withheld(full) != "" && ran == nil && (res.Outcome == tools.Blocked || res.Outcome == tools.Denied):
			default:
				t.Errorf("seed %d: %s is visible and its call is %s, ran %v: %s", seed, full, res.Outcome, ran, res.Text)
			}
		}
		for _, s := range w.reg.Specs() {
			full := s.Full()
			for range 4 {
				res, ran := w.call(t, box, "", w.spelled(full))
				for _, r := range ran {
					if w.denied[r] || box.Withheld(r) != "" {
						t.Errorf("seed %d: %s ran", seed, r)
					}
				}
				if w.denied[full] && slices.Contains(ran, full) {
					t.Errorf("seed %d: denied %s: %s", seed, full, res.Outcome)
				}
			}
			res, ran := w.call(t, box, s.Namespace, s.Name)
			if barred := box.Withheld(full) != ""; barred == (res.Outcome == tools.OK) || barred == (len(ran) == 1) {
				t.Errorf("seed %d: %s barred %v: %s", seed, full, barred, res.Outcome)
			}
			if w.denied[full] != (res.Outcome == tools.Denied) {
				t.Errorf("seed %d: %s denied %v: %s", seed, full, w.denied[full], res.Outcome)
			}
		}
	}
}

func TestTheListGrowsAtItsEndWhateverChanges(t *testing.T) {
	for seed := range uint64(200) {
		w := newWorld(seed)
		var c Cache
		var before []string
		for step := range 6 {
			box := c.Box(w.reg, w.in, before, nil)
			var now []string
			for _, s := range box.Listed() {
				now = append(now, s.Full())
			}
			if len(now) < len(before) || !slices.Equal(now[:len(before)], before) {
				t.Fatalf("seed %d, step %d: %v after %v", seed, step, now, before)
			}
			before = now
			other := newWorld(seed*100 + uint64(step))
			w.in.Mode, w.in.Model, w.in.Switches = other.in.Mode, other.in.Model, other.in.Switches
			w.reg.Change(nil, []tools.Tool{watched{tool{tools.Spec{Name: fmt.Sprint("new", step), Source: tools.MCP, Namespace: "new"}}, w}})
			if specs := w.reg.Specs(); len(specs) > 0 {
				w.reg.Remove(pick(w.r, specs...).Full())
			}
		}
	}
}
