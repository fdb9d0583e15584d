package linux

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/atspi"
	"oriel.dev/oriel/desktop/x11"
	"oriel.dev/oriel/tree"
)

// trees implements [desktop.Tree].
type trees struct{ j *joint }

// Observe implements [desktop.Tree].
func (t trees) Observe(ctx context.Context, id desktop.WindowID) (desktop.Observation, error) {
	o, err := t.j.observe(ctx, id, false)
	if errors.Is(err, errUnpaired) {
		o, err = t.j.observe(ctx, id, true)
	}
	return o, err
}

// element finds the application of an element of a window.
func (j *joint) element(id desktop.WindowID, node tree.NodeID) (*atspi.Bus, pair, element, error) {
	bus := j.apps.connection()
	p, paired := j.apps.pair(id)
	e, known := j.apps.element(id, node)
	if bus == nil || !paired || !known {
		return nil, p, e, fmt.Errorf("finding element %d of window %d: %w", node, id, desktop.ErrGone)
	}
	if j.apps.isHung(p.app.Bus) {
		return nil, p, e, notAnswering(p.app)
	}
	return bus, p, e, nil
}

func (a *apps) element(id desktop.WindowID, node tree.NodeID) (element, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.windows[id]
	if s == nil {
		return element{}, false
	}
	e, known := s.nodes[node]
	return e, known
}

// Children implements [desktop.Tree].
func (t trees) Children(ctx context.Context, id desktop.WindowID, node tree.NodeID, offset int64, n int) (*tree.Tree, error) {
	return t.j.part(ctx, id, node, func(ctx context.Context, bus *atspi.Bus, app atspi.App) (atspi.Reading, error) {
		return bus.Children(ctx, app, node, offset, n)
	})
}

// Cells implements [desktop.Tree].
func (t trees) Cells(ctx context.Context, id desktop.WindowID, node tree.NodeID, row, column int64, rows, columns int) (*tree.Tree, error) {
	return t.j.part(ctx, id, node, func(ctx context.Context, bus *atspi.Bus, app atspi.App) (atspi.Reading, error) {
		return bus.Cells(ctx, app, node, row, column, rows, columns)
	})
}

// part reads a part of a window below an element.
func (j *joint) part(ctx context.Context, id desktop.WindowID, node tree.NodeID,
	read func(context.Context, *atspi.Bus, atspi.App) (atspi.Reading, error),
) (*tree.Tree, error) {
	bus, p, _, err := j.element(id, node)
	if err != nil {
		return nil, err
	}
	var (
		d    x11.Detail
		derr error
		wait sync.WaitGroup
	)
	wait.Go(func() { d, derr = j.x.Windows().Detail(ctx, id) })
	r, err := read(ctx, bus, p.app)
	wait.Wait()
	if err := cmp.Or(derr, err); err != nil {
		j.suspect(p.app, err)
		return nil, err
	}
	// The window may have moved since it was observed.
	l, surface := j.apps.placed(id, node)
	if len(l.shifts) > 0 && p.app.Space() == atspi.ScreenSpace {
		l.shifts[0] = ownShift(atspi.ScreenSpace, d, nil)
	}
	for i := range r.Nodes {
		r.Nodes[i].Surface = surface
	}
	j.apps.remember(id, l, r.Nodes, false)
	l.apply(r.Nodes)
	return j.tree(d, j.window(d), r), nil
}

// placed returns the layout of a window and the surface that an element is on.
func (a *apps) placed(id desktop.WindowID, node tree.NodeID) (layout, uint32) {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.windows[id]
	if s == nil {
		return layout{}, 0
	}
	return layout{slices.Clone(s.layout.shifts)}, s.nodes[node].surface
}

// Text implements [desktop.Tree].
func (t trees) Text(ctx context.Context, id desktop.WindowID, node tree.NodeID, from int64, n int) (string, error) {
	bus, p, e, err := t.j.element(id, node)
	if err != nil {
		return "", err
	}
	text, err := bus.Text(ctx, p.app, node, from, n)
	t.j.suspect(p.app, err)
	if e.secret {
		text = masked(text)
	}
	return text, err
}

// Act implements [desktop.Tree].
func (t trees) Act(ctx context.Context, id desktop.WindowID, node tree.NodeID, deed desktop.Deed) error {
	bus, p, e, err := t.j.element(id, node)
	if err != nil {
		return err
	}
	if deed.Kind == desktop.DoAction && (deed.Number < 0 || deed.Number >= int64(e.actions)) {
		return fmt.Errorf("doing action %d of an element that has %d: %w", deed.Number, e.actions, desktop.ErrRefused)
	}
	err = bus.Act(ctx, p.app, node, deed)
	t.j.suspect(p.app, err)
	return err
}

// Ping implements [desktop.Tree]. A window without accessibility cannot be
// asked.
func (t trees) Ping(ctx context.Context, id desktop.WindowID) error {
	p, ok := t.j.apps.pair(id)
	if !ok {
		if _, err := t.j.x.Windows().Geometry(ctx, id); err != nil {
			return err
		}
		return fmt.Errorf("pinging window %d, which has no accessibility: %w", id, desktop.ErrUnsupported)
	}
	return t.j.ping(ctx, p.app)
}

// ping makes a round trip to an application that is not known to hang.
func (j *joint) ping(ctx context.Context, app atspi.App) error {
	bus := j.apps.connection()
	if bus == nil {
		return fmt.Errorf("reaching %s: the accessibility bus is gone: %w", app.Name, desktop.ErrDisconnected)
	}
	if j.apps.isHung(app.Bus) {
		return notAnswering(app)
	}
	err := bus.Ping(ctx, app)
	j.suspect(app, err)
	return err
}

// suspect has an application pinged if an error says that it did not answer.
func (j *joint) suspect(app atspi.App, err error) {
	if errors.Is(err, desktop.ErrNotAnswering) || errors.Is(err, context.DeadlineExceeded) {
		j.apps.doubt(app)
	}
}
