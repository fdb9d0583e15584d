package bridge

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/hostabi"
)

// firstView is how long a new window may keep a publication waiting, so that
// readers meet it with its content instead of twice.
const firstView = 400 * time.Millisecond

// entry is one window, for as long as its map episode lasts. Guarded by
// Bridge.mu.
type entry struct {
	id     string
	win    desktop.Window
	app    *app
	owners []desktop.WindowID // see topWindow
	born   time.Time
	turn   int // rises with the order in which windows opened or, later, became modal

	dirty   bool      // to be looked at, when due
	since   time.Time // when it became dirty
	due     time.Time
	damaged bool // dirty by redrawn pixels alone

	looks    int                // looks that have ended, whatever came of them
	lookedAt time.Time          // when the last one ended
	backoff  time.Duration      // how long after a look damage or trouble may call for the next
	seenGen  desktop.Generation // of the last look that was answered
	seen     view               // the newest view
	trouble  trouble
	version  int64
	blockIDs blockIDs
	shown    *Window // as published, nil if not yet
}

// trouble is why the last look gave no complete view; the zero value is none.
// Since is when it began, which is what readers are told, so that the notice
// does not change with every further look.
type trouble struct {
	text  string
	err   error
	since time.Time
}

// relist asks the window system which windows there are and takes the answer in.
func (b *Bridge) relist(ctx context.Context) error {
	b.listing.Lock()
	defer b.listing.Unlock()
	look, cancel := context.WithTimeout(ctx, b.cfg.Look)
	defer cancel()
	windows, err := b.cfg.Desktop.Windows.List(look)
	switch {
	case ctx.Err() != nil:
		return nil // the caller has ended and will see so itself
	case errors.Is(err, desktop.ErrDisconnected):
		return b.lose(err)
	case err != nil:
		b.cfg.Log.Warn("listing windows", "err", err)
		return nil
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.takeListLocked(windows)
}

// takeListLocked makes the state agree with a fresh list.
func (b *Bridge) takeListLocked(windows []desktop.Window) error {
	if b.lost != nil {
		return b.lost
	}
	present := make(map[desktop.WindowID]bool, len(windows))
	// Several may be new at once: ids rise with age, the list may be in any order.
	windows = slices.SortedFunc(slices.Values(windows), func(a, b desktop.Window) int { return cmp.Compare(a.ID, b.ID) })
	for _, w := range windows {
		present[w.ID] = true
		e := b.entries[w.ID]
		if e == nil {
			n, err := b.cfg.NextID()
			if err != nil {
				// Better one window too few than two of one id; the next
				// listing tries again.
				b.cfg.Log.Error("a window is left out: it gets no id", "title", plain(w.Title), "err", err)
				continue
			}
			a := b.appLocked(w.App)
			e = &entry{id: "w" + strconv.FormatInt(n, 10), app: a, born: time.Now()}
			b.entries[w.ID] = e
			b.order = append(b.order, w.ID)
			a.windows[w.ID] = true
			e.touch(0)
		}
		if e.turn == 0 || w.Modal && !e.win.Modal {
			b.turns++
			e.turn = b.turns
		}
		e.win = w
	}
	for id, e := range b.entries {
		if !present[id] {
			b.dropLocked(id, e)
		}
	}
	b.order = slices.DeleteFunc(b.order, func(id desktop.WindowID) bool { return !present[id] })
	for _, id := range b.order {
		b.ownersLocked(b.entries[id])
	}
	b.publishLocked()
	return nil
}

// ownersLocked remembers the chain of owners while they live. An owner that
// vanished keeps its place, so that a modal can be handed to the next one.
func (b *Bridge) ownersLocked(e *entry) {
	if e.win.Owner == 0 {
		if len(e.owners) > 0 && b.entries[e.owners[0]] != nil {
			e.owners = nil // the window system took the owner back, it did not die
		}
		return
	}
	owner := b.entries[e.win.Owner]
	if owner == nil {
		if len(e.owners) == 0 || e.owners[0] != e.win.Owner {
			e.owners = append([]desktop.WindowID{e.win.Owner}, e.owners...)
		}
		return
	}
	chain := []desktop.WindowID{e.win.Owner}
	for at := owner; at != nil && at.win.Owner != 0 && !slices.Contains(chain, at.win.Owner); at = b.entries[at.win.Owner] {
		chain = append(chain, at.win.Owner)
	}
	e.owners = chain
}

// dropLocked forgets a window, and its application with its last one.
func (b *Bridge) dropLocked(id desktop.WindowID, e *entry) {
	delete(b.entries, id)
	delete(e.app.windows, id)
	if len(e.app.windows) == 0 {
		e.app.stop()
		delete(b.apps, e.app.id)
		delete(b.handles, e.app.handle)
	}
}

// appLocked returns the application, starting its observer if it is new.
func (b *Bridge) appLocked(a desktop.App) *app {
	if known := b.apps[a.ID]; known != nil {
		return known
	}
	base := HandleOf(a.Name)
	handle := base
	for n := 2; b.handles[handle] != 0; n++ {
		handle = base + "-" + strconv.Itoa(n)
	}
	b.handles[handle] = a.ID
	known := newApp(b.ctx, a.ID, handle)
	b.apps[a.ID] = known
	b.group.Go(func() { b.observe(known) })
	return known
}

// maxHandle is how many bytes of an application's name a handle keeps.
const maxHandle = 40

var unsafeName = regexp.MustCompile(`[^a-z0-9_-]+`)

// windowLike is a handle that would be taken for the id of a window.
var windowLike = regexp.MustCompile(`^w[0-9]+$`)

// HandleOf makes a handle of [a-z0-9_-] out of an application's name, without the
// two underscores that end it in the name of a tool. Of a reversed domain, such
// as org.gnome.Calculator, the last part says enough.
func HandleOf(name string) string {
	if strings.Count(name, ".") >= 2 {
		name = name[strings.LastIndexByte(name, '.')+1:]
	}
	name = strings.Trim(unsafeName.ReplaceAllString(strings.ToLower(name), "-"), "-_")
	for strings.Contains(name, "__") {
		name = strings.ReplaceAll(name, "__", "_")
	}
	name = name[:min(len(name), maxHandle)]
	switch {
	case name == "":
		return "app"
	case windowLike.MatchString(name):
		return name + "-app"
	}
	return name
}

// markDirty notes what changed and wakes the observers.
func (b *Bridge) markDirty(c desktop.Changes) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, id := range c.Windows {
		if e := b.entries[id]; e != nil {
			e.touch(b.cfg.Quiet)
		}
	}
	for _, id := range c.Damaged {
		if e := b.entries[id]; e != nil && !e.dirty {
			e.touch(max(b.cfg.Quiet, time.Until(e.lookedAt.Add(e.backoff))))
			e.damaged = true
		}
	}
}

