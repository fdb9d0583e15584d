//go:build !wasip1

package pluginsdk

import (
	"unsafe"

	"oriel.dev/oriel/hostabi"
)

// Host answers host functions in the place of the real host.
type Host func(f hostabi.Function, request []byte) ([]byte, *hostabi.Fault)

var (
	host    Host
	pending []byte // the reply that the next take copies
)

// SetHost puts a host behind the imports of a native build; nil takes it away.
// It is for plugintest: in a module the imports are the host. Like a module,
// an adapter is called by one goroutine at a time.
func SetHost(h Host) { host = h }

// ask plays an import: it keeps the reply for hostTake and returns its length.
func ask(c hostabi.Capability, name string, p unsafe.Pointer, n uint32) uint32 {
	f, _ := hostabi.Lookup(string(c), name)
	reply, fault := []byte(nil), &hostabi.Fault{
		Code: hostabi.CodeUnsupported, Message: "there is no host: set one with plugintest",
	}
	if host != nil {
		reply, fault = host(f, unsafe.Slice((*byte)(p), n))
	}
	if fault != nil {
		pending = hostabi.AppendFault([]byte{1}, fault)
	} else {
		pending = append([]byte{0}, reply...)
	}
	return uint32(len(pending))
}
