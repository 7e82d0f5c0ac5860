package suite

import (
	"regexp"
	"strings"
	"testing"

	"companion/agent/model"
	"companion/agent/model/modeltest"
)

// replays holds that what a model said wrongly does not come back to the vendor,
// who would refuse the thread from then on.
func (s Setup) replays(t *testing.T) {
	server := modeltest.NewServer(t, s.Vendor, modeltest.Turn{Calls: []modeltest.Call{
		{Name: "foo bar", Arguments: `{"a":1}`},
		{Name: "ns.read", Arguments: `{}`},
		{Name: strings.Repeat("x", 300), Arguments: `{}`},
		{Name: "read", Arguments: `{"path":"\ud800"}`},
	}}, modeltest.Turn{Text: "Done."})
	p := s.New(t, server.URL, nil)
	req := ask()
	h := modeltest.Hear(p.Stream(t.Context(), req))
	if h.Err != nil {
		t.Fatal(h.Err)
	}
	req.Items = append(req.Items, h.Items...)
	for _, it := range h.Items {
		if it.Kind == model.ToolCall {
			req.Items = append(req.Items, model.Item{Kind: model.ToolReply, ID: "r" + it.ID, CallID: it.CallID, Name: it.Name, Namespace: it.Namespace, Text: "no", IsError: true})
		}
	}
	if h := modeltest.Hear(p.Stream(t.Context(), req)); h.Err != nil {
		t.Fatal(h.Err)
	}
	body := string(server.Requests()[1].Body)
	_, said, _ := strings.Cut(body, `foo_bar`)
	if said == "" || regexp.MustCompile(`"name":"[^"]*[^"A-Za-z0-9_-][^"]*"`).MatchString(body) || regexp.MustCompile(`"name":"[^"]{129,}"`).MatchString(body) {
		t.Errorf("names that are refused: %s", body)
	}
	if strings.Contains(body, `ud800`) {
		t.Errorf("half a character: %s", body)
	}
}
