package atspi

import (
	"context"
	"errors"
	"fmt"
	"time"
	"unicode/utf16"

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
	to, ok := b.ids.find(id)
	if !ok {
		return fmt.Errorf("acting on an element of %s: %w", app.Name, desktop.ErrGone)
	}
	steps, err := requestsFor(d, app.Toolkit)
	if err != nil {
		return err
	}
	b.deeds.Add(1)
	defer b.deeds.Done()
	conn, err := b.door(ctx, app)
	if errors.Is(err, desktop.ErrNotAnswering) {
		// Not wrapped: a deadline among the causes means that something was sent.
		return fmt.Errorf("acting on an element of %s: %w: %v", app.Name, desktop.ErrNotAnswering, err)
	}
	if err != nil {
		return fmt.Errorf("acting on an element of %s: %w", app.Name, err)
	}
	patience, cancel := context.WithTimeout(ctx, deedPatience)
	defer cancel()
	for _, s := range steps {
		if err = b.ask(patience, conn, to, s); !errors.Is(err, desktop.ErrRefused) {
			break
		}
	}
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.Is(err, desktop.ErrNotAnswering):
		return nil // it has ended before it answered, as by a button that quits
	case errors.Is(err, desktop.ErrDisconnected):
		return fmt.Errorf("acting on an element of %s: %w: %w", app.Name, desktop.ErrInterrupted, err)
	case err != nil && patience.Err() == nil:
		return fmt.Errorf("acting on an element of %s: %w", app.Name, err)
	}
	return nil
}

// request is one call to an element.
type request struct {
	method string
	args   []any
}

// ask makes one request and waits for its answer or the end of the patience.
func (b *Bus) ask(ctx context.Context, conn *dbus.Conn, to ref, r request) error {
	c := <-conn.Object(to.bus, dbus.ObjectPath(to.path)).GoWithContext(ctx, r.method, 0, make(chan *dbus.Call, 1), r.args...).Done
	if c.Err != nil {
		return b.reason(c.Err)
	}
	if done, ok := first(c.Body).(bool); ok && !done {
		return fmt.Errorf("%w: %s said no", desktop.ErrRefused, r.method)
	}
	return nil
}

// scrollAnywhere is ATSPI_SCROLL_ANYWHERE: as little as brings it into view.
const scrollAnywhere = uint32(6)

// requestsFor turns a deed into the call that does it. Where there are several,
// each is made only if the one before was refused.
func requestsFor(d desktop.Deed, toolkit string) ([]request, error) {
	n, end := int32(d.Number), int32(d.End)
	one := func(method string, args ...any) ([]request, error) { return []request{{method, args}}, nil }
	switch d.Kind {
	case desktop.DoAction:
		return one(ifacePrefix+"Action.DoAction", n)
	case desktop.SetText:
		return one(ifacePrefix+"EditableText.SetTextContents", d.Text)
	case desktop.InsertText:
		return one(ifacePrefix+"EditableText.InsertText", n, d.Text, insertLength(d.Text, toolkit))
	case desktop.SetValue:
		return one(properties+".Set", ifacePrefix+"Value", "CurrentValue", dbus.MakeVariant(d.Float))
	case desktop.Select:
		return one(ifacePrefix+"Selection.SelectChild", n)
	case desktop.Deselect:
		return one(ifacePrefix+"Selection.DeselectChild", n)
	case desktop.Focus:
		return one(component + ".GrabFocus")
	case desktop.ScrollTo:
		return one(component+".ScrollTo", scrollAnywhere)
	case desktop.SetCaret:
		return one(ifacePrefix+"Text.SetCaretOffset", n)
	case desktop.SelectText:
		// GTK3 changes a selection only where there is one.
		return []request{
			{ifacePrefix + "Text.SetSelection", []any{int32(0), n, end}},
			{ifacePrefix + "Text.AddSelection", []any{n, end}},
		}, nil
	}
	return nil, fmt.Errorf("deed %d: %w", d.Kind, desktop.ErrUnsupported)
}

// insertLength is the length that InsertText takes beside the text: Qt5 counts
// UTF-16 units and pads what is missing, the others count bytes.
func insertLength(text, toolkit string) int32 {
	if toolkit == toolkitQt5 {
		return int32(len(utf16.Encode([]rune(text))))
	}
	return int32(len(text))
}
