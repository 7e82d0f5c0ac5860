package patch

import (
	"maps"
	"strings"
	"testing"

	"companion/tools/grammar"
	"companion/tools/patch/syntax"
)

// example is the patch in the description.
func example(t *testing.T) string {
	t.Helper()
	at := strings.Index(doc, "*** Begin Patch\n")
	end := strings.Index(doc, "*** End Patch\n")
	if at < 0 || end < at {
		t.Fatal("the description has no example")
	}
	return doc[at : end+len("*** End Patch\n")]
}

func TestTheExampleOfTheDescriptionFollowsTheGrammar(t *testing.T) {
	g, err := grammar.Compile(New(nil).Spec().Grammar)
	if err != nil {
		t.Fatal(err)
	}
	if err := g.Check(example(t)); err != nil {
		t.Error(err)
	}
	p, err := syntax.Parse(example(t))
	if err != nil || len(p.Healed) > 0 || len(p.Sections) != 3 {
		t.Errorf("%+v, %v", p, err)
	}
	for _, bad := range []string{"", "*** Begin Patch\n*** End Patch\n", "*** Begin Patch\n*** Update File: x\n*** End Patch\n"} {
		if g.Check(bad) == nil {
			t.Errorf("the grammar takes %q", bad)
		}
	}
}

func TestTheExampleOfTheDescriptionWorks(t *testing.T) {
	b := newBench(t, map[string]string{
		"src/old.py": "pass\n",
		"src/app.py": "class Shop:\n    def greet(self):\n        print(\"Hi\")\n\n    def leave(self):\n        pass\n\nclass App(Shop):\n    def greet(self):\n        print(\"Hi\")\n\n    def leave(self):\n        pass\n\ndef main():\n    App().greet()\n\nif __name__ == \"__main__\": main()\n",
	})
	r, err := b.apply(example(t))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{
		"docs/greeting.md": "# Greeting\n\nSays hello.\n",
		"src/main.py":      "class Shop:\n    def greet(self):\n        print(\"Hi\")\n\n    def leave(self):\n        pass\n\nclass App(Shop):\n    def greet(self):\n        name = self.name or \"you\"\n        print(f\"Hello {name}\")\n\n    def leave(self):\n        pass\n\ndef main():\n    setup()\n    App().greet()\n\nif __name__ == \"__main__\":\n    main()\n",
	}
	if got := contents(t, b.dir); !maps.Equal(got, want) {
		t.Errorf("got %q", got)
	}
	if want := "Success. Updated the following files:\nA docs/greeting.md\n"; !strings.HasPrefix(r.Text, want) {
		t.Errorf("%s", r.Text)
	}
}
