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
// what a ToolsAdded item tells of is left out of it. Else what such items tell
// of and what results load joins the list at its end, in that order. A
// definition that was loaded stays, also when the tool is gone.
func Telling(req Request) Told {
	t := Told{late: req.Takes.Late, fresh: map[string][]Tool{}, known: map[fullName]bool{}}
	added, names := map[fullName]bool{}, map[fullName]bool{} // names: told of, not defined
	for _, it := range req.Items {
		if it.Kind != ToolsAdded {
			continue
		}
		for _, tool := range it.Loads {
			full := fullName{tool.Namespace, tool.Name}
			added[full], names[full] = added[full] || !tool.Deferred, tool.Deferred
		}
	}
	direct, have := map[fullName]Tool{}, map[fullName]bool{}
	for _, tool := range req.Tools {
		full := fullName{tool.Namespace, tool.Name}
		switch {
		case added[full]:
			direct[full] = tool
		case have[full] || tool.Deferred && (!t.late || names[full]):
		case tool.Deferred:
			t.Deferred = append(t.Deferred, tool)
			t.known[full], have[full] = true, true
		default:
			t.Listed = append(t.Listed, tool)
			have[full] = true
		}
	}
	for _, it := range req.Items {
		for _, tool := range it.Loads {
			full := fullName{tool.Namespace, tool.Name}
			switch {
			case have[full] || it.Kind == ToolsAdded && tool.Deferred:
				continue
			case it.Kind == ToolsAdded:
				if now, ok := direct[full]; ok {
					tool = now
				}
				t.list(tool)
			case it.Kind == ToolReply:
				t.load(it, tool, names[full])
			}
			have[full] = true
		}
	}
	return t
}

// list puts a tool behind the list, where it grows.
func (t *Told) list(tool Tool) {
	if !t.late {
		tool.Deferred = false
		t.Listed = append(t.Listed, tool)
	}
}

// load is a tool that a result is the first to load; fresh says that it came
// after the first request.
func (t *Told) load(it Item, tool Tool, fresh bool) {
	switch {
	case !t.late:
		t.list(tool)
	case fresh:
		t.fresh[it.CallID] = append(t.fresh[it.CallID], tool)
	default: // gone since
		t.Deferred = append(t.Deferred, tool)
		t.known[fullName{tool.Namespace, tool.Name}] = true
	}
}

// Found are those of what a result loads that stand among Deferred.
func (t Told) Found(it Item) []Tool {
	return slices.DeleteFunc(slices.Clone(it.Loads), func(l Tool) bool { return !t.known[fullName{l.Namespace, l.Name}] })
}

// Fresh are those that a result is the first to define: they came after the
// first request.
func (t Told) Fresh(it Item) []Tool {
	if it.Kind != ToolReply {
		return nil
	}
	return t.fresh[it.CallID]
}

// Added are the definitions that a ToolsAdded item tells of, where Late is
// taken.
func (t Told) Added(it Item) []Tool {
	if !t.late || it.Kind != ToolsAdded {
		return nil
	}
	return slices.DeleteFunc(slices.Clone(it.Loads), func(l Tool) bool { return l.Deferred })
}
