package diagnostics

import (
	"errors"

	"companion/diagnostics/lent"
	"companion/diagnostics/supervise"
	"companion/tools"
)

// Named here for whoever makes Options: what settings say, whose servers are
// asked, and how the editor's are.
type (
	Policy     = lent.Policy
	SourceKind = lent.SourceKind
	Ask        = lent.Ask
)

// Prefer takes new settings. Servers of companion's that they make needless end.
func (s *Service) Prefer(p Policy) {
	if p.Worst == 0 {
		p.Worst = tools.Warning
	}
	old := s.policy.Swap(&p)
	if old != nil && old.Source != p.Source && !s.usesOwn() {
		s.end(func(*supervise.Server) error { return errSource })
	}
}

// errSource is why a server ends that is not asked any more.
var errSource = errors.New("the setting diagnostics.source names the editor's servers")

func (s *Service) usesEditor() bool {
	return s.policy.Load().Source != lent.FromOwn && s.lent.Offered()
}

// usesOwn is always so where nobody else would tell anything.
func (s *Service) usesOwn() bool {
	return s.policy.Load().Source != lent.FromEditor || !s.lent.Offered()
}

// ToldByEditor is what the editor's own servers last told of a file.
func (s *Service) ToldByEditor(path string) []tools.Diagnostic { return s.lent.Last(path) }

func (s *Service) worst() tools.Severity { return s.policy.Load().Worst }
