package web

import (
	"compress/gzip"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"
)

// Bounds of one fetch (tools.md, web_fetch: 5 MB, 30 s).
const (
	maxBytes  = 5 << 20
	maxTime   = 30 * time.Second
	maxHops   = 10
	dialTime  = 10 * time.Second
	headTime  = 20 * time.Second // until the status line is there
	headBytes = 256 << 10
)

// page is what came back.
type page struct {
	url    *url.URL // after redirects
	status int
	header http.Header
	body   []byte // decoded from its transfer and content encodings
	// more says that the body goes on beyond what was read.
	more bool
	// broken is what ended the body before its end; "" = nothing did.
	broken string
	// elsewhere is the address on another host to which it redirects, nil = none.
	elsewhere *url.URL
}

// client makes a client of one call. approved are the private addresses that
// may be connected to.
func (f *Fetcher) client(approved []netip.Addr) *http.Client {
	proxied := func(address string) bool { // a proxy is the user's own, and resolves for us
		for _, scheme := range []string{"http", "https"} {
			p, err := f.proxy(&http.Request{URL: &url.URL{Scheme: scheme, Host: "proxied.invalid"}})
			if err == nil && p != nil && hostPort(p) == address {
				return true
			}
		}
		return false
	}
	plain := &net.Dialer{Timeout: dialTime}
	return &http.Client{
		Transport: &http.Transport{
			Proxy: f.proxy,
			DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
				if proxied(address) {
					return plain.DialContext(ctx, network, address)
				}
				return f.dial(ctx, network, address, approved)
			},
			TLSClientConfig: f.tls, TLSHandshakeTimeout: dialTime, ResponseHeaderTimeout: headTime,
			MaxResponseHeaderBytes: headBytes, DisableKeepAlives: true, DisableCompression: true, ForceAttemptHTTP2: true,
		},
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}
}

// dial connects to what the name means now, if that may be connected to: the
// judgement and the connection share one look-up, so that no second answer of a
// name server can lead elsewhere.
func (f *Fetcher) dial(ctx context.Context, network, address string, approved []netip.Addr) (net.Conn, error) {
	host, port, err := net.SplitHostPort(address)
	if err != nil {
		return nil, err
	}
	ips := []netip.Addr{}
	if ip, err := netip.ParseAddr(host); err == nil {
		ips = append(ips, ip)
	} else if ips, err = f.resolver.LookupNetIP(ctx, "ip", host); err != nil {
		return nil, err
	}
	d := &net.Dialer{Timeout: max(dialTime/time.Duration(max(len(ips), 1)), 2*time.Second)}
	var failed error
	for _, ip := range ips {
		if !public(ip) && !slices.Contains(approved, ip.Unmap().WithZone("")) {
			return nil, &addressError{ip} // one such answer is enough not to trust the rest
		}
	}
	for _, ip := range ips {
		conn, err := d.DialContext(ctx, network, net.JoinHostPort(ip.String(), port))
		if err == nil {
			return conn, nil
		}
		failed = errors.Join(failed, err)
	}
	if failed == nil {
		failed = fmt.Errorf("%s has no address", host)
	}
	return nil, failed
}

// addressError: a private address that was not asked for.
type addressError struct{ ip netip.Addr }

func (e *addressError) Error() string { return e.ip.String() + " is an address of a private network" }

func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"https": "443"}[u.Scheme]
	}
	if port == "" {
		port = "80"
	}
	return net.JoinHostPort(u.Hostname(), port)
}

// get follows redirects on one host and reads at most limit bytes.
func (f *Fetcher) get(ctx context.Context, c *http.Client, u *url.URL, accept string, limit int) (page, error) {
	for hop := 0; ; hop++ {
		req, err := http.NewRequestWithContext(ctx, http.MethodGet, u.String(), nil)
		if err != nil {
			return page{}, err
		}
		req.Header.Set("User-Agent", f.agent)
		req.Header.Set("Accept", accept)
		req.Header.Set("Accept-Encoding", "gzip")
		res, err := c.Do(req)
		if err != nil {
			return page{}, err
		}
		p := page{url: u, status: res.StatusCode, header: res.Header}
		next, moved := target(u, res)
		switch {
		case !moved:
			p.body, p.more, p.broken = read(res, limit)
			return p, nil
		case next == nil:
			_ = res.Body.Close()
			where := "without a Location: the server redirects to nowhere"
			if loc := res.Header.Get("Location"); loc != "" {
				where = fmt.Sprintf("redirects to %q, which is no address of the web", loc)
			}
			return p, fmt.Errorf("HTTP %d %s", res.StatusCode, where)
		}
		_ = res.Body.Close()
		if !sameHost(u, next) {
			p.elsewhere = next
			return p, nil
		}
		if hop >= maxHops {
			return p, fmt.Errorf("more than %d redirects, the last one to %s: the server redirects in a circle", maxHops, next.Redacted())
		}
		u = next
	}
}

