package atspi

import (
	"context"
	"fmt"
	"time"

	"github.com/godbus/dbus/v5"

	"oriel.dev/oriel/desktop"
)

// doorPatience bounds how long an application may take to answer the door.
const doorPatience = 500 * time.Millisecond

// door returns the connection to send a deed by, and what to call afterwards.
//
// GTK3 serves a connection from its main loop, but not while it carries out a
// request of the same connection. A deed that runs a dialog would silence the
// whole application until the dialog closes: its windows could not be read, the
// dialog least of all. So a deed comes by a connection of its own, straight to
// the application, and the bus stays open. Other toolkits do not have this
// fault, nor such a door.
func (b *Bus) door(ctx context.Context, app App) (*dbus.Conn, func(), error) {
	if app.Toolkit != toolkitGTK3 && app.Toolkit != toolkitLibreOffice {
		return b.conn, func() {}, nil
	}
	ctx, cancel := context.WithTimeout(ctx, doorPatience)
	defer cancel()
	var address string
	err := b.conn.Object(app.Bus, rootPath).CallWithContext(ctx, ifacePrefix+"Application.GetApplicationBusAddress", 0).Store(&address)
	if ctx.Err() != nil {
		return nil, nil, fmt.Errorf("reaching %s: %w", app.Name, desktop.ErrNotAnswering)
	}
	if err != nil || address == "" {
		return b.conn, func() {}, nil
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
		return nil, nil, fmt.Errorf("reaching %s: %w", app.Name, desktop.ErrNotAnswering)
	case err != nil: // an application in a sandbox has its socket elsewhere
		end()
		return b.conn, func() {}, nil
	}
	return conn, func() {
		_ = conn.Close() // it has served
		end()
	}, nil
}
