package pdf

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
)

// made is a file of one font (Helvetica, with widths of 500 when wide) whose
// pages draw what is given.
func made(wide bool, pages ...string) []byte {
	font := "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>"
	if wide {
		font = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding/FirstChar 32/LastChar 126/Widths[" + strings.Repeat("500 ", 95) + "]>>"
	}
	objects := []string{"<</Type/Catalog/Pages 2 0 R>>", "", font}
	var kids strings.Builder
	for _, p := range pages {
		n := len(objects) + 1
		fmt.Fprintf(&kids, "%d 0 R ", n)
		objects = append(objects,
			fmt.Sprintf("<</Type/Page/Parent 2 0 R/Resources<</Font<</F1 3 0 R>>>>/Contents %d 0 R>>", n+1),
			fmt.Sprintf("<</Length %d>>\nstream\n%s\nendstream", len(p), p))
	}
	objects[1] = fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", kids.String(), len(pages))
	var b bytes.Buffer
	b.WriteString("%PDF-1.4\n")
	var at []int
	for i, o := range objects {
		at = append(at, b.Len())
		fmt.Fprintf(&b, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	xref := b.Len()
	fmt.Fprintf(&b, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, n := range at {
		fmt.Fprintf(&b, "%010d 00000 n \n", n)
	}
	fmt.Fprintf(&b, "trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, xref)
	return b.Bytes()
}

func TestWordsAndLinesAreWhereTheyAreDrawn(t *testing.T) {
	for name, c := range map[string]struct {
		wide       bool
		draw, want string
	}{
		"one line":               {false, "BT /F1 12 Tf 72 700 Td (Hello world) Tj ET", "Hello world"},
		"lines by T*":            {false, "BT /F1 12 Tf 14 TL 72 700 Td (one) Tj T* (two) Tj ET", "one\ntwo"},
		"lines by Td":            {false, "BT /F1 12 Tf 72 700 Td (one) Tj 0 -14 Td (two) Tj 0 -40 Td (three) Tj ET", "one\ntwo\n\nthree"},
		"lines by quote":         {false, "BT /F1 12 Tf 14 TL 72 700 Td (one) Tj (two) ' ET", "one\ntwo"},
		"gaps between strings":   {false, "BT /F1 12 Tf 72 700 Td [(Hel) 20 (lo) -333 (world)] TJ ET", "Hello world"},
		"gaps between places":    {true, "BT /F1 10 Tf 1 0 0 1 72 700 Tm (ab) Tj 1 0 0 1 82 700 Tm (cd) Tj 1 0 0 1 97 700 Tm (ef) Tj ET", "abcd ef"},
		"a gap beside a space":   {true, "BT /F1 10 Tf 72 700 Td [(ab ) -600 (cd)] TJ ET", "ab cd"},
		"letters of the font":    {false, "BT /F1 12 Tf 72 700 Td (caf\\351) Tj ET", "café"},
		"nothing drawn":          {false, "0 0 10 10 re f", ""},
		"operators without args": {false, "BT Tf Td Tj TJ ' Tm ET BT /F1 12 Tf (x) Tj ET", "x"},
	} {
		got, err := Read(t.Context(), made(c.wide, c.draw), 1000)
		if err != nil || got.Total != 1 || len(got.Pages) != 1 || got.Pages[0] != c.want {
			t.Errorf("%s: %v %q, want %q", name, err, got.Pages, c.want)
		}
	}
}

func TestAPrintedPageIsRead(t *testing.T) {
	data, err := os.ReadFile("testdata/print.pdf") // of a browser: compressed, fonts with codes of two bytes
	if err != nil {
		t.Fatal(err)
	}
	got, err := Read(t.Context(), data, 1<<20)
	if err != nil || got.Total != 2 || len(got.Pages) != 2 || got.Pages[1] != "Page two text here." {
		t.Fatalf("%v %+v", err, got)
	}
	for _, want := range []string{"Heading one", "The quick brown fox jumps over the lazy dog. Größe café."} {
		if !strings.Contains(got.Pages[0], want) {
			t.Errorf("%q lacks %q", got.Pages[0], want)
		}
	}
}

func TestTheLimitEndsTheReading(t *testing.T) {
	page := "BT /F1 12 Tf 72 700 Td (" + strings.Repeat("x", 100) + ") Tj ET"
	got, err := Read(t.Context(), made(false, page, page, page, page), 150)
	if err != nil || got.Total != 4 || len(got.Pages) != 2 {
		t.Errorf("%v, %d of %d pages", err, len(got.Pages), got.Total)
	}
}

func TestCrookedFilesAreErrors(t *testing.T) {
	good := made(false, "BT /F1 12 Tf (x) Tj ET")
	for name, data := range map[string][]byte{
		"empty": nil, "only a head": []byte("%PDF-1.7\n"), "cut in the middle": good[:len(good)/2],
		"no trailer": bytes.ReplaceAll(good, []byte("trailer"), []byte("trailor")),
	} {
		got, err := Read(t.Context(), data, 1000)
		if !errors.Is(err, ErrCrooked) {
			t.Errorf("%s: %v %+v", name, err, got)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Read(ctx, good, 1000); !errors.Is(err, context.Canceled) {
		t.Errorf("a call that ended: %v", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(made(false, "BT /F1 12 Tf 72 700 Td (Hello) Tj ET"))
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 1<<14 {
			return
		}
		got, err := Read(t.Context(), data, 1000)
		if err == nil && len(got.Pages) > max(got.Total, 0) {
			t.Errorf("%d pages of %d", len(got.Pages), got.Total)
		}
	})
}
