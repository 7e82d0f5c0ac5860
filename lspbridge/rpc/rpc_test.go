package rpc

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"go.lsp.dev/jsonrpc2"
)

// end is the other end of a connection, as bytes.
type end struct {
	t    *testing.T
	in   *io.PipeWriter
	out  *bufio.Reader
	conn *Conn
	log  *bytes.Buffer
}

func connect(t *testing.T, opt Options) *end {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	var log lockedBuffer
	opt.Log = slog.New(slog.NewTextHandler(&log, nil))
	if opt.Route == nil {
		opt.Route = func(string, bool) (Route, error) { return Route{}, nil }
	}
	ctx, cancel := context.WithCancel(context.Background())
	e := &end{t: t, in: inW, out: bufio.NewReader(outR), conn: New(inR, outW, opt), log: &log.b}
	e.conn.Start(ctx)
	t.Cleanup(func() {
		cancel()
		inW.Close()
		outR.Close() // the writer's Write fails
		flush, stop := context.WithTimeout(context.Background(), 10*time.Second)
		defer stop()
		if err := e.conn.Flush(flush); err != nil {
			t.Error(err)
		}
	})
	return e
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (b *lockedBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.b.Write(p)
}

func (e *end) raw(s string) {
	e.t.Helper()
	if _, err := io.WriteString(e.in, s); err != nil {
		e.t.Fatal(err)
	}
}

func (e *end) send(body string) {
	e.t.Helper()
	e.raw(fmt.Sprintf("Content-Length: %d\r\n\r\n%s", len(body), body))
}

// read gives the next message of the server, as it is on the wire.
func (e *end) read() string {
	e.t.Helper()
	line, err := e.out.ReadString('\n')
	if err != nil {
		e.t.Fatal(err)
	}
	n, err := strconv.Atoi(strings.TrimSpace(strings.TrimPrefix(line, "Content-Length:")))
	if err != nil {
		e.t.Fatalf("header %q", line)
	}
	body := make([]byte, n+2)
	if _, err := io.ReadFull(e.out, body); err != nil {
		e.t.Fatal(err)
	}
	return string(body[2:])
}

func (e *end) want(body string) {
	e.t.Helper()
	if got := e.read(); got != body {
		e.t.Errorf("got  %s\nwant %s", got, body)
	}
}

// ping proves that the connection still answers.
func (e *end) ping() {
	e.t.Helper()
	e.send(`{"jsonrpc":"2.0","id":"ping","method":"nothing"}`)
	e.want(`{"jsonrpc":"2.0","id":"ping","error":{"code":-32601,"message":"no method \"nothing\""}}`)
}

func handle(h Handler) Options {
	return Options{Route: func(method string, _ bool) (Route, error) {
		if method == "nothing" {
			return Route{}, nil
		}
		return Route{Handle: h, Ordered: strings.HasPrefix(method, "ordered")}, nil
	}}
}

func TestBadMessagesAreAnsweredAndTheConnectionGoesOn(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"no JSON", `{bad`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is no valid JSON"}}`},
		{"bad JSON inside params", `{"jsonrpc":"2.0","id":1,"method":"x","params":{bad}}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is no valid JSON"}}`},
		{"empty", ``, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is no valid JSON"}}`},
		{"two values", `{}{}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is no valid JSON"}}`},
		{"binary", "\x00\xff", `{"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"the message is no valid JSON"}}`},
		{"a number", `5`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message is no object"}}`},
		{"a batch", `[{"jsonrpc":"2.0","id":1,"method":"x"}]`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches are not supported"}}`},
		{"an empty batch", ` []`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches are not supported"}}`},
		{"an empty object", `{}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message is no request of JSON-RPC 2.0"}}`},
		{"no version", `{"id":1,"method":"x"}`, `{"jsonrpc":"2.0","id":1,"error":{"code":-32600,"message":"the message is no request of JSON-RPC 2.0"}}`},
		{"a method that is no string", `{"jsonrpc":"2.0","id":"a","method":5}`, `{"jsonrpc":"2.0","id":"a","error":{"code":-32600,"message":"the message is no request of JSON-RPC 2.0"}}`},
		{"an id that is a fraction", `{"jsonrpc":"2.0","id":1.5,"method":"x"}`, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"the message is no request of JSON-RPC 2.0"}}`},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := connect(t, Options{})
			e.send(c.body)
			e.want(c.want)
			e.ping()
		})
	}
}

// What came in goes back in errors: it must be UTF-8 by then.
func TestWhatIsNoUTF8IsNeverSentBack(t *testing.T) {
	for _, c := range []struct{ name, body, want string }{
		{"in a method", "{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"a\xff\xfeb\"}", "a\uFFFDb"},
		{"in an id", "{\"jsonrpc\":\"2.0\",\"id\":\"\xc3\",\"method\":\"nothing\"}", "\uFFFD"},
		{"in an error of a request", "{\"id\":\"\xed\xa0\x80\",\"method\":\"x\"}", "no request"},
		{"half a surrogate pair", `{"jsonrpc":"2.0","id":1,"method":"\ud800"}`, "-32601"},
	} {
		t.Run(c.name, func(t *testing.T) {
			e := connect(t, Options{Route: func(method string, _ bool) (Route, error) {
				if method == "nothing" {
					return Route{}, nil
				}
				return Route{}, Errorf(MethodNotFound, "no method %s", method)
			}})
			e.send(c.body)
			if got := e.read(); !utf8.ValidString(got) || !strings.Contains(got, c.want) {
				t.Errorf("got %q, want UTF-8 with %q", got, c.want)
			}
			e.ping()
		})
	}
	msg := jsonrpc2.NewResponse(jsonrpc2.NewNumberID(1), nil, Errorf(RequestFailed, "open a\xffb"))
	if got := appendFrame(nil, msg); !utf8.Valid(got) {
		t.Errorf("an error of our own goes out as %q", got)
	}
}

func TestFrameOverTheLimitIsSkippedByItsLengthAndTold(t *testing.T) {
	e := connect(t, Options{MaxFrame: 100})
	e.send(`{"jsonrpc":"2.0","id":1,"method":"x","params":"` + strings.Repeat("x", 1000) + `"}`)
	if got := e.read(); !strings.Contains(got, `"code":-32700`) || !strings.Contains(got, "over the limit of 100") {
		t.Errorf("got %s", got)
	}
	e.ping()
}

func TestHeadersAsClientsWriteThem(t *testing.T) {
	body := `{"jsonrpc":"2.0","id":1,"method":"nothing"}`
	for _, header := range []string{
		"Content-Length: %d\r\n\r\n",
		"content-length:%d\r\n\r\n",
		"Content-Length: %d\n\n",
		"Content-Type: application/vscode-jsonrpc; charset=utf-8\r\nContent-Length: %d\r\n\r\n",
		"X-Long: " + strings.Repeat("x", 3000) + "\r\nContent-Length: %d\r\n\r\n",
	} {
		e := connect(t, Options{})
		e.raw(fmt.Sprintf(header, len(body)) + body)
		if got := e.read(); !strings.Contains(got, `"id":1`) {
			t.Errorf("%.40q: %s", header, got)
		}
	}
}

func TestBrokenHeaderEndsTheConnectionWithOneLogLine(t *testing.T) {
	for _, header := range []string{
		"Content-Length 5\r\n\r\n", "\r\n", "Content-Type: x\r\n\r\n", "Content-Length: -1\r\n\r\n", "Content-Length: five\r\n\r\n",
		"Content-Length: 99999999999999999999\r\n\r\n", strings.Repeat("x", maxHeader+10) + "\r\n",
	} {
		e := connect(t, Options{})
		e.raw(header)
		<-e.conn.Done()
		if err := e.conn.Err(); !errors.Is(err, ErrHeader) {
			t.Errorf("%.30q: %v", header, err)
		}
		if n := strings.Count(e.log.String(), "\n"); n != 1 {
			t.Errorf("%.30q: %d log lines", header, n)
		}
	}
}

func TestEndOfInputEndsTheConnection(t *testing.T) {
	for sent, want := range map[string]error{"": io.EOF, "Content-Le": io.ErrUnexpectedEOF, "Content-Length: 10\r\n\r\n{}": io.ErrUnexpectedEOF} {
		e := connect(t, Options{})
		if sent != "" {
			e.raw(sent)
		}
		e.in.Close()
		<-e.conn.Done()
		if err := e.conn.Err(); !errors.Is(err, want) {
			t.Errorf("%q: %v, want %v", sent, err, want)
		}
	}
}

func TestNotificationsAreHandledBeforeLaterRequests(t *testing.T) {
	var n int // only the read loop and what it starts later touch it
	e := connect(t, handle(func(_ context.Context, r *Request) (any, error) {
		if r.Method == "note" {
			n++
			return nil, nil
		}
		return n, nil
	}))
	go func() {
		for i := range 2000 {
			e.send(`{"jsonrpc":"2.0","method":"note"}`)
			e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"ordered"}`, i+1))
		}
	}()
	for i := range 2000 {
		e.want(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":%d}`, i+1, i+1))
	}
}

func TestLooseRequestsPassBulkNotificationsAndNoOthers(t *testing.T) {
	release, entered := make(chan struct{}), make(chan string, 10)
	var seen atomic.Int32
	e := connect(t, Options{Route: func(method string, _ bool) (Route, error) {
		return Route{Loose: method == "loose", Bulk: method == "bulk", Now: method == "now", Handle: func(_ context.Context, r *Request) (any, error) {
			if r.Method == "bulk" || r.Method == "note" {
				entered <- r.Method
				<-release
			}
			seen.Add(1)
			return seen.Load(), nil
		}}, nil
	}})
	e.send(`{"jsonrpc":"2.0","method":"bulk"}`)
	<-entered
	e.send(`{"jsonrpc":"2.0","id":1,"method":"loose"}`)
	e.want(`{"jsonrpc":"2.0","id":1,"result":1}`)
	e.send(`{"jsonrpc":"2.0","method":"now"}`)
	e.send(`{"jsonrpc":"2.0","id":2,"method":"loose"}`)
	e.want(`{"jsonrpc":"2.0","id":2,"result":3}`)
	e.send(`{"jsonrpc":"2.0","method":"note"}`)
	e.send(`{"jsonrpc":"2.0","id":3,"method":"loose"}`)
	e.send(`{"jsonrpc":"2.0","id":4,"method":"other"}`)
	e.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":4}}`)
	e.want(`{"jsonrpc":"2.0","id":4,"error":{"code":-32800,"message":"cancelled"}}`)
	close(release)
	e.want(`{"jsonrpc":"2.0","id":3,"result":6}`)
}

func TestRequestThatWaitsBlocksNothing(t *testing.T) {
	release := make(chan struct{})
	e := connect(t, handle(func(_ context.Context, r *Request) (any, error) {
		if r.Method == "wait" {
			<-release
		}
		return json.RawMessage(r.Params), nil
	}))
	e.send(`{"jsonrpc":"2.0","id":1,"method":"wait","params":["kept while others pass"]}`)
	for i := range 100 {
		e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"echo","params":[%d]}`, i+10, i))
		e.want(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"result":[%d]}`, i+10, i))
	}
	close(release)
	e.want(`{"jsonrpc":"2.0","id":1,"result":["kept while others pass"]}`)
}

