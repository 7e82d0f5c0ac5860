// Package talk reads thread logs as what was said and done.
//
// Never: use the product's own types; a log's format is public
// (docs/architecture.md).
package talk

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Logged is what is read of a thread log's line (its format is public in
// docs/architecture.md; the product's own types are not used on purpose).
type Logged struct {
	Kind  string `json:"kind"`
	Event struct {
		Thread   string `json:"thread"`
		Turn     string `json:"turn"`
		CallID   string `json:"callId"`
		Seq      int64  `json:"seq"`
		Type     string `json:"type"`
		Text     string `json:"text"`
		Mode     string `json:"mode"`
		Decision string `json:"decision"`
		By       string `json:"by"`
		Status   string `json:"status"`
		Error    string `json:"error"`
		Code     string `json:"code"`
		Message  string `json:"message"`
		Input    []struct {
			Type string `json:"type"`
			Text string `json:"text"`
		} `json:"input"`
		Tool struct {
			Name     string `json:"name"`
			Activity string `json:"activity"`
		} `json:"tool"`
		End struct {
			Name    string `json:"name"`
			Outcome string `json:"outcome"`
			Text    string `json:"text"`
		} `json:"end"`
	} `json:"event"`
}

// Read gives the events of every thread log below dir, in order of file
// and line.
func Read(dir string) ([]Logged, error) {
	files, err := filepath.Glob(filepath.Join(dir, "threads", "*.jsonl"))
	if err != nil {
		return nil, err
	}
	var out []Logged
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		r := bufio.NewReader(f)
		for {
			line, err := r.ReadBytes('\n')
			if err != nil {
				break // a torn tail is not read
			}
			var l Logged
			if err := json.Unmarshal(line, &l); err != nil {
				f.Close()
				return nil, fmt.Errorf("%s: %w", name, err)
			}
			if l.Kind == "event" {
				out = append(out, l)
			}
		}
		f.Close()
	}
	return out, nil
}

// inCallOrder puts what is told of calls that run beside each other, which comes
// as it happens, into the order of the model's calls, up to where they end.
func inCallOrder(events []Logged) []Logged {
	out := slices.Clone(events)
	for i := 0; i < len(out); {
		j := i
		for j < len(out) && running(out[j].Event.Type) {
			j++
		}
		slices.SortStableFunc(out[i:j], func(a, b Logged) int {
			x, y := a.Event.CallID, b.Event.CallID
			return cmp.Or(cmp.Compare(len(x), len(y)), strings.Compare(x, y)) // c9 before c10
		})
		i = max(i+1, j)
	}
	return out
}

func running(typ string) bool {
	return typ != "tool.completed" && (strings.HasPrefix(typ, "tool.") || strings.HasPrefix(typ, "approval."))
}

// Render renders events for a person.
func Render(events []Logged) string {
	var b strings.Builder
	for _, l := range inCallOrder(events) {
		e := l.Event
		switch e.Type {
		case "turn.started":
			fmt.Fprintf(&b, "turn (%s)\n", e.Mode)
			for _, in := range e.Input {
				if in.Text != "" {
					quote(&b, "user", in.Text)
				} else {
					fmt.Fprintf(&b, "  user gives %s\n", in.Type)
				}
			}
		case "message.completed":
			quote(&b, "model", e.Text)
		case "tool.started":
			fmt.Fprintf(&b, "  call %s: %s\n", e.Tool.Name, e.Tool.Activity)
		case "approval.requested":
			b.WriteString("  approval asked\n")
		case "approval.resolved":
			fmt.Fprintf(&b, "  approval %s by %s\n", e.Decision, e.By)
		case "tool.completed":
			quote(&b, e.End.Outcome, e.End.Text)
		case "warning":
			quote(&b, "warning "+e.Code, e.Message)
		case "turn.completed":
			b.WriteString("turn " + e.Status)
			if e.Error != "" {
				b.WriteString(": " + e.Error)
			}
			b.WriteString("\n")
		}
	}
	return b.String()
}

func quote(b *strings.Builder, who, text string) {
	ls := strings.Split(strings.TrimRight(text, "\n"), "\n")
	if len(ls) == 1 {
		fmt.Fprintf(b, "  %s: %s\n", who, ls[0])
		return
	}
	fmt.Fprintf(b, "  %s:\n", who)
	for _, l := range ls {
		b.WriteString(strings.TrimRight("    | "+l, " ") + "\n")
	}
}
