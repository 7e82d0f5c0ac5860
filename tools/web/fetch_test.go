package web

import (
	"bytes"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"os"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"

	"companion/tools"
)

// hosts is a resolver by table; a host's answers come one after the other and
// the last one stays.
type hosts map[string][]string

func (h hosts) LookupNetIP(_ context.Context, _, host string) ([]netip.Addr, error) {
	list := h[host]
	if len(list) == 0 {
		return nil, fmt.Errorf("no such host %s", host)
	}
	if len(list) > 1 {
		h[host] = list[1:]
	}
	return []netip.Addr{netip.MustParseAddr(list[0])}, nil
}

func direct(*http.Request) (*url.URL, error) { return nil, nil }

func fetch(t *testing.T, f *Fetcher, raw string) (tools.Action, tools.Result, error) {
	t.Helper()
	action, err := f.Prepare(t.Context(), tools.Call{Args: json.RawMessage(raw)})
	if err != nil {
		return action, tools.Result{}, err
	}
	res, err := action.Run(t.Context(), nil)
	return action, res, err
}

func server(t *testing.T, h http.HandlerFunc) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		h(w, r)
	}))
	t.Cleanup(s.CloseClientConnections)
	t.Cleanup(s.Close)
	return s.URL
}

func reads(t *testing.T, address string) (tools.Result, error) {
	t.Helper()
	_, res, err := fetch(t, New(Options{Proxy: direct}), fmt.Sprintf(`{"url":%q}`, address))
	return res, err
}

// HB-124.
func TestTextIsReadInThePagesEncoding(t *testing.T) {
	sjis, _ := japanese.ShiftJIS.NewEncoder().String("日本語のページ")
	latin, _ := charmap.ISO8859_1.NewEncoder().String("Größe café")
	cyr, _ := charmap.Windows1251.NewEncoder().String("Привет, мир")
	for name, c := range map[string]struct{ kind, body, want string }{
		"meta only":          {"text/html", `<html><head><meta charset="Shift_JIS"><title>x</title></head><body><p>` + sjis + `</p></body></html>`, "日本語のページ"},
		"meta http-equiv":    {"text/html", `<meta http-equiv="Content-Type" content="text/html; charset=windows-1251"><p>` + cyr, "Привет, мир"},
		"header":             {"text/html; charset=ISO-8859-1", `<p>` + latin + `</p>`, "Größe café"},
		"header over meta":   {"text/html; charset=windows-1251", `<meta charset="utf-8"><p>` + cyr, "Привет, мир"},
		"byte order mark":    {"text/html; charset=ISO-8859-1", "\xEF\xBB\xBF<p>дом é</p>", "дом é"},
		"utf-16 with mark":   {"text/plain", "\xFF\xFEd\x00\xE9\x00", "dé"},
		"utf-8, unsaid":      {"text/plain", "дом", "дом"},
		"latin, unsaid":      {"text/html", "<p>" + latin, "Größe café"},
		"json":               {"application/json", `{"a":"é"}`, `"a": "é"`},
		"no type":            {"", "<!doctype html><title>T</title><p>hello", "hello"},
		"a few wrong bytes":  {"text/plain; charset=utf-8", strings.Repeat("good text ", 20) + "\xff", "1 characters could not be read as utf-8"},
		"markdown as it is":  {"text/markdown", "# A *b*", "# A *b*"},
		"links made whole":   {"text/html", `<p><a href="../x?y=1">link</a> and enough text`, "/x?y=1)"},
		"no text":            {"text/html", "<script>1</script>", "no text"},
		"a table":            {"text/html", "<p>x<table><tr><td>A</td><td>B</td></tr><tr><td>1<br>one</td><td>2|3</td></tr></table>", "| A | B |\n|---|---|\n| 1  <br />one | 2\\|3 |"},
		"svg is no text":     {"image/svg+xml", "<svg>hi</svg>", "<svg>"},
		"plain with a label": {"text/plain; charset=us-ascii", "abc", "abc"},
	} {
		t.Run(name, func(t *testing.T) {
			base := server(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header()["Content-Type"] = nil
				if c.kind != "" {
					w.Header().Set("Content-Type", c.kind)
				}
				_, _ = w.Write([]byte(c.body))
			})
			res, err := reads(t, base+"/d/p")
			if err != nil || res.Outcome != tools.OK || !strings.Contains(res.Text, c.want) {
				t.Errorf("%v %v: %s", err, res.Outcome, res.Text)
			}
			if !res.Tainted {
				t.Error("not marked as coming from outside")
			}
		})
	}
}

