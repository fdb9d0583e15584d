// Package check says whether what an adapter brings may be used: its module and
// manifest before anything runs, its views and outcomes at every call, and the
// arguments of its actions. The host and plugintest share it, so that an author
// reads at home what the host would say.
//
// Every error names the place ("permission[1].reason") and what to do about it.
// Where several things are wrong it names each on a line of its own.
package check

import (
	"errors"
	"fmt"
	"strings"

	"oriel.dev/oriel/hostabi"
)

// problems collects what is wrong.
type problems struct{ list []string }

// maxProblems is how many are worth reading at once.
const maxProblems = 20

// add notes a problem at a place.
func (p *problems) add(place, format string, args ...any) {
	if len(p.list) < maxProblems {
		p.list = append(p.list, place+": "+fmt.Sprintf(format, args...))
	}
}

// err returns the problems as one error about what, or nil.
func (p *problems) err(what string) error {
	if len(p.list) == 0 {
		return nil
	}
	for i, s := range p.list {
		p.list[i] = what + ": " + s
	}
	return errors.New(strings.Join(p.list, "\n"))
}

// knownCapability reports whether there is such a capability.
func knownCapability(c hostabi.Capability) bool {
	for _, f := range hostabi.Functions {
		if f.Capability == c {
			return true
		}
	}
	return false
}

// capabilities lists all capabilities, for messages.
func capabilities() string {
	var list []string
	for _, f := range hostabi.Functions {
		if n := len(list); n == 0 || list[n-1] != string(f.Capability) {
			list = append(list, string(f.Capability))
		}
	}
	return strings.Join(list, ", ")
}
