package session

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// Kinds of records. Others are kept on disk and given as they are.
const (
	KindHeader = "header"
	KindEvent  = "event"
	KindItem   = "item"
	KindState  = "state" // the agent's own, in Item
	// KindCompact: the items in Item, a list, stand for all items before.
	KindCompact = "compact"
)

// Replay parses a log. It gives the records of its complete lines and the
// length in bytes of those lines: what follows is a torn tail. A complete line
// that is no JSON object is passed over.
func Replay(data []byte) (recs []Record, whole int) {
	for {
		n := bytes.IndexByte(data[whole:], '\n')
		if n < 0 {
			return recs, whole
		}
		line := data[whole : whole+n]
		whole += n + 1
		var r Record
		if len(bytes.TrimSpace(line)) == 0 || json.Unmarshal(line, &r) != nil {
			continue
		}
		recs = append(recs, r)
	}
}

// fileLog is the Log of a Store.
type fileLog struct {
	mu   sync.Mutex
	f    *os.File
	lock io.Closer
	info Info
	size int64 // bytes of complete records
}

var errClosed = errors.New("the thread's log is closed")

func (l *fileLog) Append(recs ...Record) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		return errClosed
	}
	info := l.info
	var buf bytes.Buffer
	for _, r := range recs {
		info.observe(r)
		if r.Kind == KindEvent && r.Event != nil && r.Event.Type.told() {
			now := info
			r.Info = &now // so that List finds it near the end
		}
		line, err := json.Marshal(r)
		if err != nil {
			return fmt.Errorf("record of kind %q: %w", r.Kind, err)
		}
		buf.Write(line)
		buf.WriteByte('\n')
	}
	if _, err := l.f.Write(buf.Bytes()); err != nil {
		// Half a record must not stand before the next one.
		return errors.Join(err, l.f.Truncate(l.size))
	}
	l.size += int64(buf.Len())
	l.info = info
	return nil
}

func (l *fileLog) Sync() error {
	l.mu.Lock()
	f := l.f
	l.mu.Unlock()
	if f == nil {
		return errClosed
	}
	return f.Sync()
}

func (l *fileLog) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.f == nil {
		return nil
	}
	err := errors.Join(l.f.Sync(), l.f.Close())
	l.f = nil
	if l.lock != nil {
		err = errors.Join(err, l.lock.Close())
	}
	return err
}

// tailWindow is how much of a log's end is read first, in bytes; it grows
// fourfold until a record with Info is in it.
const tailWindow = 32 << 10

// headWindow is the most that a header may take, in bytes.
const headWindow = 64 << 10

// peek reads Info from a log's header and its last record with Info.
func peek(path string) (Info, error) {
	f, err := os.Open(path)
	if err != nil {
		return Info{}, err
	}
	defer f.Close()
	st, err := f.Stat()
	if err != nil {
		return Info{}, err
	}
	head := make([]byte, min(st.Size(), headWindow))
	if _, err := io.ReadFull(f, head); err != nil {
		return Info{}, err
	}
	n := bytes.IndexByte(head, '\n')
	if n < 0 {
		return Info{}, ErrNoHeader
	}
	recs, _ := Replay(head[:n+1])
	info, err := summary(recs)
	if err != nil {
		return Info{}, err
	}
	first := int64(n + 1)
	for window := int64(tailWindow); ; window *= 4 {
		start := max(first, st.Size()-window)
		tail := make([]byte, st.Size()-start)
		if _, err := f.ReadAt(tail, start); err != nil && !errors.Is(err, io.EOF) {
			return Info{}, err
		}
		if start > first { // begins inside a record
			tail = tail[bytes.IndexByte(tail, '\n')+1:]
		}
		recs, _ := Replay(tail)
		for i := len(recs) - 1; i >= 0; i-- {
			if recs[i].Info == nil {
				continue
			}
			last := *recs[i].Info
			for _, r := range recs[i+1:] {
				last.observe(r)
			}
			last.CreatedAt = info.CreatedAt
			last.UpdatedAt = latest(last.UpdatedAt, info.UpdatedAt)
			return last, nil
		}
		if start == first {
			for _, r := range recs {
				info.observe(r)
			}
			return info, nil
		}
	}
}
