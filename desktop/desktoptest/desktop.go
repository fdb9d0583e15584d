// Package desktoptest has an in-memory desktop, [Desktop], for the tests of
// what stands on a desktop, and one suite per role of [desktop.Desktop] that it
// and every real backend pass.
//
// The in-memory desktop behaves as a real one does where callers can tell:
// every change raises a generation, a window that another one covers is not
// clicked, keys go to the active window, a blocked window ignores input, an
// application that hangs answers nothing.
package desktoptest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

// Desktop is a desktop in memory. Tests program it by its own methods and hand
// [Desktop.Roles] to what they test. All methods may be called concurrently.
type Desktop struct {
	// Patience bounds how long a call waits for a hung application when its
	// context has no nearer deadline. It is set before the first call.
	Patience time.Duration
	// Screen is the size of the only display. It is set before the first call.
	Screen tree.Rect

	acts sync.WaitGroup // functions bound to actions that still run

	// mu guards everything below.
	mu       sync.Mutex
	lastID   desktop.WindowID
	lastNode tree.NodeID
	apps     map[string]desktop.AppID // by name and process id
	lastApp  desktop.AppID
	windows  []*window // by stacking, topmost last
	hung     map[desktop.AppID]chan struct{}
	bound    map[boundKey]func()
	onAct    func(desktop.WindowID, tree.NodeID, desktop.Deed) (bool, error)
	onLook   func(desktop.WindowID)
	onKey    func(desktop.WindowID, desktop.Chord)
	limit    int
	calls    []string
	faults   []fault
	pointer  desktop.Point
	inputs   []Input
	grabbed  bool
	clip     map[string][]byte
	pending  desktop.Changes
	lost     error
	wake     chan struct{} // holds one token when pending is not empty; never closed
}

// window is one window and what its application shows in it.
type window struct {
	desktop.Window
	gen     desktop.Generation
	tree    *tree.Tree // nil without accessibility
	secrets map[tree.NodeID]string
	onClose func()
}

type boundKey struct {
	node   tree.NodeID
	action int
}

// fault is an error planned for a call: the n-th from now, or every call with
// the name.
type fault struct {
	n    int
	name string
	err  error
}

// New returns a desktop of 1280×800 pixels without windows.
func New() *Desktop {
	return &Desktop{
		Patience: time.Second,
		Screen:   tree.Rect{W: 1280, H: 800},
		apps:     map[string]desktop.AppID{},
		hung:     map[desktop.AppID]chan struct{}{},
		bound:    map[boundKey]func(){},
		clip:     map[string][]byte{},
		wake:     make(chan struct{}, 1),
	}
}

// Roles returns the desktop as its users see it.
func (d *Desktop) Roles() *desktop.Desktop {
	return &desktop.Desktop{
		Windows:   windowsRole{d},
		Tree:      treeRole{d},
		Input:     inputRole{d},
		Capture:   captureRole{d},
		Selection: selectionRole{d},
		Watch:     watchRole{d},
		Close:     d.close,
	}
}

// AddWindow opens a window on top of the others and returns its id. What w
// leaves empty is filled in: the ids, a process, a toolkit, a place on the
// screen. The window becomes the active one unless it is minimized. A nil t is
// a window without accessibility. In t, elements without an id get one, and
// elements without any state are enabled, showing and visible.
func (d *Desktop) AddWindow(w desktop.Window, t *tree.Tree) desktop.WindowID {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.lastID++
	w.ID = d.lastID
	d.complete(&w, t != nil)
	w.Active = false
	opened := &window{Window: w, gen: 1, tree: d.adopt(t), secrets: map[tree.NodeID]string{}}
	d.windows = append(d.windows, opened)
	d.listed()
	if !w.Minimized {
		d.activate(opened)
	}
	return w.ID
}