func TestWhatCannotBeReadIsAnError(t *testing.T) {
	for name, c := range map[string]struct{ kind, body, want string }{
		"mostly wrong":     {"text/plain; charset=utf-8", strings.Repeat("\xfd\xff", 50), "cannot be read as utf-8"},
		"unknown label":    {"text/html; charset=klingon", "<p>x", `"klingon"`},
		"replacement":      {"text/html; charset=iso-2022-kr", "<p>x", "iso-2022-kr"},
		"binary":           {"application/octet-stream", "\x00\x01\x02", "no text"},
		"binary as text":   {"text/plain", strings.Repeat("\x00\x01ab", 20), "control characters"},
		"utf-16, unsaid":   {"text/html", "<\x00p\x00>\x00x\x00", "control characters"},
		"picture":          {"image/png", "\x89PNG\r\n\x1a\n", "image/png, 8 bytes"},
		"a PDF by name":    {"application/pdf", "%PDF-1.4 nothing", "PDF"},
		"too deep for all": {"text/html", strings.Repeat("<div>", 5000), "its HTML cannot be read"},
	} {
		t.Run(name, func(t *testing.T) {
			base := server(t, func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Content-Type", c.kind)
				_, _ = w.Write([]byte(c.body))
			})
			res, err := reads(t, base)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("%v %s", err, res.Text)
			}
		})
	}
}

// HB-125.
func TestServersThatMisbehaveAreBounded(t *testing.T) {
	for name, c := range map[string]struct {
		handler http.HandlerFunc
		want    string // in the text or the error
	}{
		"redirect to nowhere": {func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(302) }, "302 without a Location"},
		"redirect to a file": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Location", "file:///etc/passwd")
			w.WriteHeader(302)
		}, "is no address of the web"},
		"redirects in a circle": {func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, r.URL.Path, http.StatusFound) }, "in a circle"},
		"another host": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/latest", http.StatusFound)
		}, "was not followed"},
		"another port": {func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://127.0.0.1:1/x", http.StatusFound)
		}, "was not followed"},
		"endless body": {func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			for r.Context().Err() == nil {
				if _, err := w.Write(bytes.Repeat([]byte("x"), 1<<16)); err != nil {
					return
				}
			}
		}, "only the first 5242880 bytes were read"},
		"a false length": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Length", "1000000000")
			_, _ = w.Write([]byte("beginning"))
		}, "it ended after 9 of 1000000000 bytes"},
		"bomb": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Encoding", "gzip")
			z := gzip.NewWriter(w)
			zeros := bytes.Repeat([]byte("0"), 1<<20)
			for range 200 {
				if _, err := z.Write(zeros); err != nil {
					return
				}
			}
			_ = z.Close()
		}, "only the first 5242880 bytes were read"},
		"no gzip": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Encoding", "gzip")
			_, _ = w.Write([]byte("plain"))
		}, "damaged"},
		"unasked encoding": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/plain")
			w.Header().Set("Content-Encoding", "br")
			_, _ = w.Write([]byte("plain"))
		}, `encoded as "br"`},
		"refusal": {func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "go away", http.StatusForbidden) }, "HTTP 403"},
		"huge header": {func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("X", strings.Repeat("x", 1<<20))
			w.WriteHeader(200)
		}, "could not be read"},
	} {
		t.Run(name, func(t *testing.T) {
			base := server(t, c.handler)
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			res, err := reads(t, base+"/start")
			runtime.ReadMemStats(&after)
			said := res.Text
			if err != nil {
				said = err.Error()
			}
			if !strings.Contains(said, c.want) {
				t.Errorf("%v: %.300s", err, said)
			}
			if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 100<<20 {
				t.Errorf("the heap grew by %d MB", grown>>20)
			}
		})
	}
}

