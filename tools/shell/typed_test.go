//go:build unix

package shell

import (
	"slices"
	"testing"

	"companion/tools"
	"companion/tools/shell/sessions"
)

func TestWhatIsTypedIsJudgedWhereTheProgramTakesCommands(t *testing.T) {
	for line, to := range map[string]string{
		"npm init":                       "",
		"npm run dev":                    "",
		"./setup.sh --ask":               "",
		"go run ./cmd/quiz":              "",
		"go test ./... -run TestX -v":    "",
		"npm test && npm run build":      "",
		"cat notes.txt":                  "",
		"bash":                           "a shell",
		"bash -i":                        "a shell",
		"/usr/bin/zsh -l":                "a shell",
		"'ba'sh":                         "a shell",
		`b\ash`:                          "a shell",
		"cd x && exec sh":                "a shell",
		"npm start; bash":                "a shell",
		"env X=1 dash":                   "a shell",
		"sudo -i":                        "a shell",
		"ssh host":                       "a shell",
		"docker exec -it c ls":           "a shell",
		"kubectl exec -it pod -- ls":     "a shell",
		"xargs rm":                       "a shell",
		"python3":                        "python",
		"python3.12 -i x.py":             "python",
		"/opt/py/bin/python3":            "python",
		"node":                           "node",
		"NODE.EXE":                       "node",
		"psql -h db app":                 "psql",
		"sqlite3 a.db":                   "sqlite",
		"gdb ./a.out":                    "gdb",
		"vim f.txt":                      "vim",
		"git log | less":                 "less",
		"less f.txt":                     "less",
		"man ls":                         "man",
		"top":                            "top",
		"rails console":                  "console",
		"manage.py shell":                "a shell",
		"make menuconfig":                "make",
		"$SHELL":                         "a line that is not plain",
		"$(echo bash)":                   "a line that is not plain",
		"`which bash`":                   "a line that is not plain",
		"/bin/ba?h":                      "a line that is not plain",
		"/bin/[b]ash":                    "a line that is not plain",
		"{bash,-i}":                      "a line that is not plain",
		"while read l; do echo $l; done": "a line that is not plain",
		"cat <(bash)":                    "a line that is not plain",
	} {
		if got := takesCommands(line); got != to {
			t.Errorf("%q: %q, want %q", line, got, to)
		}
	}
	for _, c := range []struct {
		line, chars string
		mode        tools.Mode
		want        []tools.Effect
	}{
		{"npm init", "my-name\n", tools.ModeAgent, nil},
		{"npm init", "my-name\n", tools.ModePlan, []tools.Effect{{Kind: tools.Command, Command: "my-name", Shell: "session 3 (a running program)"}}},
		{"npm init", "\x03", tools.ModeAsk, nil},
		{"bash", "\x03\x03\x04", tools.ModeAgent, nil},
		{"bash", "\r\n", tools.ModeAgent, nil},
		{"bash", "", tools.ModeAgent, nil},
		{"bash", "rm x\n", tools.ModeAgent, []tools.Effect{
			{Kind: tools.Command, Command: "rm x", Shell: "session 3 (a shell)"}, {Kind: tools.Command, Command: "rm x"},
		}},
		{"bash", "\x1b[A\n", tools.ModeAgent, []tools.Effect{
			{Kind: tools.Command, Command: "\x1b[A", Shell: "session 3 (a shell)"}, {Kind: tools.Command, Command: "\x1b[A"},
		}},
		{"python3", "1+1\n", tools.ModeFull, []tools.Effect{{Kind: tools.Command, Command: "1+1", Shell: "session 3 (python)"}}},
	} {
		s := &sessions.Session{Options: sessions.Options{Command: c.line}}
		if got := typed(tools.Call{Mode: c.mode}, s, 3, c.chars); !slices.Equal(got, c.want) {
			t.Errorf("%q into %q in mode %s: %v", c.chars, c.line, c.mode, got)
		}
	}
}
