package offline

import (
	"regexp"
	"strconv"
	"strings"
)

// hunk of a unified diff. Lines are without their endings.
type hunk struct {
	start         int // 1-based line of the new text where it begins
	before, after []string
	// At the end of the file the text may lack its last line ending.
	bareBefore, bareAfter bool
}

// ends are what to put after the lines of after and before, where one of them
// ends the file without a line ending and the other does not.
func (h hunk) ends() (after, before string) {
	switch {
	case len(h.before) == 0 && !h.bareAfter: // the file was empty
		return "\n", ""
	case len(h.before) == 0 || h.bareBefore == h.bareAfter:
		return "", ""
	case h.bareBefore:
		return "\n", ""
	}
	return "", "\n"
}

// fileDiff is the part of a diff that touches one file.
type fileDiff struct {
	path  string // of the new text, as printed
	hunks []hunk
	whole bool // created or deleted: no edit takes it back
}

var hunkHead = regexp.MustCompile(`^@@ -\d+(?:,(\d+))? \+(\d+)(?:,(\d+))? @@`)

// readDiff reads the unified diff in a text. ok is false when there is none or
// when a hunk is not complete.
func readDiff(text string) (files []fileDiff, ok bool) {
	lines := strings.Split(text, "\n")
	for i := 0; i < len(lines); i++ {
		switch line := lines[i]; {
		case strings.HasPrefix(line, "--- ") && i+1 < len(lines) && strings.HasPrefix(lines[i+1], "+++ "):
			from, to := diffName(line), diffName(lines[i+1])
			files = append(files, fileDiff{path: to, whole: from == "/dev/null" || to == "/dev/null" || from != to})
			i++
		case len(files) > 0 && hunkHead.MatchString(line):
			h, n := readHunk(lines[i:])
			if n == 0 {
				return nil, false
			}
			last := &files[len(files)-1]
			last.hunks = append(last.hunks, h)
			i += n - 1
		}
	}
	for _, f := range files {
		if len(f.hunks) == 0 {
			return nil, false
		}
	}
	return files, len(files) > 0
}

func diffName(line string) string {
	name, _, _ := strings.Cut(strings.TrimRight(line[4:], "\r"), "\t")
	if rest, ok := strings.CutPrefix(name, "a/"); ok {
		return rest
	}
	return strings.TrimPrefix(name, "b/")
}

// readHunk reads a hunk by the counts in its head and says how many lines it
// took, 0 when they run out.
func readHunk(lines []string) (h hunk, n int) {
	m := hunkHead.FindStringSubmatch(lines[0])
	count := func(s string) int {
		if s == "" {
			return 1
		}
		n, _ := strconv.Atoi(s)
		return n
	}
	before, after := count(m[1]), count(m[3])
	h.start, _ = strconv.Atoi(m[2])
	last := byte(' ')
	for n = 1; n < len(lines); n++ {
		if before == 0 && after == 0 && !strings.HasPrefix(lines[n], `\`) {
			return h, n
		}
		line := lines[n]
		mark, rest := byte(' '), ""
		if line != "" {
			mark, rest = line[0], line[1:]
		}
		switch mark {
		case ' ':
			h.before, h.after = append(h.before, rest), append(h.after, rest)
			before, after = before-1, after-1
		case '-':
			h.before, before = append(h.before, rest), before-1
		case '+':
			h.after, after = append(h.after, rest), after-1
		case '\\': // no newline at the end of the file
			h.bareBefore, h.bareAfter = h.bareBefore || last != '+', h.bareAfter || last != '-'
		default:
			return h, 0
		}
		if before < 0 || after < 0 {
			return h, 0
		}
		last = mark
	}
	if before > 0 || after > 0 {
		return h, 0
	}
	return h, n
}

// edit is one edit of the edit tool.
type edit struct {
	Old string `json:"old"`
	New string `json:"new"`
}

// inverse is the edits that take a file's diff back.
func (f fileDiff) inverse() []edit {
	out := make([]edit, len(f.hunks))
	for i, h := range f.hunks {
		a, b := h.ends()
		out[i] = edit{strings.Join(h.after, "\n") + a, strings.Join(h.before, "\n") + b}
	}
	return out
}

// span gives the lines of the new text that all hunks cover, 1-based, end
// exclusive.
func (f fileDiff) span() (from, to int) {
	last := f.hunks[len(f.hunks)-1]
	return f.hunks[0].start, last.start + len(last.after)
}

// widened is one edit that takes the diff back and covers all of the given
// lines, the first of which is line number first (1-based). ok is false when
// the lines are not those of the diff.
func (f fileDiff) widened(lines []string, first int) (e edit, ok bool) {
	var before []string
	var endAfter, endBefore string
	at := 0
	for _, h := range f.hunks {
		i := h.start - first
		if i < at || i+len(h.after) > len(lines) {
			return edit{}, false
		}
		for j, want := range h.after {
			if strings.TrimRight(lines[i+j], "\r") != strings.TrimRight(want, "\r") {
				return edit{}, false
			}
		}
		before = append(append(before, lines[at:i]...), h.before...)
		at = i + len(h.after)
		if endAfter, endBefore = h.ends(); endAfter != endBefore {
			lines = lines[:at] // nothing follows
		}
	}
	before = append(before, lines[at:]...)
	return edit{strings.Join(lines, "\n") + endAfter, strings.Join(before, "\n") + endBefore}, true
}

var numbered = regexp.MustCompile(`^\s*(\d+)\t(.*)$`)

// readLines reads the result of the read tool: the lines and the number of the
// first, 1-based. Lines that are not numbered on are left out.
func readLines(text string) (lines []string, first int) {
	for line := range strings.Lines(text) {
		m := numbered.FindStringSubmatch(strings.TrimRight(line, "\n"))
		if m == nil {
			continue
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			continue
		}
		if first == 0 {
			first = n
		}
		if n != first+len(lines) {
			break
		}
		lines = append(lines, m[2])
	}
	return lines, first
}
