package bridge

import (
	"context"
	"errors"
	"fmt"
	"image"
	"log/slog"
	"regexp"
	"sync"
	"sync/atomic"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/guard"
	"oriel.dev/oriel/hostabi"
)

// Config is what a bridge is made of. All fields but Log and the durations are
// required.
type Config struct {
	Desktop  *desktop.Desktop
	Guard    *guard.Guard
	Adapters Adapters
	// NextID returns a number for a window id. It never returns one twice, not
	// even after a restart.
	NextID func() (int64, error)
	Log    *slog.Logger
	// Seq is the Seq of the snapshot that the first one follows: that of the
	// bridge before, when the desktop was lost and found again.
	Seq uint64
	// OCR reads text from pixels; nil means that there is none.
	OCR OCR
	// SensitiveLabels mark the fields whose labels they match as sensitive.
	SensitiveLabels []*regexp.Regexp
	// Quiet is how long an application must have been silent before it is
	// looked at, Busy after how long it is looked at all the same. Zero means
	// 50 ms and 250 ms.
	Quiet, Busy time.Duration
	// Look bounds one look at a window; zero means 2 s.
	Look time.Duration
	// Patience is how long an act without a visible effect waits for one, and
	// Settle bounds the whole wait. Zero means 1.2 s and 1.5 s.
	Patience, Settle time.Duration
}

// OCR returns the words that are seen on a picture, in pixels of it.
type OCR func(ctx context.Context, img *image.RGBA) ([]hostabi.Word, error)

func (c *Config) defaults() error {
	if c.Desktop == nil || c.Guard == nil || c.Adapters == nil || c.NextID == nil {
		return errors.New("making a bridge: Desktop, Guard, Adapters and NextID are required")
	}
	if c.Desktop.Windows == nil || c.Desktop.Tree == nil || c.Desktop.Watch == nil {
		return fmt.Errorf("making a bridge: windows, tree and watch: %w", desktop.ErrUnsupported)
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	for _, d := range []struct {
		field *time.Duration
		value time.Duration
	}{
		{&c.Quiet, 50 * time.Millisecond},
		{&c.Busy, 250 * time.Millisecond},
		{&c.Look, 2 * time.Second},
		{&c.Patience, 1200 * time.Millisecond},
		{&c.Settle, 1500 * time.Millisecond},
	} {
		if *d.field == 0 {
			*d.field = d.value
		}
	}
	return nil
}

// Bridge serves one desktop. Its state has one owner, the mutex; observers and
// acts bring what they saw through its doors, and each door publishes.
type Bridge struct {
	cfg       Config
	published atomic.Pointer[Snapshot]
	views     viewer

	// listing is held from asking for the list of windows until it is taken in, so
	// that an older list never follows a newer one.
	listing sync.Mutex

	mu        sync.Mutex // guards all following fields
	entries   map[desktop.WindowID]*entry
	order     []desktop.WindowID // of entries, oldest first
	apps      map[desktop.AppID]*app
	handles   map[string]desktop.AppID // of the applications that run
	listeners map[int]func(old, new *Snapshot)
	nextKey   int
	turns     int             // given out so far; see entry
	waiters   []chan struct{} // closed at the next publication or look
	lost      error           // the desktop is gone, or Run has ended
	begun     bool            // something was published
	ctx       context.Context // of Run: the observers' parent
	group     *sync.WaitGroup // of Run: waits for the observers
	held      *time.Timer     // publishes what waits for first views; nil if nothing does
}

// New returns a bridge that has seen nothing yet. [Bridge.Run] makes it live.
func New(cfg Config) (*Bridge, error) {
	if err := cfg.defaults(); err != nil {
		return nil, err
	}
	b := &Bridge{
		cfg: cfg, views: viewer{adapters: cfg.Adapters, capture: cfg.Desktop.Capture, ocr: cfg.OCR, secret: cfg.SensitiveLabels},
		entries: map[desktop.WindowID]*entry{}, apps: map[desktop.AppID]*app{},
		handles: map[string]desktop.AppID{}, listeners: map[int]func(old, new *Snapshot){},
	}
	b.published.Store(NewSnapshot(cfg.Seq, nil))
	return b, nil
}

// Snapshot returns the newest published state. It never blocks.
func (b *Bridge) Snapshot() *Snapshot { return b.published.Load() }

// Notify calls f after each publication, in order, with the state before and
// after; the new one can be read by then. f must not block and must not call
// back into the bridge, except for Snapshot. Cancel ends it.
func (b *Bridge) Notify(f func(old, new *Snapshot)) (cancel func()) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.nextKey++
	key := b.nextKey
	b.listeners[key] = f
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		delete(b.listeners, key)
	}
}

// Run watches the desktop until ctx ends or the desktop is lost, which is then
// the error. It waits for everything that it started.
func (b *Bridge) Run(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	var group sync.WaitGroup
	b.mu.Lock()
	b.ctx, b.group = ctx, &group
	b.mu.Unlock()
	defer func() {
		_ = b.lose(errors.New("the bridge has stopped"))
		cancel()
		group.Wait()
	}()
	group.Go(func() { b.followAdapters(ctx) })
	if err := b.relist(ctx); err != nil {
		return err
	}
	for {
		changes, err := b.cfg.Desktop.Watch.Next(ctx)
		switch {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			return fmt.Errorf("watching the desktop: %w", err)
		case changes.Lost != nil:
			return b.lose(changes.Lost)
		}
		if changes.List {
			if err := b.relist(ctx); err != nil {
				return err
			}
		}
		b.markDirty(changes)
	}
}

// Ready waits until every window that is open now has been looked at once.
func (b *Bridge) Ready(ctx context.Context) error {
	for {
		b.mu.Lock()
		ready := b.begun && !b.awaitingViewsLocked()
		wait := b.waitLocked()
		lost := b.lost
		b.mu.Unlock()
		if ready || lost != nil {
			return lost
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-wait:
		}
	}
}

// lose publishes that there is no desktop any more: no windows, nothing operable.
func (b *Bridge) lose(err error) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lost != nil {
		return b.lost
	}
	if b.held != nil {
		b.held.Stop()
	}
	b.lost = fmt.Errorf("the desktop is lost: %w", err)
	for _, a := range b.apps {
		a.stop()
	}
	clear(b.entries)
	clear(b.apps)
	clear(b.handles)
	b.order = nil
	b.publishLocked()
	return b.lost
}

// followAdapters has every window translated again when adapters changed.
func (b *Bridge) followAdapters(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-b.cfg.Adapters.Changed():
		}
		b.mu.Lock()
		for _, e := range b.entries {
			e.touch(0)
		}
		b.mu.Unlock()
	}
}

// waitLocked returns a channel that is closed when something was looked at or
// published next.
func (b *Bridge) waitLocked() <-chan struct{} {
	c := make(chan struct{})
	b.waiters = append(b.waiters, c)
	return c
}

func (b *Bridge) wakeWaitersLocked() {
	for _, c := range b.waiters {
		close(c)
	}
	b.waiters = nil
}
