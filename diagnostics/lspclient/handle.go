package lspclient

import (
	"encoding/json"
	"errors"

	"go.lsp.dev/protocol"

	"companion/diagnostics/wire"
)

// handle answers what the server asks and takes what it tells. It runs on the
// read goroutine: nothing in it waits.
func (c *Client) handle(method string, params json.RawMessage, reply func(any, error)) {
	result, err := c.serve(method, params, reply == nil)
	if reply != nil {
		reply(wire.OrNull(result), err)
	}
}

func (c *Client) serve(method string, params json.RawMessage, notification bool) (json.RawMessage, error) {
	switch method {
	case protocol.MethodTextDocumentPublishDiagnostics:
		c.publish(params)
	case protocol.MethodWorkspaceConfiguration:
		return wire.Configuration(c.cfg.Settings, params), nil
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
	case protocol.MethodWindowShowDocument:
		return json.RawMessage(`{"success":false}`), nil
	case protocol.MethodWindowWorkDoneProgressCreate, protocol.MethodWindowShowMessageRequest,
		protocol.MethodWorkspaceSemanticTokensRefresh, protocol.MethodWorkspaceInlayHintRefresh,
		protocol.MethodWorkspaceCodeLensRefresh:
	case protocol.MethodWindowLogMessage, protocol.MethodWindowShowMessage:
		c.cfg.Log.Debug("language server says", "server", c.cfg.Name, "params", string(params))
	default:
		if !notification {
			return nil, wire.NotFound(method)
		}
	}
	return nil, nil
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
			id, _ := wire.PullIdentifier(r.Options)
			c.pullers[r.ID] = id
		case protocol.MethodWorkspaceDidChangeWatchedFiles:
			c.watchers[r.ID] = wire.ParseWatchers(r.Options)
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

// applyEdit answers workspace/applyEdit: taken while a command that the user
// chose runs, refused otherwise, since a server may not edit by itself.
func (c *Client) applyEdit(params json.RawMessage) json.RawMessage {
	c.mu.Lock()
	take := c.capture
	c.mu.Unlock()
	err := errors.New("no command of this server is running")
	if take != nil {
		err = take(params)
	}
	if err == nil {
		return json.RawMessage(`{"applied":true}`)
	}
	raw, _ := json.Marshal(map[string]any{"applied": false, "failureReason": err.Error()})
	return raw
}

// Capture gives the edits that the server asks for to take, on the read
// goroutine, until release; ok is false while another capture runs.
func (c *Client) Capture(take func(params json.RawMessage) error) (release func(), ok bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.capture != nil {
		return nil, false
	}
	c.capture = take
	return func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		c.capture = nil
	}, true
}
