// Package agent runs turns: it asks a model, runs the tools that the model
// calls, gives it the results and asks again, until the model ends, a limit is
// reached or the person stops it. It alone maps models to tools.
//
// Words: a thread is a conversation; a turn is what one input of a person sets
// off; a step is one request to the model and the calls that came back; an item
// is one entry of the transcript.
//
// Never: know LSP; show a model a history in which a call lacks its result;
// change an item that was sent; end a turn without a turn.completed.
//
// # Concurrency
//
// Agent is safe for concurrent use. A thread runs at most one turn at a time,
// on the goroutine that calls Turn.Run. Calls of a step run on a conc stream
// and their results go back in call order.
package agent

// The methods that lspbridge, cmd and tests use:
//
//	func New(o Options) *Agent
//	func (a *Agent) StartThread(o ThreadOptions) (session.Info, error)
//	func (a *Agent) Resume(id string) (session.Info, error)
//	func (a *Agent) Threads() ([]session.Info, error)
//	func (a *Agent) Replay(id string, sinceSeq int64) ([]session.Event, error)
//	func (a *Agent) NewTurn(o TurnOptions) (*Turn, error)   // reserves; emits nothing yet
//	func (t *Turn) ThreadID() string; func (t *Turn) ID() string
//	func (t *Turn) Run(ctx context.Context) Outcome         // blocks; emits turn.started … turn.completed
//	func (a *Agent) Stop(ctx context.Context, thread, turn string) error // returns after turn.completed, at most 2 s; "" "" = every running turn
//	func (a *Agent) StopAll(ctx context.Context) []string   // turn ids
//	func (a *Agent) Running() []RunningTurn
//	func (a *Agent) Close(ctx context.Context) error
