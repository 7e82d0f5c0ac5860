package transcript

import (
	"encoding/json"
	"fmt"

	"companion/agent/model"
	"companion/session"
)

// itemRecord is a model.Item in the thread log; domain types carry no tags.
type itemRecord struct {
	Kind       model.ItemKind  `json:"k"`
	ID         string          `json:"id,omitempty"`
	Role       model.Role      `json:"role,omitempty"`
	Text       string          `json:"text,omitempty"`
	Images     []imageRecord   `json:"images,omitempty"`
	CallID     string          `json:"callId,omitempty"`
	Name       string          `json:"name,omitempty"`
	Namespace  string          `json:"ns,omitempty"`
	Arguments  string          `json:"args,omitempty"`
	IsError    bool            `json:"isError,omitempty"`
	Incomplete bool            `json:"incomplete,omitempty"`
	Loads      []toolRecord    `json:"loads,omitempty"`
	Hosted     bool            `json:"hosted,omitempty"`
	Raw        json.RawMessage `json:"raw,omitempty"`
	RawFor     string          `json:"rawFor,omitempty"`
	// Section names the context provider whose text this is.
	Section string `json:"section,omitempty"`
}

type imageRecord struct {
	MimeType string `json:"mimeType"`
	Data     []byte `json:"data"`
}

// toolRecord is a model.Tool: a definition that a result made callable.
type toolRecord struct {
	Name          string            `json:"name"`
	Namespace     string            `json:"ns,omitempty"`
	Description   string            `json:"description,omitempty"`
	Parameters    json.RawMessage   `json:"parameters,omitempty"`
	Strict        bool              `json:"strict,omitempty"`
	Grammar       string            `json:"grammar,omitempty"`
	Freeform      bool              `json:"freeform,omitempty"`
	LongText      bool              `json:"longText,omitempty"`
	NamespaceText string            `json:"nsText,omitempty"`
	Search        bool              `json:"search,omitempty"`
	Deferred      bool              `json:"deferred,omitempty"`
	Hosted        string            `json:"hosted,omitempty"`
	Examples      []json.RawMessage `json:"examples,omitempty"`
}

// State is what a resumed thread has to know besides its items.
type State struct {
	Version string   `json:"version,omitempty"` // of companion
	Mode    string   `json:"mode,omitempty"`    // of the base instructions
	Model   string   `json:"model,omitempty"`   // of the last request, provider/model
	Roots   []string `json:"roots,omitempty"`
	Listed  []string `json:"listed,omitempty"`  // full names of tools in the list that Model was told of
	Tainted bool     `json:"tainted,omitempty"` // the model has read text from outside
	Loaded  []string `json:"loaded,omitempty"`  // full names of tools that a search found, since the last compaction
}

// Told are the full names of tools that a model was told of in its list, in that
// order: none where another model was.
func (s State) Told(model string) []string {
	if s.Model != model {
		return nil
	}
	return s.Listed
}

func encodeItem(it model.Item, section string) (session.Record, error) {
	r := itemRecord{
		Kind: it.Kind, ID: it.ID, Role: it.Role, Text: it.Text, CallID: it.CallID, Name: it.Name,
		Namespace: it.Namespace, Arguments: it.Arguments, IsError: it.IsError, Incomplete: it.Incomplete,
		Raw: it.Raw, RawFor: it.RawFor, Section: section, Hosted: it.Hosted,
	}
	for _, im := range it.Images {
		r.Images = append(r.Images, imageRecord(im))
	}
	for _, t := range it.Loads {
		r.Loads = append(r.Loads, toolRecord(t))
	}
	raw, err := json.Marshal(r)
	if err != nil {
		return session.Record{}, fmt.Errorf("item %s: %w", it.ID, err)
	}
	return session.Record{Kind: session.KindItem, Item: raw}, nil
}

func decodeItem(raw json.RawMessage) (model.Item, string, error) {
	var r itemRecord
	if err := json.Unmarshal(raw, &r); err != nil {
		return model.Item{}, "", err
	}
	it := model.Item{
		Kind: r.Kind, ID: r.ID, Role: r.Role, Text: r.Text, CallID: r.CallID, Name: r.Name,
		Namespace: r.Namespace, Arguments: r.Arguments, IsError: r.IsError, Incomplete: r.Incomplete,
		Raw: r.Raw, RawFor: r.RawFor, Hosted: r.Hosted,
	}
	for _, im := range r.Images {
		it.Images = append(it.Images, model.Image(im))
	}
	for _, t := range r.Loads {
		it.Loads = append(it.Loads, model.Tool(t))
	}
	return it, r.Section, nil
}