func TestAPDFIsReadAsItsPages(t *testing.T) {
	data, err := os.ReadFile("../pdf/testdata/print.pdf")
	if err != nil {
		t.Fatal(err)
	}
	base := server(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(data) })
	res, err := reads(t, base+"/x")
	if err != nil || !strings.Contains(res.Text, "[page 2 of 2]\nPage two text here.") {
		t.Errorf("%v %s", err, res.Text)
	}
}

func TestAnArticleIsFoundInItsPage(t *testing.T) {
	para := strings.Repeat("This sentence, which has a comma, says something about the subject of the article. ", 6)
	html := `<html><head><title>The title</title></head><body><nav><a href="/a">Home</a><a href="/b">About</a></nav><article><h1>The title</h1><p>` +
		para + `</p><p>` + para + `</p><pre><code>x := 1</code></pre></article><footer>Imprint</footer></body></html>`
	base := server(t, func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte(html)) })
	res, err := reads(t, base)
	if err != nil || !strings.Contains(res.Text, "Title: The title") || !strings.Contains(res.Text, "x := 1") || strings.Contains(res.Text, "Imprint") || strings.Contains(res.Text, "About") {
		t.Errorf("%v %s", err, res.Text)
	}
	_, res, err = fetch(t, New(Options{Proxy: direct}), fmt.Sprintf(`{"url":%q,"format":"text"}`, base))
	if err != nil || strings.Contains(res.Text, "](") || !strings.Contains(res.Text, "says something") {
		t.Errorf("text: %v %s", err, res.Text)
	}
	_, res, err = fetch(t, New(Options{Proxy: direct}), fmt.Sprintf(`{"url":%q,"format":"source","max_bytes":1000}`, base))
	if err != nil || !strings.Contains(res.Text, "<nav>") || !strings.Contains(res.Text, "only the first 1000 bytes") {
		t.Errorf("source: %v %s", err, res.Text)
	}
}

func TestASlowServerEndsWithTheCallAndNotLater(t *testing.T) {
	base := server(t, func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/plain")
		for r.Context().Err() == nil {
			_, _ = w.Write([]byte("."))
			w.(http.Flusher).Flush()
			select {
			case <-r.Context().Done():
			case <-time.After(10 * time.Millisecond):
			}
		}
	})
	f := New(Options{Proxy: direct})
	action, err := f.Prepare(t.Context(), tools.Call{Args: json.RawMessage(fmt.Sprintf(`{"url":%q}`, base))})
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	if _, err = action.Run(ctx, nil); err == nil || ctx.Err() == nil {
		t.Errorf("%v", err)
	}
}

func TestPrivateAddressesAreAskedFor(t *testing.T) {
	f := New(Options{Proxy: direct, Resolver: hosts{
		"public.example": {"93.184.215.14"}, "inside.example": {"10.1.2.3"}, "localhost": {"127.0.0.1"}, "six.example": {"fd00::1"},
		"2130706433": {"127.0.0.1"}, "printer": {"93.184.215.14"},
	}})
	for address, private := range map[string]bool{
		"https://public.example/x": false, "public.example": false, "http://inside.example": true, "http://localhost:8080": true,
		"http://127.0.0.1": true, "http://[::1]/": true, "http://169.254.169.254/latest/meta-data": true, "http://100.64.0.1": true,
		"http://[::ffff:10.0.0.1]": true, "http://[64:ff9b::7f00:1]": true, "http://[2002:7f00:1::]": true, "http://six.example": true, "http://0.0.0.0": true,
		"http://2130706433": true, "http://printer": true, "http://x.internal": true, "http://8.8.8.8": false, "http://[2606:4700::1111]": false,
		"http://PUBLIC.example.": false,
	} {
		action, err := f.Prepare(t.Context(), tools.Call{Args: json.RawMessage(fmt.Sprintf(`{"url":%q}`, address))})
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		e := action.Effects[0]
		if e.Kind != tools.Network || e.Private != private || e.Host == "" {
			t.Errorf("%s: %+v, want private %v", address, e, private)
		}
		if private && !strings.Contains(action.Preview.Text, "private network") {
			t.Errorf("%s: the preview says nothing: %s", address, action.Preview.Text)
		}
	}
}

