package lines

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"companion/text"
	"companion/workspace/mirror"
)

// block is a small one, so that many ends of blocks are met.
const block = 1 << 10

// slow is what lines of a decoded text are, by another way.
func slow(s string) []string {
	s = strings.ReplaceAll(strings.ReplaceAll(s, "\r\n", "\n"), "\r", "\n")
	out := strings.Split(s, "\n")
	if out[len(out)-1] == "" {
		out = out[:len(out)-1]
	}
	return out
}

// same holds a Text to the slow reference for some first lines, counts and
// widths.
func same(t *testing.T, x *Text, want []string, first, count, chars int) {
	t.Helper()
	if x.Lines() != len(want) {
		t.Fatalf("%d lines, want %d", x.Lines(), len(want))
	}
	var got []Line
	if err := x.Read(context.Background(), first, count, chars, func(l Line) bool {
		got = append(got, l)
		return false
	}); err != nil {
		t.Fatal(err)
	}
	expect := want[min(max(first, 0), len(want)):min(max(first, 0)+max(count, 0), len(want))]
	if first < 0 {
		expect = nil
	}
	if len(got) != len(expect) {
		t.Fatalf("from %d, %d: %d lines, want %d", first, count, len(got), len(expect))
	}
	for i, l := range got {
		runes := []rune(expect[i])
		if l.Text != string(runes[:min(chars, len(runes))]) || l.Cut != (len(runes) > chars) || l.Chars != len(runes) {
			t.Fatalf("line %d: %.100q cut %v of %d, want %.100q of %d", first+i, l.Text, l.Cut, l.Chars, expect[i], len(runes))
		}
	}
	for _, column := range []int{0, 1, chars, 1 << 20} {
		rest, ok, err := x.Rest(context.Background(), first, column, 7)
		if err != nil {
			t.Fatal(err)
		}
		var tail []rune
		if first >= 0 && first < len(want) {
			if r := []rune(want[first]); column < len(r) {
				tail = r[column:]
			}
		}
		if ok != (len(tail) > 0) || !strings.HasPrefix(string(tail), rest.Text) || len(rest.Text) > 7 || rest.Cut != (len(rest.Text) < len(string(tail))) {
			t.Fatalf("line %d from %d: %q cut %v, %v; want of %q", first, column, rest.Text, rest.Cut, ok, string(tail))
		}
	}
}

func encoded(t *testing.T, s string, f text.Format) []byte {
	t.Helper()
	b, err := text.Encode(s, f)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func file(t *testing.T, b []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "f")
	if err := os.WriteFile(path, b, 0o644); err != nil {
		t.Fatal(err)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, f *Files, path string) *Text {
	t.Helper()
	x, err := f.Open(context.Background(), path, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = x.Close() })
	return x
}

func TestAnyLinesOfAnyCharsetAsASlowReaderGivesThem(t *testing.T) {
	long := strings.Repeat("x", 3*block/2)
	texts := map[string]string{
		"empty": "", "one": "a", "one ending": "\n", "endings": "a\r\nb\rc\n\n\r\r\nd", "ends with cr": "a\r",
		"blocks":           strings.Repeat("Zeile é\n", 3*block/8),
		"crlf over blocks": strings.Repeat("0123456\r\n", block/3),
		"cr over blocks":   strings.Repeat("é234567\r", block/3),
		"long lines":       "a\n" + long + "\n" + long + "ü\r\nb\n" + long,
		"very long lines":  "a\nb\n" + strings.Repeat("é", counted*block) + "\nc\n" + strings.Repeat("y", 3*counted*block) + "\nd\n",
	}
	formats := []text.Format{
		{Charset: text.CharsetUTF8},
		{Charset: text.CharsetUTF8, BOM: true},
		{Charset: text.CharsetLatin1},
		{Charset: text.CharsetUTF16LE, BOM: true},
		{Charset: text.CharsetUTF16BE, BOM: true},
	}
	for name, s := range texts {
		for _, format := range formats {
			if format.Charset == text.CharsetLatin1 && utf8.ValidString(string([]byte(s))) && !strings.ContainsAny(s, "éü") {
				continue // is UTF-8 as well
			}
			t.Run(fmt.Sprintf("%s %s %v", name, format.Charset, format.BOM), func(t *testing.T) {
				f := Files{block: block}
				x := open(t, &f, file(t, encoded(t, s, format)))
				if x.Charset() != format.Charset {
					t.Errorf("charset %s", x.Charset())
				}
				if x.Hash() != mirror.Hash(s) {
					t.Error("the hash is not that of the workspace")
				}
				want := slow(s)
				for _, first := range []int{-1, 0, 1, 2, len(want) / 2, len(want) - 2, len(want) - 1, len(want)} {
					if name == "very long lines" {
						longLines(t, x, want, first)
						continue
					}
					same(t, x, want, first, 5, 4)
					same(t, x, want, first, 2, 1<<20)
				}
			})
		}
	}
}

