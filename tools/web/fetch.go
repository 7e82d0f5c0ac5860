package web

import (
	"context"
	"crypto/tls"
	_ "embed"
	"fmt"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"strings"
	"time"

	"golang.org/x/net/idna"

	"companion/tools"
	"companion/tools/schema"
)

//go:embed fetch.md
var doc string

// robotName is how robots.txt files name us.
const robotName = "companion"

// Options of New; the zero value is for real use.
type Options struct {
	Version  string   // of companion, told to servers
	Resolver Resolver // nil = the system's
	// Proxy as in http.Transport; nil = that of the environment.
	Proxy func(*http.Request) (*url.URL, error)
	TLS   *tls.Config // nil = the system's certificates
}

// Fetcher is the tool web_fetch.
type Fetcher struct {
	agent    string
	resolver Resolver
	proxy    func(*http.Request) (*url.URL, error)
	tls      *tls.Config
	robots   robots
}

// New gives the tool web_fetch.
func New(o Options) *Fetcher {
	f := &Fetcher{
		agent:    fmt.Sprintf("%s/%s (a coding agent; fetches single pages for its user)", robotName, o.Version),
		resolver: o.Resolver, proxy: o.Proxy, tls: o.TLS, robots: robots{known: map[string]rules{}},
	}
	if f.resolver == nil {
		f.resolver = net.DefaultResolver
	}
	if f.proxy == nil {
		f.proxy = http.ProxyFromEnvironment
	}
	return f
}

type args struct {
	URL      string `json:"url" desc:"Address, http or https; https is put in front where neither is there."`
	Format   string `json:"format,omitempty" enum:"markdown|text|source" desc:"How HTML is given: markdown, text without marks, or source as the server sent it. Default markdown."`
	MaxBytes int    `json:"max_bytes,omitempty" min:"1000" max:"5242880" desc:"Most bytes to read, after decompression, 1000 to 5242880. Default 5242880."`
}

// Spec implements tools.Tool.
func (f *Fetcher) Spec() tools.Spec {
	return tools.Spec{
		Name: "web_fetch", Title: "Read a web page", Description: strings.TrimSpace(doc), Input: schema.Of[args](),
		ReadOnly: true, OpenWorld: true, Folded: true, SearchHint: "http url page download documentation",
	}
}

