package fakels

import "testing"

func TestRulesFindWholeWords(t *testing.T) {
	r, err := Parse("error \"nme\" \"undefined: nme\" fix \"name\"\nwarning \"x\" \"odd\"\n# a comment\ndelay 3ms\n")
	if err != nil {
		t.Fatal(err)
	}
	got := r.check("nme nmes\r\n😀nme 😀 nme x\n")
	if len(got) != 3 || got[0].Range != (span{position{0, 0}, position{0, 3}}) ||
		got[1].Range != (span{position{1, 9}, position{1, 12}}) || got[2].Severity != 2 {
		t.Errorf("got %+v", got)
	}
	for _, bad := range []string{"eror \"x\" \"y\"", "error x y", "delay soon", "error \"x\" \"y\" fix z"} {
		if _, err := Parse(bad); err == nil {
			t.Errorf("%q is taken", bad)
		}
	}
}