func TestCancelledRequestIsAnsweredAsCancelled(t *testing.T) {
	for _, id := range []string{"1", `"a"`} {
		started := make(chan struct{})
		e := connect(t, handle(func(ctx context.Context, _ *Request) (any, error) {
			close(started)
			<-ctx.Done()
			return nil, fmt.Errorf("wrapped: %w", ctx.Err())
		}))
		e.send(`{"jsonrpc":"2.0","id":` + id + `,"method":"x"}`)
		<-started
		e.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":99}}`)
		e.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":[]}`)
		e.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":` + id + `}}`)
		e.want(`{"jsonrpc":"2.0","id":` + id + `,"error":{"code":-32800,"message":"cancelled"}}`)
		e.ping()
	}
}

func TestResultWinsOverACancelThatComesTooLate(t *testing.T) {
	started, release := make(chan struct{}), make(chan struct{})
	e := connect(t, handle(func(context.Context, *Request) (any, error) { close(started); <-release; return "done", nil }))
	e.send(`{"jsonrpc":"2.0","id":1,"method":"x"}`)
	<-started
	e.send(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`)
	e.ping()
	close(release)
	e.want(`{"jsonrpc":"2.0","id":1,"result":"done"}`)
}

func TestPanicFailsOnlyItsRequest(t *testing.T) {
	e := connect(t, handle(func(_ context.Context, r *Request) (any, error) { panic("boom in " + r.Method) }))
	e.send(`{"jsonrpc":"2.0","method":"note"}`)
	for _, m := range []string{"x", "ordered"} {
		e.send(`{"jsonrpc":"2.0","id":1,"method":"` + m + `"}`)
		e.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error in ` + m + `: boom in ` + m + `"}}`)
	}
	e.ping()
	if n := strings.Count(e.log.String(), "panic in a handler"); n != 3 {
		t.Errorf("%d panics logged", n)
	}
}

