package editor

import (
	"encoding/json"
	"testing"

	"companion/text"
)

// HB-026: one of the offered encodings, utf-16 when it is among them or nothing
// is said.
func TestTheEncodingIsOneThatTheClientOffers(t *testing.T) {
	for offered, want := range map[string]text.Encoding{
		`{"general":{"positionEncodings":["utf-8","utf-16"]}}`: text.UTF16,
		`{"general":{"positionEncodings":["utf-16"]}}`:         text.UTF16,
		`{}`:                                   text.UTF16,
		`{"general":{"positionEncodings":[]}}`: text.UTF16,
		`{"general":{"positionEncodings":["utf-32"]}}`:         text.UTF32,
		`{"general":{"positionEncodings":["utf-8","utf-32"]}}`: text.UTF8,
		`{"general":{"positionEncodings":["ebcdic","utf-8"]}}`: text.UTF8,
		`{"general":{"positionEncodings":["ebcdic"]}}`:         text.UTF16,
	} {
		var c Client
		if err := json.Unmarshal([]byte(offered), &c); err != nil {
			t.Fatal(err)
		}
		if got := c.Encoding(); got != want {
			t.Errorf("%s gives %s, not %s", offered, got, want)
		}
	}
}

// Neovim compares versions only above 0 and takes documentChanges without
// offering them; nobody else's version is touched.
func TestVersionsAreWhatTheClientCompares(t *testing.T) {
	zero, seven := int32(0), int32(7)
	vim, other := &Client{Name: neovim}, &Client{Name: "eglot"}
	if v := vim.version(&zero); v == nil || *v != 1 {
		t.Errorf("0 for Neovim: %v", v)
	}
	if v := vim.version(&seven); *v != 7 || vim.version(nil) != nil {
		t.Errorf("7 and none for Neovim: %v", v)
	}
	if v := other.version(&zero); *v != 0 {
		t.Errorf("0 for others: %v", *v)
	}
	if !vim.versions() || other.versions() {
		t.Error("versions go to Neovim, and to others that offer documentChanges")
	}
}
