package router

import "companion/tools"

// Scene is what a step's tools are seen in.
type Scene struct {
	Mode  tools.Mode
	Agent string // who runs the step; "" = the main agent
	Model Model
	*Switches
	// Off says why the thread may not call a tool, "" = it may; nil = it may call
	// all. What it says may change with the registry's revision only.
	Off func(tools.Spec) string

	crowded bool // there were too many tools to list before
}

// Model is what the model of a step can do with tools.
type Model struct {
	Search bool   // find deferred tools
	Images bool   // see pictures
	Edit   string // the tool that it edits best with, by full name; "" = any
}

// editing is Spec.Serves of the tools of which Model.Edit names one.
const editing = "edit"

// Stand says where each tool stands in a scene, in the order of specs.
func Stand(specs []tools.Spec, in Scene) []tools.Standing {
	out, _ := stand(specs, in)
	return out
}

// stand is Stand, and whether there are too many tools from outside to list.
func stand(specs []tools.Spec, in Scene) (out []tools.Standing, crowded bool) {
	out = make([]tools.Standing, len(specs))
	prefer, search := false, false
	for i, s := range specs {
		out[i].Barred, out[i].Denied = Barred(s, in)
		if out[i].Barred != "" {
			continue
		}
		prefer = prefer || s.Serves == editing && s.Named(in.Model.Edit)
		search = search || s.Form == tools.Search
	}
	search = search && in.Model.Search
	outside := 0 // tools from outside that would be listed
	for i, s := range specs {
		out[i].Exposure = seen(s, in, search, prefer)
		if s.Source.External() && out[i].Open(tools.InList) {
			outside++
		}
	}
	crowded = search && (in.crowded || outside > in.limit())
	found := false
	for i, s := range specs {
		if crowded && s.Source.External() && !s.AlwaysShown && !in.forces(s) {
			out[i].Exposure = deferred(out[i].Exposure)
		}
		found = found || out[i].Open(tools.BySearch)
	}
	for i, s := range specs {
		if s.Form == tools.Search && !found {
			out[i].Exposure = tools.Hidden // there is nothing to find
		}
	}
	return out, crowded
}

// seen is the exposure of one tool before it is known how many there are.
func seen(s tools.Spec, in Scene, search, prefer bool) tools.Exposure {
	switch {
	case s.Sees && !in.Model.Images,
		s.Form == tools.Search && !search,
		s.Serves == editing && prefer && !s.Named(in.Model.Edit):
		return tools.Hidden
	}
	e := s.Exposure
	if e == "" {
		e = tools.Direct
	}
	omitted := in.omits(s)
	switch {
	case omitted && search:
		return deferred(e)
	case omitted:
		return unlisted(e)
	case !search || in.forces(s):
		return direct(e)
	}
	return e
}

// deferred is an exposure with search in the list's place.
func deferred(e tools.Exposure) tools.Exposure {
	switch e {
	case tools.Direct:
		return tools.Deferred
	case tools.DirectModelOnly:
		return tools.DeferredModelOnly
	}
	return e
}

// direct is an exposure with the list in the search's place.
func direct(e tools.Exposure) tools.Exposure {
	switch e {
	case tools.Deferred:
		return tools.Direct
	case tools.DeferredModelOnly:
		return tools.DirectModelOnly
	}
	return e
}

// unlisted is an exposure without list and search.
func unlisted(e tools.Exposure) tools.Exposure {
	switch e {
	case tools.Direct, tools.Deferred:
		return tools.CodeModeOnly
	case tools.DirectModelOnly, tools.DeferredModelOnly:
		return tools.Hidden
	}
	return e
}
