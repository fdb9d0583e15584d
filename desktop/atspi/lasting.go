package atspi

import (
	"slices"
	"sync"

	"oriel.dev/oriel/tree"
)

// lasting keeps what follows from an object's role and states, for toolkits that
// never give a path to another object: asking for it in each reading would make a
// reading half as long again.
type lasting struct {
	mu   sync.Mutex // guards apps
	apps map[string]map[string]kept
}

// kept is what one object said. It holds as long as role and states are the same.
type kept struct {
	role    uint32
	states  rawStates
	ifaces  tree.Interfaces
	actions []tree.Action
	asked   bool // for actions
}

// fleetingStates come and go without a change in what an object can do.
const fleetingStates = rawShowing | rawVisible | rawFocused | rawActive | rawSelected | rawChecked

func (l *lasting) find(e *elem) (kept, bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	k, ok := l.apps[e.bus][e.path]
	return k, ok && k.role == e.raw.role && k.states == e.raw.states&^fleetingStates
}

func (l *lasting) keep(e *elem, k kept) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.apps == nil {
		l.apps = map[string]map[string]kept{}
	}
	app := l.apps[e.bus]
	if app == nil || len(app) >= maxIdentities {
		app = map[string]kept{}
		l.apps[e.bus] = app
	}
	k.role, k.states, k.actions = e.raw.role, e.raw.states&^fleetingStates, slices.Clone(k.actions)
	app[e.path] = k
}

func (l *lasting) forgetApp(bus string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.apps, bus)
}
