package fs

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"image"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"companion/text"
	"companion/tools"
	"companion/tools/lang"
	"companion/tools/picture"
)

// noise is n bytes; with zero false none of them is NUL.
func noise(n int, zero bool) string {
	r := rand.New(rand.NewPCG(uint64(n), 7))
	b := make([]byte, n)
	for i := range b {
		for b[i] = byte(r.Uint32()); b[i] == 0 && !zero; b[i] = byte(r.Uint32()) {
		}
	}
	return string(b)
}

func wide16(t *testing.T, s string, charset text.Charset, mark bool) string {
	t.Helper()
	b, err := text.Encode(s, text.Format{Charset: charset, BOM: true})
	if err != nil {
		t.Fatal(err)
	}
	if !mark {
		b = b[2:]
	}
	return string(b)
}

func gzipped(t *testing.T, s string) string {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = w.Write([]byte(s))
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// pages is a PDF whose pages say what is given.
func pages(says ...string) string {
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "", "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"}
	kids := ""
	for _, p := range says {
		n := len(objects) + 1
		kids += fmt.Sprintf("%d 0 R ", n)
		draw := "BT /F1 12 Tf 14 TL 72 700 Td " + p + " ET"
		objects = append(objects,
			fmt.Sprintf("<</Type/Page/Parent 2 0 R/Resources<</Font<</F1 3 0 R>>>>/Contents %d 0 R>>", n+1),
			fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(draw), draw))
	}
	objects[1] = fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", kids, len(says))
	var b strings.Builder
	b.WriteString("%PDF-1.4\n")
	at := ""
	for i, o := range objects {
		at += fmt.Sprintf("%010d 00000 n \n", b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n%strailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, at, len(objects)+1, xref)
	return b.String()
}

func TestWhatIsNoTextIsNamedAndNotDumped(t *testing.T) {
	for name, c := range map[string]struct{ file, content, kind string }{
		"HB-117 random bytes":                  {"x.bin", noise(60<<10, true), "raw data"},
		"HB-117 random bytes as a PDF":         {"x.pdf", "%PDF-1.7\n" + noise(60<<10, true), "PDF"},
		"HB-117 a text with NULs":              {"x.txt", "some text\x00and more\x00\n", "unknown kind"},
		"HB-117 random bytes without NULs":     {"x.txt", noise(60<<10, false), "unknown kind"},
		"HB-117 few random bytes without NULs": {"x", noise(100, false), "unknown kind"},
		"HB-117 gzip without NULs":             {"x.log", strings.ReplaceAll(gzipped(t, "hello"), "\x00", "\x01"), "application/x-gzip"},
		"large and random":                     {"x.dat", noise(large+100, true), "raw data"},
		"large and random without NULs":        {"x.dat", noise(large+100, false), "raw data"},
		"large, a NUL far behind":              {"x.dat", strings.Repeat("text\n", large/5+10) + "\x00", "raw data"},
		"a program":                            {"tool", "\x7fELF\x02\x01\x01" + noise(5000, true), "ELF"},
		"a large program":                      {"tool", "\x7fELF\x02\x01\x01\x00" + noise(large+100, true), "ELF"},
		"a tar archive":                        {"x.tar", strings.Repeat("\x00", 257) + "ustar\x0000" + strings.Repeat("\x00", 300), "tar"},
		"SQLite":                               {"x.db", "SQLite format 3\x00" + noise(100, true), "SQLite"},
		"a Word document":                      {"x.docx", "PK\x03\x04" + noise(100, true), "Word"},
		"UTF-32":                               {"x.txt", "\xFF\xFE\x00\x00a\x00\x00\x00", "unknown kind"},
		"UTF-16 of odd length":                 {"x.txt", "\xFF\xFEa", "unknown kind"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]string{c.file: c.content})
			res := b.read(readArgs{Path: c.file})
			want(t, res, tools.Failed, c.file+" is a binary file (", c.kind, fmt.Sprintf("%d bytes", len(c.content)))
			if len(res.Text) > 300 {
				t.Errorf("%d bytes of result", len(res.Text))
			}
			want(t, b.write(c.file, "x"), tools.Failed) // and it is not taken for read
		})
	}
}

