package syntax

import "testing"

func TestFunctionsOfAText(t *testing.T) {
	if !Available() {
		t.Skip("built without parsers")
	}
	got := Functions("go", "package a\n\nfunc F() {\n\tx := func() {}\n\tx()\n}\n\ntype T int\n\nfunc (t *T) M() {}\n")
	want := []struct {
		name        string
		first, last int
	}{{"F", 2, 5}, {"", 3, 3}, {"T.M", 9, 9}}
	if len(got) != len(want) {
		t.Fatalf("%+v", got)
	}
	for i, w := range want {
		if g := got[i]; g.Name != w.name || g.StartLine != w.first || g.EndLine != w.last {
			t.Errorf("%d: %+v, want %+v", i, g, w)
		}
	}
	if got := Functions("cobol", "x"); got != nil {
		t.Errorf("%+v", got)
	}
}
