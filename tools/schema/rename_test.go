package schema

import "testing"

func TestOtherSpellingsOfMembersAreRenamed(t *testing.T) {
	names := map[string]string{"file_path": "path", "filePath": "path"}
	for in, want := range map[string]string{
		`{"file_path":"a","n":1}`:        `{"n":1,"path":"a"}`,
		`{"path":"a","file_path":"b"}`:   `{"path":"a","file_path":"b"}`,
		`{"path":"a", "n":1}`:            `{"path":"a", "n":1}`,
		`["file_path"]`:                  `["file_path"]`,
		`{"filePath":12345678901234567}`: `{"path":12345678901234567}`,
	} {
		if got := string(Rename([]byte(in), names)); got != want {
			t.Errorf("%s gave %s, want %s", in, got, want)
		}
	}
}
