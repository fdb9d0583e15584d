package sandbox

import (
	"strings"
	"sync"
)

// The bytes of output that are kept: the beginning, where a Go guest says why it
// panics, and the end.
const (
	tailHead = 4 << 10
	tailSize = 16 << 10
)

// tail keeps the beginning and the end of what is written to it, at most
// tailSize bytes, so that a guest that floods its standard error costs nothing.
type tail struct {
	mu   sync.Mutex // guards all below
	head []byte
	end  []byte // a ring once it is full
	next int    // where the ring continues
	lost bool   // something between head and end was dropped
}

// Write never fails.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	n := len(p)
	take := min(tailHead-len(t.head), len(p))
	t.head = append(t.head, p[:take]...)
	p = p[take:]
	if over := len(p) - (tailSize - tailHead); over > 0 {
		p, t.lost = p[over:], true
	}
	for len(p) > 0 {
		if len(t.end) < tailSize-tailHead {
			take = min(tailSize-tailHead-len(t.end), len(p))
			t.end = append(t.end, p[:take]...)
		} else {
			take = copy(t.end[t.next:], p)
			t.next, t.lost = (t.next+take)%len(t.end), true
		}
		p = p[take:]
	}
	return n, nil
}

// reset forgets what was written.
func (t *tail) reset() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.head, t.end, t.next, t.lost = t.head[:0], t.end[:0], 0, false
}

// lines returns what was kept, without empty lines at its ends.
func (t *tail) lines() []string {
	t.mu.Lock()
	defer t.mu.Unlock()
	gap := ""
	if t.lost {
		gap = "\n…\n"
	}
	s := string(t.head) + gap + string(t.end[t.next:]) + string(t.end[:t.next])
	s = strings.Trim(strings.ToValidUTF8(s, "\uFFFD"), "\r\n")
	if s == "" {
		return nil
	}
	return strings.Split(s, "\n")
}
