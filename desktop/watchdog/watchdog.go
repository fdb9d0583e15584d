// Package watchdog lets go of keys and buttons for a process that was killed
// while it held them.
//
// Most input is pressed and released in one write, so it cannot be cut in two.
// A drag, and what is clicked while modifier keys are held, cannot: [Dog.Guard]
// tells a child process before such an act and after it, by one byte each over
// a pipe. When the pipe ends, by whatever death, the child releases everything
// if an act was under way, and ends ([Main]).
//
// The child is started by the first such act. It is this very program with a
// hidden subcommand, in a session of its own, so that what is sent to this
// process's terminal or group does not reach it.
package watchdog

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"

	"oriel.dev/oriel/desktop"
)

// What goes over the pipe.
const (
	holding  = 'h'
	released = 'r'
)

// writeTime bounds a word to the child. The pipe takes it at once unless the
// child has been stopped for thousands of acts.
const writeTime = time.Second

// Dog keeps the child of one desktop. Its methods may be called from any
// goroutine.
type Dog struct {
	argv []string

	// mu guards the following fields and what is written to the pipe.
	mu     sync.Mutex
	acts   int // under way
	child  *exec.Cmd
	pipe   *os.File      // nil while there is no child
	ended  chan struct{} // closed when the child has been waited for
	closed bool
}

// New returns a dog that starts its child by a command line that leads to
// [Main].
func New(argv []string) *Dog { return &Dog{argv: argv} }

// Guard returns in with the acts that hold something reported to the child. If
// that cannot be done the act is refused and nothing is sent.
func (d *Dog) Guard(in desktop.Input) desktop.Input { return guarded{in, d} }

// hold reports an act that is about to press something.
func (d *Dog) hold() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.closed {
		return fmt.Errorf("the desktop is closed: %w", desktop.ErrDisconnected)
	}
	if err := d.say(holding); err != nil {
		return fmt.Errorf("telling the watchdog, which lets go of keys if this process dies: %w; start the program again if this goes on", err)
	}
	d.acts++
	return nil
}

// letGo reports that an act has ended. One that ended with the connection may
// not have released what it pressed, and is left to the child.
func (d *Dog) letGo(err error) {
	if errors.Is(err, desktop.ErrDisconnected) {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.acts--; d.acts == 0 && d.pipe != nil {
		// A child that is gone holds nothing up, and the next act starts another.
		_ = d.write(released)
	}
}

// say tells the child a word, and starts one if there is none or it has died.
func (d *Dog) say(word byte) error {
	if d.pipe != nil {
		if d.write(word) == nil {
			return nil
		}
		d.bury()
	}
	if err := d.start(); err != nil {
		return err
	}
	return d.write(word)
}

func (d *Dog) write(word byte) error {
	_ = d.pipe.SetWriteDeadline(time.Now().Add(writeTime))
	_, err := d.pipe.Write([]byte{word})
	return err
}

// start does not wait for the child to be up: the pipe keeps what is said.
func (d *Dog) start() error {
	r, w, err := os.Pipe()
	if err != nil {
		return err
	}
	defer r.Close()
	d.child = exec.Command(d.argv[0], d.argv[1:]...)
	d.child.Stdin, d.child.Stderr = r, os.Stderr
	d.child.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := d.child.Start(); err != nil {
		return errors.Join(err, w.Close())
	}
	d.pipe, d.ended = w, make(chan struct{})
	go func(child *exec.Cmd, ended chan struct{}) {
		defer close(ended)
		_ = child.Wait() // its end is all that matters
	}(d.child, d.ended)
	return nil
}

// bury ends the pipe and waits for the child, which then has little time left.
func (d *Dog) bury() {
	_ = d.pipe.Close()
	d.pipe = nil
	timer := time.NewTimer(releaseTime + graceTime)
	defer timer.Stop()
	select {
	case <-d.ended:
	case <-timer.C:
		_ = d.child.Process.Kill()
		<-d.ended
	}
}

// graceTime is what a child gets, beyond the time to release, to come up and to
// end.
const graceTime = 100 * time.Millisecond

// Close ends the child and waits for it. An act that is still under way is then
// released by the child. Close may be called more than once.
func (d *Dog) Close() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	if d.pipe != nil {
		d.bury()
	}
	return nil
}

// guarded is an input role whose long acts the child knows of.
type guarded struct {
	desktop.Input
	dog *Dog
}

func (g guarded) act(what string, f func() error) error {
	if err := g.dog.hold(); err != nil {
		return fmt.Errorf("%s: %w", what, err)
	}
	err := f()
	g.dog.letGo(err)
	return err
}

// Drag implements [desktop.Input].
func (g guarded) Drag(ctx context.Context, t desktop.Target, from, to desktop.Point, b desktop.Button, mods desktop.Modifiers) error {
	return g.act("dragging", func() error { return g.Input.Drag(ctx, t, from, to, b, mods) })
}

// Click implements [desktop.Input].
func (g guarded) Click(ctx context.Context, t desktop.Target, p desktop.Point, b desktop.Button, count int, mods desktop.Modifiers) error {
	if mods == 0 {
		return g.Input.Click(ctx, t, p, b, count, mods)
	}
	return g.act("clicking", func() error { return g.Input.Click(ctx, t, p, b, count, mods) })
}

// Scroll implements [desktop.Input].
func (g guarded) Scroll(ctx context.Context, t desktop.Target, p desktop.Point, dx, dy int, mods desktop.Modifiers) error {
	if mods == 0 {
		return g.Input.Scroll(ctx, t, p, dx, dy, mods)
	}
	return g.act("scrolling", func() error { return g.Input.Scroll(ctx, t, p, dx, dy, mods) })
}
