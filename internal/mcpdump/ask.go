package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
)

// peer talks JSON-RPC, one message a line.
type peer struct {
	in  io.Writer
	out *bufio.Reader
	id  int
}

type message struct {
	ID     json.RawMessage `json:"id"`
	Method string          `json:"method"`
	Result json.RawMessage `json:"result"`
	Error  *struct {
		Code    int    `json:"code"`
		Message string `json:"message"`
	} `json:"error"`
}

// ask starts a server, reads its tools and ends it.
func ask(ctx context.Context, cmd *exec.Cmd) (c corpus, err error) {
	in, err := cmd.StdinPipe()
	if err != nil {
		return c, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return c, err
	}
	said := &tail{}
	cmd.Stderr = said
	if err := cmd.Start(); err != nil {
		return c, err
	}
	defer func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		if err != nil {
			err = fmt.Errorf("%w\n%s", err, said.text)
		}
	}()
	defer context.AfterFunc(ctx, func() { _ = out.Close() })() // a child of the server may hold the pipe
	p := &peer{in: in, out: bufio.NewReaderSize(out, 1<<20)}
	var hello struct{ Instructions string }
	err = p.call("initialize", map[string]any{
		"protocolVersion": "2025-06-18", "capabilities": map[string]any{"roots": map[string]any{}},
		"clientInfo": map[string]string{"name": "mcpdump", "version": "1"},
	}, &hello)
	if err != nil {
		return c, err
	}
	c.Instructions = hello.Instructions
	if err := p.send(map[string]any{"jsonrpc": "2.0", "method": "notifications/initialized"}); err != nil {
		return c, err
	}
	for cursor := ""; ; {
		params := map[string]any{}
		if cursor != "" {
			params["cursor"] = cursor
		}
		var page struct {
			Tools      []tool
			NextCursor string
		}
		if err := p.call("tools/list", params, &page); err != nil {
			return c, err
		}
		c.Tools = append(c.Tools, page.Tools...)
		if cursor = page.NextCursor; cursor == "" {
			return c, nil
		}
	}
}

func (p *peer) send(v any) error {
	raw, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, err = p.in.Write(append(raw, '\n'))
	return err
}

// call asks and reads up to the answer; requests of the server on the way are
// answered: no roots, nothing else.
func (p *peer) call(method string, params, result any) error {
	p.id++
	if err := p.send(map[string]any{"jsonrpc": "2.0", "id": p.id, "method": method, "params": params}); err != nil {
		return err
	}
	for {
		line, err := p.out.ReadBytes('\n')
		if err != nil {
			return fmt.Errorf("%s: %w", method, errors.Join(err))
		}
		var m message
		if json.Unmarshal(line, &m) != nil {
			continue // some servers log to stdout
		}
		switch {
		case m.Method == "roots/list" && m.ID != nil:
			err = p.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "result": map[string]any{"roots": []any{}}})
		case m.Method != "" && m.ID != nil:
			err = p.send(map[string]any{"jsonrpc": "2.0", "id": m.ID, "error": map[string]any{"code": -32601, "message": "not offered"}})
		case m.Method == "" && string(m.ID) == fmt.Sprint(p.id):
			if m.Error != nil {
				return fmt.Errorf("%s: %s (%d)", method, m.Error.Message, m.Error.Code)
			}
			return json.Unmarshal(m.Result, result)
		}
		if err != nil {
			return err
		}
	}
}

// tail keeps the last 2,000 bytes.
type tail struct{ text []byte }

func (t *tail) Write(b []byte) (int, error) {
	t.text = append(t.text, b...)
	t.text = t.text[max(0, len(t.text)-2000):]
	return len(b), nil
}
