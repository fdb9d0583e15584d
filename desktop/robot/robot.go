// Package robot plays the input and capture roles by robotgo and screenshot,
// which also know Windows and macOS.
//
// Both are kept in a child process, because Xlib ends the process that it is in
// when the X server goes, and crashes it without one. The child is this very
// program, started with a hidden subcommand that calls [Main]; it serves one
// request at a time over its standard input and output, and ends when these do.
//
// What it types it types without a proof of where the keys go, so a target is
// refused with [desktop.ErrUnsupported]. A build without cgo lacks the backend.
package robot

import (
	"context"
	"encoding/gob"
	"errors"
	"fmt"
	"image"
	"io"
	"os"
	"os/exec"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

// Times of the child.
const (
	startTime  = 10 * time.Second       // to come up
	answerTime = 3 * time.Second        // for one request; none takes half a second
	graceTime  = 500 * time.Millisecond // to finish one whose caller has given up
)

// Robot is a running child. Its methods may be called from any goroutine; they
// are carried out one after the other.
type Robot struct {
	cmd   *exec.Cmd
	in    io.WriteCloser
	enc   *gob.Encoder
	turn  chan struct{} // holds a token while a request is under way; guards enc
	reply chan response // closed by read when the child's output ends
	ended chan struct{} // closed by read when the child has been waited for
	err   error         // why it ended; set before ended is closed
}

var (
	_ desktop.Input   = (*Robot)(nil)
	_ desktop.Capture = (*Robot)(nil)
)

// Start starts a child with a command line that leads to [Main], and returns
// once it has a desktop. The environment is this process's with env added.
func Start(ctx context.Context, argv []string, env ...string) (*Robot, error) {
	if !Available {
		return nil, fmt.Errorf("starting the robot backend: this program was built without cgo (%w); build it with CGO_ENABLED=1, or use the x11 backend: desktop.backend = \"x11\"", desktop.ErrUnsupported)
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = append(os.Environ(), env...)
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		return nil, fmt.Errorf("starting the robot backend: %w", err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, fmt.Errorf("starting the robot backend: %w", err)
	}
	if err := cmd.Start(); err != nil {
		return nil, fmt.Errorf("starting the robot backend: %w", err)
	}
	r := connect(cmd, in, out)
	ctx, cancel := context.WithTimeout(ctx, startTime)
	defer cancel()
	if _, err := r.call(ctx, startTime, request{Op: opHello}); err != nil {
		r.Close()
		return nil, fmt.Errorf("starting the robot backend: %w", err)
	}
	return r, nil
}

// connect speaks to a child over its pipes.
func connect(cmd *exec.Cmd, in io.WriteCloser, out io.Reader) *Robot {
	r := &Robot{
		cmd: cmd, in: in, enc: gob.NewEncoder(in), turn: make(chan struct{}, 1),
		reply: make(chan response), ended: make(chan struct{}),
	}
	go r.read(out)
	return r
}

// read hands answers to whoever waits, until the child ends.
func (r *Robot) read(out io.Reader) {
	defer close(r.ended)
	dec := gob.NewDecoder(out)
	for {
		var a response
		if err := dec.Decode(&a); err != nil {
			r.err = err
			break
		}
		select {
		case r.reply <- a:
		case <-time.After(answerTime): // nobody waits: it came too late
		}
	}
	close(r.reply)
	if r.cmd != nil {
		r.err = errors.Join(r.err, r.cmd.Wait())
	}
}

// Close ends the child and waits for it. It may be called more than once.
func (r *Robot) Close() error {
	_ = r.in.Close() // the child lets go of everything and ends
	select {
	case <-r.ended:
	case <-time.After(graceTime):
		r.kill()
		<-r.ended
	}
	return nil
}

func (r *Robot) kill() {
	if r.cmd != nil {
		_ = r.cmd.Process.Kill()
	}
}

// Done is closed when the child has ended.
func (r *Robot) Done() <-chan struct{} { return r.ended }

// call has the child do one thing. A request that the child has begun is waited
// for, within bounds, also when its caller has given up, because it may hold a
// key down.
func (r *Robot) call(ctx context.Context, limit time.Duration, q request) (response, error) {
	select {
	case r.turn <- struct{}{}:
		defer func() { <-r.turn }()
	case <-ctx.Done():
		return response{}, ctx.Err()
	}
	if err := ctx.Err(); err != nil {
		return response{}, err
	}
	select {
	case <-r.ended:
		return response{}, r.lost()
	default:
	}
	if err := r.enc.Encode(q); err != nil {
		return response{}, r.lost()
	}
	late := time.NewTimer(limit)
	defer late.Stop()
	gaveUp := ctx.Done()
	for {
		select {
		case a, ok := <-r.reply:
			if !ok {
				return response{}, r.lost()
			}
			return a, a.err()
		case <-gaveUp:
			gaveUp = nil
			late.Reset(min(limit, graceTime))
		case <-late.C:
			r.kill()
			return response{}, errors.Join(r.lost(), ctx.Err())
		}
	}
}

func (r *Robot) lost() error {
	return fmt.Errorf("the robot backend's process ended: %w", desktop.ErrDisconnected)
}

// nowhere is the only target that is served.
var nowhere desktop.Target

func unproved(what string) error {
	return fmt.Errorf("%s: the robot backend cannot prove where input goes: %w", what, desktop.ErrUnsupported)
}

// do carries out input that needs no answer.
func (r *Robot) do(ctx context.Context, what string, t desktop.Target, q request) error {
	if t != nowhere {
		return unproved(what)
	}
	if _, err := r.call(ctx, answerTime, q); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	return nil
}

// Move implements [desktop.Input].
func (r *Robot) Move(ctx context.Context, t desktop.Target, p desktop.Point) error {
	return r.do(ctx, "moving the pointer", t, request{Op: opMove, At: p})
}

// Click implements [desktop.Input].
func (r *Robot) Click(ctx context.Context, t desktop.Target, p desktop.Point, b desktop.Button, count int, mods desktop.Modifiers) error {
	if b < desktop.Left || b > desktop.Right || count < 1 || count > 3 {
		return fmt.Errorf("clicking: button %d, %d times: %w", b, count, desktop.ErrUnsupported)
	}
	return r.do(ctx, "clicking", t, request{Op: opClick, At: p, Button: b, Count: count, Mods: mods})
}

// Drag implements [desktop.Input]. Once begun it is drawn to its end.
func (r *Robot) Drag(ctx context.Context, t desktop.Target, from, to desktop.Point, b desktop.Button, mods desktop.Modifiers) error {
	if b < desktop.Left || b > desktop.Right {
		return fmt.Errorf("dragging: button %d: %w", b, desktop.ErrUnsupported)
	}
	return r.do(ctx, "dragging", t, request{Op: opDrag, At: from, To: to, Button: b, Mods: mods})
}

// Scroll implements [desktop.Input].
func (r *Robot) Scroll(ctx context.Context, t desktop.Target, p desktop.Point, dx, dy int, mods desktop.Modifiers) error {
	return r.do(ctx, "scrolling", t, request{Op: opScroll, At: p, Dx: dx, Dy: dy, Mods: mods})
}

// portion is the most keys of one request, so that a caller who gives up is
// soon obeyed.
const portion = 16

// Keys implements [desktop.Input].
func (r *Robot) Keys(ctx context.Context, t desktop.Target, chords []desktop.Chord) error {
	list := make([]tap, len(chords))
	for i, c := range chords {
		key, ok := keyOf(c.Key)
		if !ok {
			return fmt.Errorf("pressing keys: the robot backend does not know %q: %w", c.Key, desktop.ErrUnsupported)
		}
		list[i] = tap{key, c.Mods}
	}
	return r.taps(ctx, "pressing keys", t, list)
}

// Type implements [desktop.Input]. Symbols are right on the US layout only.
func (r *Robot) Type(ctx context.Context, t desktop.Target, text string) error {
	list, err := tapsOf(text)
	if err != nil {
		return fmt.Errorf("typing: %w", err)
	}
	return r.taps(ctx, "typing", t, list)
}

func (r *Robot) taps(ctx context.Context, what string, t desktop.Target, list []tap) error {
	if t != nowhere {
		return unproved(what)
	}
	for from := 0; from < len(list); from += portion {
		part := list[from:min(from+portion, len(list))]
		if err := r.do(ctx, what, t, request{Op: opTaps, Taps: part}); err != nil {
			if from > 0 {
				return fmt.Errorf("after %d of %d: %w: %w", from, len(list), desktop.ErrInterrupted, err)
			}
			return err
		}
	}
	return nil
}

// Position implements [desktop.Input].
func (r *Robot) Position(ctx context.Context) (desktop.Point, error) {
	a, err := r.call(ctx, answerTime, request{Op: opPosition})
	if err != nil {
		return desktop.Point{}, fmt.Errorf("asking for the pointer's place: %w", err)
	}
	return a.At, nil
}

// Displays implements [desktop.Capture].
func (r *Robot) Displays(ctx context.Context) ([]desktop.Display, error) {
	a, err := r.call(ctx, answerTime, request{Op: opDisplays})
	if err != nil {
		return nil, fmt.Errorf("listing displays: %w", err)
	}
	return a.Displays, nil
}

// Screen implements [desktop.Capture].
func (r *Robot) Screen(ctx context.Context, area tree.Rect) (*image.RGBA, error) {
	if area.Empty() || area.W > 1<<15 || area.H > 1<<15 {
		return nil, fmt.Errorf("taking a picture of the screen: %d×%d pixels: %w", area.W, area.H, desktop.ErrOutside)
	}
	a, err := r.call(ctx, answerTime, request{Op: opScreen, Area: area})
	if err != nil {
		return nil, fmt.Errorf("taking a picture of the screen: %w", err)
	}
	if len(a.Pix) != 4*int(area.W)*int(area.H) {
		return nil, fmt.Errorf("taking a picture of the screen: %d bytes for %d×%d pixels: %w", len(a.Pix), area.W, area.H, desktop.ErrUnsupported)
	}
	return &image.RGBA{Pix: a.Pix, Stride: 4 * int(area.W), Rect: image.Rect(0, 0, int(area.W), int(area.H))}, nil
}

// Window implements [desktop.Capture].
func (*Robot) Window(context.Context, desktop.WindowID) (*image.RGBA, error) {
	return nil, fmt.Errorf("taking a picture of a window: the robot backend sees only the screen: %w", desktop.ErrUnsupported)
}