func TestErrorsOfHandlersHaveTheirCodes(t *testing.T) {
	for _, c := range []struct {
		err  error
		want string
	}{
		{BadParam("arguments[0].uri", "missing"), `{"code":-32602,"message":"arguments[0].uri: missing"}`},
		{BadParam("", "missing"), `{"code":-32602,"message":"params: missing"}`},
		{Failed("turnRunning", "a turn is running"), `{"code":-32803,"message":"a turn is running","data":{"code":"turnRunning"}}`},
		{fmt.Errorf("outer: %w", Failed("stale", "x")), `{"code":-32803,"message":"x","data":{"code":"stale"}}`},
		{errors.New("plain"), `{"code":-32803,"message":"plain"}`},
		{context.Canceled, `{"code":-32803,"message":"context canceled"}`}, // ours, not the editor's
	} {
		e := connect(t, handle(func(context.Context, *Request) (any, error) { return nil, c.err }))
		e.send(`{"jsonrpc":"2.0","id":1,"method":"x"}`)
		e.want(`{"jsonrpc":"2.0","id":1,"error":` + c.want + `}`)
	}
}

func TestAfterReplyRunsWhenTheAnswerIsAhead(t *testing.T) {
	var e *end
	e = connect(t, handle(func(_ context.Context, r *Request) (any, error) {
		r.AfterReply(func() { e.conn.Notify("first", nil) })
		r.AfterReply(func() { e.conn.Notify("second", nil) })
		if r.Method == "fails" {
			return nil, errors.New("no")
		}
		return "answer", nil
	}))
	for range 100 {
		e.send(`{"jsonrpc":"2.0","id":1,"method":"x"}`)
		e.want(`{"jsonrpc":"2.0","id":1,"result":"answer"}`)
		e.want(`{"jsonrpc":"2.0","method":"first"}`)
		e.want(`{"jsonrpc":"2.0","method":"second"}`)
	}
	e.send(`{"jsonrpc":"2.0","id":1,"method":"fails"}`)
	e.want(`{"jsonrpc":"2.0","id":1,"error":{"code":-32803,"message":"no"}}`)
	e.ping()
}

