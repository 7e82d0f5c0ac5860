package web

import (
	"context"
	"net/netip"
	"slices"
	"strings"
)

// Resolver finds the addresses of a host; *net.Resolver is one.
type Resolver interface {
	LookupNetIP(ctx context.Context, network, host string) ([]netip.Addr, error)
}

// special are the ranges of the IANA special-purpose registries that netip does
// not tell apart, IPv4 and IPv6.
func special() []netip.Prefix {
	var out []netip.Prefix
	for _, s := range []string{
		"0.0.0.0/8", "100.64.0.0/10", "192.0.0.0/24", "192.0.2.0/24", "192.88.99.0/24", "198.18.0.0/15", "198.51.100.0/24",
		"203.0.113.0/24", "240.0.0.0/4", "::/96", "100::/64", "2001::/23", "2001:db8::/32", "3fff::/20", "5f00::/16", "fec0::/10",
	} {
		out = append(out, netip.MustParsePrefix(s))
	}
	return out
}

// public tells whether an address is one of the open internet. IPv4 addresses
// inside IPv6 ones (mapped, NAT64, 6to4) are judged as what they lead to.
func public(ip netip.Addr) bool {
	ip = ip.Unmap().WithZone("")
	if ip.Is6() {
		b := ip.As16()
		switch {
		case netip.MustParsePrefix("64:ff9b::/96").Contains(ip):
			return public(netip.AddrFrom4([4]byte(b[12:16])))
		case netip.MustParsePrefix("64:ff9b:1::/48").Contains(ip):
			return false
		case netip.MustParsePrefix("2002::/16").Contains(ip):
			return public(netip.AddrFrom4([4]byte(b[2:6])))
		}
	}
	if !ip.IsGlobalUnicast() || ip.IsPrivate() || ip.IsLoopback() || ip.IsLinkLocalUnicast() {
		return false
	}
	return !slices.ContainsFunc(special(), func(p netip.Prefix) bool { return p.Contains(ip) })
}

// inside gives the private addresses of a host, as far as they are known before
// it is asked for; named tells that its very name is one of a private network.
func inside(ctx context.Context, r Resolver, host string) (private []netip.Addr, named bool) {
	if ip, err := netip.ParseAddr(host); err == nil {
		if public(ip) {
			return nil, false
		}
		return []netip.Addr{ip.Unmap()}, true
	}
	low := strings.TrimSuffix(strings.ToLower(host), ".")
	for _, end := range []string{"localhost", ".localhost", ".local", ".internal", ".home.arpa", ".lan", ".intranet", ".corp", ".home"} {
		if low == strings.TrimPrefix(end, ".") && end[0] != '.' || end[0] == '.' && strings.HasSuffix(low, end) {
			named = true
		}
	}
	if !strings.Contains(low, ".") {
		named = true
	}
	ips, err := r.LookupNetIP(ctx, "ip", host)
	if err != nil {
		return nil, named // the dial will say what is wrong
	}
	for _, ip := range ips {
		if !public(ip) {
			private = append(private, ip.Unmap())
		}
	}
	return private, named || len(private) > 0
}