// awaitingViewsLocked reports whether a young window has not been looked at yet.
func (b *Bridge) awaitingViewsLocked() bool {
	for _, e := range b.entries {
		if e.looks == 0 && time.Since(e.born) < firstView {
			return true
		}
	}
	return false
}

// publishLocked makes a snapshot of the state, and if it differs from the one
// before, stores it and tells the listeners. It waits a little for the first
// view of new windows.
func (b *Bridge) publishLocked() {
	defer b.wakeWaitersLocked()
	if b.awaitingViewsLocked() && b.lost == nil {
		if b.held == nil {
			b.held = time.AfterFunc(firstView, func() {
				b.mu.Lock()
				defer b.mu.Unlock()
				b.held = nil
				b.publishLocked()
			})
		}
		return
	}
	b.publishNowLocked()
}

// publishNow publishes what is known, views or not, so that a client that was
// refused by it can read why.
func (b *Bridge) publishNow() {
	b.mu.Lock()
	defer b.mu.Unlock()
	defer b.wakeWaitersLocked()
	b.publishNowLocked()
}

func (b *Bridge) publishNowLocked() {
	old := b.published.Load()
	windows := b.windowsLocked()
	notice := ""
	if b.lost != nil {
		notice = plain(b.lost.Error())
	}
	if b.begun && slices.Equal(old.Windows, windows) && old.Notice == notice {
		return
	}
	b.begun = true
	snap := newSnapshot(old.Seq+1, windows, notice)
	b.published.Store(snap)
	for _, key := range slices.Sorted(maps.Keys(b.listeners)) {
		b.listeners[key](old, snap)
	}
}

