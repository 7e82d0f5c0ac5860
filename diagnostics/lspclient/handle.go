package lspclient

import (
	"encoding/json"
	"strings"

	"go.lsp.dev/protocol"
)

// handle answers what the server asks and takes what it tells. It runs on the
// read goroutine: nothing in it waits.
func (c *Client) handle(method string, params json.RawMessage, reply func(any, error)) {
	result, err := c.serve(method, params, reply == nil)
	if reply != nil {
		reply(orNull(result), err)
	}
}

func (c *Client) serve(method string, params json.RawMessage, notification bool) (json.RawMessage, error) {
	switch method {
	case protocol.MethodTextDocumentPublishDiagnostics:
		c.publish(params)
	case protocol.MethodWorkspaceConfiguration:
		return c.configuration(params), nil
	case protocol.MethodClientRegisterCapability:
		c.register(params)
	case protocol.MethodClientUnregisterCapability:
		c.unregister(params)
	case protocol.MethodWorkspaceApplyEdit:
		return c.applyEdit(params), nil
	case protocol.MethodWorkspaceWorkspaceFolders:
		return json.Marshal(c.folders())
	case protocol.MethodWorkspaceDiagnosticRefresh:
		c.refresh()
	case protocol.MethodProgress:
		c.progress(params)
	case protocol.MethodWindowShowDocument:
		return json.RawMessage(`{"success":false}`), nil
	case protocol.MethodWindowWorkDoneProgressCreate, protocol.MethodWindowShowMessageRequest,
		protocol.MethodWorkspaceSemanticTokensRefresh, protocol.MethodWorkspaceInlayHintRefresh,
		protocol.MethodWorkspaceCodeLensRefresh:
	case protocol.MethodWindowLogMessage, protocol.MethodWindowShowMessage:
		c.cfg.Log.Debug("language server says", "server", c.cfg.Name, "params", string(params))
	default:
		if !notification {
			return nil, NotFound(method)
		}
	}
	return nil, nil
}

// configuration answers each item from the settings: a dotted section is a path
// into them, no section is all of them, nothing there is null.
func (c *Client) configuration(params []byte) json.RawMessage {
	var p struct {
		Items []struct {
			Section string `json:"section"`
		} `json:"items"`
	}
	if json.Unmarshal(params, &p) != nil {
		return json.RawMessage("[]")
	}
	out := make([]json.RawMessage, len(p.Items))
	for i, item := range p.Items {
		out[i] = section(c.cfg.Settings, item.Section)
	}
	raw, err := json.Marshal(out)
	if err != nil {
		return json.RawMessage("[]")
	}
	return raw
}

func section(settings json.RawMessage, path string) json.RawMessage {
	if len(settings) == 0 {
		return json.RawMessage("null")
	}
	if path == "" {
		return settings
	}
	for _, key := range strings.Split(path, ".") {
		var m map[string]json.RawMessage
		if json.Unmarshal(settings, &m) != nil || m[key] == nil {
			return json.RawMessage("null")
		}
		settings = m[key]
	}
	return settings
}

func (c *Client) register(params []byte) {
	var p struct {
		Registrations []struct {
			ID      string          `json:"id"`
			Method  string          `json:"method"`
			Options json.RawMessage `json:"registerOptions"`
		} `json:"registrations"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range p.Registrations {
		switch r.Method {
		case protocol.MethodTextDocumentDiagnostic:
			id, _ := pullIdentifier(r.Options)
			c.pullers[r.ID] = id
		case protocol.MethodWorkspaceDidChangeWatchedFiles:
			c.watchers[r.ID] = parseWatchers(r.Options)
		}
	}
	c.broadcast()
}

func (c *Client) unregister(params []byte) {
	var p struct {
		Un []struct {
			ID string `json:"id"`
		} `json:"unregisterations"` // the specification's own spelling
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, r := range p.Un {
		delete(c.pullers, r.ID)
		delete(c.watchers, r.ID)
	}
}

// progress keeps which work-done tokens are running.
func (c *Client) progress(params []byte) {
	var p struct {
		Token json.RawMessage `json:"token"`
		Value struct {
			Kind string `json:"kind"`
		} `json:"value"`
	}
	if json.Unmarshal(params, &p) != nil {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch p.Value.Kind {
	case "begin":
		c.busy[string(p.Token)] = true
	case "end":
		delete(c.busy, string(p.Token))
		c.broadcast()
	}
}
