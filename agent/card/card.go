package card

// Card is what is known of one model.
type Card struct {
	ID            string // provider/model
	ContextWindow int    // tokens
	MaxOutput     int    // tokens, 0 = the vendor's default
	ParallelCalls bool
	Images        bool
	Offline       bool // no model at all: plain instructions are pointless
	// EditTool is the editing tool that the model is best at: "apply_patch",
	// "edit", "" = both are shown.
	EditTool   string
	ToolSearch bool // deferred tools can be found; without it they are listed
	Namespaces bool // namespaces are sent as such, not as flat names
	Freeform   bool // grammars of freeform tools are sent
	// Late: definitions may come in the middle of a thread, found by a search or
	// added, without a change of the list of tools.
	Late bool
	// WebSearch: the vendor's search of the web is offered: it can, and the
	// settings ask for it.
	WebSearch bool
	Reasoning bool   // an effort can be asked for
	Effort    string // none, low, medium, high: where a turn asks for none
}
