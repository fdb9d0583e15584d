package pluginsdk

import (
	"unsafe"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// request is kept for the next call, so that a call allocates its reply alone.
var request []byte

// call sends a request to an imported function and takes the reply.
func call(f func(unsafe.Pointer, uint32) uint32, m hostabi.Message) ([]byte, error) {
	request = hostabi.Append(request[:0], m)
	n := f(unsafe.Pointer(unsafe.SliceData(request)), uint32(len(request)))
	if n == 0 {
		return nil, Refuse(hostabi.CodeInternal, "the host gave no reply; this is a fault of the host")
	}
	// The first byte of a reply is its status. It goes before the reply proper
	// in a word of its own, so that a tree in the reply is aligned.
	reply := make([]byte, n+7)[7:]
	hostTake(unsafe.Pointer(unsafe.SliceData(reply)), n)
	if reply[0] == 0 {
		return reply[1:], nil
	}
	fault, err := hostabi.ParseFault(reply[1:])
	if err != nil {
		return nil, Refuse(hostabi.CodeInternal, err.Error())
	}
	return nil, fault
}

// do is call for a function that replies nothing.
func do(f func(unsafe.Pointer, uint32) uint32, m hostabi.Message) error {
	_, err := call(f, m)
	return err
}

// callTree is call for a function that replies a tree.
func callTree(f func(unsafe.Pointer, uint32) uint32, m hostabi.Message) (*tree.Reader, error) {
	b, err := call(f, m)
	if err != nil {
		return nil, err
	}
	return tree.NewReader(b)
}

// callMessage is call for a function that replies a JSON object.
func callMessage(f func(unsafe.Pointer, uint32) uint32, m, reply hostabi.Message) error {
	b, err := call(f, m)
	if err != nil {
		return err
	}
	return hostabi.Read(b, reply)
}
