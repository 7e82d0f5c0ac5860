package session

import (
	"encoding/base64"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"
)

// Bounds of a page, in threads.
const (
	pageLimit = 50
	pageMost  = 500
)

// ErrCursor: a cursor that no page gave.
var ErrCursor = errors.New("not a cursor of a list of threads")

// Query narrows a list of threads down; each empty field leaves it as it is.
type Query struct {
	Cwd    string // absolute path of the working folder
	Query  string // words, each of which the title holds or the id begins with; case does not count
	Cursor string // of the page before
	Limit  int    // 0 = 50, at most 500
}

// Page gives the threads of one page and the cursor of the next, "" after the
// last. infos are in the order of Store.List. A cursor names the place behind
// the last thread of its page: a thread that changes meanwhile moves to the
// front, and no thread is given twice.
func Page(infos []Info, q Query) ([]Info, string, error) {
	at, id, err := decodeCursor(q.Cursor)
	if err != nil {
		return nil, "", err
	}
	limit := min(q.Limit, pageMost)
	if limit <= 0 {
		limit = pageLimit
	}
	var out []Info
	for _, i := range infos {
		if q.Cursor != "" && (i.UpdatedAt.After(at) || i.UpdatedAt.Equal(at) && i.ID >= id) || !q.fits(i) {
			continue
		}
		if len(out) == limit {
			return out, encodeCursor(out[limit-1]), nil
		}
		out = append(out, i)
	}
	return out, "", nil
}

func (q Query) fits(i Info) bool {
	if q.Cwd != "" && q.Cwd != i.Cwd {
		return false
	}
	title, id := strings.ToLower(i.Title), strings.ToLower(i.ID)
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(q.Query)), func(w string) bool {
		// an id begins with the day: a word inside it says nothing
		return !strings.Contains(title, w) && !(len(w) > 1 && strings.HasPrefix(id, w))
	})
}

func encodeCursor(i Info) string {
	return base64.RawURLEncoding.EncodeToString([]byte(i.UpdatedAt.UTC().Format(time.RFC3339Nano) + " " + i.ID))
}

func decodeCursor(s string) (time.Time, string, error) {
	if s == "" {
		return time.Time{}, "", nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(s)
	if err != nil {
		return time.Time{}, "", fmt.Errorf("%q: %w", s, ErrCursor)
	}
	stamp, id, ok := strings.Cut(string(raw), " ")
	at, err := time.Parse(time.RFC3339Nano, stamp)
	if !ok || err != nil || !idForm.MatchString(id) {
		return time.Time{}, "", fmt.Errorf("%q: %w", s, ErrCursor)
	}
	return at, id, nil
}
