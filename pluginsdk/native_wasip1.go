package pluginsdk

import "oriel.dev/oriel/hostabi"

// Host is here so that tests of adapters compile for wasip1 too.
type Host func(f hostabi.Function, request []byte) ([]byte, *hostabi.Fault)

// SetHost does nothing in a module: its imports are the host.
func SetHost(Host) {}
