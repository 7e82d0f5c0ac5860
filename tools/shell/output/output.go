package output

import (
	"bytes"
	"io"
	"sync"
	"time"

	"companion/tools/shell/screen"
)

// Options of New.
type Options struct {
	// Dir is where the file with all of the output goes; "" = none is kept.
	Dir string
	// Name begins the file's name.
	Name string
	// Cols and Rows are the terminal's size; 0 = a pipe.
	Cols, Rows int
	// Reply takes what the terminal answers to the program; nil = nobody.
	Reply func([]byte)
}

// Output is what one command writes.
type Output struct {
	mu     sync.Mutex
	screen *screen.Screen
	ring   *screen.Ring // of a pipe: read by screen when it is taken; nil = a terminal
	file   file
	total  int64
	last   time.Time
	coded  bool

	hearing listener
}

// New is an empty Output.
func New(o Options) *Output {
	out := &Output{
		screen: screen.New(screen.Options{Cols: o.Cols, Rows: o.Rows, Reply: o.Reply}),
		file:   file{dir: o.Dir, name: o.Name},
	}
	if o.Cols <= 0 || o.Rows <= 0 {
		out.ring = screen.NewRing(screen.Keep)
	}
	return out
}

// ReadFrom takes all of r, to its end or an error, which is not told: a
// terminal whose program has ended gives one.
func (o *Output) ReadFrom(r io.Reader) (int64, error) {
	chunk := make([]byte, 32<<10)
	for {
		n, err := r.Read(chunk)
		if n > 0 {
			o.add(chunk[:n])
		}
		if err != nil {
			return o.Total(), nil
		}
	}
}

func (o *Output) add(b []byte) {
	o.mu.Lock()
	o.total += int64(len(b))
	o.last = time.Now()
	o.file.add(b)
	o.coded = o.coded || bytes.IndexByte(b, 0x1b) >= 0
	if o.ring != nil {
		o.ring.Add(b)
	} else {
		_, _ = o.screen.Write(b) // never fails
	}
	o.mu.Unlock()
	o.hearing.add(b)
}

// Taken is what came since the last Take, as text.
type Taken struct {
	screen.Taken
	// New: there is something, be it only codes.
	New bool
}

// Take gives what came since the last one. end says that nothing follows.
func (o *Output) Take(end bool) Taken {
	o.mu.Lock()
	defer o.mu.Unlock()
	var lost int64
	if o.ring != nil {
		var head, tail []byte
		head, lost, tail = o.ring.Take()
		_, _ = o.screen.Write(head)
		if lost > 0 {
			o.screen.Gap(lost)
		}
		_, _ = o.screen.Write(tail)
	}
	if end {
		o.screen.End()
	}
	t := o.screen.Take()
	t.Lost += lost
	return Taken{t, t.Text != ""}
}

// Resize gives the terminal another size.
func (o *Output) Resize(cols, rows int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.screen.Resize(cols, rows)
}

// Cursor tells where a full-screen program's cursor stands, from 1.
func (o *Output) Cursor() (full bool, row, col int) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.screen.FullScreen()
}

// Prompt is the text of a terminal's line up to the cursor, "" = there is none.
func (o *Output) Prompt() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.ring != nil {
		return ""
	}
	return o.screen.Line()
}

// Total is how many bytes were written.
func (o *Output) Total() int64 {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.total
}

// Last is when something was written last; zero = never.
func (o *Output) Last() time.Time {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.last
}

// Coded tells whether there were escape codes, which no text has.
func (o *Output) Coded() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.coded
}

// File is the path of the file with all of the output so far, byte for byte,
// and whether it holds only its first MostFile bytes. "" = there is none.
func (o *Output) File() (path string, cut bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.file.show()
}

// Close lets go of the file.
func (o *Output) Close() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.file.close()
}
