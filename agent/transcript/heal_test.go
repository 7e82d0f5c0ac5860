package transcript

import (
	"encoding/json"
	"math/rand/v2"
	"reflect"
	"strings"
	"testing"

	"companion/agent/model"
)

// checkPaired holds invariant 9 of the architecture.
func checkPaired(t *testing.T, items []model.Item) {
	t.Helper()
	ids, calls := map[string]bool{}, map[string]bool{}
	var open []string
	for i, it := range items {
		if it.ID == "" || ids[it.ID] {
			t.Errorf("item %d has the empty or doubled id %q", i, it.ID)
		}
		ids[it.ID] = true
		switch it.Kind {
		case model.ToolCall:
			if it.CallID == "" || calls[it.CallID] {
				t.Errorf("call %d has the empty or doubled id %q", i, it.CallID)
			}
			calls[it.CallID] = true
			open = append(open, it.CallID)
		case model.ToolReply:
			at := -1
			for j, id := range open {
				if id == it.CallID {
					at = j
				}
			}
			if at < 0 {
				t.Errorf("result %d answers no open call: %q", i, it.CallID)
				continue
			}
			open = append(open[:at:at], open[at+1:]...)
			if strings.TrimSpace(it.Text) == "" && len(it.Images) == 0 {
				t.Errorf("result %d is empty", i)
			}
		default:
			if len(open) > 0 && it.Kind == model.Message && it.Role != model.Assistant {
				t.Errorf("item %d stands between a call and its result", i)
			}
		}
	}
	if len(open) > 0 {
		t.Errorf("calls without a result: %v", open)
	}
}

func sameItems(a, b []model.Item) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

// randomItems is any transcript at all: lost results, results of nothing,
// doubled and empty ids.
func randomItems(r *rand.Rand, n int) []model.Item {
	ids := []string{"", "a", "b", "c", "a-2", "call"}
	texts := []string{"", " ", "text"}
	names := []string{"", "read", "ns.tool", "déjà", strings.Repeat("x", 90), "1st"}
	out := make([]model.Item, n)
	for i := range out {
		it := model.Item{ID: ids[r.IntN(len(ids))], Text: texts[r.IntN(len(texts))]}
		switch r.IntN(6) {
		case 0:
			it.Kind, it.Role = model.Message, model.User
		case 1:
			it.Kind, it.Role = model.Message, model.Assistant
		case 2:
			it.Kind = model.Reasoning
		case 3:
			it.Kind, it.CallID, it.Name = model.ToolReply, ids[r.IntN(len(ids))], "read"
		default:
			it.Kind, it.CallID, it.Name = model.ToolCall, ids[r.IntN(len(ids))], names[r.IntN(len(names))]
		}
		out[i] = it
	}
	return out
}

func TestEveryHistoryHeals(t *testing.T) {
	for seed := range uint64(1000) {
		r := rand.New(rand.NewPCG(seed, 1))
		items := randomItems(r, r.IntN(25))
		healed := Heal(items)
		checkPaired(t, healed)
		for _, it := range healed {
			if it.Kind == model.ToolCall && CallName(it.Name) != it.Name {
				t.Errorf("name %q", it.Name)
			}
		}
		if again := Heal(healed); !reflect.DeepEqual(again, healed) {
			t.Errorf("seed %d: healing twice changes the transcript", seed)
		}
		longer := Heal(append(append([]model.Item(nil), healed...), randomItems(r, 5)...))
		if len(longer) < len(healed) || !sameItems(longer[:len(healed)], healed) {
			t.Errorf("seed %d: healing a longer transcript changes its beginning", seed)
		}
		if t.Failed() {
			t.Fatalf("seed %d: %+v", seed, items)
		}
	}
}

func TestHealKeepsCallsAndTheirResultsTogether(t *testing.T) {
	call := func(id string) model.Item { return model.Item{Kind: model.ToolCall, CallID: id, Name: "n" + id} }
	reply := func(id, text string) model.Item { return model.Item{Kind: model.ToolReply, CallID: id, Text: text} }
	got := Heal([]model.Item{call("1"), call("1"), call("2"), reply("2", "two"), reply("1", "first"), reply("1", "second"), reply("9", "stray"), call("3"), {Kind: model.Message, Role: model.User, Text: "hi"}})
	want := []string{"call 1", "call 1-2", "call 2", "result 2 two", "result 1 first", "result 1-2 second", "call 3", "result 3 " + noResult, "message  hi"}
	var line []string
	for _, it := range got {
		s := string(it.Kind) + " " + it.CallID
		if it.Text != "" {
			s += " " + it.Text
		}
		line = append(line, s)
	}
	if strings.Join(line, "|") != strings.Join(want, "|") {
		t.Errorf("got  %q\nwant %q", line, want)
	}
}

func TestItemsSurviveTheLog(t *testing.T) {
	it := model.Item{
		Kind: model.ToolReply, ID: "i", Role: model.User, Text: "t\x00é", Images: []model.Image{{MimeType: "image/png", Data: []byte{1, 2}}},
		Loads:  []model.Tool{{Name: "x", Namespace: "ns", Description: "d", Parameters: json.RawMessage(`{"type":"object"}`), Deferred: true}},
		CallID: "c", Name: "n", Namespace: "ns", Arguments: `{"a`, IsError: true, Incomplete: true, Raw: json.RawMessage(`{"x":1}`), RawFor: "p/m", Hosted: true,
	}
	rec, err := encodeItem(it, "sec")
	if err != nil {
		t.Fatal(err)
	}
	got, section, err := decodeItem(rec.Item)
	if err != nil || section != "sec" || !reflect.DeepEqual(got, it) {
		t.Errorf("%+v, %q, %v", got, section, err)
	}
	v := reflect.ValueOf(it)
	for i := range v.NumField() {
		if v.Field(i).IsZero() {
			t.Errorf("the test does not cover Item.%s", v.Type().Field(i).Name)
		}
	}
}
