package linux

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/atspi"
)

// doubt has an application pinged: it did not answer something. Only a ping
// decides whether it hangs, because a call that opened a dialog may rightly
// take as long as the dialog.
func (a *apps) doubt(app atspi.App) {
	a.mu.Lock()
	a.suspect[app.Bus] = app
	a.mu.Unlock()
	a.wake()
}

// isHung reports whether an application failed to answer a ping and has not
// answered one since.
func (a *apps) isHung(bus string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
	return a.hung[bus]
}

// probe pings the suspects, all at once.
func (a *apps) probe(ctx context.Context) {
	bus := a.connection()
	a.mu.Lock()
	suspects := slices.Collect(maps.Values(a.suspect))
	a.mu.Unlock()
	if bus == nil {
		return
	}
	var asked sync.WaitGroup
	for _, app := range suspects {
		asked.Go(func() {
			ctx, cancel := context.WithTimeout(ctx, pingDeadline)
			defer cancel()
			a.judge(app, bus.Ping(ctx, app))
		})
	}
	asked.Wait()
}

// judge notes what a ping of a suspect gave.
func (a *apps) judge(app atspi.App, err error) {
	a.mu.Lock()
	before := a.hung[app.Bus]
	switch {
	case err == nil || errors.Is(err, desktop.ErrGone):
		delete(a.suspect, app.Bus)
		delete(a.hung, app.Bus)
	case errors.Is(err, context.Canceled):
	default:
		a.hung[app.Bus] = true
	}
	after := a.hung[app.Bus]
	a.mu.Unlock()
	if before != after {
		a.hints.touch(app.Bus)
	}
}
