package atspi

import (
	"maps"
	"sync"

	"oriel.dev/oriel/tree"
)

// ref names an object on the bus.
type ref struct{ bus, path string }

// identities gives each object a number for as long as the application keeps
// it. A number is never given twice.
type identities struct {
	mu   sync.Mutex // guards everything below; held for map operations only
	next tree.NodeID
	refs map[tree.NodeID]ref
	apps map[string]*appIdentities
}

type appIdentities struct {
	ids   map[string]identity // by path
	clock uint64              // rises with every reading
	// places holds what was met last at each place of an object whose children
	// have a new path each time.
	places map[place]placed
	// replaced are the paths of those that something else was met in the place of.
	replaced []string
}

// place is where an object lies in its parent: by its row and column, or by its
// number among the children, which stands in row while column is -1.
type place struct {
	parent      tree.NodeID
	header      bool
	row, column int64
}

// placed is the object that was met at a place: what it says tells it from
// another one that took its place.
type placed struct {
	id   tree.NodeID
	role tree.Role
	name string
}

type identity struct {
	id   tree.NodeID
	seen uint64 // the clock when it was last asked for
}

// maxIdentities bounds the numbers that are kept for one application. Toolkits that make
// an object for every cell they are asked for would fill the memory otherwise.
const maxIdentities = 50_000

func newIdentities() *identities {
	return &identities{refs: map[tree.NodeID]ref{}, apps: map[string]*appIdentities{}}
}

// of returns the number of an object.
func (t *identities) of(r ref) tree.NodeID {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.apps[r.bus]
	if a == nil {
		a = newAppIdentities()
		t.apps[r.bus] = a
	}
	return t.number(a, r)
}

func newAppIdentities() *appIdentities {
	return &appIdentities{ids: map[string]identity{}, places: map[place]placed{}}
}

// number returns the number that a path has, or a new one.
func (t *identities) number(a *appIdentities, r ref) tree.NodeID {
	i, ok := a.ids[r.path]
	if !ok {
		t.next++
		i.id = t.next
		t.refs[i.id] = r
	}
	i.seen = a.clock
	a.ids[r.path] = i
	return i.id
}

// at returns the number of an object of a toolkit that gives what it shows in a
// view a new path each time. The same words at the same place are the same
// object; other words there are another one, whose number is new. since is what
// tick returned for the reading.
func (t *identities) at(r ref, p place, role tree.Role, name string, since uint64) tree.NodeID {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.apps[r.bus]
	if a == nil {
		a = newAppIdentities()
		t.apps[r.bus] = a
	}
	was, met := a.places[p]
	old, alive := t.refs[was.id]
	_, known := a.ids[r.path]
	if met && alive && !known && was.role == role && was.name == name && a.ids[old.path].seen < since {
		delete(a.ids, old.path)
		a.ids[r.path] = identity{was.id, a.clock}
		t.refs[was.id] = r
		return was.id
	}
	id := t.number(a, r)
	if met && alive && was.id != id {
		a.replaced = append(a.replaced, old.path)
	}
	a.places[p] = placed{id, role, name}
	return id
}

// settle ends a reading of a whole window that began with tick: what was
// replaced and not met elsewhere is gone.
func (t *identities) settle(bus string, since uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.apps[bus]
	if a == nil {
		return
	}
	for _, path := range a.replaced {
		if i, ok := a.ids[path]; ok && i.seen < since {
			delete(a.ids, path)
			delete(t.refs, i.id)
		}
	}
	a.replaced = nil
}

// find returns the object with the number.
func (t *identities) find(id tree.NodeID) (ref, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, ok := t.refs[id]
	return r, ok
}

// tick begins a reading of an application, and drops the numbers that were not
// met for longest when there are too many. What is met in this reading is so at
// the time that it returns, or later.
func (t *identities) tick(bus string) (since uint64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.apps[bus]
	if a == nil {
		return 0
	}
	a.clock++
	for age := uint64(64); len(a.ids) > maxIdentities; age /= 2 {
		for path, i := range a.ids {
			if i.seen+age < a.clock {
				delete(a.ids, path)
				delete(t.refs, i.id)
			}
		}
		if age == 0 {
			break
		}
	}
	if len(a.places) > maxIdentities {
		maps.DeleteFunc(a.places, func(_ place, p placed) bool {
			_, alive := t.refs[p.id]
			return !alive
		})
	}
	return a.clock
}

// forget drops an object that its application has given up: should the path
// come back, it is another element.
func (t *identities) forget(r ref) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.apps[r.bus]
	if a == nil {
		return
	}
	if i, ok := a.ids[r.path]; ok {
		delete(a.ids, r.path)
		delete(t.refs, i.id)
	}
}

// forgetApp drops all objects of an application that has gone.
func (t *identities) forgetApp(bus string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.apps[bus]
	if a == nil {
		return
	}
	for _, i := range a.ids {
		delete(t.refs, i.id)
	}
	delete(t.apps, bus)
}
