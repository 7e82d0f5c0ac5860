package line

import "testing"

func TestTheFirstHasTheThreadAndTheOthersFollow(t *testing.T) {
	var l Line[string]
	yes := func(string) bool { return true }
	if p := l.Enter("a", yes); p != First {
		t.Errorf("a is %v", p)
	}
	if p := l.Enter("x", func(first string) bool { return first != "a" }); p != Out {
		t.Errorf("x is %v", p)
	}
	for _, n := range []string{"b", "c", "d"} {
		if p := l.Enter(n, yes); p != Behind {
			t.Errorf("%s is %v", n, p)
		}
	}
	if l.Close() {
		t.Error("closed under its turns")
	}
	for _, c := range []struct {
		leaves, next string
		changed      bool
	}{{"c", "", false}, {"a", "b", true}, {"a", "", false}, {"b", "d", true}, {"d", "", false}} {
		if next, changed := l.Leave(c.leaves); next != c.next || changed != c.changed {
			t.Errorf("after %s: %s, %v", c.leaves, next, changed)
		}
	}
	if _, ok := l.First(); ok || !l.Close() {
		t.Error("the line is not empty")
	}
	if p := l.Enter("e", yes); p != Closed {
		t.Errorf("e is %v", p)
	}
}

func TestAnInboxLosesNothing(t *testing.T) {
	var b Inbox[int]
	if !b.Put(1) || b.Close() || !b.Put(2) {
		t.Fatal("an inbox that holds input stays open")
	}
	if got := b.Take(); len(got) != 2 || got[0] != 1 || got[1] != 2 {
		t.Errorf("took %v", got)
	}
	if !b.Close() || b.Put(3) || len(b.Take()) != 0 {
		t.Error("a closed inbox took something")
	}
	var forced Inbox[int]
	forced.Put(1)
	forced.Shut()
	if forced.Put(2) || len(forced.Take()) != 1 {
		t.Error("a shut inbox keeps what it has and takes no more")
	}
}
