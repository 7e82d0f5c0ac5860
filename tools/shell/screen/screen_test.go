package screen

import (
	"strings"
	"testing"
)

// HB-135.
func TestAPipesOutputIsItsLinesInTheirLastState(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"lines":                    {"a\nb\n", "a\nb\n"},
		"no line end":              {"a\nb", "a\nb"},
		"blank lines and indent":   {"\n\n  a\t\tb  \n\n", "\n\n  a\t\tb  \n\n"},
		"colours":                  {"\x1b[33;21mwarn\n\x1b[1;38;5;3mx\x1b[0m\x1b[m\n", "warn\nx\n"},
		"links, BEL and ST":        {"\x1b]8;;http://x\x07go\x1b]8;;\x1b\\ on\n", "go on\n"},
		"a title":                  {"\x1b]0;t\x07a\n", "a\n"},
		"DCS, APC, PM, SOS":        {"\x1bPq#1\x1b\\a\x1b_x\x1b\\b\x1b^y\x1b\\c\x1bXz\x1b\\d\n", "abcd\n"},
		"C1 as runes":              {"\u009b31mred\u009dtitle\u009c!\n", "red!\n"},
		"CRLF":                     {"a\r\nb\r\r\nc\n", "a\nb\nc\n"},
		"progress":                 {" 10%\r 50%\r100%\ndone\n", "100%\ndone\n"},
		"a shorter last state":     {"downloading 10%\rdone\n", "done\n"},
		"erased":                   {"working\r\x1b[Kok\n", "ok\n"},
		"erased at the end":        {"working\x1b[2K\rok\n", "ok\n"},
		"a spinner":                {"|\b/\b-\b\\\bdone\n", "done\n"},
		"overstruck":               {"N\bNA\bAM\bME\bE _\bx\n", "NAME x\n"},
		"two lines up":             {"a 1\nb 1\n\x1b[2A\x1b[2Ka 2\n\x1b[2Kb 2\n", "a 2\nb 2\n"},
		"to a column":              {"abc\x1b[1Gx\n", "xbc\n"},
		"cleared":                  {"one\n\x1b[H\x1b[2J\x1b[3Jtwo\n", "one\ntwo\n"},
		"not UTF-8":                {"a\xffb\xe2\x82\n", "a\uFFFDb\uFFFD\n"},
		"NUL between names":        {"a\x00b\x01", "a␀b␁"},
		"a broken sequence":        {"a\x1b[3\x18b\x1b\x1b[0mc\n", "abc\n"},
		"an OSC that never ends":   {"\x1b]a stray\nnext\n", "\nnext\n"},
		"a sequence without end":   {"a\x1b[", "a"},
		"other screens are lines":  {"\x1b[?1049ha\x1b[?1049l\n", "a\n"},
		"cursor shown and hidden":  {"\x1b[?25la\x1b[?25h\n", "a\n"},
		"character sets":           {"\x1b(B\x1b)0a\x0f\n", "a\n"},
		"wide and combining runes": {"日本 e\u0301 👍\n", "日本 e\u0301 👍\n"},
	} {
		t.Run(name, func(t *testing.T) {
			for split := range len(c.in) + 1 {
				s := New(Options{})
				_, _ = s.Write([]byte(c.in[:split]))
				_, _ = s.Write([]byte(c.in[split:]))
				s.End()
				if got := s.Take(); got.Text != c.want || got.Full {
					t.Fatalf("split at %d: %q, want %q", split, got.Text, c.want)
				}
			}
		})
	}
}

