package turns

import (
	"time"

	"companion/session"
	"companion/tools"
)

// IfBusy is what a new turn does in a thread that has one.
type IfBusy = string

// The ways of IfBusy.
const (
	Reject IfBusy = "reject" // refused; also ""
	Queue  IfBusy = "queue"  // Run waits for the turns before it
	// Join hands the input to the running turn: the Turn has that turn's
	// ids and its Run returns at once, with an empty Status. A turn that is
	// just ending is waited for as with Queue.
	Join IfBusy = "steer"
)

// Outcome is how a turn ended, as its turn.completed event says.
type Outcome struct {
	Thread, Turn string
	Status       string // completed, stopped, failed, limit; "" = the input joined a running turn
	Error        string // for the user; "" when completed
	Text         string // the last message of the model
	Steps        int    // requests to the model
	Usage        session.Usage
}

// Statuses of an Outcome.
const (
	Completed = "completed"
	Stopped   = "stopped"
	Failed    = "failed"
	Limit     = "limit"
)

// RunningTurn is one turn that is reserved or running.
type RunningTurn struct {
	Thread, Turn string
	Title        string
	Mode         tools.Mode
	Model        string // provider/model
	Since        time.Time
}