// Prepare implements tools.Tool.
func (f *Fetcher) Prepare(ctx context.Context, call tools.Call) (tools.Action, error) {
	a, err := tools.Decode[args](call.Args)
	if err != nil {
		return tools.Action{}, err
	}
	u, err := parse(a.URL)
	if err != nil {
		return tools.Action{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, 3*time.Second) // a slow resolver shows itself again when it is dialled
	defer cancel()
	private, named := inside(ctx, f.resolver, u.Hostname())
	effect := tools.Effect{Kind: tools.Network, Host: u.Hostname(), Private: named}
	text := u.Redacted()
	if named {
		text += "\n(an address of a private network" + list(private) + ")"
	}
	return tools.Action{
		Effects:  []tools.Effect{effect},
		Locks:    []tools.Lock{{Resource: "host:" + u.Hostname(), Shared: true}},
		Activity: "Fetching " + short(u),
		Preview:  tools.Preview{Text: text},
		Run: func(ctx context.Context, _ tools.Progress) (tools.Result, error) {
			return f.run(ctx, a, u, private, named)
		},
	}, nil
}

// parse reads an address as a model writes it.
func parse(s string) (*url.URL, error) {
	s = strings.TrimSpace(s)
	if strings.HasPrefix(s, "<") && strings.HasSuffix(s, ">") {
		s = s[1 : len(s)-1]
	}
	if s == "" {
		return nil, tools.Fail("The url is empty. Give an address such as https://example.org/page.")
	}
	if !strings.Contains(s, "://") {
		s = "https://" + strings.TrimPrefix(s, "//")
	}
	u, err := url.Parse(s)
	switch {
	case err != nil:
		return nil, tools.Fail(fmt.Sprintf("%q is no address: %v.", s, err))
	case u.Scheme != "http" && u.Scheme != "https":
		return nil, tools.Fail(fmt.Sprintf("web_fetch reads http and https, not %s. For a file, use `read`.", u.Scheme))
	case u.Hostname() == "":
		return nil, tools.Fail(fmt.Sprintf("%q names no host.", s))
	case u.User != nil:
		return nil, tools.Fail("The address holds a user name or password. web_fetch sends none: leave them out.")
	}
	host := strings.ToLower(strings.TrimSuffix(u.Hostname(), "."))
	if _, isIP := netip.ParseAddr(host); isIP != nil {
		ascii, err := idna.Lookup.ToASCII(host)
		if err != nil && strings.ContainsFunc(host, func(r rune) bool { return r > 127 }) {
			return nil, tools.Fail(fmt.Sprintf("%q is no host name: %v.", host, err))
		}
		if err == nil {
			host = ascii
		}
	}
	escapeQuery(u)
	port := u.Port()
	u.Host = host
	if strings.Contains(host, ":") {
		u.Host = "[" + host + "]"
	}
	if port != "" {
		u.Host += ":" + port
	}
	return u, nil
}

// escapeQuery escapes what may not stand in a query as it is: blanks would end the
// address in the request, and letters outside of ASCII mean what a server guesses.
func escapeQuery(u *url.URL) {
	var b strings.Builder
	for i := range len(u.RawQuery) {
		if c := u.RawQuery[i]; c <= ' ' || c >= 0x7F || strings.IndexByte("\"<>`", c) >= 0 {
			fmt.Fprintf(&b, "%%%02X", c)
		} else {
			b.WriteByte(c)
		}
	}
	u.RawQuery = b.String()
}

func (f *Fetcher) run(ctx context.Context, a args, u *url.URL, private []netip.Addr, named bool) (tools.Result, error) {
	caller := ctx
	ctx, cancel := context.WithTimeout(ctx, maxTime)
	defer cancel()
	limit := a.MaxBytes
	if limit <= 0 {
		limit = maxBytes
	}
	if !named && f.forbids(ctx, u, private) {
		return tools.Result{}, tools.Fail(fmt.Sprintf("The robots.txt of %s asks programs like this one not to read %s, so it was not read. Use another source, or ask the user to open it.", u.Host, u.EscapedPath()))
	}
	p, err := f.get(ctx, f.client(private), u, "text/markdown, text/html;q=0.9, application/json;q=0.9, text/plain;q=0.8, application/pdf;q=0.7, */*;q=0.1", limit)
	switch {
	case caller.Err() != nil:
		return tools.Result{}, caller.Err()
	case err != nil:
		return tools.Result{}, tools.Fail(explain(ctx, u, err))
	case p.elsewhere != nil:
		return tools.Result{Outcome: tools.OK, Tainted: true, Text: fmt.Sprintf(
			"%s redirects (HTTP %d) to another host: %s\nIt was not followed. Call web_fetch with that address if it is what you want.", u.Redacted(), p.status, p.elsewhere.Redacted())}, nil
	}
	out, err := render(ctx, p, a.Format)
	if caller.Err() != nil {
		return tools.Result{}, caller.Err()
	}
	if err != nil {
		return tools.Result{}, tools.Fail(fmt.Sprintf("%s answered HTTP %d, but %v.", p.url.Redacted(), p.status, err))
	}
	if p.more {
		out.notes = append(out.notes, fmt.Sprintf("only the first %d bytes were read; the rest was left out (max_bytes)", len(p.body)))
	}
	if p.broken != "" {
		out.notes = append(out.notes, p.broken)
	}
	res := tools.Result{Outcome: tools.OK, Tainted: true, Text: words(p, out), Display: fmt.Sprintf("Fetched %s (HTTP %d, %d bytes)", short(p.url), p.status, len(p.body))}
	if p.status >= 400 {
		res.Outcome = tools.Failed
	}
	return res, nil
}

// words is the head that says what was read, and the text.
func words(p page, r rendered) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\nHTTP %d, %s, %d bytes\n", p.url.Redacted(), p.status, orNone(p.header.Get("Content-Type")), len(p.body))
	if r.title != "" {
		fmt.Fprintf(&b, "Title: %s\n", r.title)
	}
	for _, n := range r.notes {
		fmt.Fprintf(&b, "Note: %s.\n", n)
	}
	b.WriteString("\n")
	if strings.TrimSpace(r.text) == "" {
		b.WriteString("(The page has no text; perhaps its scripts make it.)")
	}
	b.WriteString(r.text)
	return b.String()
}

func orNone(s string) string {
	if s == "" {
		return "no type given"
	}
	return s
}

func list(ips []netip.Addr) string {
	var b strings.Builder
	for i, ip := range ips[:min(len(ips), 4)] {
		b.WriteString([]string{": ", ", "}[min(i, 1)] + ip.String())
	}
	return b.String()
}

// short is an address for a line of the display.
func short(u *url.URL) string {
	s := u.Host + u.EscapedPath()
	if len(s) > 60 {
		s = s[:59] + "…"
	}
	return s
}

func sniff(body []byte) string { return http.DetectContentType(body) }
