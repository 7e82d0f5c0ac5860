package editor

import (
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"companion/dynamic"
	"companion/lspbridge/rpc"
	"companion/lspbridge/wire"
	"companion/tools"
)

// CallTool implements dynamic.Caller by companion/tool/call.
func (e *Editor) CallTool(ctx context.Context, c dynamic.Call) (dynamic.Answer, error) {
	deadline := cmp.Or(c.Deadline, Deadline)
	token := e.token("tool")
	stop := e.expect(token, func(value json.RawMessage) { progressOf(c.Progress, value) })
	defer stop()
	args := c.Arguments
	if len(args) == 0 {
		args = json.RawMessage("{}")
	}
	r, err := ask[wire.ToolCallResult](ctx, e, e.Client.Companion.ToolCalls, "companion/tool/call", wire.ToolCallParams{
		ThreadID: c.Thread, TurnID: c.Turn, CallID: c.CallID, Namespace: c.Namespace, Name: c.Name,
		Arguments: args, DeadlineMs: deadline.Milliseconds(), ProgressToken: token,
	}, deadline)
	if err != nil {
		return dynamic.Answer{}, toolError(err)
	}
	content, err := contentOf(r.Content)
	if err != nil {
		return dynamic.Answer{}, toolError(err)
	}
	return dynamic.Answer{Content: content, IsError: r.IsError, Structured: r.StructuredContent, Changed: r.Changed}, nil
}

// Codes with which an editor says that the same call may work at once (LSP
// 3.17, ErrorCodes).
const (
	contentModified rpc.Code = -32801
	serverCancelled rpc.Code = -32802
)

// toolError gives errors of asking their form in dynamic.
func toolError(err error) error {
	var fault *rpc.Error
	switch {
	case errors.As(err, &fault):
		return &dynamic.RemoteError{Message: fault.Message, Transient: fault.Code == contentModified || fault.Code == serverCancelled}
	case errors.Is(err, ErrShape):
		return fmt.Errorf("%w: %s", dynamic.ErrShape, strings.TrimPrefix(err.Error(), ErrShape.Error()+": "))
	case errors.Is(err, ErrNotOffered):
		return fmt.Errorf("%w: %w", dynamic.ErrIdle, err)
	case errors.Is(err, rpc.ErrClosed):
		return fmt.Errorf("%w: %w", dynamic.ErrGone, err)
	case errors.Is(err, ErrTimeout):
		return fmt.Errorf("%w: %w", context.DeadlineExceeded, err)
	}
	return err
}

// progressOf words one value of $/progress; a malformed one is dropped, as it
// changes nothing.
func progressOf(out tools.Progress, value json.RawMessage) {
	var v wire.ToolProgress
	if out == nil || json.Unmarshal(value, &v) != nil {
		return
	}
	number := func(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }
	s := v.Message
	switch {
	case v.Done != nil && v.Total != nil:
		s += " (" + number(*v.Done) + " of " + number(*v.Total) + ")"
	case v.Done != nil:
		s += " (" + number(*v.Done) + ")"
	}
	if s != "" {
		out.Activity(Plain(s))
	}
}

// contentOf gives the parts of a result; a type that this version does not know
// is named in its place.
func contentOf(list []wire.Content) ([]tools.Content, error) {
	out := make([]tools.Content, 0, len(list))
	for i, c := range list {
		switch c.Type {
		case "text":
			out = append(out, tools.Content{Kind: tools.TextContent, Text: c.Text})
		case "image":
			data, err := base64.StdEncoding.DecodeString(c.Data)
			if err != nil || len(data) == 0 {
				return nil, fmt.Errorf("%w: result.content[%d].data is no base64", ErrShape, i)
			}
			out = append(out, tools.Content{Kind: tools.ImageContent, MimeType: c.MimeType, Data: data})
		case "resource":
			if c.URI == "" {
				return nil, fmt.Errorf("%w: result.content[%d].uri: missing", ErrShape, i)
			}
			out = append(out, tools.Content{Kind: tools.ResourceContent, URI: c.URI, Text: resourceText(c)})
		default:
			out = append(out, tools.Content{Kind: tools.TextContent, Text: fmt.Sprintf("[a part of type %q, which companion cannot read, is left out]", Plain(c.Type))})
		}
	}
	return out, nil
}

// resourceText is the text of a resource with the place that it is from.
func resourceText(c wire.Content) string {
	if c.Range == nil || c.Text == "" {
		return c.Text
	}
	return fmt.Sprintf("[lines %d to %d]\n%s", c.Range.Start.Line+1, c.Range.End.Line+1, c.Text)
}