// judgeLocked applies the modal logic to the present state.
func (b *Bridge) judgeLocked() map[desktop.WindowID]verdict {
	tops := make([]topWindow, 0, len(b.order))
	for _, id := range b.order {
		e := b.entries[id]
		tops = append(tops, topWindow{id: id, app: e.win.App.ID, group: e.win.Group, modal: e.win.Modal, owners: e.owners})
	}
	slices.SortFunc(tops, func(x, y topWindow) int { return cmp.Compare(b.entries[x.id].turn, b.entries[y.id].turn) })
	return judge(tops)
}

// windowsLocked makes the published form of every window, keeping those that
// did not change.
func (b *Bridge) windowsLocked() []*Window {
	verdicts := b.judgeLocked()
	windows := make([]*Window, 0, len(b.order))
	for _, id := range b.order {
		windows = append(windows, b.windowLocked(b.entries[id], verdicts[id]))
	}
	return windows
}

func (b *Bridge) windowLocked(e *entry, v verdict) *Window {
	c := e.seen.content
	w := &Window{
		ID: e.id, App: e.app.handle, Title: c.title, Modal: v.modal, OwnerID: b.publicID(v.owner),
		Summary: c.summary, Blocks: c.blocks, Actions: c.actions, AppActions: c.appActions, Adapter: e.seen.adapterName(),
		Operable: v.blockedBy == 0, BlockedBy: b.publicID(v.blockedBy),
	}
	if w.Title == "" {
		w.Title = plain(e.win.Title)
	}
	if note := e.notice(); note != "" {
		block := hostabi.Block{Key: "oriel.trouble", Type: hostabi.Notice, Severity: hostabi.Warn, Text: note}
		w.Blocks = append(slices.Clip(w.Blocks), Block{ID: e.blockIDs.id(block.Key, block.Type), Block: block})
	}
	w.Version = e.version
	if e.shown == nil || !sameContent(e.shown, w) {
		e.version++
		w.Version = e.version
	}
	w.text = w.encode()
	if e.shown == nil || !bytes.Equal(e.shown.text, w.text) || !sameTools(e.shown, w) {
		e.shown = w
	}
	return e.shown
}

// notice tells a reader why what is shown may be old or not by its adapter.
func (e *entry) notice() string {
	if e.trouble.text != "" {
		return e.trouble.text
	}
	return e.seen.adapter.Notice
}

func (b *Bridge) publicID(id desktop.WindowID) string {
	if e := b.entries[id]; e != nil {
		return e.id
	}
	return ""
}

// sameContent compares what a version speaks of: blocks and summary.
func sameContent(a, b *Window) bool {
	return a.Summary == b.Summary && slices.EqualFunc(a.Blocks, b.Blocks, func(x, y Block) bool {
		return bytes.Equal(appendBlock(nil, x), appendBlock(nil, y))
	})
}

// sameTools compares what tools/list shows of two windows.
func sameTools(a, b *Window) bool {
	return a.Operable == b.Operable && a.BlockedBy == b.BlockedBy && sameActions(a.Actions, b.Actions) && sameActions(a.AppActions, b.AppActions)
}

func sameActions(a, b []Action) bool {
	return slices.EqualFunc(a, b, func(x, y Action) bool { return x.Action == y.Action })
}