// complete fills in what the test left out.
func (d *Desktop) complete(w *desktop.Window, accessible bool) {
	if w.Role == "" {
		w.Role = "normal"
	}
	if w.App.Name == "" {
		w.App.Name = "app"
	}
	if w.App.Process == "" {
		w.App.Process = w.App.Name
	}
	if w.Class == "" {
		w.Class, w.Instance = w.App.Name, w.App.Name
	}
	if w.App.ID == 0 {
		key := fmt.Sprint(w.App.Name, "/", w.App.PID)
		if d.apps[key] == 0 {
			d.lastApp++
			d.apps[key] = d.lastApp
		}
		w.App.ID = d.apps[key]
	}
	if w.App.PID == 0 {
		w.App.PID = 1000 + int(w.App.ID)
	}
	if w.Bounds.Empty() {
		n := int32(w.ID % 8)
		w.Bounds = tree.Rect{X: 40 * n, Y: 30 * n, W: 400, H: 300}
	}
	w.Accessible = accessible
	if accessible && w.App.Toolkit == "" {
		w.App.Toolkit = "gtk3"
	}
}

// Update changes what the window system says of a window.
func (d *Desktop) Update(id desktop.WindowID, change func(*desktop.Window)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	w := d.find(id)
	if w == nil {
		return
	}
	change(&w.Window)
	w.ID = id
	if w.Active {
		d.activate(w)
	}
	d.touch(w)
	d.listed()
}

// SetTree replaces a window's content; nil takes its accessibility away.
func (d *Desktop) SetTree(id desktop.WindowID, t *tree.Tree) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if w := d.find(id); w != nil {
		w.tree = d.adopt(t)
		w.Accessible = t != nil
		d.touch(w)
	}
}

// Edit changes a window's content in place. Nodes must keep their order and
// number; use [Desktop.SetTree] for another structure.
func (d *Desktop) Edit(id desktop.WindowID, change func(*tree.Tree)) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if w := d.find(id); w != nil && w.tree != nil {
		w.tree = cloneTree(w.tree) // what was observed before stays as it was
		change(w.tree)
		d.touch(w)
	}
}

// CloseWindow takes a window away, as its application does. Windows that it
// owns go with it.
func (d *Desktop) CloseWindow(id desktop.WindowID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.remove(id)
}

func (d *Desktop) remove(id desktop.WindowID) {
	i := slices.IndexFunc(d.windows, func(w *window) bool { return w.ID == id })
	if i < 0 {
		return
	}
	gone := d.windows[i]
	d.windows = slices.Delete(d.windows, i, i+1)
	d.listed()
	for _, w := range slices.Clone(d.windows) {
		if w.Owner == id {
			d.remove(w.ID)
		}
	}
	if !gone.Active {
		return
	}
	if o := d.find(gone.Owner); o != nil {
		d.activate(o)
	} else if n := len(d.windows); n > 0 {
		d.activate(d.windows[n-1])
	}
}

// OnClose says what the application does when a window is asked to close. The
// default is to take the window away.
func (d *Desktop) OnClose(id desktop.WindowID, do func()) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if w := d.find(id); w != nil {
		w.onClose = do
	}
}

// Window returns what the desktop holds of a window, and its content as its
// application knows it: passwords in clear.
func (d *Desktop) Window(id desktop.WindowID) (desktop.Window, *tree.Tree, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	w := d.find(id)
	if w == nil {
		return desktop.Window{}, nil, false
	}
	t := cloneTree(w.tree)
	if t != nil {
		for i := range t.Nodes {
			if s, ok := w.secrets[t.Nodes[i].ID]; ok {
				t.Nodes[i].Text = s
			}
		}
	}
	return w.Window, t, true
}

// Touch raises a window's generation as if something in it had changed.
func (d *Desktop) Touch(id desktop.WindowID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if w := d.find(id); w != nil {
		d.touch(w)
	}
}

// Damage raises a window's generation by a redraw alone.
func (d *Desktop) Damage(id desktop.WindowID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if w := d.find(id); w != nil {
		w.gen++
		d.pending.Damaged = addOnce(d.pending.Damaged, id)
		d.notify()
	}
}

// Hang makes an application stop answering until [Desktop.Resume].
func (d *Desktop) Hang(app desktop.AppID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.hung[app] == nil {
		d.hung[app] = make(chan struct{})
		d.listed()
	}
}

// Resume lets a hung application answer again.
func (d *Desktop) Resume(app desktop.AppID) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if c := d.hung[app]; c != nil {
		delete(d.hung, app)
		close(c)
		d.listed()
	}
}

