package linux

import (
	"context"
	"fmt"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/atspi"
)

// watch implements [desktop.Watch].
type watch struct{ j *joint }

// Next implements [desktop.Watch].
func (w watch) Next(ctx context.Context) (desktop.Changes, error) { return w.j.hints.Next(ctx) }

// Barrier implements [desktop.Watch].
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
	p, ok := j.apps.pair(id)
	if !ok {
		return j.hints.generation(id), nil
	}
	if err := j.through(ctx, p.app); err != nil {
		return 0, fmt.Errorf("waiting for %s: %w", p.app.Name, err)
	}
	if err := j.x.Sync(ctx); err != nil {
		return 0, err
	}
	return j.hints.generation(id), nil
}

// registry is the application that keeps the list of the others.
var registry = atspi.App{Bus: "org.a11y.atspi.Registry", Name: "the accessibility registry"}

// through returns once an application has dealt with the input that the server
// had passed on to it before. What the application makes of it comes back
// through the server, so that is to be asked again afterwards.
//
// GTK3 shows each key to the registry first and answers others while it waits
// for the registry's leave. So an answer may come before the key was dealt
// with. The registry serves one after the other: once it has answered us, it
// has given its leave, and a second answer of the application comes after the
// key.
func (j *joint) through(ctx context.Context, app atspi.App) error {
	if err := j.ping(ctx, app); err != nil || app.Toolkit != "gtk3" && app.Toolkit != "libreoffice" {
		return err
	}
	bus := j.apps.connection()
	if bus == nil {
		return desktop.ErrDisconnected
	}
	if err := bus.Ping(ctx, registry); err != nil {
		return err
	}
	return j.ping(ctx, app)
}
