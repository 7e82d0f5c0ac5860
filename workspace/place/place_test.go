package place

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

func TestFromURI(t *testing.T) {
	for _, tc := range []struct {
		name    string
		windows bool
		uri     string
		want    string // "" = ErrNotFile
	}{
		{"HB-052 a space", false, "file:///w/a%20b.txt", "/w/a b.txt"},
		{"HB-052 a name that holds %20", false, "file:///w/a%2520b.txt", "/w/a%20b.txt"},
		{"HB-053 plus", false, "file:///w/c++/m.fk", "/w/c++/m.fk"},
		{"HB-053 plus, encoded", false, "file:///w/c%2B%2b/m.fk", "/w/c++/m.fk"},
		{"HB-050 brackets, encoded", false, "file:///w/%28auth%29/%5Bid%5D/a%20b.fk", "/w/(auth)/[id]/a b.fk"},
		{"HB-050 brackets, raw", false, "file:///w/(auth)/[id]/a b.fk", "/w/(auth)/[id]/a b.fk"},
		{"a client that forgot to encode", false, "file:///w/c#/100%/a?.fk", "/w/c#/100%/a?.fk"},
		{"localhost", false, "file://localhost/w/a", "/w/a"},
		{"one slash", false, "FILE:/w/a", "/w/a"},
		{"bytes that are not utf-8", false, "file:///w/%ff", "/w/\xff"},
		{"a host on posix", false, "file://server/share/a", ""},
		{"no path", false, "file://server", ""},
		{"relative", false, "file:a", ""},
		{"another scheme", false, "untitled:Untitled-1", ""},
		{"no scheme", false, "/w/a", ""},
		{"HB-049 a folder c: on posix", false, "file:///w/c:/x.fk", "/w/c:/x.fk"},
		{"HB-048 encoded colon", true, "file:///g%3A/p/a.ts", `G:\p\a.ts`},
		{"HB-048 upper case", true, "file:///G:/p/a.ts", `G:\p\a.ts`},
		{"HB-048 lower case", true, "file:///g:/p/a.ts", `G:\p\a.ts`},
		{"a share", true, "file://server/share/a%20b", `\\server\share\a b`},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := FromURI(tc.uri, tc.windows)
			if got != tc.want || (tc.want == "") != errors.Is(err, ErrNotFile) {
				t.Errorf("%q, %v; want %q", got, err, tc.want)
			}
			if err != nil {
				return
			}
			if back, err := FromURI(ToURI(got, tc.windows), tc.windows); err != nil || back != got {
				t.Errorf("by %s it becomes %q, %v", ToURI(got, tc.windows), back, err)
			}
		})
	}
}

func TestToURI(t *testing.T) {
	for _, tc := range []struct {
		path    string
		windows bool
		want    string
	}{
		{"/w/a b%20c++#?.fk", false, "file:///w/a%20b%2520c++%23%3F.fk"},
		{"/w/(auth)/[id]/é", false, "file:///w/(auth)/%5Bid%5D/%C3%A9"},
		{`G:\p\a.ts`, true, "file:///G:/p/a.ts"},
		{`\\server\share\a b`, true, "file://server/share/a%20b"},
	} {
		if got := ToURI(tc.path, tc.windows); got != tc.want {
			t.Errorf("%s: %s, want %s", tc.path, got, tc.want)
		}
	}
}

func TestKeyIsOnePerFile(t *testing.T) {
	// HB-149, HB-049
	want := Key(`C:\t\a`, true)
	for _, p := range []string{"C:/t/a", `c:\t\A`, `C:\T\a`} {
		if got := Key(p, true); got != want {
			t.Errorf("%s: %s, want %s", p, got, want)
		}
	}
	if Key("/w/c:/x", false) == Key("/w/C:/x", false) {
		t.Error("two files of a case-sensitive system are one")
	}
}

func TestUnder(t *testing.T) {
	for _, tc := range []struct {
		root, path, rel string
		ok              bool
	}{
		{"/w", "/w/a/b", "a/b", true},
		{"/w", "/w", ".", true},
		{"/w", "/web/a", "", false},
		{"/w/a", "/w", "", false},
		{"/", "/w", "w", true},
	} {
		if rel, ok := Under(filepath.FromSlash(tc.root), filepath.FromSlash(tc.path), false); rel != tc.rel || ok != tc.ok {
			t.Errorf("%s below %s: %q, %v", tc.path, tc.root, rel, ok)
		}
	}
}

func link(t *testing.T, target, name string) {
	t.Helper()
	if err := os.Symlink(target, name); err != nil {
		t.Skipf("this system lets us make no links: %v", err)
	}
}

func TestCanonicalFollowsLinksAlsoToNowhere(t *testing.T) {
	dir := Canonical(t.TempDir())
	in := func(p ...string) string { return filepath.Join(append([]string{dir}, p...)...) }
	if err := os.MkdirAll(in("real", "sub"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in("real", "f"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	link(t, in("real"), in("abs"))
	link(t, "real", in("rel"))
	link(t, filepath.Join("..", "gone", "deep"), in("real", "dangling"))
	link(t, filepath.Join("rel", "sub", "..", "new"), in("chain"))
	link(t, "loop2", in("loop1"))
	link(t, "loop1", in("loop2"))
	for path, want := range map[string]string{
		in("abs", "f"):               in("real", "f"),
		in("rel", "missing", "x"):    in("real", "missing", "x"),
		in("abs", "dangling"):        in("gone", "deep"),
		in("rel", "dangling", "f"):   in("gone", "deep", "f"),
		in("chain"):                  in("real", "new"),
		in("real", "f", "not", "in"): in("real", "f", "not", "in"),
		in("nothing"):                in("nothing"),
	} {
		if got := Canonical(path); got != want {
			t.Errorf("%s: %s, want %s", path, got, want)
		}
	}
	if got := Canonical(in("loop1", "f")); got == "" {
		t.Error("a loop has no name")
	}
}
