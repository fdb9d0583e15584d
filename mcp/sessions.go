package mcp

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
)

const (
	sessionHeader = "Mcp-Session-Id"
	// requestHeader carries the number of an HTTP request from our handler
	// through the SDK to our middleware. What a client sends in it is dropped.
	requestHeader = "Oriel-Request"
)

// sessions knows the HTTP sessions and requests, because the SDK neither ends
// what they began nor those that nobody uses any more.
type sessions struct {
	base context.Context

	// mu guards what follows.
	mu       sync.Mutex
	byID     map[string]*session
	requests map[string]context.Context // by requestHeader
	last     uint64                     // number of the latest request
}

// session is one HTTP session of the revisions that have them.
type session struct {
	ctx    context.Context // ends when the session does
	cancel context.CancelFunc
	open   int       // HTTP requests in progress, a listening GET included
	used   time.Time // when open last fell to 0, or the session was first seen
	// missed are notifications that found no stream to the client. They go out
	// when it listens again. At most one of each kind.
	missed []notification
}

func newSessions(ctx context.Context) *sessions {
	return &sessions{base: ctx, byID: map[string]*session{}, requests: map[string]context.Context{}}
}

func (s *sessions) getLocked(id string) *session {
	e := s.byID[id]
	if e == nil {
		e = &session{used: time.Now()}
		e.ctx, e.cancel = context.WithCancel(s.base)
		s.byID[id] = e
	}
	return e
}

// context returns a context that ends when the session is told to.
func (s *sessions) context(id string) context.Context {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.getLocked(id).ctx
}

// enter notes that a request of the session is in progress until leave.
func (s *sessions) enter(id string) (leave func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.getLocked(id)
	e.open++
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		e.open--
		e.used = time.Now()
	}
}

// end cancels the running calls of a session.
func (s *sessions) end(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if e := s.byID[id]; e != nil {
		e.cancel()
	}
}

// begin numbers an HTTP request, so that calls which came by it can be tied to it.
func (s *sessions) begin(r *http.Request) (finish func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.last++
	number := strconv.FormatUint(s.last, 10)
	r.Header.Set(requestHeader, number)
	s.requests[number] = r.Context()
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.requests, number)
	}
}

// request returns the context of the HTTP request with the header, or nil.
func (s *sessions) request(h http.Header) context.Context {
	number := h.Get(requestHeader)
	if number == "" {
		return nil
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if ctx := s.requests[number]; ctx != nil {
		return ctx
	}
	ended, cancel := context.WithCancel(context.Background())
	cancel()
	return ended
}

// miss keeps a notification for when the session listens again.
func (s *sessions) miss(n notification) {
	id := n.session().ID()
	if id == "" {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.getLocked(id)
	e.missed = replace(e.missed, n)
}

// missed takes what the session missed.
func (s *sessions) missed(id string) []notification {
	s.mu.Lock()
	defer s.mu.Unlock()
	e := s.byID[id]
	if e == nil {
		return nil
	}
	missed := e.missed
	e.missed = nil
	return missed
}

// idle returns the living sessions that nobody used for so long, and forgets
// what belongs to none.
func (s *sessions) idle(living []*sdk.ServerSession, limit time.Duration) []*sdk.ServerSession {
	s.mu.Lock()
	defer s.mu.Unlock()
	known := make(map[string]bool, len(living))
	var idle []*sdk.ServerSession
	for _, ss := range living {
		id := ss.ID()
		if id == "" {
			continue
		}
		known[id] = true
		e := s.getLocked(id)
		if e.open == 0 && time.Since(e.used) >= limit {
			e.cancel()
			idle = append(idle, ss)
		}
	}
	maps.DeleteFunc(s.byID, func(id string, e *session) bool {
		if known[id] || e.open > 0 {
			return false
		}
		e.cancel()
		return true
	})
	return idle
}

// reap ends the sessions that nobody used for the idle time. The SDK's own timeout
// counts only what a client sends, and would cut off one that only listens.
func (f *face) reap() {
	living := slices.Collect(f.sdk.Sessions())
	f.outbox.forget(living)
	for _, ss := range f.sessions.idle(living, f.cfg.IdleTimeout) {
		f.cfg.Log.Info("ending an idle session", "session", ss.ID())
		ss.Close()
	}
}
