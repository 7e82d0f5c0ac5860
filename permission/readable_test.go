package permission

import (
	"testing"

	"companion/tools"
)

func TestFilesThatASearchComesByAreJudgedOneByOne(t *testing.T) {
	j := New(Options{Rules: Rules{
		{Effect: tools.Read, Pattern: "private/**", Action: Deny},
		{Effect: tools.Read, Pattern: "asked/**", Action: Ask},
		{Effect: tools.Read, Pattern: "fixtures/.env", Action: Allow},
	}})
	may := j.Readable(tools.Call{Roots: []string{"/w"}}, tools.Spec{Name: "grep", ReadOnly: true})
	for path, want := range map[string]bool{
		"/w/a.go": true, "/w/.env": false, "/w/server.key": false, "/w/private/x": false, "/w/asked/x": false, "/w/fixtures/.env": true, "/elsewhere/a.go": true, "/elsewhere/id_rsa": false,
	} {
		if may(path) != want {
			t.Errorf("%s: %v", path, !want)
		}
	}
}
