package compact

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"
	"testing"

	"companion/agent/model"
)

// fake answers every request the same way.
type fake struct {
	items []model.Item
	err   error
	asked int
	req   model.Request
}

func (*fake) Name() string { return "fake" }

func (f *fake) Stream(_ context.Context, req model.Request) iter.Seq2[model.Event, error] {
	return func(yield func(model.Event, error) bool) {
		f.asked++
		f.req = req
		for _, it := range f.items {
			if !yield(model.Event{Kind: model.ItemDone, Item: &it}, nil) {
				return
			}
		}
		if f.err != nil {
			yield(model.Event{}, f.err)
			return
		}
		yield(model.Event{Kind: model.Done, Stop: model.StopEnd, Usage: &model.Usage{Input: 5}}, nil)
	}
}

func said(role model.Role, text string) model.Item {
	return model.Item{Kind: model.Message, Role: role, Text: text}
}

func history() []model.Item {
	items := []model.Item{said(model.Developer, "<environment>"), said(model.User, "mend it")}
	for i := range 3 {
		id := fmt.Sprint("c", i)
		items = append(items,
			model.Item{Kind: model.ToolCall, CallID: id, Name: "read", Arguments: fmt.Sprintf(`{"n":%d}`, i)},
			model.Item{Kind: model.ToolReply, CallID: id, Text: "line one\nline two", IsError: i == 2},
		)
	}
	return append(items, said(model.Assistant, "mended"), said(model.User, "and the other?"))
}

func TestASummaryOrAList(t *testing.T) {
	word := []model.Item{said(model.Assistant, "the summary"), {Kind: model.ToolCall, Name: "edit"}}
	down := &model.Error{Kind: model.ErrNetwork, Text: "down"}
	for name, c := range map[string]struct {
		provider *fake
		want     string
		err      error
	}{
		"summary":           {&fake{items: word}, "the summary", nil},
		"no words":          {&fake{items: word[1:]}, "What was done", nil},
		"empty":             {&fake{err: &model.Error{Kind: model.ErrEmpty}}, "What was done", nil},
		"too long to ask":   {&fake{err: &model.Error{Kind: model.ErrContext}}, "What was done", nil},
		"no connection":     {&fake{err: down}, "", down},
		"a long summary":    {&fake{items: []model.Item{said(model.Assistant, strings.Repeat("ü", maxSummary))}}, "ü…", nil},
		"a cancelled asker": {&fake{err: context.Canceled}, "", context.Canceled},
	} {
		t.Run(name, func(t *testing.T) {
			items := history()
			short, used, err := Shorten(context.Background(), c.provider, model.Request{Items: items, Options: model.Options{MaxOutput: 1 << 20}}, items, How{})
			if !errors.Is(err, c.err) || c.provider.asked != 1 || c.provider.req.Options.MaxOutput != maxOutput {
				t.Fatalf("%v after %d questions", err, c.provider.asked)
			}
			if err != nil {
				return
			}
			if (c.provider.err == nil) != (used != nil) {
				t.Errorf("usage %+v", used)
			}
			if len(short) != 3 || short[0].Text != "mend it" || short[1].Text != "and the other?" || !strings.Contains(short[2].Text, c.want) || len(short[2].Text) > maxSummary+300 {
				t.Errorf("%d items: %.500s", len(short), fmt.Sprint(short))
			}
			if len(items) != len(history()) {
				t.Error("the items were changed")
			}
		})
	}
}

func TestTheListNamesWhatWasDone(t *testing.T) {
	got, _, err := Shorten(context.Background(), nil, model.Request{}, history(), How{})
	want := `What was done, the oldest first:
- called read {"n":0}, which gave: line one line two
- called read {"n":1}, which gave: line one line two
- called read {"n":2}, which failed: line one line two
- said: mended`
	if text := got[len(got)-1].Text; err != nil || !strings.Contains(text, want) {
		t.Errorf("%s", text)
	}
}

func TestWhatIsKeptIsBounded(t *testing.T) {
	var items []model.Item
	for i := range 5000 {
		items = append(items, said(model.User, fmt.Sprint(i, strings.Repeat(" word", 50))), said(model.Assistant, strings.Repeat("answer ", 200)))
	}
	size := 0
	for round := range 3 { // a summary of a summary grows no more
		short, _, err := Shorten(context.Background(), nil, model.Request{}, items, How{})
		if err != nil {
			t.Fatal(err)
		}
		size = 0
		for _, it := range short {
			size += len(it.Text)
		}
		if size > maxWords+maxDigest+maxSummary {
			t.Errorf("round %d: %d bytes are left", round, size)
		}
		if last := short[len(short)-2].Text; !strings.HasPrefix(last, "4999 ") {
			t.Errorf("the newest words are not the last: %.30s", last)
		}
		items = short
	}
	none, _, err := Shorten(context.Background(), nil, model.Request{}, nil, How{})
	if err != nil || len(none) != 1 || !strings.Contains(none[0].Text, "Nothing was done yet") {
		t.Errorf("of nothing %+v, %v", none, err)
	}
}
