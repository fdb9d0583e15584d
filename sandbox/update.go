package sandbox

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// Live is a window as it is now.
type Live struct {
	Observation []byte
	Services    Services // as for Translate
	// Actions are what the present version of the window's adapter offers.
	Actions []hostabi.Action
}

// Update is the receipt of one changed file.
type Update struct {
	File                 string
	ID, Version          string
	Digest, Before       string // of the modules, "" if there is or was none
	Size                 int64
	Load, Start, Probe   time.Duration // reading and checking, starting, trying on live windows
	Windows              int           // how many it was tried on
	Added, Removed, Kept []string      // actions on those, against those of the version before
	Altered              []string      // actions with the same name and another description or schema
	// Err says why the new version does not serve; the one before does.
	Err error
}

// Reload looks at the directories again. A changed adapter takes over once its
// new version has started and has shown the live windows that are its; until
// then, and if it does not, the old one serves. Adapters that were set aside and
// have not changed stay so.
func (s *Sandbox) Reload(ctx context.Context) error {
	_, err := s.Update(ctx)
	return err
}

// Update is Reload with a receipt for every file that was changed or does not
// work.
func (s *Sandbox) Update(ctx context.Context) ([]Update, error) {
	if !s.begin() {
		return nil, errClosed
	}
	defer s.work.Done()
	s.reload.Lock()
	defer s.reload.Unlock()
	began := time.Now()
	old := s.set.Load()
	next := s.scan(old)
	load := time.Since(began)
	var out []Update
	for _, b := range next.broken {
		out = append(out, Update{File: b.File, ID: b.ID, Digest: b.Digest, Load: load, Err: fmt.Errorf("%s", b.Message)})
	}
	for _, a := range slices.Clone(next.adapters) {
		before := old.of(a.file)
		if slices.Contains(old.adapters, a) {
			continue
		}
		u := Update{File: a.file, ID: a.man.ID, Version: a.man.Version, Digest: a.digest, Size: a.size, Load: load}
		if before != nil {
			u.Before = before.digest
		}
		if before != nil || a.trial { // else it starts on first need
			a.try(ctx, next, &u)
		}
		if ctx.Err() != nil {
			a.retire()
			return nil, ctx.Err()
		}
		if u.Err != nil {
			a.retire()
			next.adapters = slices.DeleteFunc(next.adapters, func(b *adapter) bool { return a == b })
			next.broken = append(next.broken, brokenInfo(a.file, a, u.Err))
		}
		out = append(out, u)
	}
	next.keepGood(old)
	s.set.Store(next)
	for _, a := range old.adapters {
		if !slices.Contains(next.adapters, a) {
			s.background(a.retire) // once its calls are over
		}
	}
	s.notify()
	return out, nil
}

// try starts the adapter and has it show the live windows that are its in next.
func (a *adapter) try(ctx context.Context, next *set, u *Update) {
	began := time.Now()
	u.Err = a.probe(ctx)
	u.Start = time.Since(began)
	if u.Err != nil || a.s.cfg.Live == nil {
		return
	}
	began = time.Now()
	was, is := map[string]string{}, map[string]string{}
	for _, w := range a.s.cfg.Live() {
		r, err := tree.NewReader(w.Observation)
		if err != nil {
			continue // of another version of the host
		}
		window := r.Window()
		if next.best(&window) != a {
			continue
		}
		u.Windows++
		view, err := a.translate(ctx, w.Observation, w.Services)
		if err != nil {
			u.Err = fmt.Errorf("trying it on the window %q: %w", window.Title, err)
			return
		}
		collect(was, w.Actions)
		collect(is, view.Actions, view.AppActions)
	}
	u.Probe = time.Since(began)
	u.compare(was, is)
}

// collect notes what is said of each action, by its name.
func collect(into map[string]string, lists ...[]hostabi.Action) {
	for _, list := range lists {
		for _, a := range list {
			a.Unavailable = "" // differs from window to window
			into[a.Name] = fmt.Sprintf("%+v", a)
		}
	}
}

func (u *Update) compare(was, is map[string]string) {
	for _, name := range slices.Sorted(maps.Keys(is)) {
		switch before, there := was[name]; {
		case !there:
			u.Added = append(u.Added, name)
		case before != is[name]:
			u.Altered = append(u.Altered, name)
		default:
			u.Kept = append(u.Kept, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(was)) {
		if _, there := is[name]; !there {
			u.Removed = append(u.Removed, name)
		}
	}
}
