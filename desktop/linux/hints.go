package linux

import (
	"context"
	"maps"
	"slices"
	"sync"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/atspi"
	"oriel.dev/oriel/desktop/x11"
)

// owners says whose events concern which windows.
type owners struct {
	// windows are those of each application, by its bus name: those that are
	// paired with an element of it, and those of its process that are not yet.
	windows map[string][]desktop.WindowID
	// waiting are the applications with windows that are not paired.
	waiting map[string]bool
	// orphans are all windows that are not paired.
	orphans []desktop.WindowID
}

// hints counts what may have changed each window and keeps what the watcher has
// not been told yet. Both event readers call it, so nothing in it waits: what
// comes faster than the watcher looks only grows a set.
type hints struct {
	wake chan struct{} // holds one token while something is untold; never closed

	// mu guards everything below and is held for a few map operations at most.
	mu      sync.Mutex
	gens    map[desktop.WindowID]desktop.Generation
	owners  owners
	changed map[desktop.WindowID]struct{}
	damaged map[desktop.WindowID]struct{}
	list    bool
	lost    error
}

func newHints() *hints {
	return &hints{
		wake:    make(chan struct{}, 1),
		gens:    map[desktop.WindowID]desktop.Generation{},
		changed: map[desktop.WindowID]struct{}{},
		damaged: map[desktop.WindowID]struct{}{},
	}
}

// generation returns the window's generation now. It is never nought.
func (h *hints) generation(id desktop.WindowID) desktop.Generation {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.gens[id] + 1
}

// raise counts a change in each of the windows. The caller holds mu.
func (h *hints) raise(ids ...desktop.WindowID) {
	for _, id := range ids {
		h.gens[id]++
		h.changed[id] = struct{}{}
	}
}

func (h *hints) notify() {
	select {
	case h.wake <- struct{}{}:
	default:
	}
}

// window counts an event of the window system.
func (h *hints) window(e x11.Event) {
	h.mu.Lock()
	defer h.mu.Unlock()
	switch e.Kind {
	case x11.Lost:
		h.lose(nil)
	case x11.Damaged:
		h.gens[e.Window]++
		h.damaged[e.Window] = struct{}{}
	case x11.PropertyChanged:
		h.raise(e.Window)
	default:
		h.list = true
		if e.Window != 0 {
			h.raise(e.Window)
		}
	}
	h.notify()
}

// application counts an event of the accessibility bus, and reports whether it
// may be about a window that is not paired yet. Which window of the application
// an element lies in is not known without asking it, so all of them count as
// changed; windows that no application is known for may be the sender's.
func (h *hints) application(e atspi.Event) (unpaired bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	defer h.notify()
	ids, known := h.owners.windows[e.Bus]
	switch {
	case e.Kind == atspi.Lost:
		for _, ids := range h.owners.windows {
			h.raise(ids...)
		}
		h.list = true
		return false
	case !known:
		h.list = true
		h.raise(h.owners.orphans...)
		return len(h.owners.orphans) > 0
	}
	h.raise(ids...)
	waiting := h.owners.waiting[e.Bus]
	h.list = h.list || waiting || e.Kind == atspi.WindowChanged || e.Kind == atspi.AppGone
	return waiting
}

// own sets whose windows are whose. A window that changed hands counts as
// changed, because events of its new owner were not counted for it before.
func (h *hints) own(o owners, moved []desktop.WindowID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.owners = o
	if len(moved) > 0 {
		h.raise(moved...)
		h.list = true
		h.notify()
	}
}

// forget drops windows that are gone; their ids do not come back.
func (h *hints) forget(ids []desktop.WindowID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, id := range ids {
		delete(h.gens, id)
		delete(h.changed, id)
		delete(h.damaged, id)
	}
}

// touch counts a change that no event told of: an application that hangs, or
// answers again.
func (h *hints) touch(bus string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.raise(h.owners.windows[bus]...)
	h.list = true
	h.notify()
}

// moved counts a popup that went from one window to another.
func (h *hints) moved(ids ...desktop.WindowID) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.raise(ids...)
	h.list = true
	h.notify()
}

// relist asks for the list of windows anew: something that it tells has changed.
func (h *hints) relist() {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.list = true
	h.notify()
}

// end tells the watcher that the desktop is lost.
func (h *hints) end(err error) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.lose(err)
	h.notify()
}

func (h *hints) lose(err error) {
	if h.lost != nil {
		return
	}
	h.lost = desktop.ErrDisconnected
	if err != nil {
		h.lost = err
	}
}

// take returns all that the watcher was not told, and whether it is anything.
// That the desktop is lost is told every time.
func (h *hints) take() (desktop.Changes, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	c := desktop.Changes{
		List: h.list, Lost: h.lost,
		Windows: slices.Sorted(maps.Keys(h.changed)),
		Damaged: slices.Sorted(maps.Keys(h.damaged)),
	}
	h.list = false
	clear(h.changed)
	clear(h.damaged)
	return c, c.List || c.Lost != nil || len(c.Windows) > 0 || len(c.Damaged) > 0
}

// Next implements half of [desktop.Watch].
func (h *hints) Next(ctx context.Context) (desktop.Changes, error) {
	for {
		if err := ctx.Err(); err != nil {
			return desktop.Changes{}, err
		}
		if c, any := h.take(); any {
			return c, nil
		}
		select {
		case <-h.wake:
		case <-ctx.Done():
		}
	}
}
