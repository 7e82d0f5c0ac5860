package rpc

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"go.lsp.dev/jsonrpc2"
)

// MaxFrame is the largest frame that is read, in bytes (docs/protocol.md,
// Lifecycle).
const MaxFrame = 64 << 20

// keepBuffer is the largest read buffer that is kept between frames, in bytes.
const keepBuffer = 256 << 10

// maxHeader bounds a header line, in bytes; the longest that LSP knows is about
// 60.
const maxHeader = 4 << 10

// ErrHeader is a header that does not say where its frame ends.
var ErrHeader = errors.New("broken frame header")

// readHeader reads one header block and returns the length of the body in
// bytes. io.EOF means that the peer closed between two frames.
func readHeader(in *bufio.Reader) (int64, error) {
	length := int64(-1)
	for first := true; ; first = false {
		line, err := readLine(in)
		if err != nil {
			if errors.Is(err, io.EOF) && first && line == "" {
				return 0, io.EOF
			}
			if errors.Is(err, io.EOF) {
				return 0, io.ErrUnexpectedEOF
			}
			return 0, err
		}
		if line == "" {
			if length < 0 {
				return 0, fmt.Errorf("%w: no Content-Length", ErrHeader)
			}
			return length, nil
		}
		name, value, ok := strings.Cut(line, ":")
		if !ok {
			return 0, fmt.Errorf("%w: %.80q", ErrHeader, line)
		}
		if strings.EqualFold(strings.TrimSpace(name), "Content-Length") {
			n, err := strconv.ParseInt(strings.TrimSpace(value), 10, 64)
			if err != nil || n < 0 {
				return 0, fmt.Errorf("%w: %.80q", ErrHeader, line)
			}
			length = n
		}
	}
}

// readLine reads up to \n and cuts the line ending off.
func readLine(in *bufio.Reader) (string, error) {
	var line []byte
	for {
		part, err := in.ReadSlice('\n')
		line = append(line, part...)
		if len(line) > maxHeader {
			return "", fmt.Errorf("%w: a line over %d bytes", ErrHeader, maxHeader)
		}
		if errors.Is(err, bufio.ErrBufferFull) {
			continue
		}
		if err != nil {
			return string(line), err
		}
		return strings.TrimRight(string(line), "\r\n"), nil
	}
}

// clean is body in UTF-8, with U+FFFD for what is none.
func clean(body []byte) []byte {
	if utf8.Valid(body) {
		return body
	}
	return bytes.ToValidUTF8(body, []byte("\uFFFD"))
}

// appendFrame appends header and body of one message, in UTF-8 whatever the
// texts in it hold.
func appendFrame(dst []byte, msg jsonrpc2.Message) []byte {
	body := clean(jsonrpc2.AppendMessage(nil, msg))
	dst = append(dst, "Content-Length: "...)
	dst = strconv.AppendInt(dst, int64(len(body)), 10)
	dst = append(dst, "\r\n\r\n"...)
	return append(dst, body...)
}

// decode turns one body into a message. A body that is none gives the answer
// that the peer gets instead. What is no UTF-8 becomes U+FFFD, as encoding/json
// has it, before anything of the body can go back in an answer.
func decode(body []byte) (jsonrpc2.Message, *jsonrpc2.Response) {
	body = clean(body)
	if !json.Valid(body) {
		return nil, refuse(jsonrpc2.ID{}, ParseError, "the message is no valid JSON")
	}
	body = bytes.TrimLeft(body, " \t\r\n")
	switch body[0] {
	case '[':
		return nil, refuse(jsonrpc2.ID{}, InvalidRequest, "batches are not supported")
	case '{':
	default:
		return nil, refuse(jsonrpc2.ID{}, InvalidRequest, "the message is no object")
	}
	msg, err := jsonrpc2.DecodeMessage(body)
	if err == nil {
		return msg, nil
	}
	return repair(body)
}

// repair reads what the strict decoder refused: answers that carry both result
// and error (Emacs and others send "error":null) or neither, which stands for
// null, and requests whose id is good enough to answer with it.
func repair(body []byte) (jsonrpc2.Message, *jsonrpc2.Response) {
	var m map[string]json.RawMessage
	if err := json.Unmarshal(body, &m); err != nil {
		return nil, refuse(jsonrpc2.ID{}, InvalidRequest, "the message is no request")
	}
	id := decodeID(m["id"])
	_, hasMethod := m["method"]
	result, hasResult := m["result"]
	fault, hasError := m["error"]
	if hasMethod || !hasResult && !hasError && id == (jsonrpc2.ID{}) {
		return nil, refuse(id, InvalidRequest, "the message is no request of JSON-RPC 2.0")
	}
	var e struct {
		Code    int32           `json:"code"`
		Message string          `json:"message"`
		Data    json.RawMessage `json:"data"`
	}
	if hasError && string(fault) != "null" {
		if err := json.Unmarshal(fault, &e); err != nil {
			e.Code, e.Message = int32(InternalError), string(fault)
		}
		return jsonrpc2.NewResponse(id, nil, &Error{Code: Code(e.Code), Message: e.Message, Data: jsonrpc2.RawMessage(e.Data)}), nil
	}
	if result == nil {
		result = json.RawMessage("null")
	}
	return jsonrpc2.NewResponse(id, jsonrpc2.RawMessage(result), nil), nil
}

func decodeID(raw json.RawMessage) jsonrpc2.ID {
	var n int64
	if json.Unmarshal(raw, &n) == nil && string(raw) != "null" {
		return jsonrpc2.NewNumberID(n)
	}
	var s string
	if json.Unmarshal(raw, &s) == nil && string(raw) != "null" {
		return jsonrpc2.NewStringID(s)
	}
	return jsonrpc2.ID{}
}

func refuse(id jsonrpc2.ID, code Code, why string) *jsonrpc2.Response {
	return jsonrpc2.NewResponse(id, nil, Errorf(code, "%s", why))
}