// longLines: lengths that are not counted are told as such.
func longLines(t *testing.T, x *Text, want []string, first int) {
	n := first
	if err := x.Read(context.Background(), first, 3, 4, func(l Line) bool {
		runes := []rune(want[n])
		if l.Text != string(runes[:min(4, len(runes))]) || l.Cut != (len(runes) > 4) || l.Chars != len(runes) && l.Chars != -1 {
			t.Errorf("line %d: %q %v %d", n, l.Text, l.Cut, l.Chars)
		}
		n++
		return false
	}); err != nil {
		t.Fatal(err)
	}
	if first >= 0 && n != min(first+3, len(want)) {
		t.Errorf("from %d up to %d", first, n)
	}
}

func TestWhatIsNoTextIsSaid(t *testing.T) {
	f := Files{block: block}
	for name, b := range map[string]string{
		"a NUL": "abc\x00", "a NUL far behind": strings.Repeat("x", 5*block) + "\x00",
		"UTF-16 of odd length": "\xFF\xFEa", "half a pair": "\xFF\xFE=\xD8", "half a pair within": "\xFF\xFE=\xD8a\x00", "UTF-32": "\xFF\xFE\x00\x00a\x00\x00\x00",
	} {
		if _, err := f.Open(context.Background(), file(t, []byte(b)), 0); !errors.Is(err, text.ErrBinary) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := f.Open(context.Background(), t.TempDir(), 0); err == nil {
		t.Error("a folder is a text")
	}
	if _, err := f.Open(context.Background(), filepath.Join(t.TempDir(), "no"), 0); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("nothing: %v", err)
	}
}

