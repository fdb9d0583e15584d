package x11

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/jezek/xgb/xproto"

	"oriel.dev/oriel/desktop"
)

// Config says which display to open and who hears of its events.
type Config struct {
	// Display is an X display name such as ":0"; "" means $DISPLAY.
	Display string
	// Event is called for every event, in order, from the one goroutine that
	// reads them. It must return soon and must not call the Display. It may be
	// nil.
	Event func(Event)
}

// Display is one connected X display. Its methods and those of its roles may
// be called from any goroutine.
type Display struct {
	name      string
	events    *link // events and selections; nothing is awaited in its loop
	questions *link // queries and pictures
	hands     *link // input

	atoms atoms
	names *names
	own   xproto.Window // never mapped; receives what we send to ourselves

	composite, damage, resources, shm, randr bool // which extensions there are
	damageEvent                              byte // the number of the damage event

	emit  func(Event)
	queue *queue
	model model
	marks marks

	windows   *Windows
	input     *Input
	capture   *Capture
	selection *Selection

	// loopDone is closed when the event loop has delivered its last event.
	loopDone chan struct{}
	running  sync.WaitGroup

	// mu guards cause and closing.
	mu      sync.Mutex
	cause   error
	closing bool
}

// Open connects to a display. A missing or unreachable one is an error that
// names it and says what to do.
func Open(ctx context.Context, cfg Config) (*Display, error) {
	name, from := cfg.Display, ""
	if name == "" {
		name, from = os.Getenv("DISPLAY"), " (from $DISPLAY)"
	}
	if name == "" {
		return nil, fmt.Errorf("opening the X display: $DISPLAY is not set (%w): set it to the desktop to use, such as DISPLAY=:0, or start a virtual desktop", desktop.ErrDisconnected)
	}
	d := &Display{name: name, emit: cfg.Event, queue: newQueue(), loopDone: make(chan struct{})}
	d.model.init()
	if d.emit == nil {
		d.emit = func(Event) {}
	}
	if err := d.open(ctx); err != nil {
		d.Close()
		return nil, fmt.Errorf("opening the X display %q%s (%w): %w: check that its X server runs and lets this user in, or set DISPLAY to another", name, from, desktop.ErrDisconnected, err)
	}
	return d, nil
}

func (d *Display) open(ctx context.Context) (err error) {
	for _, l := range []**link{&d.events, &d.questions, &d.hands} {
		if *l, err = openLink(ctx, d.name, d.lose); err != nil {
			return err
		}
	}
	d.running.Go(d.questions.drain)
	d.running.Go(d.hands.drain)
	if err := d.setUp(ctx); err != nil {
		return err
	}
	d.running.Go(d.pump)
	d.running.Go(d.loop)
	d.running.Go(d.selection.serve)
	return d.startWatching(ctx)
}

// lose ends all connections with the first that ends.
func (d *Display) lose(cause error) {
	d.mu.Lock()
	if d.cause == nil {
		d.cause = cause
	}
	d.mu.Unlock()
	for _, l := range []*link{d.events, d.questions, d.hands} {
		if l != nil {
			l.end(cause)
		}
	}
}

// Close ends the connections and waits for the goroutines. It may be called
// more than once. No event is delivered after it.
func (d *Display) Close() error {
	d.mu.Lock()
	d.closing = true
	d.mu.Unlock()
	d.lose(errors.New("closed"))
	d.running.Wait()
	for _, l := range []*link{d.events, d.questions, d.hands} {
		if l != nil {
			l.asking.Wait()
		}
	}
	if d.capture != nil {
		d.capture.free()
	}
	return nil
}

// Name returns the name of the display, such as ":0".
func (d *Display) Name() string { return d.name }

// Done is closed when the connection has ended and the last event has been
// delivered.
func (d *Display) Done() <-chan struct{} { return d.loopDone }

// Err tells why the connection ended, or nil while it lasts.
func (d *Display) Err() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.cause == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", desktop.ErrDisconnected, d.cause)
}

// Windows returns the window role.
func (d *Display) Windows() *Windows { return d.windows }

// Input returns the input role.
func (d *Display) Input() *Input { return d.input }

// Capture returns the capture role.
func (d *Display) Capture() *Capture { return d.capture }

// Selection returns the clipboard role.
func (d *Display) Selection() *Selection { return d.selection }

// client returns the resource base of the X client that made a window.
func (d *Display) client(w xproto.Window) uint32 {
	return uint32(w) &^ d.events.setup.ResourceIdMask
}

// ours reports whether the window was made by one of our connections.
func (d *Display) ours(w xproto.Window) bool {
	c := d.client(w)
	for _, l := range []*link{d.events, d.questions, d.hands} {
		if l.setup.ResourceIdBase == c {
			return true
		}
	}
	return false
}
