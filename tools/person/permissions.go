package person

import (
	"context"
	_ "embed"
	"fmt"
	"strings"

	"companion/tools"
	"companion/tools/schema"
)

// Bounds of a request.
const (
	mostWishes  = 20
	reasonBytes = 600
)

// Wish is what an agent wants to be allowed for the rest of its thread.
type Wish struct {
	Reason   string
	Paths    []string // as the model wrote them
	Hosts    []string
	Commands []string
}

// Reply is what came of a Wish.
type Reply struct {
	Yes      bool
	Nobody   bool     // there is no person to ask
	Granted  []string // in words, when Yes
	Feedback string
}

// Granter asks a person and keeps what they granted.
type Granter interface {
	// Check says what of a wish cannot be granted, "" = nothing.
	Check(call tools.Call, w Wish) (wrong string)
	// Grant asks. An error ends the turn.
	Grant(ctx context.Context, call tools.Call, w Wish) (Reply, error)
}

//go:embed request_permissions.md
var permissionsDoc string

type permissionsArgs struct {
	Reason   string   `json:"reason" desc:"What it is needed for, for the person who decides; at most 600 bytes."`
	Paths    []string `json:"paths,omitempty" max:"20" desc:"Files or folders to read and change with all below them, from the working folder or absolute; at most 20. Default none."`
	Hosts    []string `json:"hosts,omitempty" max:"20" desc:"Hosts to reach, such as api.github.com or *.example.com; at most 20. Default none."`
	Commands []string `json:"commands,omitempty" max:"20" desc:"Commands to run: words, of which a last * stands for any more, such as npm test *; at most 20. Default none."`
}

type permissions struct{ granter Granter }

// Permissions is the tool request_permissions.
func Permissions(g Granter) tools.Tool { return permissions{g} }

func (permissions) Spec() tools.Spec {
	return tools.Spec{
		Name: "request_permissions", Title: "Ask for permissions", Description: strings.TrimSpace(permissionsDoc), Input: schema.Of[permissionsArgs](),
		ReadOnly: true, AsksUser: true, SearchHint: "allow, rights, access to a folder, host or command without being asked each time",
	}
}

func (t permissions) Prepare(_ context.Context, call tools.Call) (tools.Action, error) {
	args, err := tools.Decode[permissionsArgs](call.Args)
	if err != nil {
		return tools.Action{}, err
	}
	w := Wish{Reason: strings.TrimSpace(args.Reason), Paths: trimmed(args.Paths), Hosts: trimmed(args.Hosts), Commands: trimmed(args.Commands)}
	n := len(w.Paths) + len(w.Hosts) + len(w.Commands)
	wrong := ""
	switch {
	case w.Reason == "" || len(w.Reason) > reasonBytes:
		wrong = fmt.Sprintf("reason has %d bytes, and 1 to %d are shown: say what it is needed for.", len(w.Reason), reasonBytes)
	case n == 0:
		wrong = "Nothing is named: give paths, hosts or commands."
	case n > mostWishes:
		wrong = fmt.Sprintf("%d things are named, and at most %d are asked for at once.", n, mostWishes)
	default:
		wrong = t.granter.Check(call, w)
	}
	if wrong != "" {
		return tools.Action{}, tools.Fail(wrong + " Nobody was asked.")
	}
	return tools.Action{
		Locks:    []tools.Lock{{Resource: "user"}},
		Activity: "Asking for permissions: " + tools.OneLine(w.Reason),
		Run: func(ctx context.Context, _ tools.Progress) (tools.Result, error) {
			r, err := t.granter.Grant(ctx, call, w)
			if err != nil {
				return tools.Result{}, err
			}
			return answer(call, r)
		},
	}, nil
}

func answer(call tools.Call, r Reply) (tools.Result, error) {
	feedback := ""
	if f := strings.TrimSpace(r.Feedback); f != "" {
		feedback = " The user says: " + f
	}
	switch {
	case r.Nobody:
		return tools.Result{}, &tools.Refusal{Outcome: tools.Denied, Text: "Not granted: nobody is there to allow it. Do not ask again and do not work around it; go on with what you may do, and say in your answer what is left."}
	case !r.Yes:
		return tools.Result{}, &tools.Refusal{Outcome: tools.Denied, Text: "Not granted: the user refused. Do not ask for it again and do not work around it." + feedback}
	}
	text := "Granted for the rest of this thread:\n- " + strings.Join(r.Granted, "\n- ")
	if call.Mode == tools.ModeAsk || call.Mode == tools.ModePlan {
		text += fmt.Sprintf("\nThe mode is %s, in which nothing is changed all the same; see mode_set.", call.Mode)
	}
	return tools.Result{Outcome: tools.OK, Text: text + feedback}, nil
}

func trimmed(list []string) []string {
	var out []string
	for _, s := range list {
		if s = strings.TrimSpace(s); s != "" {
			out = append(out, s)
		}
	}
	return out
}