func TestAFileThatChangedIsScannedAnew(t *testing.T) {
	f := Files{block: block}
	path := file(t, []byte("a\nb\n"))
	same(t, open(t, &f, path), []string{"a", "b"}, 0, 9, 9)
	if len(f.kept) != 1 {
		t.Fatalf("%d kept", len(f.kept))
	}
	grow, err := os.OpenFile(path, os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer grow.Close()
	x := open(t, &f, path)
	if _, err := io.WriteString(grow, "c\n"); err != nil { // while it is read
		t.Fatal(err)
	}
	same(t, x, []string{"a", "b"}, 0, 9, 9)
	same(t, open(t, &f, path), []string{"a", "b", "c"}, 0, 9, 9)
	// another file in its place, of the same size and time
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path+"2", []byte("xyz\nz\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path+"2", info.ModTime(), info.ModTime()); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(path+"2", path); err != nil {
		t.Fatal(err)
	}
	same(t, open(t, &f, path), []string{"xyz", "z"}, 0, 9, 9)
}

func TestAFileThatBecomesShorterEndsEarly(t *testing.T) {
	f := Files{block: block}
	path := file(t, bytes.Repeat([]byte("0123456\n"), block))
	x := open(t, &f, path)
	if err := os.Truncate(path, 20); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, first := range []int{0, 100, block - 1} {
		if err := x.Read(context.Background(), first, 5, 9, func(Line) bool { n++; return false }); err != nil {
			t.Error(err)
		}
	}
	if n > 5 {
		t.Errorf("%d lines of what is gone", n)
	}
}

func TestOnlySomeFilesAreRemembered(t *testing.T) {
	f := Files{block: block}
	for i := range mostKept + 10 {
		_ = open(t, &f, file(t, []byte(strings.Repeat("x\n", i)))).Close()
	}
	if len(f.kept) != mostKept {
		t.Errorf("%d kept", len(f.kept))
	}
	fresh := filepath.Join(t.TempDir(), "fresh")
	if err := os.WriteFile(fresh, []byte("a\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	soon := time.Now().Add(time.Minute)
	if err := os.Chtimes(fresh, soon, soon); err != nil {
		t.Fatal(err)
	}
	_ = open(t, &f, fresh).Close()
	if f.kept[fresh] != nil {
		t.Error("what changes in this moment is remembered")
	}
}

func TestAStopEndsAScan(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	f := Files{block: block}
	if _, err := f.Open(ctx, file(t, []byte("a\n")), 0); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestOfAnEndlessFileOnlyWhatIsNeededIsLookedAt(t *testing.T) {
	path := file(t, bytes.Repeat([]byte("0123456\n"), 40*block))
	if err := os.Truncate(path, 1<<42); err != nil { // NULs, were they looked at
		t.Skip(err)
	}
	f := Files{block: block}
	if _, err := f.Open(context.Background(), path, 3); !errors.Is(err, text.ErrBinary) {
		t.Fatalf("a file with NULs: %v", err)
	}
	r, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	l, err := scan(context.Background(), r, 1<<42, "", effort{block, 2 * block, 3 * block})
	if err != nil {
		t.Fatal(err)
	}
	if !l.more || l.lines < 3*block || l.lines > 4*block || l.size != int64(l.lines)*8 {
		t.Errorf("%d lines of %d bytes, more %v", l.lines, l.size, l.more)
	}
}

// FuzzRead holds lines of any bytes, offsets and limits to a slow reader.
func FuzzRead(f *testing.F) {
	f.Add([]byte("a\r\nb\rc\n\xe9"), 1, 2, 3, byte(0))
	f.Add([]byte("\xFF\xFEa\x00\r\x00\n\x00"), 0, 2, 0, byte(1))
	f.Add(bytes.Repeat([]byte("é\r"), 50), 30, 5, 9, byte(2))
	f.Add(append(bytes.Repeat([]byte("x"), 15), "é\né"...), 1, 1, 1, byte(0))
	f.Add([]byte("\xEF\xBB\xBF😀😀😀😀\n\n\r\r\n"), 0, 9, 2, byte(3))
	f.Fuzz(func(t *testing.T, b []byte, first, count, chars int, size byte) {
		count, chars, first = min(max(count, 0), 1000), min(max(chars, 0), 1<<20), min(first, 1<<40)
		small := 16 + 2*int(size%8) // small ones, so that many ends are met
		decoded, format, err := text.Decode(b)
		l, got := scan(context.Background(), bytes.NewReader(b), int64(len(b)), "", effort{small, math.MaxInt64, 0})
		if (err == nil) != (got == nil) {
			t.Fatalf("%v, and by lines %v", err, got)
		}
		if err != nil {
			return
		}
		if l.charset != format.Charset || l.hash != mirror.Hash(decoded) {
			t.Fatalf("%s, %s", l.charset, l.hash)
		}
		want := slow(decoded)
		part, err := scan(context.Background(), bytes.NewReader(b), int64(len(b)), "", effort{small, 1, min(max(first, 0), 1000)})
		if err != nil {
			t.Fatal(err)
		}
		if part.more {
			if part.lines < min(max(first, 0), 1000) || part.lines > len(want) {
				t.Fatalf("%d lines of %d", part.lines, len(want))
			}
			if part.charset == l.charset { // else what follows is no UTF-8
				same(t, &Text{layout: part, at: bytes.NewReader(b)}, want[:part.lines], first, count, chars)
			}
		}
		same(t, &Text{layout: l, at: bytes.NewReader(b)}, want, first, count, chars)
		same(t, Of(decoded), want, first, count, chars)
	})
}

// BenchmarkRead is 2,000 lines of a file of 100 MB, in the middle, after the
// first read of the file.
func BenchmarkRead(b *testing.B) {
	for _, line := range []int{49, 899} {
		b.Run(fmt.Sprintf("lines of %d", line+1), func(b *testing.B) {
			path := filepath.Join(b.TempDir(), "f")
			content := bytes.Repeat(append(bytes.Repeat([]byte("x"), line), '\n'), 100<<20/(line+1))
			if err := os.WriteFile(path, content, 0o644); err != nil {
				b.Fatal(err)
			}
			old := time.Now().Add(-time.Hour)
			if err := os.Chtimes(path, old, old); err != nil {
				b.Fatal(err)
			}
			var f Files
			start := time.Now()
			x, err := f.Open(context.Background(), path, 0)
			if err != nil {
				b.Fatal(err)
			}
			first := time.Since(start)
			_ = x.Close()
			n := 0
			for b.Loop() {
				x, err := f.Open(context.Background(), path, 0)
				if err != nil {
					b.Fatal(err)
				}
				n += 7919
				_ = x.Read(context.Background(), n%(x.Lines()-2000), 2000, 2000, func(Line) bool { return false })
				_ = x.Close()
			}
			b.ReportMetric(float64(first.Microseconds())/1000, "first-ms")
		})
	}
}