func TestTextOfEveryEncodingIsShownRightly(t *testing.T) {
	const s = "größe = 1\nname = Ünïcode\r\nписьмо\rend"
	shown := "1\tgröße = 1\n2\tname = Ünïcode\n3\tписьмо\n4\tend\n"
	many := strings.Repeat("Zeile größe\n", 80_000)
	for name, c := range map[string]struct {
		content, shown string
		args           readArgs
	}{
		"UTF-8":                          {s, shown, readArgs{}},
		"UTF-8 with a mark":              {"\ufeff" + s, shown, readArgs{}},
		"HB-105 HB-117 UTF-16LE":         {wide16(t, s, text.CharsetUTF16LE, true), "(The file is UTF-16LE; edits keep that.)\n" + shown, readArgs{}},
		"HB-105 UTF-16BE":                {wide16(t, s, text.CharsetUTF16BE, true), "(The file is UTF-16BE; edits keep that.)\n" + shown, readArgs{}},
		"HB-105 a part of UTF-16LE":      {wide16(t, s, text.CharsetUTF16LE, true), "(The file is UTF-16LE; edits keep that.)\n2\tname = Ünïcode\n(Lines 2 to 2 of 4. Go on with offset 3.)\n", readArgs{Offset: 2, Limit: 1}},
		"HB-105 UTF-16LE without a mark": {wide16(t, "größe = 1\n", text.CharsetUTF16LE, false), "(The file seems to be UTF-16LE without a byte order mark: it is shown so, but it cannot be edited as text.)\n1\tgröße = 1\n", readArgs{}},
		"UTF-16BE without a mark":        {wide16(t, "größe = 1\n", text.CharsetUTF16BE, false), "(The file seems to be UTF-16BE without a byte order mark: it is shown so, but it cannot be edited as text.)\n1\tgröße = 1\n", readArgs{}},
		"HB-105 only a mark":             {"\xff\xfe", "(The file is UTF-16LE; edits keep that.)\n(The file is empty.)\n", readArgs{}},
		"Latin-1":                        {"gr\xf6\xdfe\r\ncaf\xe9", "(The file is Latin-1; edits keep that.)\n1\tgröße\n2\tcafé\n", readArgs{}},
		"HB-105 a large UTF-16 file":     {wide16(t, many, text.CharsetUTF16LE, true), "(The file is UTF-16LE; edits keep that.)\n70000\tZeile größe\n(Lines 70000 to 70000 of 80000. Go on with offset 70001.)\n", readArgs{Offset: 70_000, Limit: 1}},
		"a large Latin-1 file":           {strings.Repeat("gr\xf6\xdfe\r\n", 160_000), "(The file is Latin-1; edits keep that.)\n150000\tgröße\n(Lines 150000 to 150000 of 160000. Go on with offset 150001.)\n", readArgs{Offset: 150_000, Limit: 1}},
		"colours of a terminal are text": {"\x1b[31mred\x1b[0m\n", "1\t\x1b[31mred\x1b[0m\n", readArgs{}},
		"a text that begins as a bitmap": {"BMW is a car\n", "1\tBMW is a car\n", readArgs{}},
		"a text that speaks of PDF":      {"see %PDF-1.4\n", "1\tsee %PDF-1.4\n", readArgs{}},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]string{"f.txt": c.content})
			c.args.Path = "f.txt"
			if res := b.read(c.args); res.Text != c.shown || res.Outcome != tools.OK {
				t.Errorf("%s: got %.600q, want %q", res.Outcome, res.Text, c.shown)
			}
			if !strings.Contains(name, "without") {
				want(t, b.write("f.txt", "x\n"), tools.OK) // it counts as read, also when large
			}
		})
	}
}

func TestPDFTextComesByPages(t *testing.T) {
	b := newBench(t, map[string]string{"a.pdf": pages("(one) Tj T* (two) Tj", "(three) Tj"), "scan.pdf": pages("", ""), "cut.pdf": pages("(one) Tj")[:40]})
	want(t, b.read(readArgs{Path: "a.pdf"}), tools.OK, "a PDF of 2 pages", "1\t--- page 1 of 2 ---\n2\tone\n3\ttwo\n4\t--- page 2 of 2 ---\n5\tthree\n")
	want(t, b.read(readArgs{Path: "a.pdf", Offset: 3, Limit: 1}), tools.OK, "3\ttwo\n(Lines 3 to 3 of 5. Go on with offset 4.)")
	want(t, b.read(readArgs{Path: "scan.pdf"}), tools.Failed, "2 pages", "without text")
	want(t, b.read(readArgs{Path: "cut.pdf"}), tools.Failed, "cut.pdf is a binary file (PDF, 40 bytes) whose text cannot be read")
}

