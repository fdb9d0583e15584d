package linux

import (
	"context"
	"fmt"

	"oriel.dev/oriel/desktop"
)

// watch implements [desktop.Watch].
type watch struct{ j *joint }

// Next implements [desktop.Watch].
func (w watch) Next(ctx context.Context) (desktop.Changes, error) { return w.j.hints.Next(ctx) }

// Barrier implements [desktop.Watch]. Input that was sent before lies in the
// server until a round trip has passed it on, and what the application makes of
// it comes back through the server: so the server is asked before the
// application and again after it.
func (w watch) Barrier(ctx context.Context, id desktop.WindowID) (desktop.Generation, error) {
	j := w.j
	ctx, cancel := context.WithTimeout(ctx, barrierWindow)
	defer cancel()
	if _, err := j.x.Windows().Geometry(ctx, id); err != nil {
		return 0, err
	}
	if err := j.x.Sync(ctx); err != nil {
		return 0, err
	}
	if p, ok := j.apps.pair(id); ok {
		if err := j.ping(ctx, p.app); err != nil {
			return 0, fmt.Errorf("waiting for %s: %w", p.app.Name, err)
		}
		if err := j.x.Sync(ctx); err != nil {
			return 0, err
		}
	}
	return j.hints.generation(id), nil
}
