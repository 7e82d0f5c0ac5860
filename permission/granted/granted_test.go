package granted

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"companion/permission"
	"companion/tools"
)

func TestWhatReachesFurtherThanItSaysIsNotGranted(t *testing.T) {
	home, err := os.UserHomeDir()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	for name, c := range map[string]struct {
		wish Wish
		says string // "" = granted
	}{
		"a folder":            {Wish{Paths: []string{dir}}, ""},
		"the disk":            {Wish{Paths: []string{filepath.VolumeName(dir) + string(filepath.Separator)}}, "more than one may be granted"},
		"the home folder":     {Wish{Paths: []string{home}}, "more than one may be granted"},
		"above the home":      {Wish{Paths: []string{filepath.Dir(home)}}, "more than one may be granted"},
		"a relative path":     {Wish{Paths: []string{"a/b"}}, "is no path"},
		"a host":              {Wish{Hosts: []string{"api.Example.com", "localhost", "127.0.0.1", "::1"}}, ""},
		"hosts of a domain":   {Wish{Hosts: []string{"*.example.com"}}, ""},
		"every host":          {Wish{Hosts: []string{"*"}}, "is no host"},
		"a top level":         {Wish{Hosts: []string{"*.com"}}, "is no host"},
		"a URL":               {Wish{Hosts: []string{"https://example.com/"}}, "is no host"},
		"a port":              {Wish{Hosts: []string{"example.com:80"}}, "is no host"},
		"a command":           {Wish{Commands: []string{"npm test"}}, ""},
		"a command and more":  {Wish{Commands: []string{"npm test *", "go test *"}}, ""},
		"a whole interpreter": {Wish{Commands: []string{"bash script.sh"}}, ""},
		"an interpreter":      {Wish{Commands: []string{"bash *"}}, "reaches further than it says"},
		"another user":        {Wish{Commands: []string{"/usr/bin/sudo *"}}, "reaches further than it says"},
		"a wrapper":           {Wish{Commands: []string{"env *"}}, "reaches further than it says"},
		"python":              {Wish{Commands: []string{"python3 -c *"}}, "reaches further than it says"},
		"any command":         {Wish{Commands: []string{"*"}}, "only the last word may be *"},
		"a glob":              {Wish{Commands: []string{"r* x"}}, "only the last word may be *"},
		"all of git":          {Wish{Commands: []string{"git push *"}}, "reaches further than it says"},
		"removal":             {Wish{Commands: []string{"rm *"}}, "reaches further than it says"},
		"nothing":             {Wish{Commands: []string{" "}}, "is empty"},
	} {
		t.Run(name, func(t *testing.T) {
			rules, words, wrong := Rules(c.wish)
			if c.says == "" && (wrong != "" || len(rules) == 0 || len(words) == 0) || !strings.Contains(wrong, c.says) || c.says != "" && rules != nil {
				t.Errorf("%q, %+v, %q", wrong, rules, words)
			}
			for _, r := range rules {
				if r.Action != permission.Allow || r.Pattern == "" || r.Effect == "" {
					t.Errorf("rule %+v", r)
				}
			}
		})
	}
}

func TestAThreadKeepsWhatItWasGivenAndNoOtherDoes(t *testing.T) {
	var s Store
	rules, _, _ := Rules(Wish{Commands: []string{"make check"}})
	s.Add("a", rules)
	s.Add("a", rules)
	if got := s.Rules("a"); len(got) != 1 || got[0].Effect != tools.Command || s.Rules("b") != nil || s.Rules("") != nil {
		t.Errorf("%+v", got)
	}
	s.Forget("a")
	if s.Rules("a") != nil {
		t.Error("not forgotten")
	}
}