func TestATerminalIsDrawnAsItIs(t *testing.T) {
	for name, c := range map[string]struct{ in, want string }{
		"lines":                   {"a\r\nb\r\n", "a\nb\n"},
		"LF alone keeps column":   {"a\nb", "a\n b"},
		"a return overwrites":     {"abc\rx", "xbc"},
		"long lines are one":      {"0123456789abc\r\nx", "0123456789abc\nx"},
		"a full line and another": {"0123456789\r\nx", "0123456789\nx"},
		"tabs":                    {"a\tb", "a       b"},
		"insert and delete":       {"abc\x1b[2D\x1b[1@X\x1b[1P", "aXc"},
		"erase to the end":        {"abc\x1b[2D\x1b[K", "a"},
		"erase characters":        {"abc\x1b[3D\x1b[2X", "  c"},
		"repeat":                  {"a\x1b[3b", "aaaa"},
		"position":                {"a\x1b[2;3Hx", "a\n  x"},
		"save and restore":        {"a\x1b7bc\x1b8X", "aXc"},
		"reverse line feed":       {"a\x1bMb", " b\na"},
		"wide runes":              {"日本\rx", "x 本"},
		"scrolled":                {"1\r\n2\r\n3\r\n4\r\n5\r\n6", "1\n2\n3\n4\n5\n6"},
		"a region that scrolls":   {"a\r\nb\r\nc\x1b[1;2r\x1b[2;1H\nx", "a\nb\nx\nc"},
		"cleared, not lost":       {"one\r\n\x1b[H\x1b[2Jtwo", "one\ntwo"},
		"lines inserted":          {"a\r\nb\x1b[1;1H\x1b[Lx", "x\na\nb"},
		"lines deleted":           {"a\r\nb\r\nc\x1b[1;1H\x1b[M", "a\nb\nc"},
	} {
		t.Run(name, func(t *testing.T) {
			s := New(Options{Cols: 10, Rows: 4})
			_, _ = s.Write([]byte(c.in))
			if got := s.Take(); got.Text != c.want {
				t.Errorf("%q, want %q", got.Text, c.want)
			}
		})
	}
}

func TestWhatWasTakenIsNotGivenAgainUnlessItChanged(t *testing.T) {
	s := New(Options{Cols: 20, Rows: 3})
	for _, c := range [][2]string{
		{"a\r\n>>> ", "a\n>>> "},
		{"", ""},
		{"1+1\r\n2\r\n>>> ", ">>> 1+1\n2\n>>> "},
		{"\r\n\r\n\r\n\r\nx", ">>>\n\n\n\nx"},
		{"\x1b[2;1Hy", "y\nx"},
	} {
		_, _ = s.Write([]byte(c[0]))
		if got := s.Take().Text; got != c[1] {
			t.Errorf("after %q: %q, want %q", c[0], got, c[1])
		}
	}
}

func TestAFullScreenProgramIsAPicture(t *testing.T) {
	s := New(Options{Cols: 20, Rows: 4})
	_, _ = s.Write([]byte("$ vim\r\n\x1b[?1049h\x1b[H\x1b[2Jhello\x1b[4;1H-- INSERT --\x1b[1;6H"))
	got := s.Take()
	if want := "$ vim\n\nhello\n\n\n-- INSERT --"; got.Text != want || !got.Full {
		t.Errorf("%q, %v", got.Text, got.Full)
	}
	if on, row, col := s.FullScreen(); !on || row != 1 || col != 6 {
		t.Errorf("cursor %v %d %d", on, row, col)
	}
	if got := s.Take(); got.Text != "" || got.Full {
		t.Errorf("unchanged, and given again: %q", got.Text)
	}
	_, _ = s.Write([]byte("\x1b[?1049l$ "))
	if got := s.Take(); got.Text != "$ " || got.Full {
		t.Errorf("afterwards %q, %v", got.Text, got.Full)
	}
}

func TestQuestionsOfProgramsAreAnswered(t *testing.T) {
	var said strings.Builder
	s := New(Options{Cols: 20, Rows: 4, Reply: func(b []byte) { said.Write(b) }})
	_, _ = s.Write([]byte("ab\x1b[6n\x1b[5n\x1b[c\x1b[>c"))
	if want := "\x1b[1;3R\x1b[0n\x1b[?1;2c\x1b[>0;0;0c"; said.String() != want {
		t.Errorf("%q", said.String())
	}
}

