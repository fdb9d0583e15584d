package atspi

import (
	"context"
	"errors"
	"fmt"

	"github.com/godbus/dbus/v5"
)

// Enable announces a screen reader to the session, so that applications that
// start from now on have their trees on, and returns how to put back what was
// there. The session may keep both values in its settings beyond a log-out:
// whoever calls this must call restore.
func Enable(ctx context.Context, sessionBus string) (restore func(context.Context) error, err error) {
	before, err := Enabled(ctx, sessionBus)
	if err != nil {
		return nil, err
	}
	if before.Enabled && before.ScreenReader {
		return func(context.Context) error { return nil }, nil
	}
	if err := setStatus(ctx, sessionBus, true, true); err != nil {
		undo := setStatus(context.WithoutCancel(ctx), sessionBus, before.Enabled, before.ScreenReader)
		return nil, fmt.Errorf("switching accessibility on: %w", errors.Join(err, undo))
	}
	return func(ctx context.Context) error {
		if err := setStatus(ctx, sessionBus, before.Enabled, before.ScreenReader); err != nil {
			return fmt.Errorf("putting back the session's accessibility status: %w", err)
		}
		return nil
	}, nil
}

func setStatus(ctx context.Context, sessionBus string, enabled, reader bool) error {
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	conn, _, err := session(ctx, sessionBus)
	if err != nil {
		return err
	}
	defer conn.Close()
	set := func(name string, value bool) error {
		return conn.Object(a11yName, a11yPath).CallWithContext(ctx, properties+".Set", 0, "org.a11y.Status", name, dbus.MakeVariant(value)).Err
	}
	// The session switches IsEnabled on together with the screen reader, so the
	// reader's value goes first.
	return errors.Join(set("ScreenReaderEnabled", reader), set("IsEnabled", enabled))
}
