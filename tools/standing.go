package tools

// Standing is where one tool stands in one step: the answer of all switches. What
// is listed, what a call may run and what code may call are read from it alone.
type Standing struct {
	Exposure Exposure
	// Barred says why the tool may not be called in this step, "" = it may. It
	// is a sentence for the model, without the tool's name.
	Barred string
	// Denied: Barred is a rule of the person's, and not a switch.
	Denied bool
}

// Listed tells whether the exposure puts a tool into the model's list.
func (e Exposure) Listed() bool { return e == "" || e == Direct || e == DirectModelOnly }

// Found tells whether a search finds it.
func (e Exposure) Found() bool { return e == Deferred || e == DeferredModelOnly }

// Code tells whether code mode may call it.
func (e Exposure) Code() bool {
	return e == "" || e == Direct || e == Deferred || e == CodeModeOnly
}

// Refused is what a barred call is answered, nil where the tool may be called.
// Who lists tools, dispatches a call or lets code call asks this.
func (s Standing) Refused(full string) *Refusal {
	switch {
	case s.Barred == "":
		return nil
	case s.Denied:
		return &Refusal{Denied, full + " was not run: " + s.Barred}
	}
	return &Refusal{Blocked, full + " may not be called in this step: " + s.Barred}
}
