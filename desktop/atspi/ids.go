package atspi

import (
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
		a = &appIdentities{ids: map[string]identity{}}
		t.apps[r.bus] = a
	}
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

// find returns the object with the number.
func (t *identities) find(id tree.NodeID) (ref, bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	r, ok := t.refs[id]
	return r, ok
}

// tick begins a reading of an application, and drops the numbers that were not
// met for longest when there are too many.
func (t *identities) tick(bus string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	a := t.apps[bus]
	if a == nil {
		return
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
			return
		}
	}
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
