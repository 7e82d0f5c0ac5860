package permission

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"companion/tools"
)

// ErrNobody is what an Asker returns when no person can be reached.
var ErrNobody = errors.New("nobody can be asked")

// Approval asks a person where the policy's verdict says so. One question of a
// thread is open at a time; a yes for the thread also answers those that wait
// and that it covers. A nil asker is as one that returns ErrNobody.
func Approval(asker Asker) tools.Stage {
	a := &approver{asker: asker, threads: map[string]*grants{}}
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
			var shown string // what a person said yes to
			check := func(ctx context.Context, inv *tools.Invocation) error {
				if inv.Verdict.Allow || shown != "" && shown == showing(inv) {
					return nil
				}
				if err := a.approve(ctx, inv); err != nil {
					return err
				}
				shown = showing(inv)
				return nil
			}
			if err := check(ctx, inv); err != nil {
				return tools.Result{}, err
			}
			inv.OnReprepare(check)
			return next(ctx, inv)
		}
	}
}

type approver struct {
	asker   Asker
	mu      sync.Mutex
	threads map[string]*grants
}

// grants of one thread.
type grants struct {
	turn  chan struct{} // one token: who holds it may ask
	mu    sync.Mutex
	given map[string]bool // keys of Verdict.Asks
}

func (a *approver) of(thread string) *grants {
	a.mu.Lock()
	defer a.mu.Unlock()
	g := a.threads[thread]
	if g == nil {
		g = &grants{turn: make(chan struct{}, 1), given: map[string]bool{}}
		a.threads[thread] = g
	}
	return g
}

func (g *grants) cover(v tools.Verdict) bool {
	if v.Once {
		return false
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, k := range v.Asks {
		if !g.given[k] {
			return false
		}
	}
	return len(v.Asks) > 0
}

func (a *approver) approve(ctx context.Context, inv *tools.Invocation) error {
	g := a.of(inv.Call.Thread)
	if g.cover(inv.Verdict) {
		inv.Decided(string(AllowThread), "grant")
		return nil
	}
	if a.asker == nil {
		return nobody(inv)
	}
	select {
	case g.turn <- struct{}{}:
		defer func() { <-g.turn }()
	case <-ctx.Done():
		return ctx.Err()
	}
	if g.cover(inv.Verdict) { // answered while this one waited
		inv.Decided(string(AllowThread), "grant")
		return nil
	}
	if n, ok := inv.Notices.(tools.Asked); ok {
		n.Asked(inv)
	}
	req := request(inv)
	answer, err := a.asker.Ask(ctx, req)
	switch {
	case errors.Is(err, ErrNobody):
		return nobody(inv)
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		inv.Decided(string(RejectOnce), "rule")
		return &tools.Refusal{Outcome: tools.Denied, Text: fmt.Sprintf("Denied, and not run: the user could not be asked (%v).", err)}
	}
	return g.apply(inv, answer, req.Options)
}

func (g *grants) apply(inv *tools.Invocation, answer Answer, options []Option) error {
	chosen := RejectOnce
	for _, o := range options {
		if o.ID == answer.OptionID {
			chosen = o.Kind
		}
	}
	inv.Decided(string(chosen), "user")
	switch chosen {
	case AllowThread:
		if inv.Verdict.Once {
			return nil
		}
		g.mu.Lock()
		for _, k := range inv.Verdict.Asks {
			g.given[k] = true
		}
		g.mu.Unlock()
		return nil
	case AllowOnce:
		return nil
	case StopTurn:
		return tools.ErrStopped
	}
	text := "Denied, and not run: the user refused. Do not retry it and do not work around it."
	if f := strings.TrimSpace(answer.Feedback); f != "" {
		text += " The user says: " + f
	} else {
		text += " Go on without it, or say what you need it for."
	}
	return &tools.Refusal{Outcome: tools.Denied, Text: text}
}

// nobody words a denial for want of a person, and how to allow it next time.
func nobody(inv *tools.Invocation) error {
	inv.Decided(string(RejectOnce), "rule")
	return &tools.Refusal{Outcome: tools.Denied, Text: fmt.Sprintf(
		"Denied, and not run: this needs a yes (%s), and nobody could be asked. Do not work around it. "+
			`To allow it, the user can add a rule to the settings, such as "permissions.rules": [%s], or start with --mode full.`,
		inv.Verdict.Why, suggestion(inv))}
}

// suggestion is a rule that would have allowed the call.
func suggestion(inv *tools.Invocation) string {
	rule := map[string]string{"tool": inv.Spec.Full(), "action": string(Allow)}
	if len(inv.Action.Effects) > 0 {
		e := inv.Action.Effects[0]
		rule["effect"] = string(e.Kind)
		switch e.Kind {
		case tools.Read, tools.Write:
			rule["pattern"] = e.Path
		case tools.Command:
			rule["pattern"] = e.Command
		case tools.Network:
			rule["pattern"] = e.Host
		}
	}
	out, err := json.Marshal(rule)
	if err != nil {
		return "…"
	}
	return string(out)
}

// request is what a person is shown.
func request(inv *tools.Invocation) Request {
	p := inv.Action.Preview
	title := inv.Action.Activity
	if p.Command != "" {
		title = "Run " + p.Command
	}
	options := []Option{
		{ID: "once", Label: "Allow once", Kind: AllowOnce},
		{ID: "thread", Label: "Allow for this thread", Kind: AllowThread},
		{ID: "reject", Label: "Reject", Kind: RejectOnce},
		{ID: "stop", Label: "Stop", Kind: StopTurn},
	}
	if inv.Verdict.Once {
		options = slices.Delete(options, 1, 2)
	}
	return Request{
		Thread: inv.Call.Thread, Turn: inv.Call.Turn, CallID: inv.Call.ID,
		Kind: kindOf(inv.Action.Effects), Title: Visible(title), Detail: VisibleLines(inv.Verdict.Why),
		Preview: tools.Preview{
			Diff: VisibleLines(p.Diff), Command: VisibleLines(p.Command), Cwd: Visible(p.Cwd), Text: VisibleLines(p.Text),
		},
		Arguments: inv.Call.Args,
		Options:   options,
	}
}

func kindOf(effects []tools.Effect) Kind {
	kind := KindTool
	for _, e := range effects {
		switch e.Kind {
		case tools.Command:
			return KindCommand
		case tools.Write:
			kind = KindEdit
		case tools.Network:
			if kind == KindTool {
				kind = KindNetwork
			}
		}
	}
	return kind
}

// showing is what a yes was given to: the effects and the change without its
// line numbers, so that a change that only moved need not be asked again.
func showing(inv *tools.Invocation) string {
	var b strings.Builder
	for _, k := range inv.Verdict.Asks {
		b.WriteString(k + "\n")
	}
	for _, l := range strings.Split(inv.Action.Preview.Diff, "\n") {
		if !strings.HasPrefix(l, "@@") && !strings.HasPrefix(l, " ") {
			b.WriteString(l + "\n")
		}
	}
	b.WriteString(inv.Action.Preview.Command + "\x00" + inv.Action.Preview.Cwd + "\x00" + inv.Action.Preview.Text)
	return b.String()
}
