package desktoptest

import (
	"context"

	"oriel.dev/oriel/desktop"
)

type watchRole struct{ d *Desktop }

// Next tells of a lost connection on every call after it was lost.
func (r watchRole) Next(ctx context.Context) (desktop.Changes, error) {
	d := r.d
	for {
		if err := ctx.Err(); err != nil {
			return desktop.Changes{}, err
		}
		if c, ok := d.take(); ok {
			return c, nil
		}
		select {
		case <-d.wake:
		case <-ctx.Done():
		}
	}
}

func (d *Desktop) take() (desktop.Changes, bool) {
	d.mu.Lock()
	defer d.mu.Unlock()
	c := d.pending
	c.Lost = d.lost
	d.pending = desktop.Changes{}
	return c, c.List || c.Windows != nil || c.Damaged != nil || c.Lost != nil
}

func (r watchRole) Barrier(ctx context.Context, id desktop.WindowID) (desktop.Generation, error) {
	d := r.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.begin(ctx, "Barrier"); err != nil {
		return 0, err
	}
	w, err := d.reach(ctx, id)
	if err != nil {
		return 0, err
	}
	return w.gen, nil
}
