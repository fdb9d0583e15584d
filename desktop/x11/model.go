package x11

import (
	"slices"
	"sync"
	"sync/atomic"

	"github.com/jezek/xgb/damage"
	"github.com/jezek/xgb/xproto"

	"oriel.dev/oriel/desktop"
)

// lastID numbers the map episodes of all displays of the process, so that an id
// is never used twice, not even after a reconnect.
var lastID atomic.Uint64

// record is what the event loop knows of one child of the root, or of a window
// that the window manager took into a frame.
type record struct {
	xid xproto.Window
	// id names the present map episode; 0 before the first and after each.
	id     desktop.WindowID
	popup  bool // override-redirect
	mapped bool
	// doubt is set when an unmanaged window was unmapped: only its WM_STATE
	// tells whether it was iconified, which ends nothing.
	doubt  bool
	parent xproto.Window // the frame, or the root
	// owner is the window that a popup was claimed for, or 0.
	owner desktop.WindowID
	// pid is the client's process by the server's word, plus one; 0 until asked.
	pid    atomic.Int64
	pixels pixels
}

// pixels is the state of a window's damage, for the event loop alone.
type pixels struct {
	damage damage.Damage
	// notified: the server holds damage that it has told us of and we have not
	// taken away. asked: we have, and the answer has not come yet.
	notified, asked bool
}

// model is what the event loop makes of the events. Reading it right after Sync
// gives what held at that moment.
type model struct {
	// mu guards all below but record.pixels.
	mu      sync.Mutex
	byXID   map[xproto.Window]*record
	byID    map[desktop.WindowID]*record
	focused map[uint32]xproto.Window // the window of each client that had the focus last
	manager uint32                   // client of the window manager, 0 without one
	// episodes counts what begins or ends episodes or popups: a reading is
	// consistent if it has not risen meanwhile.
	episodes uint64
	// changed is closed and renewed whenever an event has been handled.
	changed chan struct{}
}

func (m *model) setManager(client uint32) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.manager = client
}

func (m *model) init() {
	m.byXID = make(map[xproto.Window]*record)
	m.byID = make(map[desktop.WindowID]*record)
	m.focused = make(map[uint32]xproto.Window)
	m.changed = make(chan struct{})
}

// get returns the record of a window, nil if it is not known.
func (m *model) get(w xproto.Window) *record {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.byXID[w]
}

// add returns the record of a window, making it if need be.
func (m *model) add(w xproto.Window, popup bool, parent xproto.Window) (r *record, isNew bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.byXID[w]; r != nil {
		return r, false
	}
	r = &record{xid: w, popup: popup, parent: parent}
	m.byXID[w] = r
	return r, true
}

// beginEpisode gives a window an id unless it has one.
func (m *model) beginEpisode(r *record) desktop.WindowID {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.begin(r)
}

func (m *model) begin(r *record) desktop.WindowID {
	if r.id == 0 && !r.popup {
		r.id = desktop.WindowID(lastID.Add(1))
		m.byID[r.id] = r
		m.episodes++
	}
	return r.id
}

// endEpisode takes the id away and returns it.
func (m *model) endEpisode(r *record) desktop.WindowID {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.end(r)
}

func (m *model) end(r *record) desktop.WindowID {
	id := r.id
	if id != 0 {
		delete(m.byID, id)
		m.episodes++
	}
	r.id, r.doubt = 0, false
	return id
}

// forget drops a destroyed window.
func (m *model) forget(r *record) desktop.WindowID {
	m.mu.Lock()
	defer m.mu.Unlock()
	id := m.end(r)
	delete(m.byXID, r.xid)
	if r.popup {
		m.episodes++
	}
	for c, w := range m.focused {
		if w == r.xid {
			delete(m.focused, c)
		}
	}
	return id
}

// window returns the X window of a live episode.
func (m *model) window(id desktop.WindowID) (xproto.Window, bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	r, ok := m.byID[id]
	if !ok {
		return 0, false
	}
	return r.xid, true
}

// inFrame returns the id of the managed window in a frame, or 0.
func (m *model) inFrame(frame xproto.Window) desktop.WindowID {
	m.mu.Lock()
	defer m.mu.Unlock()
	for id, r := range m.byID {
		if r.parent == frame {
			return id
		}
	}
	return 0
}

// clientWindows returns the ids of the windows of a client, oldest first.
func (m *model) clientWindows(client uint32, of func(xproto.Window) uint32) []desktop.WindowID {
	m.mu.Lock()
	defer m.mu.Unlock()
	var ids []desktop.WindowID
	for id, r := range m.byID {
		if of(r.xid) == client {
			ids = append(ids, id)
		}
	}
	slices.Sort(ids)
	return ids
}

// wake tells everybody who waits for a change.
func (m *model) wake() {
	m.mu.Lock()
	defer m.mu.Unlock()
	close(m.changed)
	m.changed = make(chan struct{})
}

// next returns a channel that is closed at the next event.
func (m *model) next() <-chan struct{} {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.changed
}