// FailAt makes the n-th call of any role from now on fail with err; 1 is the
// next one. Watch.Next does not count.
func (d *Desktop) FailAt(n int, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.faults = append(d.faults, fault{n: len(d.calls) + n, err: err})
}

// Fail makes every call of one method ("Observe", "Click", …) fail with err
// until it is called again with nil.
func (d *Desktop) Fail(method string, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.faults = slices.DeleteFunc(d.faults, func(f fault) bool { return f.name == method })
	if err != nil {
		d.faults = append(d.faults, fault{name: method, err: err})
	}
}

// Calls returns the methods called so far, in order, without Watch.Next.
func (d *Desktop) Calls() []string {
	d.mu.Lock()
	defer d.mu.Unlock()
	return slices.Clone(d.calls)
}

// Disconnect ends the connection to the desktop: every later call fails with
// [desktop.ErrDisconnected] and the watcher is told.
func (d *Desktop) Disconnect(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.lost == nil {
		d.lost = errors.Join(desktop.ErrDisconnected, err)
		d.notify()
	}
}

func (d *Desktop) close() error {
	d.mu.Lock()
	for app, c := range d.hung {
		delete(d.hung, app)
		close(c)
	}
	if d.lost == nil {
		d.lost = desktop.ErrDisconnected
		d.notify()
	}
	d.mu.Unlock()
	d.acts.Wait()
	return nil
}

// begin counts a call, and returns the error planned for it. The caller holds
// mu.
func (d *Desktop) begin(ctx context.Context, method string) error {
	d.calls = append(d.calls, method)
	if err := ctx.Err(); err != nil {
		return err
	}
	if d.lost != nil {
		return d.lost
	}
	for i, f := range d.faults {
		if f.name == method {
			return f.err
		}
		if f.n == len(d.calls) {
			d.faults = slices.Delete(d.faults, i, i+1)
			return f.err
		}
	}
	return nil
}

// reach waits until the application of a window answers, and returns the
// window. The caller holds mu, which is given up while waiting.
func (d *Desktop) reach(ctx context.Context, id desktop.WindowID) (*window, error) {
	ctx, cancel := context.WithTimeout(ctx, d.Patience)
	defer cancel()
	for {
		w := d.find(id)
		if w == nil {
			return nil, fmt.Errorf("reaching window %d: %w", id, desktop.ErrGone)
		}
		back := d.hung[w.App.ID]
		if back == nil {
			return w, nil
		}
		d.mu.Unlock()
		select {
		case <-back:
			d.mu.Lock()
		case <-ctx.Done():
			d.mu.Lock()
			return nil, fmt.Errorf("reaching %s: %w", w.App.Name, desktop.ErrNotAnswering)
		}
		if d.lost != nil {
			return nil, d.lost
		}
	}
}

func (d *Desktop) find(id desktop.WindowID) *window {
	for _, w := range d.windows {
		if w.ID == id {
			return w
		}
	}
	return nil
}

// activate gives a window the focus and raises it. The caller holds mu.
func (d *Desktop) activate(w *window) {
	for _, o := range d.windows {
		if o != w && o.Active {
			o.Active = false
			d.touch(o)
		}
	}
	w.Active, w.Minimized = true, false
	i := slices.Index(d.windows, w)
	d.windows = append(slices.Delete(d.windows, i, i+1), w)
	d.touch(w)
	d.listed()
}

// touch counts a change inside a window. The caller holds mu.
func (d *Desktop) touch(w *window) {
	w.gen++
	d.pending.Windows = addOnce(d.pending.Windows, w.ID)
	d.notify()
}

// listed counts a change of what List tells. The caller holds mu.
func (d *Desktop) listed() {
	d.pending.List = true
	d.notify()
}

func (d *Desktop) notify() {
	select {
	case d.wake <- struct{}{}:
	default:
	}
}

func addOnce(ids []desktop.WindowID, id desktop.WindowID) []desktop.WindowID {
	if slices.Contains(ids, id) {
		return ids
	}
	return append(ids, id)
}
