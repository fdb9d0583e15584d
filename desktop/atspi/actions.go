package atspi

import (
	"strings"
	"sync"

	"oriel.dev/oriel/tree"
)

// actionNames holds what the actions of applications are called in every
// language, by what they are called in that of the user: GetActions tells the
// latter only, and asking for the former takes a call for each.
type actionNames struct {
	mu   sync.Mutex // guards apps
	apps map[string]map[string]string
}

// maxActionNames bounds the names that are kept for one application.
const maxActionNames = 1000

func (a *actionNames) find(bus, shown string) (string, bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	name, ok := a.apps[bus][shown]
	return name, ok
}

func (a *actionNames) add(bus, shown, name string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.apps == nil {
		a.apps = map[string]map[string]string{}
	}
	if a.apps[bus] == nil {
		a.apps[bus] = map[string]string{}
	}
	if len(a.apps[bus]) < maxActionNames {
		a.apps[bus][shown] = name
	}
}

func (a *actionNames) forgetApp(bus string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.apps, bus)
}

// nameActions calls the actions of an object by their names in every language,
// in lower case.
func (r *reader) nameActions(e *elem) {
	for i := range e.n.Actions {
		a := &e.n.Actions[i]
		if a.Name == "" || strings.Contains(a.Name, ".") {
			continue // the application's own, which have no translation
		}
		shown := a.Name
		if name, ok := r.bus.actionNames.find(e.bus, shown); ok {
			setActionName(a, name)
			continue
		}
		r.send(e.ref, ifacePrefix+"Action.GetName", func(body []any, err error) {
			name, _ := first(body).(string)
			if err != nil || name == "" {
				name = shown
			}
			name = strings.ToLower(name)
			r.bus.actionNames.add(e.bus, shown, name)
			if i < len(e.n.Actions) {
				setActionName(&e.n.Actions[i], name)
			}
		}, int32(i))
	}
}

// setActionName names an action; a description that says the same goes.
func setActionName(a *tree.Action, name string) {
	a.Name = name
	if strings.EqualFold(a.Description, name) {
		a.Description = ""
	}
}
