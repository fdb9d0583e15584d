package atspi

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

// askTimeout bounds the questions that are put to every application, so that a
// silent one does not hold up the list of the others.
const askTimeout = 300 * time.Millisecond

// Apps lists the applications on the bus. What one says of itself is asked once;
// one that has not answered yet is listed by its bus name and process alone.
func (b *Bus) Apps(ctx context.Context) ([]App, error) {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	var refs [][]any
	err := b.conn.Object(registryName, rootPath).CallWithContext(ctx, accessible+".GetChildren", 0).Store(&refs)
	if err != nil {
		return nil, fmt.Errorf("listing the applications on the accessibility bus: %w", b.reason(err))
	}
	apps := make([]App, 0, len(refs))
	for _, v := range refs {
		r, ok := refOf(v)
		if ok && !slices.ContainsFunc(apps, func(a App) bool { return a.Bus == r.bus }) {
			apps = append(apps, App{Bus: r.bus})
		}
	}
	var all sync.WaitGroup
	for i := range apps {
		all.Go(func() { apps[i] = b.describe(ctx, apps[i].Bus) })
	}
	all.Wait()
	if b.closed() {
		return nil, fmt.Errorf("listing the applications on the accessibility bus: %w", desktop.ErrDisconnected)
	}
	apps = slices.DeleteFunc(apps, func(a App) bool { return a.PID == 0 && a.Name == "" })
	slices.SortFunc(apps, func(x, y App) int { return cmp.Or(cmp.Compare(len(x.Bus), len(y.Bus)), strings.Compare(x.Bus, y.Bus)) })
	return apps, nil
}

// describe tells what the bus and the application say of it.
func (b *Bus) describe(ctx context.Context, bus string) App {
	if a, ok := b.known.get(bus); ok {
		return a
	}
	ctx, cancel := context.WithTimeout(ctx, askTimeout)
	defer cancel()
	a := App{Bus: bus}
	p := newPipe(ctx, b)
	root := ref{bus, rootPath}
	p.send(ref{busName, "/org/freedesktop/DBus"}, busName+".GetConnectionUnixProcessID", func(body []any, err error) {
		pid, _ := first(body).(uint32)
		a.PID = int(pid)
	}, bus)
	var toolkit string
	told := 0
	text := func(to *string) func(any, error) {
		return func(v any, err error) {
			*to, _ = v.(string)
			told++
		}
	}
	const application = ifacePrefix + "Application"
	p.get(root, accessible, "Name", text(&a.Name))
	p.get(root, application, "ToolkitName", text(&toolkit))
	p.get(root, application, "Version", text(&a.ToolkitVersion))
	_ = p.run()
	if told == 3 {
		a.Toolkit = toolkitOf(a.Name, toolkit, a.ToolkitVersion)
		if a.Name != "" { // soffice has none for a moment
			b.known.put(a)
		}
	}
	return a
}

// known holds what applications said of themselves.
type known struct {
	mu   sync.Mutex // guards apps; held for map operations only
	apps map[string]App
}

func (k *known) get(bus string) (App, bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	a, ok := k.apps[bus]
	return a, ok
}

func (k *known) put(a App) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.apps == nil {
		k.apps = map[string]App{}
	}
	k.apps[a.Bus] = a
}

func (k *known) forget(bus string) {
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.apps, bus)
}

// TopLevels lists the top-level elements of an application.
func (b *Bus) TopLevels(ctx context.Context, app App) ([]TopLevel, error) {
	ctx, cancel := context.WithTimeout(ctx, b.limits.Deadline)
	defer cancel()
	r := b.newReader(ctx, app, 0)
	var kids []*elem
	var failed error
	r.send(ref{app.Bus, rootPath}, accessible+".GetChildren", func(body []any, err error) {
		failed = err
		refs, _ := first(body).([][]any)
		for _, v := range refs {
			to, ok := refOf(v)
			if !ok || r.seen[to] {
				continue
			}
			r.seen[to] = true
			k := &elem{ref: to, count: -1}
			kids = append(kids, k)
			r.base(k, func() { r.topLevel(k) })
		}
	})
	if err := cmp.Or(r.settleRun(r.run()), failed); err != nil {
		return nil, fmt.Errorf("listing the windows of %s: %w", app.Name, b.reason(err))
	}
	var out []TopLevel
	for _, k := range kids {
		if k.status != statusRead || k.has(rawDefunct) {
			continue
		}
		out = append(out, TopLevel{
			Path: k.path, ID: b.ids.of(k.ref), Name: k.n.Name, Role: k.n.Role, States: k.n.States,
			Bounds: k.n.Bounds, HasBounds: k.n.HasBounds, Popup: popupTop(app, k),
		})
	}
	return out, nil
}

func (r *reader) topLevel(k *elem) {
	k.status = statusRead
	k.settle()
	if !k.n.Ifaces.Has(tree.IfaceComponent) || !k.has(rawShowing) {
		return // GTK3 complains about being asked for the place of a window that has none yet
	}
	r.send(k.ref, component+".GetExtents", func(body []any, err error) {
		if err == nil {
			k.setExtents(first(body))
		}
	}, r.how.coord())
}

// popupTop reports whether a top-level is a popup.
func popupTop(app App, k *elem) bool {
	switch k.n.Role {
	case tree.RolePopupMenu, tree.RoleMenu, tree.RoleToolTip, tree.RoleListBox, tree.RoleList, tree.RoleNotification:
		return true
	case tree.RoleWindow:
		return k.raw.role == atspiWindow || app.Toolkit == toolkitChromium && k.n.Name == ""
	}
	return false
}

// pingRounds is how many round trips a ping makes. An application's loop may
// answer a call before it looks at the input that came before, and GTK3 looks at
// one event a turn: a key that is pressed and released takes two turns.
const pingRounds = 3

// Ping makes round trips to the application's own loop. When it returns nil,
// every event that the application sent before has been reported, and input that
// had reached the application has had turns of the loop to be dealt with.
func (b *Bus) Ping(ctx context.Context, app App) error {
	ctx, cancel := context.WithTimeout(ctx, b.limits.Deadline)
	defer cancel()
	for range pingRounds {
		if err := b.roundTrip(ctx, app); err != nil {
			return fmt.Errorf("pinging %s: %w", app.Name, err)
		}
	}
	return nil
}

// roundTrip asks for a property of the root: D-Bus libraries answer Peer.Ping in a
// thread of their own, also when the application hangs.
func (b *Bus) roundTrip(ctx context.Context, app App) error {
	err := b.conn.Object(app.Bus, rootPath).CallWithContext(ctx, properties+".Get", 0, accessible, "ChildCount").Err
	var reply dbus.Error
	if errors.As(err, &reply) && !errors.Is(replyReason(reply), desktop.ErrGone) && !errors.Is(replyReason(reply), desktop.ErrNotAnswering) {
		return nil // an answer, if an odd one
	}
	return b.reason(err)
}
