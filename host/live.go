package host

import (
	"context"
	"maps"
	"slices"
	"sync"
	"sync/atomic"

	"oriel.dev/oriel/bridge"
)

// live is the bridge as clients see it: one for as long as the host lives, over
// the bridge of the present desktop. When the desktop is lost and found again,
// a new bridge takes over and the listeners go along.
type live struct {
	bridge atomic.Pointer[bridge.Bridge]

	mu        sync.Mutex       // guards all following fields, and puts what listeners are told in order
	last      *bridge.Snapshot // that listeners were told of
	cancel    func()           // ends the forwarding from bridge
	listeners map[int]func(old, new *bridge.Snapshot)
	nextKey   int
}

func newLive(b *bridge.Bridge) *live {
	l := &live{listeners: map[int]func(old, new *bridge.Snapshot){}, last: b.Snapshot()}
	l.follow(b)
	return l
}

// follow lets b take over.
func (l *live) follow(b *bridge.Bridge) {
	l.bridge.Store(b)
	l.mu.Lock()
	old := l.cancel
	l.mu.Unlock()
	if old != nil {
		old()
	}
	cancel := b.Notify(func(_, now *bridge.Snapshot) { l.tell(b, now) })
	l.mu.Lock()
	l.cancel = cancel
	l.mu.Unlock()
}

// tell passes a publication on, unless another bridge has taken over.
func (l *live) tell(b *bridge.Bridge, now *bridge.Snapshot) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.bridge.Load() != b {
		return
	}
	old := l.last
	l.last = now
	for _, key := range slices.Sorted(maps.Keys(l.listeners)) {
		l.listeners[key](old, now)
	}
}

// Snapshot returns the present state.
func (l *live) Snapshot() *bridge.Snapshot { return l.bridge.Load().Snapshot() }

// Act carries out one act on the present desktop.
func (l *live) Act(ctx context.Context, r bridge.Request) (*bridge.Result, error) {
	return l.bridge.Load().Act(ctx, r)
}

// Notify is that of the bridge, across desktops.
func (l *live) Notify(f func(old, new *bridge.Snapshot)) (cancel func()) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.nextKey++
	key := l.nextKey
	l.listeners[key] = f
	return func() {
		l.mu.Lock()
		defer l.mu.Unlock()
		delete(l.listeners, key)
	}
}
