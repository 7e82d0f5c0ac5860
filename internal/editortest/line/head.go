package line

// Head is what the first lines of a script say of the whole.
type Head struct {
	RealTime bool // real-time: it runs children, beside which virtual time stands still
	Virtual  bool // virtual: it lasts for minutes, and runs in virtual time only
	NoCount  bool // no-count: it forks or deletes threads, whose logs then do not hold each use of the model once
	NoTalk   bool // no-talk: the order of events, or an operating system's words, differ from run to run
}

// Take reads the head and gives the rest of the script.
func (h *Head) Take(script []Line) []Line {
	for i, l := range script {
		switch l.Words[0] {
		case "real-time":
			h.RealTime = true
		case "virtual":
			h.Virtual = true
		case "no-count":
			h.NoCount = true
		case "no-talk":
			h.NoTalk = true
		default:
			return script[i:]
		}
	}
	return nil
}
