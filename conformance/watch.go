package conformance

import (
	"context"
	"time"
)

// pollEvery is how often the state is read while it is watched.
const pollEvery = 50 * time.Millisecond

// watch reads state and tools again and again, at once after a notification, and
// judges what of it belongs together.
func (r *run) watch(ctx context.Context, s *session) {
	end := time.NewTimer(r.opts.Watch)
	defer end.Stop()
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for {
		for range 2 { // a failure must be seen again, before anything changes
			before := r.look(ctx, s)
			tools := r.list(ctx, s)
			after := r.look(ctx, s)
			if before == nil || tools == nil || after == nil {
				return
			}
			l := &log{}
			if before.text == after.text {
				l.listing(tools, after, r.past.gone, r.opts.Strict)
			}
			if r.settle(l) {
				break
			}
		}
		select {
		case <-s.news:
		case <-tick.C:
		case <-end.C:
			return
		case <-ctx.Done():
			return
		}
	}
}

// await waits until every change was announced to the sessions, or grace is over.
func (r *run) await(ctx context.Context, sessions []*session) {
	deadline := time.Now().Add(r.opts.Grace)
	tick := time.NewTicker(pollEvery)
	defer tick.Stop()
	for time.Now().Before(deadline) {
		missing := false
		for _, s := range sessions {
			updated, listed := s.notified()
			missing = missing || len(r.missing(r.states, updated)) > 0 || len(r.missing(r.lists, listed)) > 0 ||
				len(r.missing(r.verdicts, listed)) > 0
		}
		if !missing {
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// missing are the changes that no notification announced.
func (r *run) missing(ls looks, at []time.Time) (out []change) {
	for _, c := range ls.changes() {
		if !c.announced(at, r.opts.Grace) {
			out = append(out, c)
		}
	}
	return out
}

// notifications judges what came (B29, B30, B31) to the session that looked, and
// that others got the same (B06).
func (r *run) notifications(ctx context.Context, s *session, others []*session) {
	r.await(ctx, append([]*session{s}, others...))
	updated, listed := s.notified()
	r.announced("B29", "resources/updated", "the state", r.states, updated)
	before := r.failures("B30", "B31")
	r.announced("B30", "tools/list_changed", "the list of tools", r.lists, listed)
	if r.failures("B30", "B31") == before { // else it is the same once more
		r.announced("B30", "tools/list_changed", "the set of operable windows", r.verdicts, listed)
	}
	for _, other := range others {
		theirs, theirList := other.notified()
		for _, c := range r.missing(r.states, theirs) {
			if c.announced(updated, r.opts.Grace) {
				r.fail("B06", nil, "a change was announced by resources/updated to one subscribed connection and not to another")
			}
		}
		for _, c := range r.missing(r.lists, theirList) {
			if c.announced(listed, r.opts.Grace) {
				r.fail("B06", nil, "a change was announced by tools/list_changed to one connection and not to another")
			}
		}
	}
}

// announced judges that every change in ls was announced by a notification.
func (r *run) announced(id, method, what string, ls looks, at []time.Time) {
	changes := ls.changes()
	if len(changes) == 0 {
		r.untested(id, "%s did not change while it was watched", what)
		return
	}
	missing := r.missing(ls, at)
	for _, c := range missing {
		after := c.seen.Sub(r.begin).Round(time.Millisecond)
		if ls.tooEarly(c, at) {
			r.fail("B31", nil, "%s came, and only later, after %v of watching and without another, %s was a new one", method, after, what)
		} else {
			r.fail(id, nil, "%s changed %v into the watch, and no %s followed within %v", what, after, method, r.opts.Grace)
		}
	}
	if len(missing) == 0 {
		r.pass(id, nil, "%d changes of %s, each followed by one of %d notifications", len(changes), what, len(at))
		r.pass("B31", nil, "no notification came before its state")
	}
}