func TestMemoryIsBounded(t *testing.T) {
	long := strings.Repeat("x", 100_000)
	for name, o := range map[string]Options{"pipe": {}, "terminal": {Cols: 80, Rows: 24}} {
		s := New(o)
		for range 50 {
			_, _ = s.Write([]byte(long))
		}
		_, _ = s.Write([]byte("\r\nend\r\n"))
		got := s.Take()
		if len(got.Text) > Keep+pipeCells*2+500 || got.Lost == 0 || !strings.HasSuffix(got.Text, "\nend\n") {
			t.Errorf("%s: %d bytes, %d lost, end %q", name, len(got.Text), got.Lost, got.Text[len(got.Text)-20:])
		}
		if n := strings.Count(got.Text, "x") + int(got.Lost); n != 5_000_000 {
			t.Errorf("%s: %d bytes are accounted for", name, n)
		}
	}
}

func TestResizedTerminalsKeepTheirText(t *testing.T) {
	s := New(Options{Cols: 20, Rows: 4})
	_, _ = s.Write([]byte("1\r\n2\r\n3\r\n4"))
	s.Resize(10, 2)
	_, _ = s.Write([]byte("\r\n5"))
	s.Resize(30, 6)
	_, _ = s.Write([]byte("\r\n6"))
	if got := s.Take().Text; got != "1\n2\n3\n4\n5\n6" {
		t.Errorf("%q", got)
	}
}

func TestPiecesAreSafeToShow(t *testing.T) {
	s := NewStrip()
	for _, c := range [][2]string{
		{"a\x1b[3", "a"},
		{"1mb\r\n", "b\n"},
		{" 1%\r 2%", " 2%"},
		{"\r 3%\r 4%\n", "\n 4%\n"},
		{"\rx\x00\x07\ty\xe2\x82", "x\ty"},
		{"\xac\xff", "€\uFFFD"},
		{"\x1b]8;;u\x1b\\l", "l"},
	} {
		if got := s.Clean([]byte(c[0])); got != c[1] {
			t.Errorf("%q gave %q, want %q", c[0], got, c[1])
		}
	}
}

func FuzzScreen(f *testing.F) {
	for _, seed := range []string{"a\r\nb", "\x1b[?1049h\x1b[5;5Hx\x1b[?1049l", "\x1b[2r\x1b[9L\x1b[9M\x1b[9S\x1b[9T", "日\x1b[@\x1b[P\x1b[X", "\x1b[999999999;1H\x1b[99999b"} {
		f.Add([]byte(seed), 7, 3)
	}
	f.Fuzz(func(t *testing.T, b []byte, cols, rows int) {
		o := Options{Cols: min(max(cols, 0), 40), Rows: min(max(rows, 0), 40)}
		s, whole, bytewise := New(o), New(o), New(o)
		_, _ = whole.Write(b)
		for i := range b {
			_, _ = bytewise.Write(b[i : i+1])
		}
		if one, other := whole.Take(), bytewise.Take(); one != other {
			t.Fatalf("%q at once gave %q, byte by byte %q", b, one.Text, other.Text)
		}
		strip := NewStrip()
		half := len(b) / 2
		for i, part := range [][]byte{b[:half], b[half:]} {
			_, _ = s.Write(part)
			text := s.Take().Text + strip.Clean(part)
			if i := strings.IndexFunc(text, func(r rune) bool { return r < 0x20 && r != '\n' && r != '\t' || r >= 0x7f && r < 0xa0 }); i >= 0 {
				t.Fatalf("%q gave a control character: %q", part, text)
			}
			if i == 0 {
				s.Resize(min(max(rows, 1), 40), min(max(cols, 1), 40))
			}
		}
	})
}
