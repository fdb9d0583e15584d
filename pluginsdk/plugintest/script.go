package plugintest

import (
	"bytes"
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// Exchange is one call of a host function that a script expects, and the answer.
type Exchange struct {
	function string
	request  []byte // nil takes any
	reply    []byte
	fault    *hostabi.Fault
}

// Expect expects a call of a function, such as "oriel:a11y focus", with the
// request. A nil request takes any. The answer is nothing, unless one of the
// methods gives another.
func Expect(function string, request hostabi.Message) Exchange {
	e := Exchange{function: function}
	if request != nil {
		e.request = hostabi.Append(nil, request)
	}
	return e
}

// Bytes answers with these bytes.
func (e Exchange) Bytes(reply []byte) Exchange {
	e.reply = reply
	return e
}

// Message answers with a reply that is a JSON object.
func (e Exchange) Message(reply hostabi.Message) Exchange { return e.Bytes(hostabi.Append(nil, reply)) }

// Tree answers with a tree.
func (e Exchange) Tree(t *tree.Tree) Exchange { return e.Bytes(tree.Append(nil, t)) }

// Refuse answers with a fault.
func (e Exchange) Refuse(code hostabi.Code, message string) Exchange {
	e.fault = &hostabi.Fault{Code: code, Message: message}
	return e
}

// scriptedHost answers by a script. Lines of the log are not part of it: they
// go to the test's own.
type scriptedHost struct {
	t      testing.TB
	script []Exchange
	next   int
}

func (h *scriptedHost) call(f hostabi.Function, request []byte) ([]byte, *hostabi.Fault) {
	name := string(f.Capability) + " " + f.Name
	if f.Capability == hostabi.CapLog {
		h.t.Logf("%s", request)
		return nil, nil
	}
	if h.next == len(h.script) {
		h.t.Errorf("host call %d: got %s %s, want no more calls", h.next+1, name, request)
		return nil, &hostabi.Fault{Code: hostabi.CodeInternal, Message: "the script is over"}
	}
	e := h.script[h.next]
	h.next++
	if name != e.function || e.request != nil && !bytes.Equal(request, e.request) {
		h.t.Errorf("host call %d: got %s %s, want %s %s", h.next, name, request, e.function, e.request)
	}
	return e.reply, e.fault
}

// finish reports what the adapter did not ask.
func (h *scriptedHost) finish() {
	for _, e := range h.script[h.next:] {
		h.t.Errorf("the adapter did not call %s %s", e.function, e.request)
	}
}
