package lent

import (
	"slices"

	"companion/diagnostics/delta"
	"companion/tools"
)

// Ours is what companion's own servers say of files, by path.
type Ours struct {
	Items  map[string][]tools.Diagnostic
	Status map[string]tools.Status
	Names  []string // which servers, how sure, how long
}

// Merged adds what the editor says of the same files.
func (o Ours) Merged(paths []string, editor *Told) (items []tools.Diagnostic, rep tools.Report, names []string) {
	rep.Candidates, names = len(paths), slices.Clone(o.Names)
	for _, path := range paths {
		status := o.Status[path]
		items = append(items, o.Items[path]...)
		if x, ok := editor.Of(path, o.Items[path]); ok {
			status, items = Joined(status, x.Status), append(items, x.Items...)
			if !slices.Contains(names, x.Name) {
				names = append(names, x.Name)
			}
		}
		switch status {
		case "":
			status = tools.NoServer
		case tools.Complete, tools.Unconfirmed, tools.Partial:
			rep.Checked++
		}
		rep.Status = delta.Worse(rep.Status, status)
	}
	if rep.Status == "" {
		rep.Status = tools.NoServer
	}
	return items, rep, names
}
