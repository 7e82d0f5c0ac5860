package compact

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"companion/agent/model"
)

// Bounds of a compaction.
const (
	// Deadline of the request for a summary: an answer of maxOutput tokens
	// takes a slow model about a minute.
	Deadline = 3 * time.Minute
	// maxOutput of a summary, in tokens.
	maxOutput = 4_096
	// maxSummary is the most that is kept of a summary, in bytes: maxOutput at
	// 4 bytes a token.
	maxSummary = 16 << 10
	// maxWords is the most that is kept of what the person said, in bytes:
	// about 5,000 tokens.
	maxWords = 16 << 10
	// maxDigest is the most that a list of what was done takes, in bytes.
	maxDigest = 12 << 10
	// maxLine is the most of one entry of it.
	maxLine = 300
)

// ask is what the model is told at the end of the thread.
const ask = `The thread is about to be shortened: of all above you will only see what the person said and your answer to this message. Write down what you need to go on without reading it again, in this order: what the person wants and has decided; what was done, with the paths of all files that were changed; what was found out, with places (path:line); what failed and why; what is still to do. Leave out the plan and the project's instructions: they are kept without you. Facts only, no greeting, at most 1,200 words. Do not call tools.`

// How says how a thread is shortened.
type How struct {
	// Kept tells of a call that what it said is kept elsewhere, so that no list of
	// what was done names it; nil = none is.
	Kept func(call model.Item) bool
	// Hard: of what the person said only the newest words stay, and of what was
	// done little: the thread was shortened before and is too long still.
	Hard bool
}

// hardShare of what is else kept stays when it is Hard.
const hardShare = 8

// Shorten gives the items that stand for all of items. It asks the model once,
// when there is one; where it cannot take the thread, or has no words, a list
// of what was done takes the place of its summary. req is the request of the
// thread's next step: with a question at its end it shares the prefix of the
// last one. used is what the model's answer cost. An error is the provider's.
func Shorten(ctx context.Context, p model.Provider, req model.Request, items []model.Item, how How) (short []model.Item, used *model.Usage, err error) {
	summary := ""
	if p != nil {
		var e *model.Error
		summary, used, err = summarise(ctx, p, req)
		if err != nil && (!errors.As(err, &e) || e.Kind != model.ErrContext && e.Kind != model.ErrEmpty) {
			return nil, used, err
		}
	}
	words, list := maxWords, maxDigest
	if how.Hard {
		words, list = words/hardShare, list/hardShare
	}
	if summary == "" {
		summary = digest(items, how, list)
	}
	return append(shortened(items, words), tell(opening(summary))), used, nil
}

// Fresh gives the items of a thread that begins anew with what the model hands
// over to itself: the person's newest words and the handover.
func Fresh(items []model.Item, handover string) []model.Item {
	var last []model.Item
	for _, it := range slices.Backward(items) {
		if it.Kind == model.Message && it.Role == model.User {
			last = shortened([]model.Item{it}, maxWords)
			break
		}
	}
	return append(last, tell(handoverTag+"\nYou began this thread anew and handed over what follows; what came before is not shown any more. The newest message of the person is above.\n"+
		cut(strings.TrimSpace(handover), maxSummary)+"\n</handover>"))
}

// Tags of texts that stand for what is gone.
const (
	summaryTag  = "<summary>"
	handoverTag = "<handover>"
)

func tell(text string) model.Item {
	return model.Item{Kind: model.Message, Role: model.Developer, Text: text}
}

func opening(summary string) string {
	return summaryTag + "\nThe thread was shortened. What the person said is above, as far as there was room; this is the rest.\n" + summary + "\n</summary>"
}

func summarise(ctx context.Context, p model.Provider, req model.Request) (string, *model.Usage, error) {
	ctx, cancel := context.WithTimeout(ctx, Deadline)
	defer cancel()
	req.Items = append(slices.Clip(req.Items), model.Item{Kind: model.Message, ID: "compact", Role: model.User, Text: ask})
	if n := req.Options.MaxOutput; n == 0 || n > maxOutput {
		req.Options.MaxOutput = maxOutput
	}
	var text strings.Builder
	var usage *model.Usage
	for ev, err := range p.Stream(ctx, req) {
		switch {
		case err != nil:
			return "", usage, err
		case ev.Kind == model.ItemDone && ev.Item != nil && ev.Item.Kind == model.Message:
			text.WriteString(ev.Item.Text + "\n")
		}
		if ev.Usage != nil {
			usage = ev.Usage
		}
	}
	return cut(strings.TrimSpace(text.String()), maxSummary), usage, nil
}

// shortened is what the person said, the newest first to be kept, and the last
// handover, whole.
func shortened(items []model.Item, room int) []model.Item {
	var words []model.Item
	handed := false
	for _, it := range slices.Backward(items) {
		if !handed && it.Kind == model.Message && it.Role == model.Developer && strings.HasPrefix(it.Text, handoverTag) {
			handed = true
			words = append(words, tell(it.Text))
		}
		if it.Kind != model.Message || it.Role != model.User || room < maxLine {
			continue
		}
		if n := len(it.Images); n > 0 {
			it.Text += fmt.Sprintf("\n\n(%d images that are not shown any more)", n)
		}
		text := cut(it.Text, room)
		room -= len(text)
		words = append(words, model.Item{Kind: model.Message, Role: model.User, Text: text})
	}
	slices.Reverse(words)
	return words
}

// digest lists what was done, without a model: calls with their outcome, and
// what the model said. Where there is no room for all, the newest stay.
func digest(items []model.Item, how How, room int) string {
	results := map[string]model.Item{}
	for _, it := range items {
		if it.Kind == model.ToolReply {
			results[it.CallID] = it
		}
	}
	var lines []string
	most, left := room, 0
	for _, it := range slices.Backward(items) {
		line := ""
		switch {
		case it.Kind == model.ToolCall && how.Kept != nil && how.Kept(it):
			continue
		case it.Kind == model.ToolCall:
			r := results[it.CallID]
			how := "gave"
			if r.IsError {
				how = "failed"
			}
			line = fmt.Sprintf("- called %s %s, which %s: %s", it.Name, cut(it.Arguments, maxLine/2), how, oneLine(r.Text))
		case it.Kind == model.Message && it.Role == model.Assistant && strings.TrimSpace(it.Text) != "":
			line = "- said: " + oneLine(it.Text)
		case strings.HasPrefix(it.Text, summaryTag):
			line = cut(it.Text, most/2)
		default:
			continue
		}
		if room -= len(line) + 1; room < 0 {
			left++
			continue
		}
		lines = append(lines, line)
	}
	if left > 0 {
		lines = append(lines, fmt.Sprintf("(%d older steps are left out)", left))
	}
	if len(lines) == 0 {
		return "Nothing was done yet."
	}
	slices.Reverse(lines)
	return "What was done, the oldest first:\n" + strings.Join(lines, "\n")
}

func oneLine(s string) string {
	return cut(strings.Join(strings.Fields(cut(s, 4*maxLine)), " "), maxLine)
}

// cut is s or its beginning, at most n bytes, whole runes.
func cut(s string, n int) string {
	if len(s) <= n {
		return s
	}
	n = max(0, n-len("…"))
	return strings.ToValidUTF8(s[:n], "") + "…"
}
