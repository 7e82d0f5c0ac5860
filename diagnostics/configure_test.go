package diagnostics

import (
	"testing"
	"testing/synctest"

	"companion/diagnostics/lsptest"
)

func TestNewSettingsReachServersThatRun(t *testing.T) {
	profile := versioned
	servers := func(args ...string) map[string]Override {
		return map[string]Override{"fake": {Command: "fake", Args: args, Extensions: []string{"fk"}, Profile: &profile}}
	}
	fake(t, lsptest.Options{}, versioned, Bounds{}, map[string]string{"a.fk": "BAD\n"}, func(r *rig) {
		r.ws.DidOpen("file://"+r.at("a.fk"), "fk", 1, "BAD\n")
		synctest.Wait()
		if n := r.srv.Sessions(); n != 1 {
			r.Fatalf("%d sessions", n)
		}
		r.s.Configure(servers("--other"))
		synctest.Wait()
		before := r.srv.Sessions()
		if before < 2 {
			r.Fatalf("other arguments start it again: %d sessions", before)
		}
		if _, items := r.ask("a.fk"); len(items) != 1 {
			r.Fatalf("the open file is known to the new one: %+v", items)
		}
		r.s.Configure(map[string]Override{"fake": {Command: "fake", Extensions: []string{"fk"}, Disabled: true}})
		synctest.Wait()
		if r.s.HasServer(r.at("a.fk")) || len(r.s.Status()) != 0 {
			r.Fatalf("a disabled server is ended: %+v", r.s.Status())
		}
	})
}

// HB-043
func TestAServerEndsWithItsFolder(t *testing.T) {
	fake(t, lsptest.Options{}, versioned, Bounds{}, map[string]string{"a.fk": "BAD\n"}, func(r *rig) {
		r.ask("a.fk")
		roots := r.ws.Roots()
		for i := 1; i <= 2; i++ {
			if err := r.ws.SetRoots([]string{r.TempDir()}); err != nil {
				r.Fatal(err)
			}
			r.s.RootsChanged()
			synctest.Wait()
			if len(r.s.Status()) != 0 {
				r.Fatalf("%+v", r.s.Status())
			}
			if err := r.ws.SetRoots(roots); err != nil {
				r.Fatal(err)
			}
			r.s.RootsChanged()
			r.ask("a.fk")
			if n := r.srv.Sessions(); len(r.s.Status()) != 1 || n != i+1 {
				r.Fatalf("one for the root: %d sessions, %+v", n, r.s.Status())
			}
		}
	})
}
