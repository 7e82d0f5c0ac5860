package tools

import "strings"

// Standing is where one tool stands in one step: the answer of all switches,
// for the list, for a dispatched call and for one that code makes.
type Standing struct {
	Exposure Exposure
	// Barred says why the tool may not be called in this step, "" = it may. It
	// is a sentence for the model, without the tool's name.
	Barred string
	// Denied: Barred is a rule of the person's, and not a switch.
	Denied bool
}

// Way is how a tool is come by.
type Way int

// The ways: seen in the model's list, found by a search, called by name,
// called by code.
const (
	InList Way = iota
	BySearch
	ByName
	ByCode
)

// Open tells whether a tool can be come by that way: the columns of
// docs/tools.md, and closed for a tool that is barred. Who lists tools, searches
// them, dispatches a call or lets code call asks this and nothing else.
func (s Standing) Open(w Way) bool {
	if s.Barred != "" {
		return false
	}
	direct := s.Exposure == "" || s.Exposure == Direct
	switch w {
	case InList:
		return direct || s.Exposure == DirectModelOnly
	case BySearch:
		return s.Exposure == Deferred || s.Exposure == DeferredModelOnly
	case ByCode:
		return direct || s.Exposure == Deferred || s.Exposure == CodeModeOnly
	}
	return true // what is registered runs, seen or not
}

// Refusal is what a call is answered that the step is not open to.
func (s Standing) Refusal(full string) *Refusal {
	switch {
	case s.Denied:
		return &Refusal{Denied, full + " was not run: " + strings.TrimRight(s.Barred, ".") +
			". Do not try to reach the same in another way; say what you need, or go on without it."}
	case s.Barred != "":
		return &Refusal{Blocked, full + " may not be called in this step: " + s.Barred}
	}
	return &Refusal{Blocked, full + " may not be called from code: call it yourself."}
}
