package edit

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"companion/tools"
)

// peerCase is what another program's tests, or a run of it, show of one edit,
// and what ours comes to.
type peerCase struct {
	Peer, Case          string
	Input               *string // nil = no file
	Latin1              bool    // Input is on disk in Latin-1
	Old, New            string
	All                 bool
	PeerGives           *string
	PeerContains        []string
	PeerRefuses         bool
	Ours, Refused, Told string
	Verdict, Why        string
}

// The facts restate tests of OpenCode (MIT) and VS Code Copilot Chat (MIT) and
// of Crush, and runs of OpenCode 1.18.34.
func TestEditsBesideThoseOfPeers(t *testing.T) {
	raw, err := os.ReadFile("testdata/peers.json")
	if err != nil {
		t.Fatal(err)
	}
	var cases []peerCase
	if err := json.Unmarshal(raw, &cases); err != nil {
		t.Fatal(err)
	}
	count := map[string]int{}
	for _, c := range cases {
		count[c.Peer+" "+c.Verdict]++
		t.Run(c.Peer+"/"+c.Case, func(t *testing.T) { c.run(t) })
	}
	t.Log(count)
}

func (c peerCase) run(t *testing.T) {
	files := map[string]string{}
	if c.Input != nil {
		files["f.txt"] = c.disk(*c.Input)
	}
	b := newBench(t, files)
	_, res := b.edit("f.txt", replacement{c.Old, c.New, c.All})
	if c.Refused != "" {
		want(t, res, tools.Failed, c.Refused)
		if c.Input != nil && b.content("f.txt") != c.disk(*c.Input) {
			t.Errorf("refused, and the file became %q", b.content("f.txt"))
		}
		if _, err := os.Stat(filepath.Join(b.root, "f.txt")); c.Input == nil && err == nil {
			t.Error("refused, and a file is there")
		}
	} else {
		want(t, res, tools.OK, c.Told)
		if got := b.content("f.txt"); got != c.disk(c.Ours) {
			t.Errorf("got %q, want %q", got, c.Ours)
		}
	}
	if c.Told == "" && strings.Contains(res.Text, "not in the file exactly") {
		t.Errorf("an exact match is told as a tolerant one: %s", res.Text)
	}
	if same := c.agrees(); same != (c.Verdict == "same") || !same && c.Why == "" {
		t.Errorf("peer and ours agree: %v, and the verdict is %q (%s)", same, c.Verdict, c.Why)
	}
}

func (c peerCase) disk(s string) string {
	if !c.Latin1 {
		return s
	}
	var out []byte
	for _, r := range s {
		out = append(out, byte(r))
	}
	return string(out)
}

// agrees tells whether the peer does the same, as far as is known of it.
func (c peerCase) agrees() bool {
	switch {
	case c.PeerRefuses:
		return c.Refused != ""
	case c.PeerGives != nil:
		return c.Refused == "" && *c.PeerGives == c.Ours
	}
	for _, part := range c.PeerContains {
		if !strings.Contains(c.Ours, part) {
			return false
		}
	}
	return true
}