func TestANameThatMovesInsideIsNotFollowed(t *testing.T) {
	var hits atomic.Int32
	base := server(t, func(http.ResponseWriter, *http.Request) { hits.Add(1) })
	u, _ := url.Parse(base)
	f := New(Options{Proxy: direct, Resolver: hosts{"rebind.example": {"93.184.215.14", "127.0.0.1"}}})
	f.robots.known["http://rebind.example:"+u.Port()] = rules{at: time.Now()}
	_, _, err := fetch(t, f, fmt.Sprintf(`{"url":"http://rebind.example:%s/"}`, u.Port()))
	if err == nil || !strings.Contains(err.Error(), "address of a private network (127.0.0.1)") || hits.Load() != 0 {
		t.Errorf("%v, %d requests", err, hits.Load())
	}
}

func TestAddressesThatCannotBeFetchedAreRefused(t *testing.T) {
	f := New(Options{Proxy: direct, Resolver: hosts{}})
	for address, want := range map[string]string{
		"": "empty", "ftp://x.example/": "http and https", "file:///etc/passwd": "read", "https://": "no host", "https://u:p@x.example": "password",
		"http://x.example:99999999/": "", "http://a b/": "no address",
	} {
		_, _, err := fetch(t, f, fmt.Sprintf(`{"url":%q}`, address))
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", address, err)
		}
	}
}

func TestWhatRobotsAreAskedToLeaveIsLeft(t *testing.T) {
	var agent atomic.Value
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		agent.Store(r.UserAgent())
		if r.URL.Path == "/robots.txt" {
			_, _ = w.Write([]byte("User-agent: other\nDisallow: /\n\nUser-agent: *\nDisallow: /private/\n"))
			return
		}
		_, _ = w.Write([]byte("read"))
	}))
	defer s.Close()
	f := New(Options{Version: "1.2.3", Proxy: direct})
	at := func(path string) *url.URL {
		u, err := url.Parse(s.URL + path)
		if err != nil {
			t.Fatal(err)
		}
		return u
	}
	approved := []netip.Addr{netip.MustParseAddr("127.0.0.1")}
	if f.forbids(t.Context(), at("/open"), approved) || !f.forbids(t.Context(), at("/private/x"), approved) {
		t.Error("robots.txt is not followed")
	}
	if got := agent.Load(); got != "companion/1.2.3 (a coding agent; fetches single pages for its user)" {
		t.Errorf("user agent %q", got)
	}
}

func TestNothingReadIsNoEmptyPage(t *testing.T) {
	for _, enc := range []string{"gzip", "br"} {
		base := server(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Encoding", enc)
			w.Header().Set("Content-Type", "text/html")
			_, _ = w.Write([]byte("not " + enc))
		})
		if res, err := reads(t, base); err == nil || !strings.Contains(err.Error(), "nothing of it could be read") {
			t.Errorf("%s: %v %s", enc, err, res.Text)
		}
	}
}

func TestAQueryIsEscapedBeforeItIsSent(t *testing.T) {
	base := server(t, func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/from" {
			w.Header()["Location"] = []string{"/to?q=a b&c=\u00e9"}
			w.WriteHeader(http.StatusFound)
			return
		}
		w.Header().Set("Content-Type", "text/plain")
		_, _ = w.Write([]byte("query " + r.URL.RawQuery))
	})
	for address, want := range map[string]string{
		"/?q=a b&c=\u0436":   "query q=a%20b&c=%D0%B6",
		"/?q=a%20b&c=%D0%B6": "query q=a%20b&c=%D0%B6",
		"/from":              "query q=a%20b&c=%C3%A9",
	} {
		if res, err := reads(t, base+address); err != nil || !strings.Contains(res.Text, want) {
			t.Errorf("%s: %v %s", address, err, res.Text)
		}
	}
}
