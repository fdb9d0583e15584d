package robot

import (
	"encoding/gob"
	"errors"
	"io"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

// op is what the child is asked to do.
type op uint8

const (
	opHello op = iota + 1
	opMove
	opClick
	opDrag
	opScroll
	opTaps
	opPosition
	opDisplays
	opScreen
)

// request is one thing to do. Which fields count depends on Op.
type request struct {
	Op     op
	At, To desktop.Point
	Button desktop.Button
	Count  int
	Dx, Dy int
	Mods   desktop.Modifiers
	Taps   []tap
	Area   tree.Rect
}

// tap is one key pressed and released. Key is a name of robotgo, or one
// character.
type tap struct {
	Key  string
	Mods desktop.Modifiers
}

// response answers a request. Reason is the number of one of [reasons], plus
// one; Message says more.
type response struct {
	Reason   int
	Message  string
	At       desktop.Point
	Displays []desktop.Display
	Pix      []byte
}

// reasons are the errors that keep their identity over the pipe.
var reasons = []error{desktop.ErrRefused, desktop.ErrUnsupported, desktop.ErrOutside, desktop.ErrDisconnected}

// remoteError is an error of the child.
type remoteError struct {
	message string
	reason  error
}

// Error implements error.
func (e *remoteError) Error() string { return e.message }

// Unwrap lets errors.Is find the reason.
func (e *remoteError) Unwrap() error { return e.reason }

func (a response) err() error {
	if a.Reason <= 0 {
		return nil
	}
	return &remoteError{a.Message, reasons[min(a.Reason, len(reasons))-1]}
}

func (a *response) fail(err error) {
	a.Reason, a.Message = 1, err.Error()
	for i, r := range reasons {
		if errors.Is(err, r) {
			a.Reason = i + 1
		}
	}
}

// driver does what the child is asked to, one request at a time, and leaves no
// key pressed behind.
type driver interface {
	do(request) (response, error)
}

// serve answers requests until its input ends. A request that is then under way
// gets time to let go of its keys.
func serve(r io.Reader, w io.Writer, d driver) {
	requests, done := make(chan request), make(chan struct{})
	go func() {
		defer close(done)
		enc := gob.NewEncoder(w)
		for q := range requests {
			a, err := d.do(q)
			if err != nil {
				a.fail(err)
			}
			if enc.Encode(a) != nil {
				return
			}
		}
	}()
	dec := gob.NewDecoder(r)
	for {
		var q request
		if dec.Decode(&q) != nil {
			break
		}
		select {
		case requests <- q:
			continue
		case <-done:
		}
		break
	}
	close(requests)
	select {
	case <-done:
	case <-time.After(answerTime):
	}
}
