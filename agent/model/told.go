package model

import "slices"

// Told is where in a request its tools are told of.
type Told struct {
	// Listed stand in the vendor's list of tools.
	Listed []Tool
	// Deferred are known and not shown before a result loads them; where Late is
	// not taken there are none.
	Deferred []Tool

	late  bool
	fresh map[string][]Tool // by call id
	known map[fullName]bool // in Deferred
}

// Telling divides the tools of a request between list and transcript. Where
// definitions may come late, the list stays as it was at the first request:
// what a ToolsAdded item tells of is left out of it. Else the list has all that
// is direct, and behind it what results have loaded, in that order. A
// definition that was loaded stays, also when the tool is gone.
func Telling(req Request) Told {
	t := Told{late: req.Takes.Late, fresh: map[string][]Tool{}, known: map[fullName]bool{}}
	have, names := map[fullName]bool{}, map[fullName]bool{} // names: added, not defined
	for _, it := range req.Items {
		if it.Kind != ToolsAdded || !t.late {
			continue
		}
		for _, tool := range it.Loads {
			full := fullName{tool.Namespace, tool.Name}
			have[full], names[full] = have[full] || !tool.Deferred, tool.Deferred
		}
	}
	for _, tool := range req.Tools {
		full := fullName{tool.Namespace, tool.Name}
		switch {
		case have[full] || tool.Deferred && (!t.late || names[full]):
			continue
		case tool.Deferred:
			t.Deferred = append(t.Deferred, tool)
			t.known[full] = true
		default:
			t.Listed = append(t.Listed, tool)
		}
		have[full] = true
	}
	for _, it := range req.Items {
		if it.Kind == ToolReply && len(it.Loads) > 0 {
			t.load(it, have, names)
		}
	}
	return t
}

func (t *Told) load(it Item, have, names map[fullName]bool) {
	for _, tool := range it.Loads {
		full := fullName{tool.Namespace, tool.Name}
		switch {
		case have[full]:
			continue
		case !t.late:
			tool.Deferred = false
			t.Listed = append(t.Listed, tool)
		case names[full]:
			t.fresh[it.CallID] = append(t.fresh[it.CallID], tool)
		default: // gone since
			t.Deferred = append(t.Deferred, tool)
			t.known[full] = true
		}
		have[full] = true
	}
}

// Found are those of what a result loads that stand among Deferred.
func (t Told) Found(it Item) []Tool {
	return slices.DeleteFunc(slices.Clone(it.Loads), func(l Tool) bool { return !t.known[fullName{l.Namespace, l.Name}] })
}

// Fresh are those that a result is the first to define: they came after the
// first request.
func (t Told) Fresh(it Item) []Tool { return t.fresh[it.CallID] }

// Added are the definitions that a ToolsAdded item tells of, where Late is
// taken.
func (t Told) Added(it Item) []Tool {
	if !t.late || it.Kind != ToolsAdded {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(it.Loads), func(l Tool) bool { return l.Deferred })
}
