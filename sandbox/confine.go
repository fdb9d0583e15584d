package sandbox

import (
	"errors"
	"fmt"
	"strings"
)

// errUnconfined says that this system has nothing to confine a runner with, so
// that it goes on as it is.
var errUnconfined = errors.New("nothing to confine a runner with")

// Confined says what holds a runner process, beyond that the engine gives its
// guest no way out.
type Confined struct {
	// Landlock is the version of the kernel's interface that was used, 0 if the
	// kernel has none.
	Landlock int `json:"landlock"`
	// Files, Network and Signals say what was denied: all files but the
	// adapter's own directory and the host's program; TCP; signals and abstract
	// sockets of processes outside.
	Files   bool `json:"files"`
	Network bool `json:"network"`
	Signals bool `json:"signals"`
	// Syscalls is set when the kernel refuses sockets and tracing.
	Syscalls bool `json:"syscalls"`
	// Missing says why something is not held, in words for a person.
	Missing string `json:"missing,omitempty"`
}

// String sums it up for a person.
func (c Confined) String() string {
	var held []string
	for _, h := range []struct {
		on   bool
		name string
	}{{c.Files, "files"}, {c.Network, "TCP"}, {c.Signals, "signals"}, {c.Syscalls, "sockets and tracing"}} {
		if h.on {
			held = append(held, h.name)
		}
	}
	s := "runners are confined by the WebAssembly engine and a process alone"
	if len(held) > 0 {
		s = fmt.Sprintf("runners are denied %s (Landlock %d)", strings.Join(held, ", "), c.Landlock)
	}
	if c.Missing != "" {
		s += "; " + c.Missing
	}
	return s
}