func TestCallOfTheEditor(t *testing.T) {
	e := connect(t, Options{})
	for _, c := range []struct {
		name, answer string
		want         string
		err          error
	}{
		{"a result", `"result":{"a":"b"}`, "b", nil},
		{"null", `"result":null`, "", nil},
		{"result and a null error", `"result":{"a":"b"},"error":null`, "b", nil},
		{"error and a null result", `"result":null,"error":{"code":-32601,"message":"no"}`, "", Errorf(MethodNotFound, "no")},
		{"an error", `"error":{"code":7,"message":"no"}`, "", Errorf(7, "no")},
		{"an error that is a string", `"error":"no"`, "", Errorf(InternalError, "no")},
		{"the wrong shape", `"result":5`, "", ErrShape},
	} {
		t.Run(c.name, func(t *testing.T) {
			type reply struct {
				a   string
				err error
			}
			done := make(chan reply)
			go func() {
				var r struct{ A string }
				err := e.conn.Call(context.Background(), "ask", []int{1}, &r)
				done <- reply{r.A, err}
			}()
			var m struct {
				ID     int
				Method string
			}
			if err := json.Unmarshal([]byte(e.read()), &m); err != nil || m.Method != "ask" {
				t.Fatalf("%+v %v", m, err)
			}
			e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, m.ID, c.answer))
			e.send(fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,%s}`, m.ID, c.answer)) // a double answer
			e.send(`{"jsonrpc":"2.0","id":"never asked","result":1}`)
			r := <-done
			if r.a != c.want {
				t.Errorf("got %q", r.a)
			}
			var want *Error
			switch {
			case errors.As(c.err, &want):
				if !IsCode(r.err, want.Code) {
					t.Errorf("error %v, want code %d", r.err, want.Code)
				}
			case !errors.Is(r.err, c.err):
				t.Errorf("error %v, want %v", r.err, c.err)
			}
			e.ping()
		})
	}
}

func TestCallThatEndsIsWithdrawnAndItsLateAnswerDropped(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		e := connect(t, Options{})
		done := make(chan error, 1)
		go func() {
			ctx, cancel := context.WithTimeout(context.Background(), time.Minute)
			defer cancel()
			done <- e.conn.Call(ctx, "ask", nil, nil)
		}()
		e.want(`{"jsonrpc":"2.0","method":"ask","id":1}`)
		e.want(`{"jsonrpc":"2.0","method":"$/cancelRequest","params":{"id":1}}`) // a virtual minute later
		if err := <-done; !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("%v", err)
		}
		e.send(`{"jsonrpc":"2.0","id":1,"result":"late"}`)
		e.ping()
	})
}

func TestCallFailsWhenTheConnectionEnds(t *testing.T) {
	e := connect(t, Options{})
	done := make(chan error, 1)
	go func() { done <- e.conn.Call(context.Background(), "ask", nil, nil) }()
	e.read()
	e.in.Close()
	if err := <-done; !errors.Is(err, ErrClosed) {
		t.Errorf("%v", err)
	}
}

func TestEditorThatReadsNothingBlocksNoWriterAndNoReader(t *testing.T) {
	var heard int
	done := make(chan struct{})
	e := connect(t, handle(func(context.Context, *Request) (any, error) {
		if heard++; heard == 1000 {
			close(done)
		}
		return nil, nil
	}))
	for range 1000 {
		if err := e.conn.Notify("event", strings.Repeat("x", 1000)); err != nil {
			t.Fatal(err)
		}
		e.send(`{"jsonrpc":"2.0","method":"note"}`)
	}
	<-done
}

func FuzzFramesAreAnsweredOrSkippedNeverFatal(f *testing.F) {
	for _, s := range []string{`{}`, `[]`, `{"jsonrpc":"2.0","id":1,"method":"x","params":[1]}`, `{"jsonrpc":"2.0","id":1,"result":{}}`, "\xff", `{"id":null,"error":{}}`} {
		f.Add([]byte(s))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		msg, refusal := decode(body)
		if (msg == nil) == (refusal == nil) {
			t.Fatalf("message %v and refusal %v", msg, refusal)
		}
		if refusal == nil {
			if !json.Valid(body) {
				t.Fatalf("%q passed", body)
			}
			return
		}
		frame := appendFrame(nil, refusal)
		in := bufio.NewReader(bytes.NewReader(frame))
		n, err := readHeader(in)
		if err != nil || int(n) != in.Buffered() {
			t.Fatalf("the answer %q is no frame: %v", frame, err)
		}
		rest, _ := io.ReadAll(in)
		if !json.Valid(rest) || !utf8.Valid(rest) {
			t.Fatalf("the answer %q is no JSON", rest)
		}
	})
}

// HB-032: the length in the header counts bytes, and the next message follows
// right behind.
func TestLengthsCountBytesOfUTF8(t *testing.T) {
	e := connect(t, handle(func(context.Context, *Request) (any, error) { return "é", nil }))
	for _, text := range []string{"漢字 😀 é", "e\u0301 👩‍👩‍👧 \u202e", "\xff\xfe", "ascii"} {
		raw, err := json.Marshal(text)
		if err != nil {
			t.Fatal(err)
		}
		if err := e.conn.Notify("window/showMessage", map[string]any{"message": text, "type": 3}); err != nil {
			t.Fatal(err)
		}
		if err := e.conn.Notify("$/progress", struct{}{}); err != nil {
			t.Fatal(err)
		}
		e.want(`{"jsonrpc":"2.0","method":"window/showMessage","params":{"message":` + string(raw) + `,"type":3}}`)
		e.want(`{"jsonrpc":"2.0","method":"$/progress","params":{}}`)
		e.send(`{"jsonrpc":"2.0","id":"` + "漢" + `","method":"x"}`)
		e.want(`{"jsonrpc":"2.0","id":"漢","result":"é"}`)
	}
}
