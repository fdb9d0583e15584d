package atspi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/godbus/dbus/v5"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

// doorPatience bounds how long an application may take to open a door.
const doorPatience = 500 * time.Millisecond

// doors are connections straight to applications, for deeds.
//
// GTK3 answers a deed first and carries it out then, all within the dispatch of
// the connection that it came by; and libdbus waits for ever when something
// else comes by a connection that is being dispatched. A deed that runs a
// dialog would so silence the whole application until the dialog closes, and
// freeze it for good at the first key, which the toolkit reports over the bus.
// Hence a deed comes by a connection of its own, and nothing may come by that
// connection, not even its end, while a dialog that the deed may have opened is
// there. Other toolkits have neither the fault nor the door.
type doors struct {
	mu   sync.Mutex // guards open and closed
	open []*door
	// closed is set when the Bus closes: no door opens after it.
	closed bool
}

// door is one connection to an application.
type door struct {
	bus  string
	conn *dbus.Conn
	end  context.CancelFunc
	// before are the modal windows that were open before the last deed. Once no
	// others are open, the deed is over and the door is free.
	before []string
}

// door returns the connection to send a deed by.
func (b *Bus) door(ctx context.Context, app App) (*dbus.Conn, error) {
	if app.Toolkit != toolkitGTK3 && app.Toolkit != toolkitLibreOffice {
		return b.conn, nil
	}
	ctx, cancel := context.WithTimeout(ctx, doorPatience)
	defer cancel()
	tops, err := b.TopLevels(ctx, app)
	if err != nil {
		return nil, err
	}
	var modal []string
	for _, t := range tops {
		if t.States.Has(tree.StateModal | tree.StateShowing) {
			modal = append(modal, t.Path)
		}
	}
	if d := b.doors.free(app.Bus, modal); d != nil {
		return d.conn, nil
	}
	d, err := b.openDoor(ctx, app)
	if d == nil || err != nil {
		return b.conn, err
	}
	d.before = modal
	if !b.doors.add(d) {
		d.close()
		return nil, desktop.ErrDisconnected
	}
	return d.conn, nil
}

// free takes a door on which nothing goes on any more. Doors whose application
// has ended are dropped.
func (ds *doors) free(bus string, modal []string) *door {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	ds.open = slices.DeleteFunc(ds.open, func(d *door) bool {
		gone := !d.conn.Connected()
		if gone {
			d.close()
		}
		return gone
	})
	for _, d := range ds.open {
		busy := slices.ContainsFunc(modal, func(m string) bool { return !slices.Contains(d.before, m) })
		if d.bus == bus && !busy {
			d.before = modal
			return d
		}
	}
	return nil
}

func (ds *doors) add(d *door) bool {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	if ds.closed {
		return false
	}
	ds.open = append(ds.open, d)
	return true
}

func (ds *doors) close() {
	ds.mu.Lock()
	defer ds.mu.Unlock()
	ds.closed = true
	for _, d := range ds.open {
		d.close()
	}
	ds.open = nil
}

func (d *door) close() {
	_ = d.conn.Close() // nothing was left to say
	d.end()
}

// openDoor connects to an application. It returns nil for one that has no door
// within our reach, such as one in a sandbox.
func (b *Bus) openDoor(ctx context.Context, app App) (*door, error) {
	var address string
	err := b.conn.Object(app.Bus, rootPath).CallWithContext(ctx, ifacePrefix+"Application.GetApplicationBusAddress", 0).Store(&address)
	if errors.Is(err, context.DeadlineExceeded) {
		return nil, fmt.Errorf("reaching %s: %w", app.Name, desktop.ErrNotAnswering)
	}
	if err != nil || address == "" {
		return nil, nil
	}
	// The context of a connection is the connection's life, so the deadline for
	// opening it is kept by ending that life.
	life, end := context.WithCancel(context.WithoutCancel(ctx))
	abort := context.AfterFunc(ctx, end)
	conn, err := dbus.Dial(address, dbus.WithContext(life))
	if err == nil {
		err = conn.Auth(nil)
	}
	inTime := abort()
	switch {
	case !inTime:
		end()
		return nil, fmt.Errorf("reaching %s: %w", app.Name, desktop.ErrNotAnswering)
	case err != nil:
		end()
		return nil, nil
	}
	return &door{bus: app.Bus, conn: conn, end: end}, nil
}