func TestNotebooksComeAsCells(t *testing.T) {
	const nb = `{"cells": [{"cell_type": "code", "id": "c1", "execution_count": 1, "source": ["x = 1\n", "x"], "outputs": [{"output_type": "stream", "name": "stdout", "text": "1\n"}]}], "metadata": {}, "nbformat": 4, "nbformat_minor": 5}`
	b := newBench(t, map[string]string{"a.ipynb": nb, "broken.ipynb": "{\n", "large.ipynb": strings.Replace(nb, `"1\n"`, `"`+strings.Repeat("y", large)+`"`, 1)})
	res := b.read(readArgs{Path: "a.ipynb"})
	want(t, res, tools.OK, "notebook_edit", "1\t--- cell 0: code, id c1, run [1] ---\n2\tx = 1\n3\tx\n4\t--- output of cell 0: stdout ---\n5\t1\n")
	want(t, b.read(readArgs{Path: "a.ipynb", Offset: 2, Limit: 1}), tools.OK, "2\tx = 1\n(Lines 2 to 2 of 5.")
	want(t, b.read(readArgs{Path: "broken.ipynb"}), tools.OK, "1\t{\n")
	res = b.read(readArgs{Path: "large.ipynb"})
	want(t, res, tools.OK, "cell 0", "left out")
	if len(res.Text) > 10_000 {
		t.Errorf("%d bytes", len(res.Text))
	}
	want(t, b.write("a.ipynb", "{}"), tools.OK)
}

func TestPicturesAreShownToModelsThatSee(t *testing.T) {
	var p bytes.Buffer
	if err := png.Encode(&p, image.NewGray(image.Rect(0, 0, 30, 20))); err != nil {
		t.Fatal(err)
	}
	b := newBench(t, map[string]string{"a.png": p.String(), "wrong-name.txt": p.String(), "cut.png": p.String()[:30], "a.svg": "<svg/>\n"})
	for _, name := range []string{"a.png", "wrong-name.txt"} {
		want(t, b.read(readArgs{Path: name}), tools.Failed, name+" is a picture (image/png, ", "this model cannot see")
	}
	b.box = tools.NewRegistry(picture.New(b.ws)).Box(tools.BoxOptions{})
	for _, name := range []string{"a.png", "wrong-name.txt"} {
		res := b.read(readArgs{Path: name})
		want(t, res, tools.OK, "30 × 20 pixels")
		if len(res.Content) != 1 || res.Content[0].MimeType != "image/png" || !bytes.Equal(res.Content[0].Data, p.Bytes()) {
			t.Errorf("got %d parts", len(res.Content))
		}
	}
	want(t, b.read(readArgs{Path: "cut.png"}), tools.Failed, "cut.png cannot be shown")
	want(t, b.read(readArgs{Path: "a.svg"}), tools.OK, "1\t<svg/>")
	b.box = tools.NewRegistry(picture.New(b.ws)).Box(tools.BoxOptions{Stand: func(specs []tools.Spec) []tools.Standing {
		return []tools.Standing{{Exposure: tools.Hidden}} // a model that does not see
	}})
	want(t, b.read(readArgs{Path: "a.png"}), tools.Failed, "cannot see")
}

func TestASymbolIsReadByItsName(t *testing.T) {
	const src = "x\n// about F\nfunc F\n  body\nend\nfunc G\nend\n// other G\nfunc G\nend\n"
	b := newBench(t, map[string]string{"a.x": src, "a.cobol": src})
	want(t, b.read(readArgs{Path: "a.x", Symbol: "F"}), tools.Failed, "no parsers", "grep")
	b.declare = func(name, _ string) ([]lang.Declaration, bool) {
		return []lang.Declaration{
			{Name: "F", Kind: "function", From: 2, Line: 3, Last: 5}, {Name: "G", Kind: "function", From: 6, Line: 6, Last: 7}, {Name: "G", Kind: "function", From: 8, Line: 9, Last: 10},
		}, filepath.Ext(name) == ".x"
	}
	if res := b.read(readArgs{Path: "a.x", Symbol: "F"}); res.Text != "2\t// about F\n3\tfunc F\n4\t  body\n5\tend\n(Lines 2 to 5 of 10: function F.)\n" {
		t.Errorf("got %s", res.Text)
	}
	want(t, b.read(readArgs{Path: "a.x", Symbol: "F", Limit: 2}), tools.OK, "2\t// about F\n3\tfunc F\n(Lines 2 to 3 of 10: function F.)")
	want(t, b.read(readArgs{Path: "a.x", Symbol: "G"}), tools.Failed, `declares "G" at 2 places`, "6-7 function G", "8-10 function G")
	want(t, b.read(readArgs{Path: "a.x", Symbol: "G", Offset: 9}), tools.OK, "8\t// other G\n9\tfunc G\n10\tend\n")
	want(t, b.read(readArgs{Path: "a.x", Symbol: "H"}), tools.Failed, `declares no "H"`, "2-5 function F")
	want(t, b.read(readArgs{Path: "a.cobol", Symbol: "F"}), tools.Failed, "no parser for .cobol")
}

