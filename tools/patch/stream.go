package patch

import (
	"fmt"
	"strings"

	"companion/tools/patch/syntax"
)

// Bounds of what is shown while a patch is being written.
const (
	streamFiles = 20 // the last ones
	streamLines = 40 // of the last hunk, and of a new file between two previews
)

// Preview shows a patch while it is being written: its files, and the last hunk
// that is complete. The function gives a new text for each file and each hunk.
func (patch) Preview() func(more string) string {
	var p syntax.Parser
	files, hunks, lines := 0, 0, 0
	return func(more string) string {
		p.Feed(more)
		s := p.Sections()
		if len(s) == 0 {
			return ""
		}
		last := s[len(s)-1]
		if len(s) == files && len(last.Hunks) == hunks && len(last.Lines) < lines+streamLines {
			return ""
		}
		files, hunks, lines = len(s), len(last.Hunks), len(last.Lines)
		return outline(s)
	}
}

// outline is the sections in short, and the last complete hunk whole.
func outline(s []syntax.Section) string {
	var b strings.Builder
	if n := len(s) - streamFiles; n > 0 {
		fmt.Fprintf(&b, "(%d files before)\n", n)
	}
	for _, x := range s[max(0, len(s)-streamFiles):] {
		switch {
		case x.Kind == syntax.Add:
			fmt.Fprintf(&b, "A %s (%d lines)\n", x.Path, len(x.Lines))
		case x.Kind == syntax.Delete:
			fmt.Fprintf(&b, "D %s\n", x.Path)
		case x.To != "":
			fmt.Fprintf(&b, "M %s → %s (%d hunks)\n", x.Path, x.To, len(x.Hunks))
		default:
			fmt.Fprintf(&b, "M %s (%d hunks)\n", x.Path, len(x.Hunks))
		}
	}
	hunk, path := complete(s)
	if hunk == nil {
		return b.String()
	}
	fmt.Fprintf(&b, "\n%s\n", path)
	for _, a := range hunk.Anchors {
		fmt.Fprintf(&b, "@@ %s\n", a)
	}
	for _, l := range hunk.Lines[:min(len(hunk.Lines), streamLines)] {
		fmt.Fprintf(&b, "%c%s\n", l.Op, l.Text)
	}
	if n := len(hunk.Lines) - streamLines; n > 0 {
		fmt.Fprintf(&b, "(%d lines more)\n", n)
	}
	return b.String()
}

// complete is the last hunk behind which another hunk or section began.
func complete(s []syntax.Section) (*syntax.Hunk, string) {
	for i := len(s) - 1; i >= 0; i-- {
		h := s[i].Hunks
		if i == len(s)-1 {
			h = h[:max(0, len(h)-1)]
		}
		if len(h) > 0 {
			return &h[len(h)-1], s[i].Path
		}
	}
	return nil, ""
}
