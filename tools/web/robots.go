package web

import (
	"context"
	"net/http"
	"net/netip"
	"net/url"
	"sync"
	"time"

	"github.com/temoto/robotstxt"
)

// Bounds of robots.txt: RFC 9309 asks to read at least 500 KiB and to keep it no
// longer than a day.
const (
	robotsBytes = 500 << 10
	robotsTime  = 5 * time.Second
	robotsAge   = time.Hour
	robotsHosts = 200
)

// robots remembers what hosts ask of robots.
type robots struct {
	mu    sync.Mutex
	known map[string]rules // by scheme and host
}

type rules struct {
	data *robotstxt.RobotsData // nil = everything may be read
	at   time.Time
}

// forbids tells whether the host asks robots named as we are to keep off a
// path. A host that cannot be asked forbids nothing: the page itself will show
// what is wrong.
func (f *Fetcher) forbids(ctx context.Context, u *url.URL, approved []netip.Addr) bool {
	key := u.Scheme + "://" + u.Host
	f.robots.mu.Lock()
	r, ok := f.robots.known[key]
	f.robots.mu.Unlock()
	if !ok || time.Since(r.at) > robotsAge {
		r = f.ask(ctx, u, approved)
		f.robots.mu.Lock()
		if len(f.robots.known) >= robotsHosts {
			clear(f.robots.known)
		}
		f.robots.known[key] = r
		f.robots.mu.Unlock()
	}
	path := u.EscapedPath()
	if path == "" {
		path = "/"
	}
	if u.RawQuery != "" {
		path += "?" + u.RawQuery
	}
	return r.data != nil && !r.data.TestAgent(path, robotName)
}

func (f *Fetcher) ask(ctx context.Context, u *url.URL, approved []netip.Addr) rules {
	ctx, cancel := context.WithTimeout(ctx, robotsTime)
	defer cancel()
	at := &url.URL{Scheme: u.Scheme, Host: u.Host, Path: "/robots.txt"}
	p, err := f.get(ctx, f.client(approved), at, "text/plain", robotsBytes)
	if err != nil || p.elsewhere != nil || p.status != http.StatusOK {
		return rules{at: time.Now()}
	}
	data, err := robotstxt.FromBytes(p.body)
	if err != nil {
		return rules{at: time.Now()}
	}
	return rules{data, time.Now()}
}