func TestTheRestOfALongLineCanBeReadToItsEnd(t *testing.T) {
	for name, c := range map[string]struct{ before, line, after string }{
		"ASCII":        {"a\n", strings.Repeat("0123456789", 11_000), "\nz\n"},
		"wide letters": {"", strings.Repeat("日本語😀", 9_000), ""},
		"a large file": {"a\nb\n", strings.Repeat("é123456789", 100_000), "\nz\n"},
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]string{"f": c.before + c.line + c.after})
			number := strings.Count(c.before, "\n") + 1
			res := b.read(readArgs{Path: "f"})
			prefix := fmt.Sprintf("%d\t%s… (cut here", number, string([]rune(c.line)[:2000]))
			want(t, res, tools.OK, prefix, fmt.Sprintf("for its rest: offset %d, column 2001)", number))
			if c.after != "" {
				want(t, res, tools.OK, fmt.Sprintf("\n%d\tz\n", number+1))
			}
			got, column := string([]rune(c.line)[:2000]), 2001
			for range 100 {
				res := b.read(readArgs{Path: "f", Offset: number, Column: column})
				if len(res.Text) > readBytes {
					t.Fatalf("%d bytes at once", len(res.Text))
				}
				part, rest, _ := strings.Cut(strings.TrimPrefix(res.Text, fmt.Sprintf("%d\t", number)), "\n")
				got += part
				_, on, more := strings.Cut(rest, "column ")
				if !more {
					break
				}
				if _, err := fmt.Sscanf(on, "%d", &column); err != nil {
					t.Fatal(err)
				}
			}
			if got != c.line {
				t.Errorf("%d characters of %d", len([]rune(got)), len([]rune(c.line)))
			}
			want(t, b.read(readArgs{Path: "f", Offset: number, Column: 9_999_999}), tools.Failed, "fewer than 9999999 characters")
		})
	}
}

func TestALargeFileIsReadByParts(t *testing.T) {
	var s strings.Builder
	for i := 1; i <= 120_000; i++ {
		fmt.Fprintf(&s, "line %d\n", i)
	}
	b := newBench(t, map[string]string{"f": s.String()})
	for _, at := range []int{1, 2, 59_999, 118_001, 120_000} {
		res := b.read(readArgs{Path: "f", Offset: at, Limit: 3})
		want(t, res, tools.OK, fmt.Sprintf("%d\tline %d\n", at, at))
	}
	want(t, b.read(readArgs{Path: "f", Offset: 119_999}), tools.OK, "that is the end of the file")
	want(t, b.read(readArgs{Path: "f", Offset: 120_001}), tools.Failed, "f has 120000 lines; offset 120001 is past its end")
	b.put("f", s.String()+"one more\n")
	want(t, b.read(readArgs{Path: "f", Offset: 120_001}), tools.OK, "120001\tone more\n")
	want(t, b.write("f", "x\n"), tools.OK, "Replaced")
}

