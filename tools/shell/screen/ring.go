package screen

// Ring keeps the beginning and the end of what is added, each at most half of
// its size, and counts what is lost between. The zero value keeps nothing; use
// NewRing.
type Ring struct {
	half int
	head []byte
	tail []byte // circular once it is full
	next int    // where the next byte goes in a full tail
	lost int64
}

// NewRing keeps at most size bytes.
func NewRing(size int) *Ring { return &Ring{half: size / 2} }

// Add appends.
func (r *Ring) Add(b []byte) {
	if n := min(len(b), r.half-len(r.head)); n > 0 {
		r.head, b = append(r.head, b[:n]...), b[n:]
	}
	if skip := len(b) - r.half; skip > 0 {
		r.lost += int64(skip) + int64(len(r.tail))
		r.tail, r.next, b = r.tail[:0], 0, b[skip:]
	}
	if n := min(len(b), r.half-len(r.tail)); n > 0 {
		r.tail, b = append(r.tail, b[:n]...), b[n:]
	}
	r.lost += int64(len(b))
	for len(b) > 0 {
		n := copy(r.tail[r.next:], b)
		r.next, b = (r.next+n)%r.half, b[n:]
	}
}

// Take gives what was added since the last one and forgets it. The slices hold
// until the next Add.
func (r *Ring) Take() (head []byte, lost int64, tail []byte) {
	head, lost, tail = r.head, r.lost, r.tail
	if r.next > 0 {
		tail = append(append(make([]byte, 0, len(tail)), tail[r.next:]...), tail[:r.next]...)
	}
	*r = Ring{half: r.half}
	return head, lost, tail
}

// Len is how many bytes are kept.
func (r *Ring) Len() int { return len(r.head) + len(r.tail) }
