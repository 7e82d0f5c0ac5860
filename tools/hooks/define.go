package hooks

import (
	"github.com/sourcegraph/conc/panics"

	"companion/tools"
)

// Define is what the hooks make of a tool's definition. It is called when a
// tool is registered and when hooks are replaced, not at each step.
func (s *Set) Define(spec tools.Spec) tools.Spec {
	for _, h := range *s.list.Load() {
		if h.Define == nil || !h.When.names(spec, spec.Full()) {
			continue
		}
		told := spec
		if p := panics.Try(func() { told = h.Define.Define(spec) }); p != nil {
			s.log.Error("a hook failed", "hook", h.Name, "tool", spec.Full(), "err", p.AsError())
			continue
		}
		spec.Title, spec.Description, spec.SearchHint = told.Title, told.Description, told.SearchHint
		spec.Examples, spec.Exposure = told.Examples, told.Exposure
	}
	return spec
}
