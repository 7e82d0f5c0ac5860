package disk

import (
	"context"
	"slices"
	"sync"
)

// Locks serialises the writers of each file.
type Locks struct {
	mu   sync.Mutex
	held map[string]*fileLock
}

type fileLock struct {
	slot  chan struct{} // one token: who put it in has the lock
	users int           // holders and waiters; 0 = forgotten
}

// Lock takes the locks of all keys, in one order for everybody, or none when
// ctx ends first.
func (l *Locks) Lock(ctx context.Context, keys []string) (unlock func(), err error) {
	keys = slices.Clone(keys)
	slices.Sort(keys)
	keys = slices.Compact(keys)
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var taken []string
	unlock = func() {
		for _, k := range taken {
			l.release(k, true)
		}
	}
	for _, k := range keys {
		l.mu.Lock()
		if l.held == nil {
			l.held = map[string]*fileLock{}
		}
		f := l.held[k]
		if f == nil {
			f = &fileLock{slot: make(chan struct{}, 1)}
			l.held[k] = f
		}
		f.users++
		l.mu.Unlock()
		select {
		case f.slot <- struct{}{}:
			taken = append(taken, k)
		case <-ctx.Done():
			l.release(k, false)
			unlock()
			return nil, ctx.Err()
		}
	}
	return unlock, nil
}

func (l *Locks) release(key string, holder bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	f := l.held[key]
	if holder {
		<-f.slot
	}
	if f.users--; f.users == 0 {
		delete(l.held, key)
	}
}
