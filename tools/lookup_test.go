package tools

import "testing"

func TestLookupFindsEverySpellingThatOneToolFits(t *testing.T) {
	git := fake{spec: Spec{Name: "log", Namespace: "git", Aliases: []string{"git_log"}}}
	self := fake{spec: Spec{Name: "time", Namespace: "time"}}
	box := boxOf(named("read"), git, self)
	for asked, want := range map[string]string{
		"read": "read", "Read": "read", "git.log": "git.log", "git__log": "git.log", "git_log": "git.log", "GIT.Log": "git.log",
		"time.time": "time.time", "git.git.log": "git.log", "git-log": "git.log", "git.git__log": "git.log",
	} {
		inv := invoke(box, asked, "{}")
		wantText(t, mustRun(t, pipeline(), inv), OK, "ran with {}")
		if inv.Spec.Full() != want {
			t.Errorf("%s found %s, want %s", asked, inv.Spec.Full(), want)
		}
	}
}

func TestLookupRefusesANameThatFitsTwoTools(t *testing.T) {
	box := boxOf(named("Read"), named("READ"))
	wantText(t, mustRun(t, pipeline(), invoke(box, "read", "{}")), Failed, `no tool "read"`, "READ, Read")
}

func TestAnUnknownToolIsAResultThatNamesNearOnes(t *testing.T) {
	n := &notices{}
	inv := invoke(boxOf(named("read"), named("write"), named("exec_command")), "raed", "{}")
	inv.Notices = n
	wantText(t, mustRun(t, pipeline(), inv), Failed, `no tool "raed"`, "Near names: read.", "exec_command, read, write")
	if n.started != 1 {
		t.Errorf("started %d times, want 1", n.started)
	}
}

func TestAWithheldToolAnswersBlocked(t *testing.T) {
	box := NewRegistry(named("write")).Box(BoxOptions{
		Withhold: func(Spec) string { return "plan mode changes nothing" },
		Told:     []string{"write"},
	})
	if len(box.Listed()) != 1 {
		t.Fatal("a kept tool left the list")
	}
	wantText(t, mustRun(t, pipeline(), invoke(box, "write", "{}")), Blocked, "plan mode changes nothing")
}

func TestARuleIsToldAsDeniedAndASwitchAsBlocked(t *testing.T) {
	for _, denied := range []bool{true, false} {
		box := NewRegistry(named("write")).Box(BoxOptions{Stand: func([]Spec) []Standing {
			return []Standing{{Exposure: Direct, Barred: "it is not wanted", Denied: denied}}
		}})
		want := map[bool]Outcome{true: Denied, false: Blocked}[denied]
		wantText(t, mustRun(t, pipeline(), invoke(box, "write", "{}")), want, "write", "it is not wanted")
	}
}

func TestTheNameOfAToolThatIsGoneLeadsToNoOther(t *testing.T) {
	r := NewRegistry()
	r.Change(nil, []Tool{external("a-b", "vim"), external("a_b", "vim")})
	r.Remove("a_b")
	wantText(t, mustRun(t, pipeline(), invoke(r.Box(BoxOptions{}), "a_b", "{}")), Failed, "a_b was not run: it is gone")
	wantText(t, mustRun(t, pipeline(), invoke(r.Box(BoxOptions{}), "A-B", "{}")), OK)
}

func TestAnUnknownToolIsToldOfOnesThatASearchWouldFind(t *testing.T) {
	box := NewRegistry(named("read"), fake{spec: Spec{Name: "rename", Exposure: Deferred}}).Box(BoxOptions{Search: true})
	wantText(t, mustRun(t, pipeline(), invoke(box, "renam", "{}")), Failed, "Near names: rename", "tools of this step are: read.")
}