// target is where a response redirects to; nil where that cannot be used.
func target(from *url.URL, res *http.Response) (next *url.URL, moved bool) {
	switch res.StatusCode {
	case http.StatusMovedPermanently, http.StatusFound, http.StatusSeeOther, http.StatusTemporaryRedirect, http.StatusPermanentRedirect:
	default:
		return nil, false
	}
	loc := res.Header.Get("Location")
	if loc == "" {
		return nil, true
	}
	next, err := from.Parse(loc)
	if err != nil || next.Scheme != "http" && next.Scheme != "https" || next.Host == "" {
		return nil, true
	}
	escapeQuery(next)
	if next.Fragment == "" {
		next.Fragment = from.Fragment
	}
	return next, true
}

// sameHost tells whether a redirect stays where the person allowed to go: the
// same host and port, with or without "www.", never from https to http.
func sameHost(a, b *url.URL) bool {
	if a.Scheme == "https" && b.Scheme == "http" || b.User != nil {
		return false
	}
	bare := func(u *url.URL) string { return strings.TrimPrefix(strings.ToLower(u.Hostname()), "www.") }
	upgrade := a.Scheme == "http" && b.Scheme == "https" && a.Port() == "" && b.Port() == ""
	return bare(a) == bare(b) && (upgrade || hostPort(a)[strings.LastIndexByte(hostPort(a), ':'):] == hostPort(b)[strings.LastIndexByte(hostPort(b), ':'):])
}

// read takes at most limit bytes of a body, counted after decompression.
func read(res *http.Response, limit int) (body []byte, more bool, broken string) {
	defer func() { _ = res.Body.Close() }()
	var r io.Reader = res.Body
	switch enc := strings.ToLower(strings.TrimSpace(res.Header.Get("Content-Encoding"))); enc {
	case "", "identity":
	case "gzip", "x-gzip":
		z, err := gzip.NewReader(r)
		if err != nil {
			return nil, false, "its gzip data is damaged: " + err.Error()
		}
		r = z
	default:
		return nil, false, fmt.Sprintf("it is encoded as %q, which was not asked for", enc)
	}
	body, err := io.ReadAll(io.LimitReader(r, int64(limit)+1))
	if len(body) > limit {
		return body[:limit], true, ""
	}
	if err != nil {
		broken = "it ended early: " + err.Error()
		if errors.Is(err, context.DeadlineExceeded) {
			broken = fmt.Sprintf("it had not ended after %.0f s; what came until then is shown", maxTime.Seconds())
		}
		if res.ContentLength > 0 {
			broken = fmt.Sprintf("it ended after %d of %d bytes: %v", len(body), res.ContentLength, err)
		}
	}
	return body, false, broken
}

// explain puts an error of a fetch into words that a model can act on.
func explain(ctx context.Context, u *url.URL, err error) string {
	host := u.Hostname()
	var dns *net.DNSError
	var private *addressError
	var cert *tls.CertificateVerificationError
	switch {
	case errors.As(err, &private):
		return fmt.Sprintf("%s leads to an address of a private network (%s), which was not known when it was asked for. Call web_fetch again: the user will be asked.", host, private.ip)
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return fmt.Sprintf("%s did not answer within %.0f s. Nothing was read. Try again later, or another source.", host, maxTime.Seconds())
	case errors.As(err, &dns) && dns.IsNotFound:
		return fmt.Sprintf("there is no host %s. Check the spelling of the address.", host)
	case errors.As(err, &cert):
		return fmt.Sprintf("the certificate of %s is not valid: %v. The page was not read.", host, cert.Err)
	}
	var inner *url.Error
	if errors.As(err, &inner) {
		err = inner.Err
	}
	return fmt.Sprintf("%s could not be read: %v.", u.Redacted(), err)
}
