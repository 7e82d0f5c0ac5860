package permission

import (
	"bytes"
	"cmp"
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

// Approval is the stage of a Judge without rules: what waits is not judged
// again, no arguments can be edited, and nothing is allowed for good.
func Approval(asker Asker) tools.Stage {
	return approval(&approver{asker: asker, threads: map[string]*grants{}})
}

// Approval asks a person where the policy's verdict says so. One question of a
// thread is open at a time; a yes for the thread, or for good, also answers
// those that wait and that it covers. Edited arguments are validated, prepared
// and judged anew. A nil asker is as one that returns ErrNobody.
func (j *Judge) Approval(asker Asker) tools.Stage {
	return approval(&approver{asker: asker, judge: j, threads: map[string]*grants{}})
}

func approval(a *approver) tools.Stage {
	return func(next tools.Handler) tools.Handler {
		return func(ctx context.Context, inv *tools.Invocation) (tools.Result, error) {
			var shown string // what a person said yes to
			var note string
			check := func(ctx context.Context, inv *tools.Invocation) error {
				if inv.Verdict.Allow || shown != "" && shown == showing(inv) {
					return nil
				}
				said, err := a.approve(ctx, inv)
				if err != nil {
					return err
				}
				shown, note = showing(inv), note+said
				return nil
			}
			if err := check(ctx, inv); err != nil {
				return tools.Result{}, err
			}
			inv.OnReprepare(check)
			res, err := next(ctx, inv)
			if note != "" && err == nil {
				res.Text = note + res.Text
			}
			return res, err
		}
	}
}

type approver struct {
	asker   Asker
	judge   *Judge // nil = nothing is judged again
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

// approve asks, unless a grant covers the call. note is a sentence for the model
// in front of the result.
func (a *approver) approve(ctx context.Context, inv *tools.Invocation) (note string, err error) {
	g := a.of(inv.Call.Thread)
	if g.cover(inv.Verdict) {
		inv.Decided(string(AllowThread), "grant")
		return "", nil
	}
	if a.asker == nil {
		return "", nobody(inv)
	}
	select {
	case g.turn <- struct{}{}:
		defer func() { <-g.turn }()
	case <-ctx.Done():
		return "", ctx.Err()
	}
	if done, err := a.meanwhile(g, inv); done || err != nil {
		return "", err
	}
	if n, ok := inv.Notices.(tools.Asked); ok {
		n.Asked(inv)
	}
	req, offered := a.request(inv)
	answer, err := a.asker.Ask(ctx, req)
	switch {
	case errors.Is(err, ErrNobody):
		return "", nobody(inv)
	case ctx.Err() != nil:
		return "", ctx.Err()
	case err != nil:
		inv.Decided(string(RejectOnce), "rule")
		return "", &tools.Refusal{Outcome: tools.Denied, Text: fmt.Sprintf("Denied, and not run: the user could not be asked (%v).", err)}
	}
	return a.apply(ctx, g, inv, answer, req, offered)
}

// meanwhile tells whether what was answered while a call waited answers it too.
func (a *approver) meanwhile(g *grants, inv *tools.Invocation) (done bool, err error) {
	if g.cover(inv.Verdict) {
		inv.Decided(string(AllowThread), "grant")
		return true, nil
	}
	if a.judge == nil {
		return false, nil
	}
	if err := a.judge.judge(inv); err != nil {
		return false, err
	}
	if inv.Verdict.Allow {
		inv.Decided(string(AllowAlways), "rule")
	}
	return inv.Verdict.Allow, nil
}

func (a *approver) apply(ctx context.Context, g *grants, inv *tools.Invocation, answer Answer, req Request, offered Rules) (note string, err error) {
	chosen := RejectOnce
	for _, o := range req.Options {
		if o.ID == answer.OptionID {
			chosen = o.Kind
		}
	}
	switch chosen {
	case StopTurn:
		inv.Decided(string(chosen), "user")
		return "", tools.ErrStopped
	case AllowOnce, AllowThread, AllowAlways:
	default:
		inv.Decided(string(RejectOnce), "user")
		text := "Denied, and not run: the user refused. Do not retry it and do not work around it."
		if f := strings.TrimSpace(answer.Feedback); f != "" {
			text += " The user says: " + f
		} else {
			text += " Go on without it, or say what you need it for."
		}
		return "", &tools.Refusal{Outcome: tools.Denied, Text: text}
	}
	edited := req.Editable && len(answer.Arguments) > 0 && string(answer.Arguments) != "null" && !sameJSON(answer.Arguments, inv.Call.Args)
	if edited {
		if err := a.edit(ctx, inv, answer.Arguments); err != nil {
			return "", err
		}
		note = fmt.Sprintf("(The user changed the arguments before allowing it; this ran: %s)\n", inv.Call.Args)
	}
	if f := strings.TrimSpace(answer.Feedback); f != "" {
		note += "(The user says: " + f + ")\n"
	}
	if chosen == AllowAlways && !edited {
		if err := a.judge.o.Remember(inv.Call, offered); err != nil {
			note += fmt.Sprintf("(The user allowed this for good, but it could not be remembered: %v)\n", err)
		}
	}
	inv.Decided(string(chosen), "user")
	if chosen != AllowOnce && !inv.Verdict.Once {
		g.give(inv.Verdict.Asks)
	}
	return note, nil
}

func (g *grants) give(keys []string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for _, k := range keys {
		g.given[k] = true
	}
}

// edit checks what a person wrote instead of the model's arguments as if the
// model had: validated, prepared, judged. A rule that forbids it still does.
func (a *approver) edit(ctx context.Context, inv *tools.Invocation, args json.RawMessage) error {
	raw, cut := inv.Call.Raw, inv.Call.Cut
	inv.Call.Raw, inv.Call.Cut = args, false
	_, err := a.judge.validate(ctx, inv)
	inv.Call.Raw, inv.Call.Cut = raw, cut
	decided := false
	if err == nil {
		err = a.judge.judge(inv)
		decided = err != nil
	}
	var refused *tools.Refusal
	if errors.As(err, &refused) {
		if !decided {
			inv.Decided(string(RejectOnce), "user")
		}
		return &tools.Refusal{Outcome: refused.Outcome, Text: "The user changed the arguments before allowing it. " + refused.Text}
	}
	return err
}

func sameJSON(a, b []byte) bool {
	var x, y bytes.Buffer
	return json.Compact(&x, a) == nil && json.Compact(&y, b) == nil && bytes.Equal(x.Bytes(), y.Bytes())
}

// nobody words a denial for want of a person, and how to allow it next time.
func nobody(inv *tools.Invocation) error {
	inv.Decided(string(RejectOnce), "rule")
	full := ", or start with --mode full"
	if inv.Call.Mode == tools.ModeFull {
		full = ""
	}
	return &tools.Refusal{Outcome: tools.Denied, Text: fmt.Sprintf(
		"Denied, and not run: this needs a yes (%s), and nobody could be asked. Do not work around it. "+
			`To allow it, the user can add a rule to the settings, such as "permissions.rules": [%s]%s.`,
		inv.Verdict.Why, suggestion(inv), full)}
}

// suggestion is a rule that would have allowed what asked first.
func suggestion(inv *tools.Invocation) string {
	rule := map[string]string{"tool": inv.Spec.Full(), "action": string(Allow)}
	for _, e := range inv.Action.Effects {
		what := cmp.Or(e.Path, e.Host)
		if len(inv.Verdict.Asks) == 0 || strings.HasPrefix(inv.Verdict.Asks[0], string(e.Kind)+" "+what) {
			rule["effect"], rule["pattern"] = string(e.Kind), cmp.Or(what, e.Command)
			break
		}
	}
	out, err := json.Marshal(rule)
	if err != nil {
		return "…"
	}
	return string(out)
}

// request is what a person is shown; offered are the rules that its option
// "Always allow" stands for.
func (a *approver) request(inv *tools.Invocation) (req Request, offered Rules) {
	p := inv.Action.Preview
	title := inv.Action.Activity
	if p.Command != "" {
		title = "Run " + p.Command
	}
	options := []Option{
		{ID: "once", Label: "Allow once", Kind: AllowOnce},
		{ID: "thread", Label: "Allow for this thread", Kind: AllowThread},
		{ID: "always", Label: "Always allow", Kind: AllowAlways},
		{ID: "reject", Label: "Reject", Kind: RejectOnce},
		{ID: "stop", Label: "Stop", Kind: StopTurn},
	}
	detail := inv.Verdict.Why
	if offered = a.offers(inv); len(offered) > 0 {
		options[2].Rule = Visible(offered.String())
		detail += ". “Always allow” remembers: " + offered.String()
	}
	options = slices.DeleteFunc(options, func(o Option) bool {
		return o.Kind == AllowThread && inv.Verdict.Once || o.Kind == AllowAlways && len(offered) == 0
	})
	return Request{
		Thread: inv.Call.Thread, Turn: inv.Call.Turn, CallID: inv.Call.ID,
		Kind: kindOf(inv.Action.Effects), Title: Folded(Visible(title), maxTitle), Detail: VisibleLines(detail),
		Preview: tools.Preview{
			Diff: VisibleLines(p.Diff), Command: VisibleLines(p.Command), Cwd: Visible(p.Cwd), Text: VisibleLines(p.Text),
		},
		Arguments: inv.Call.Args,
		Editable:  a.judge != nil && inv.Tool != nil && json.Valid(inv.Call.Args),
		Options:   options,
	}, offered
}

// offers are rules by which the call would not have been asked about, nil where
// none is safe to propose for each of its effects.
func (a *approver) offers(inv *tools.Invocation) Rules {
	if a.judge == nil || a.judge.o.Remember == nil || inv.Verdict.Once {
		return nil
	}
	var out Rules
	for _, r := range a.judge.rulings(inv) {
		switch {
		case r.action == Allow:
		case len(r.offer) == 0:
			return nil
		default:
			out = append(out, r.offer...)
		}
	}
	return out
}

// String is the rules as a person reads them.
func (rs Rules) String() string {
	var out []string
	for _, r := range rs {
		out = append(out, r.Pattern)
	}
	return strings.Join(out, ", ")
}

func kindOf(effects []tools.Effect) Kind {
	kind := KindTool
	for _, e := range effects {
		switch e.Kind {
		case tools.Escalate:
			return KindEscalate
		case tools.Command:
			kind = KindCommand
		case tools.Write:
			if kind != KindCommand {
				kind = KindEdit
			}
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
