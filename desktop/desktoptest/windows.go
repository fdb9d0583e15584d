package desktoptest

import (
	"context"
	"fmt"

	"oriel.dev/oriel/desktop"
)

type windowsRole struct{ d *Desktop }

func (r windowsRole) List(ctx context.Context) ([]desktop.Window, error) {
	d := r.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.begin(ctx, "List"); err != nil {
		return nil, err
	}
	out := make([]desktop.Window, 0, len(d.windows))
	for _, w := range d.windows {
		c := w.Window
		c.Hung = c.Hung || d.hung[c.App.ID] != nil
		out = append(out, c)
	}
	return out, nil
}

func (r windowsRole) Close(ctx context.Context, id desktop.WindowID) error {
	d := r.d
	d.mu.Lock()
	if err := d.begin(ctx, "Close"); err != nil {
		d.mu.Unlock()
		return err
	}
	w := d.find(id)
	if w == nil {
		d.mu.Unlock()
		return fmt.Errorf("closing window %d: %w", id, desktop.ErrGone)
	}
	do := w.onClose
	switch {
	case d.hung[w.App.ID] != nil || d.blocked(w):
		do = nil // the request lies unread, or is ignored
	case do == nil:
		d.remove(id)
	}
	d.mu.Unlock()
	if do != nil {
		do()
	}
	return nil
}

func (r windowsRole) Activate(ctx context.Context, id desktop.WindowID) error {
	d := r.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.begin(ctx, "Activate"); err != nil {
		return err
	}
	w := d.find(id)
	if w == nil {
		return fmt.Errorf("activating window %d: %w", id, desktop.ErrGone)
	}
	d.activate(w)
	return nil
}

// blocked reports whether a modal window takes the input of w: one that hangs
// under it, or one of the same group. The caller holds mu.
func (d *Desktop) blocked(w *window) bool {
	for _, m := range d.windows {
		if !m.Modal || m == w || d.under(w, m) {
			continue
		}
		if d.under(m, w) || m.Group != 0 && m.Group == w.Group {
			return true
		}
	}
	return false
}

// under reports whether w hangs under top by its owners. The caller holds mu.
func (d *Desktop) under(w, top *window) bool {
	for range len(d.windows) {
		if w.Owner == 0 {
			return false
		}
		if w.Owner == top.ID {
			return true
		}
		if w = d.find(w.Owner); w == nil {
			return false
		}
	}
	return false
}
