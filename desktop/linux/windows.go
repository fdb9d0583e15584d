package linux

import (
	"cmp"
	"context"
	"errors"
	"path/filepath"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/x11"
	"oriel.dev/oriel/tree"
)

// windows implements [desktop.Windows].
type windows struct{ j *joint }

// List implements [desktop.Windows].
func (w windows) List(ctx context.Context) ([]desktop.Window, error) {
	since := w.j.apps.born()
	ds, err := w.j.x.Windows().Details(ctx)
	if err != nil {
		return nil, err
	}
	w.j.apps.list(ds, since)
	// A bus that does not answer takes nothing from the list.
	if err := w.j.apps.resolve(ctx); err != nil && !errors.Is(err, context.DeadlineExceeded) {
		w.j.log.Debug("pairing windows", "err", err)
	}
	out := make([]desktop.Window, len(ds))
	for i, d := range ds {
		out[i] = w.j.window(d)
	}
	return out, nil
}

// Close implements [desktop.Windows].
func (w windows) Close(ctx context.Context, id desktop.WindowID) error {
	return w.j.x.Windows().Close(ctx, id)
}

// Activate implements [desktop.Windows].
func (w windows) Activate(ctx context.Context, id desktop.WindowID) error {
	return w.j.x.Windows().Activate(ctx, id)
}

// window adds to what the window system says what the accessibility bus and the
// process tell.
func (j *joint) window(d x11.Detail) desktop.Window {
	w := d.Window
	exe := process(w.App.PID)
	w.App.Process = cmp.Or(base(exe), w.App.Process)
	w.App.Name = j.names.of(w.App.Name, w.Class, w.Instance, w.App.Process)
	if p, ok := j.apps.pair(w.ID); ok {
		w.Accessible = true
		w.App.Toolkit = p.app.Toolkit
		w.Modal = w.Modal || p.top.States.Has(tree.StateModal)
		w.Hung = j.apps.isHung(p.app.Bus)
	}
	w.Group = j.groups.of(w, d.Geometry, exe)
	return w
}

func base(path string) string {
	if path == "" {
		return ""
	}
	return filepath.Base(path)
}
