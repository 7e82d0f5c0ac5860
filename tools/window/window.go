package window

import (
	"context"
	_ "embed"
	"fmt"
	"strings"
	"time"

	"companion/tools"
	"companion/tools/schema"
)

// Bounds of a handover: long enough to go on by, short enough to be worth it.
const (
	leastHandover = 40
	mostHandover  = 16 << 10
)

// Threads knows how long threads are.
type Threads interface {
	// Window gives what the thread takes of the model's window, what the window
	// holds, and where the thread is shortened by itself, in tokens. 0 = unknown.
	Window(thread string) (used, window, shortened int)
	// Handover begins the thread anew before its next step, with this text.
	Handover(thread, text string) error
}

//go:embed get_context_remaining.md
var remainingDoc string

//go:embed new_context.md
var newDoc string

//go:embed current_time.md
var timeDoc string

type remaining struct{ threads Threads }

// Remaining is the tool get_context_remaining.
func Remaining(t Threads) tools.Tool { return remaining{t} }

func (remaining) Spec() tools.Spec {
	return tools.Spec{
		Name: "get_context_remaining", Title: "Room left", Description: strings.TrimSpace(remainingDoc), Input: schema.Of[struct{}](),
		ReadOnly: true, SearchHint: "context window, tokens left, budget, compaction",
	}
}

func (t remaining) Prepare(_ context.Context, call tools.Call) (tools.Action, error) {
	return tools.Action{
		Locks:    []tools.Lock{{Resource: "context", Shared: true}},
		Activity: "Looking how much room is left",
		Run: func(context.Context, tools.Progress) (tools.Result, error) {
			used, window, at := t.threads.Window(call.Thread)
			if window == 0 {
				return tools.Result{Outcome: tools.OK, Text: fmt.Sprintf("About %d tokens are used; how many the model takes is not known.", used)}, nil
			}
			text := fmt.Sprintf("About %d of %d tokens are used, %d are left (%d %%).", used, window, max(0, window-used), max(0, window-used)*100/window)
			if at > 0 {
				text += fmt.Sprintf(" At %d the thread is shortened by itself: a summary takes the place of what was said; the plan and the project's instructions stay.", at)
			}
			return tools.Result{Outcome: tools.OK, Text: text}, nil
		},
	}, nil
}

type newArgs struct {
	Handover string `json:"handover" desc:"All that you need to go on, 40 to 16384 bytes: what the person wants and decided, what was done (paths), what was found (path:line), what failed and why, what is next."`
}

type fresh struct{ threads Threads }

// New is the tool new_context.
func New(t Threads) tools.Tool { return fresh{t} }

func (fresh) Spec() tools.Spec {
	return tools.Spec{
		Name: "new_context", Title: "Begin anew", Description: strings.TrimSpace(newDoc), Input: schema.Of[newArgs](),
		ReadOnly: true, Kept: true, SearchHint: "start over, clear context, handover, compact",
	}
}

func (t fresh) Prepare(_ context.Context, call tools.Call) (tools.Action, error) {
	args, err := tools.Decode[newArgs](call.Args)
	if err != nil {
		return tools.Action{}, err
	}
	text := strings.TrimSpace(args.Handover)
	switch {
	case call.Cut:
		return tools.Action{}, tools.Fail("The handover was cut off by the output limit, so nothing was begun anew. Write a shorter one.")
	case len(text) < leastHandover:
		return tools.Action{}, tools.Fail(fmt.Sprintf("The handover has %d bytes; nothing was begun anew. It is all that you will know: write down what was asked, done, found and what is next, in at least %d bytes.", len(text), leastHandover))
	case len(text) > mostHandover:
		return tools.Action{}, tools.Fail(fmt.Sprintf("The handover has %d bytes, at most %d are taken; nothing was begun anew. Leave out what can be read again.", len(text), mostHandover))
	}
	return tools.Action{
		Locks:    []tools.Lock{{Resource: "context"}},
		Activity: "Beginning anew with a handover",
		Run: func(context.Context, tools.Progress) (tools.Result, error) {
			if err := t.threads.Handover(call.Thread, text); err != nil {
				return tools.Result{}, err
			}
			return tools.Result{Outcome: tools.OK, Text: "The thread begins anew before your next step, with the handover."}, nil
		},
	}, nil
}

type clock struct{ now func() time.Time }

// CurrentTime is the tool current_time; now is the clock.
func CurrentTime(now func() time.Time) tools.Tool { return clock{now} }

func (clock) Spec() tools.Spec {
	return tools.Spec{
		Name: "current_time", Title: "The time", Description: strings.TrimSpace(timeDoc), Input: schema.Of[struct{}](), ReadOnly: true,
		Polls: true, SearchHint: "date, today, clock, timezone, now",
	}
}

func (t clock) Prepare(context.Context, tools.Call) (tools.Action, error) {
	return tools.Action{
		Locks:    []tools.Lock{{Resource: "clock", Shared: true}},
		Activity: "Looking at the clock",
		Run: func(context.Context, tools.Progress) (tools.Result, error) {
			now := t.now()
			zone, _ := now.Zone()
			return tools.Result{Outcome: tools.OK, Text: fmt.Sprintf("%s, %s (%s); in UTC %s", now.Weekday(), now.Format(time.RFC3339), zone, now.UTC().Format(time.RFC3339))}, nil
		},
	}, nil
}
