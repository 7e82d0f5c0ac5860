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
	WebSearch  bool // the vendor can search the web
	Reasoning  bool
}
