package permission

import (
	"strings"
	"testing"

	"companion/tools"
)

// HB-140: allow "git *", deny "rm *".
func TestEverySimpleCommandOfALineIsJudged(t *testing.T) {
	opt := Options{Rules: Rules{
		{Effect: tools.Command, Pattern: "git *", Action: Allow},
		{Effect: tools.Command, Pattern: "go test *", Action: Allow},
		{Effect: tools.Command, Pattern: "rm *", Action: Deny},
	}}
	for line, want := range map[string]string{
		"git status":                        "allow",
		"git push origin main":              "allow",
		"git":                               "allow", // a last " *" stands for none or more
		"go test ./... 2>&1":                "allow",
		"go test ./... >/dev/null":          "allow",
		"go vet ./...":                      "ask",
		"git status && go test ./...":       "allow",
		"git status && go vet":              "ask",
		"git status && rm -rf d":            "deny",
		"git status; rm -rf d":              "deny",
		"git status | rm d":                 "deny",
		"git status || rm d":                "deny",
		"git status & rm d":                 "deny",
		"git status\nrm x":                  "deny",
		"git status |& rm d":                "deny",
		"git status $(rm x)":                "deny",
		"git status `rm x`":                 "deny",
		"git diff <(rm x)":                  "deny",
		"rm":                                "deny",
		"/bin/rm -rf d":                     "deny",
		`\rm d`:                             "deny",
		`r"m" d`:                            "deny",
		`'rm' d`:                            "deny",
		"sudo rm d":                         "deny",
		"sudo -u x rm d":                    "deny",
		"env A=b rm d":                      "deny",
		"timeout 5 rm d":                    "deny",
		"xargs -n 1 rm":                     "deny",
		"find . -name x -exec rm {} +":      "deny",
		`bash -c "rm d"`:                    "deny",
		`sh -c 'git status; rm d'`:          "deny",
		`bash -c "bash -c 'rm d'"`:          "deny",
		`eval "rm d"`:                       "deny",
		"A=1 rm d":                          "deny",
		"if true; then rm d; fi":            "deny",
		"for f in *; do rm $f; done":        "deny",
		"f() { rm d; }; f":                  "deny",
		"(rm d)":                            "deny",
		"{ rm d; }":                         "deny",
		"! rm d":                            "deny",
		"git status 'unterminated; rm d":    "deny", // does not parse: may be one
		"git status 'unterminated":          "ask",
		`git -c core.pager="sh -c rm" log`:  "ask",
		"git log --output=x":                "ask",
		"git log --outp=x":                  "ask",
		"git diff --ext-diff":               "ask",
		"git -C /etc status":                "ask",
		"./git status":                      "ask",
		"/tmp/git status":                   "ask",
		"git log $X":                        "ask",
		"git log > out":                     "allow", // a redirection is a write of the workspace
		"git log >> /out":                   "ask",
		"git log > .git/hooks/post-commit":  "ask",
		"PAGER=x git log":                   "ask",
		"$CMD status":                       "ask",
		"g* status":                         "ask",
		"git status &":                      "ask",
		"while true; do git status; done":   "ask",
		"git() { echo x; }; git status":     "ask",
		"git log $'\\x41'":                  "ask",
		"time git status":                   "ask",
		"":                                  "ask",
		"# only a comment":                  "ask",
		"git status <<< x":                  "allow",
		"git status <<< $X":                 "ask",
		"git status < /etc/passwd":          "ask",
		"export PATH=/tmp":                  "ask",
		"echo $(git status)":                "ask",
		"git log --format='%h; rm -rf d'":   "allow", // one literal word
		"echo rm d":                         "allow", // built in: it only prints
		"git commit -m 'remove rm from it'": "allow",
	} {
		if got, why := judgeOne(t, opt, tools.ModeAgent, runs(line)); got != want {
			t.Errorf("%q: %s (%s), want %s", line, got, why, want)
		}
	}
}

func TestADenyHoldsInFullModeAlsoWhereALineIsNotUnderstood(t *testing.T) {
	opt := Options{Rules: Rules{{Effect: tools.Command, Pattern: "rm *", Action: Deny}}}
	for line, want := range map[string]string{
		"go build": "allow", "rm x": "deny", "bash -c 'rm x'": "deny", "$X y": "ask", "go build > x": "allow", "go build > $X": "ask", "a 'b": "ask", "": "ask",
		"git -C x push": "ask",
	} {
		if got, why := judgeOne(t, opt, tools.ModeFull, runs(line)); got != want {
			t.Errorf("%q: %s (%s), want %s", line, got, why, want)
		}
		if got, why := judgeOne(t, Options{}, tools.ModeFull, runs(line)); got != "allow" {
			t.Errorf("without rules %q: %s (%s), want allow", line, got, why)
		}
	}
}

// A denied word in command position of any part of a line is found, however the
// parts are joined.
func FuzzADenyAlwaysWins(f *testing.F) {
	f.Add("git status", "&&", "x y")
	f.Add("echo $(", ")", "'a b'")
	f.Add("if true; then", ";", "fi")
	f.Fuzz(func(t *testing.T, before, join, after string) {
		if strings.ContainsAny(before+join+after, "'\"\\`#<\x00") {
			t.Skip() // may quote, comment or feed the command away
		}
		opt := Options{Rules: Rules{{Effect: tools.Command, Pattern: "rm *", Action: Deny}, {Effect: tools.Command, Pattern: "*", Action: Allow}}}
		for _, line := range []string{"rm x\n" + before + join + after, "(rm x) && " + before, "{ rm x; }\n" + before} {
			got, _ := judgeOne(t, opt, tools.ModeFull, runs(line))
			if got != "deny" {
				t.Fatalf("%q: %s", line, got)
			}
		}
	})
}
