package atspi

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/godbus/dbus/v5"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/tree"
)

// deedPatience is how long the answer to a deed is waited for. Toolkits that
// run what a deed sets off within the call answer when a dialog closes again.
const deedPatience = 100 * time.Millisecond

// Act carries out one deed. It returns nil when the application has taken it,
// or has not refused it within 100 ms; a later answer is dropped. The effect is
// seen by reading again.
func (b *Bus) Act(ctx context.Context, app App, id tree.NodeID, d desktop.Deed) error {
	to, ok := b.ids.find(app.Bus, id)
	if !ok {
		return fmt.Errorf("acting on an element of %s: %w", app.Name, desktop.ErrGone)
	}
	method, args, err := requestFor(d)
	if err != nil {
		return err
	}
	b.deeds.Add(1)
	defer b.deeds.Done()
	conn, err := b.door(ctx, app)
	if err != nil {
		return fmt.Errorf("acting on an element of %s: %w", app.Name, err)
	}
	ctx, cancel := context.WithTimeout(ctx, deedPatience)
	defer cancel()
	c := <-conn.Object(to.bus, dbus.ObjectPath(to.path)).GoWithContext(ctx, method, 0, make(chan *dbus.Call, 1), args...).Done
	switch {
	case errors.Is(c.Err, context.DeadlineExceeded):
		return nil
	case c.Err != nil:
		return fmt.Errorf("acting on an element of %s: %w", app.Name, b.reason(c.Err))
	}
	if done, ok := first(c.Body).(bool); ok && !done {
		return fmt.Errorf("acting on an element of %s: %w: %s said no", app.Name, desktop.ErrRefused, method)
	}
	return nil
}

// scrollAnywhere is ATSPI_SCROLL_ANYWHERE: as little as brings it into view.
const scrollAnywhere = uint32(6)

// requestFor turns a deed into the call that does it.
func requestFor(d desktop.Deed) (method string, args []any, err error) {
	n := int32(d.Number)
	switch d.Kind {
	case desktop.DoAction:
		return ifacePrefix + "Action.DoAction", []any{n}, nil
	case desktop.SetText:
		return ifacePrefix + "EditableText.SetTextContents", []any{d.Text}, nil
	case desktop.InsertText:
		return ifacePrefix + "EditableText.InsertText", []any{n, d.Text, int32(len(d.Text))}, nil
	case desktop.SetValue:
		return properties + ".Set", []any{ifacePrefix + "Value", "CurrentValue", dbus.MakeVariant(d.Float)}, nil
	case desktop.Select:
		return ifacePrefix + "Selection.SelectChild", []any{n}, nil
	case desktop.Deselect:
		return ifacePrefix + "Selection.DeselectChild", []any{n}, nil
	case desktop.Focus:
		return component + ".GrabFocus", nil, nil
	case desktop.ScrollTo:
		return component + ".ScrollTo", []any{scrollAnywhere}, nil
	case desktop.SetCaret:
		return ifacePrefix + "Text.SetCaretOffset", []any{n}, nil
	case desktop.SelectText:
		return ifacePrefix + "Text.SetSelection", []any{int32(0), n, int32(d.End)}, nil
	}
	return "", nil, fmt.Errorf("deed %d: %w", d.Kind, desktop.ErrUnsupported)
}
