package window

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"companion/tools"
)

type thread struct {
	used, window, at int
	handover         string
}

func (f *thread) Window(string) (used, window, at int) { return f.used, f.window, f.at }

func (f *thread) Handover(_, text string) error {
	f.handover = text
	return nil
}

func call(t *testing.T, tool tools.Tool, c tools.Call) (text string, outcome tools.Outcome) {
	t.Helper()
	action, err := tool.Prepare(context.Background(), c)
	var res tools.Result
	if err == nil {
		res, err = action.Run(context.Background(), nil)
	}
	var refusal *tools.Refusal
	if errors.As(err, &refusal) {
		return refusal.Text, refusal.Outcome
	}
	if err != nil {
		t.Fatal(err)
	}
	return res.Text, res.Outcome
}

func TestTheRoomThatIsLeft(t *testing.T) {
	for name, c := range map[string]struct {
		thread thread
		says   string
	}{
		"half":       {thread{5000, 10_000, 8000, ""}, "About 5000 of 10000 tokens are used, 5000 are left (50 %). At 8000 the thread is shortened"},
		"over":       {thread{12_000, 10_000, 8000, ""}, "0 are left (0 %)"},
		"unknown":    {thread{5000, 0, 0, ""}, "how many the model takes is not known"},
		"no bound":   {thread{1, 10, 0, ""}, "9 are left (90 %)."},
		"not yet so": {thread{0, 10, 8, ""}, "About 0 of 10"},
	} {
		t.Run(name, func(t *testing.T) {
			if text, outcome := call(t, Remaining(&c.thread), tools.Call{}); outcome != tools.OK || !strings.Contains(text, c.says) {
				t.Errorf("%s: %s", outcome, text)
			}
		})
	}
}

func TestAHandoverSaysEnoughAndNotTooMuch(t *testing.T) {
	good := strings.Repeat("what was done, ", 10)
	for name, c := range map[string]struct {
		text string
		cut  bool
		says string
		ok   bool
	}{
		"good":     {good, false, "begins anew before your next step", true},
		"short":    {"   go on   ", false, "has 5 bytes", false},
		"long":     {strings.Repeat("x", 16<<10+1), false, "at most 16384", false},
		"cut off":  {good, true, "cut off by the output limit", false},
		"at least": {strings.Repeat("x", 40), false, "begins anew", true},
	} {
		t.Run(name, func(t *testing.T) {
			f := &thread{}
			args, _ := json.Marshal(map[string]string{"handover": c.text})
			text, outcome := call(t, New(f), tools.Call{Args: args, Cut: c.cut})
			if (outcome == tools.OK) != c.ok || !strings.Contains(text, c.says) || (f.handover != "") != c.ok {
				t.Errorf("%s: %s", outcome, text)
			}
		})
	}
}

func TestTheClockIsThisMachines(t *testing.T) {
	at := time.Date(2026, 11, 30, 9, 5, 0, 0, time.FixedZone("CET", 3600))
	if text, _ := call(t, CurrentTime(func() time.Time { return at }), tools.Call{}); text != "Monday, 2026-11-30T09:05:00+01:00 (CET); in UTC 2026-11-30T08:05:00Z" {
		t.Error(text)
	}
}