func TestPathsAreNamesAndNotPatterns(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("names there hold fewer characters")
	}
	for _, name := range []string{ // HB-059, HB-052, HB-053, HB-050, HB-121, HB-049
		"app/(auth)/[id]/page.tsx", "app/[[...slug]]/p.tsx", "a b.txt", "a%20b.txt", "a%2520b.txt", "c++/v1/m.fk", "c%2B%2B/m.fk", "-rf.txt", "-x", "--help", "*.txt", "?", "[", "{a,b}",
		"~x", "$HOME", "`id`", "a\\b", "c:/x.fk", "C:/x.fk", "q\"uote'", "#x", "a;b", "'", " leading and trailing ", "日本語/ü.md", "e\u0301.md", "a\nb.txt", "x\ty", ".hidden", "...", "-", "a:12",
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, map[string]string{name: "of " + name + "\n", "a-b.txt": "another\n", "x.txt": "another\n"})
			for _, path := range []string{name, "./" + name, filepath.Join(b.root, name)} {
				want(t, b.read(readArgs{Path: path, Limit: 1}), tools.OK, "1\tof "+strings.SplitN(name, "\n", 2)[0])
			}
			f, err := b.ws.Resolve(name)
			if err != nil {
				t.Fatal(err)
			}
			want(t, b.read(readArgs{Path: f.URI}), tools.OK, "1\tof ")
			_, res := b.run(List(b.ws), listArgs{Path: filepath.Dir(name), Hidden: true})
			want(t, res, tools.OK, " bytes\n")
			for _, line := range strings.Split(strings.TrimSuffix(res.Text, "\n"), "\n")[1:] {
				if !strings.Contains(line, " bytes") && !strings.HasSuffix(line, "/") {
					t.Errorf("a name breaks its line: %q", line)
				}
			}
		})
	}
	b := newBench(t, map[string]string{"a b.txt": "blank\n", "a%20b.txt": "percent\n"}) // HB-052
	want(t, b.read(readArgs{Path: "a b.txt"}), tools.OK, "blank")
	want(t, b.read(readArgs{Path: "a%20b.txt"}), tools.OK, "percent")
	want(t, b.read(readArgs{Path: "file://" + b.root + "/a%20b.txt"}), tools.OK, "blank")
	want(t, b.read(readArgs{Path: "file://" + b.root + "/a%2520b.txt"}), tools.OK, "percent")
	b = newBench(t, map[string]string{"(auth)/[id]/a b.fk": "it\n"}) // HB-050
	for _, uri := range []string{"/%28auth%29/%5Bid%5D/a%20b.fk", "/(auth)/[id]/a b.fk", "/(auth)/%5bid%5d/a%20b.fk"} {
		want(t, b.read(readArgs{Path: "file://" + b.root + uri}), tools.OK, "1\tit")
	}
}

func TestANameThatLooksTheSameIsReadAndTold(t *testing.T) {
	if runtime.GOOS == "darwin" {
		t.Skip("the file system there takes both forms for one name")
	}
	b := newBench(t, map[string]string{"foto 2031 z\u00a007.txt": "it\n", "Fru\u0308hling.md": "spring\n", "deep/a\u202fb.txt": "deep\n"})
	want(t, b.read(readArgs{Path: "foto 2031 z 07.txt"}), tools.OK, "looks the same", "U+00A0", "1\tit")      // HB-057
	want(t, b.read(readArgs{Path: "Frühling.md"}), tools.OK, "looks the same", "U+0308", "1\tspring")         // HB-058
	want(t, b.read(readArgs{Path: "a b.txt"}), tools.Failed, "There is no file a b.txt", "deep/a\u202fb.txt") // HB-057, elsewhere
	b.put("Fr\u00fchling.md", "other\n")                                                                      // HB-058, both forms
	for name, content := range map[string]string{"Fr\u00fchling.md": "1\tother\n", "Fru\u0308hling.md": "1\tspring\n"} {
		if res := b.read(readArgs{Path: name}); res.Text != content {
			t.Errorf("%q: %s", name, res.Text)
		}
	}
	want(t, b.read(readArgs{Path: "Fr\u00fch\u200bling.md"}), tools.Failed, "several whose names look the same", "U+0308") // HB-058, neither
}

func TestEverySpellingOfAPathIsOneFile(t *testing.T) { // HB-149
	b := newBench(t, map[string]string{"d/a": "x\n"})
	if err := os.Symlink("d", filepath.Join(b.root, "link")); err != nil {
		t.Skip("this system lets us make no links")
	}
	for _, path := range []string{"d/a", "./d/a", "d//a", "d/../d/a", "d/a/", "link/a", filepath.Join(b.root, "d", "a"), filepath.Join(b.root, "link", "a")} {
		want(t, b.read(readArgs{Path: path}), tools.OK, "1\tx")
		want(t, b.write("link/a", "x\n"), tools.OK)
		want(t, b.write("d/a", "x\n"), tools.OK)
		b.ws.ForgetThread("t")
		want(t, b.write("d/a", "y\n"), tools.Failed, "was not read")
	}
}
