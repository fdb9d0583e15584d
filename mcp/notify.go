package mcp

import (
	"bytes"
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"oriel.dev/oriel/bridge"
)

const (
	// quiet is how long the notifier waits after a change for another one that
	// one notification can tell together with it; patience is how long at most.
	quiet    = 20 * time.Millisecond
	patience = 100 * time.Millisecond

	methodUpdated      = "notifications/resources/updated"
	methodToolsChanged = "notifications/tools/list_changed"
)

// notify announces snapshots until the server closes. told is the one that
// clients can have read so far.
func (f *face) notify(told *bridge.Snapshot) {
	for {
		select {
		case <-f.ctx.Done():
			return
		case <-f.wake:
		}
		f.coalesce()
		snap := f.snapshot()
		// The tools go first: whoever reads because of the notification finds
		// both new.
		f.tools.sync(snap)
		if !bytes.Equal(snap.JSON(), told.JSON()) {
			// The outbox takes it at once, so neither error nor delay can be met.
			_ = f.sdk.ResourceUpdated(f.ctx, &sdk.ResourceUpdatedNotificationParams{URI: windowsURI})
		}
		told = snap
	}
}

// coalesce returns when no change came for the quiet time, or patience is over.
func (f *face) coalesce() {
	end := time.NewTimer(patience)
	defer end.Stop()
	calm := time.NewTimer(quiet)
	defer calm.Stop()
	for {
		select {
		case <-f.ctx.Done():
			return
		case <-end.C:
			return
		case <-calm.C:
			return
		case <-f.wake:
			calm.Reset(quiet)
		}
	}
}

// notification is one message to one session, not yet sent.
type notification struct {
	method string
	req    sdk.Request
	send   sdk.MethodHandler
}

func (n notification) session() *sdk.ServerSession {
	return n.req.GetSession().(*sdk.ServerSession)
}

// replace puts n behind the others in place of an older one of its kind.
func replace(pending []notification, n notification) []notification {
	pending = slices.DeleteFunc(pending, func(p notification) bool { return p.method == n.method })
	return append(pending, n)
}

// outbox sends notifications to each session apart, because the SDK sends them
// one session after the other and waits for each. What it holds is bounded: of
// each kind, a session has at most one that waits.
type outbox struct {
	ctx     context.Context
	timeout time.Duration
	missed  func(notification) // gets what could not be sent
	tools   func() uint64      // the generation of the tool list

	// mu guards what follows and the start of goroutines. A session is in
	// pending exactly while its goroutine runs; told is the generation of the
	// tool list that it was last told of.
	mu      sync.Mutex
	closed  bool
	pending map[*sdk.ServerSession][]notification
	told    map[*sdk.ServerSession]uint64
	wg      sync.WaitGroup
}

func newOutbox(ctx context.Context, timeout time.Duration, missed func(notification), tools func() uint64) *outbox {
	return &outbox{
		ctx: ctx, timeout: timeout, missed: missed, tools: tools,
		pending: map[*sdk.ServerSession][]notification{}, told: map[*sdk.ServerSession]uint64{},
	}
}

// middleware takes the two notifications of the protocol off the SDK's hands.
func (o *outbox) middleware(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		if method != methodUpdated && method != methodToolsChanged {
			return next(ctx, method, req)
		}
		n := notification{method, req, next}
		// One change of the list is many to the SDK, and on a busy machine it
		// tells of them more than once.
		if method != methodToolsChanged || o.news(n.session(), o.tools()) {
			o.put(n)
		}
		return nil, nil
	}
}

// news reports whether the session has not yet been told of the generation.
func (o *outbox) news(ss *sdk.ServerSession, generation uint64) bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.told[ss] == generation {
		return false
	}
	o.told[ss] = generation
	return true
}

// forget drops what is kept of sessions that have ended.
func (o *outbox) forget(living []*sdk.ServerSession) {
	o.mu.Lock()
	defer o.mu.Unlock()
	maps.DeleteFunc(o.told, func(ss *sdk.ServerSession, _ uint64) bool { return !slices.Contains(living, ss) })
}

func (o *outbox) put(n notification) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.closed {
		return
	}
	ss := n.session()
	waiting, running := o.pending[ss]
	o.pending[ss] = replace(waiting, n)
	if !running {
		o.wg.Go(func() { o.drain(ss) })
	}
}

// drain sends what waits for one session, until nothing does.
func (o *outbox) drain(ss *sdk.ServerSession) {
	for {
		n, ok := o.take(ss)
		if !ok {
			return
		}
		ctx, cancel := context.WithTimeout(o.ctx, o.timeout)
		if _, err := n.send(ctx, n.method, n.req); err != nil {
			o.missed(n)
		}
		cancel()
	}
}

func (o *outbox) take(ss *sdk.ServerSession) (notification, bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	waiting := o.pending[ss]
	if len(waiting) == 0 {
		delete(o.pending, ss)
		return notification{}, false
	}
	n := waiting[0]
	o.pending[ss] = slices.Clone(waiting[1:])
	return n, true
}

// close refuses further notifications and returns when nothing is being sent any
// more. The context must have ended.
func (o *outbox) close() {
	o.mu.Lock()
	o.closed = true
	o.mu.Unlock()
	o.wg.Wait()
}
