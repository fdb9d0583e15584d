//go:build desktop

package live

import (
	"bytes"
	"context"
	"strings"
	"time"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// host carries out host functions for one invoke.
type host struct {
	w    *Window
	last []byte // the last observation that the adapter was given
}

func (h *host) call(f hostabi.Function, request []byte) ([]byte, *hostabi.Fault) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	reply, err := h.do(ctx, string(f.Capability)+" "+f.Name, request)
	if err != nil {
		return nil, fault(err)
	}
	return reply, nil
}

// do carries out one of the host functions that adapters here use.
func (h *host) do(ctx context.Context, name string, request []byte) ([]byte, error) {
	switch capability, _, _ := strings.Cut(name, " "); hostabi.Capability(capability) {
	case hostabi.CapTree:
		return h.read(ctx, name, request)
	case hostabi.CapA11y:
		return h.act(ctx, name, request)
	}
	return h.drive(ctx, name, request)
}

// unsupported is the answer to what the bench does not do.
func unsupported(name string) error {
	return &hostabi.Fault{Code: hostabi.CodeUnsupported, Message: name + " is not on the bench"}
}

// read reads more of the window.
func (h *host) read(ctx context.Context, name string, request []byte) ([]byte, error) {
	id, d := h.w.ID, h.w.b.D
	switch name {
	case "oriel:tree observe":
		b, err := h.w.look()
		h.last = b
		return b, err
	case "oriel:tree children":
		return ask(request, func(r *hostabi.ChildrenRequest) ([]byte, error) {
			return encoded(d.Tree.Children(ctx, id, r.ID, r.Offset, r.N))
		})
	case "oriel:tree cells":
		return ask(request, func(r *hostabi.CellsRequest) ([]byte, error) {
			return encoded(d.Tree.Cells(ctx, id, r.ID, r.Row, r.Column, r.Rows, r.Columns))
		})
	case "oriel:tree text":
		return ask(request, func(r *hostabi.TextRequest) ([]byte, error) {
			s, err := d.Tree.Text(ctx, id, r.ID, r.From, r.N)
			return []byte(s), err
		})
	}
	return nil, unsupported(name)
}

// act asks the application by accessibility.
func (h *host) act(ctx context.Context, name string, request []byte) ([]byte, error) {
	id, d := h.w.ID, h.w.b.D
	switch name {
	case "oriel:a11y action":
		return ask(request, func(r *hostabi.ActionRequest) ([]byte, error) {
			return nil, d.Tree.Act(ctx, id, r.ID, desktop.Deed{Kind: desktop.DoAction, Number: int64(r.Number)})
		})
	case "oriel:a11y set_text":
		return ask(request, func(r *hostabi.SetTextRequest) ([]byte, error) {
			deed := desktop.Deed{Kind: desktop.SetText, Text: r.Text}
			if r.Insert {
				deed = desktop.Deed{Kind: desktop.InsertText, Text: r.Text, Number: r.At}
			}
			return nil, d.Tree.Act(ctx, id, r.ID, deed)
		})
	case "oriel:a11y set_value":
		return ask(request, func(r *hostabi.SetValueRequest) ([]byte, error) {
			return nil, d.Tree.Act(ctx, id, r.ID, desktop.Deed{Kind: desktop.SetValue, Float: r.Value})
		})
	case "oriel:a11y select":
		return ask(request, func(r *hostabi.SelectRequest) ([]byte, error) {
			kind := desktop.Select
			if r.Deselect {
				kind = desktop.Deselect
			}
			return nil, d.Tree.Act(ctx, id, r.ID, desktop.Deed{Kind: kind, Number: r.Child})
		})
	case "oriel:a11y select_text":
		return ask(request, func(r *hostabi.SelectTextRequest) ([]byte, error) {
			return nil, d.Tree.Act(ctx, id, r.ID, desktop.Deed{Kind: desktop.SelectText, Number: r.Start, End: r.End})
		})
	case "oriel:a11y focus":
		return ask(request, func(r *hostabi.NodeRequest) ([]byte, error) {
			return nil, d.Tree.Act(ctx, id, r.ID, desktop.Deed{Kind: desktop.Focus})
		})
	case "oriel:a11y scroll_to":
		return ask(request, func(r *hostabi.NodeRequest) ([]byte, error) {
			return nil, d.Tree.Act(ctx, id, r.ID, desktop.Deed{Kind: desktop.ScrollTo})
		})
	}
	return nil, unsupported(name)
}

// drive works on the window from outside, and waits.
func (h *host) drive(ctx context.Context, name string, request []byte) ([]byte, error) {
	id, d := h.w.ID, h.w.b.D
	target := desktop.Target{Window: id}
	switch name {
	case "oriel:window close":
		return nil, d.Windows.Close(ctx, id)
	case "oriel:window activate":
		return nil, d.Windows.Activate(ctx, id)
	case "oriel:input click":
		return ask(request, func(r *hostabi.ClickRequest) ([]byte, error) {
			return nil, d.Input.Click(ctx, target, h.point(r.X, r.Y), desktop.Left, max(r.Count, 1), 0)
		})
	case "oriel:input move":
		return ask(request, func(r *hostabi.MoveRequest) ([]byte, error) {
			return nil, d.Input.Move(ctx, target, h.point(r.X, r.Y))
		})
	case "oriel:input scroll":
		return ask(request, func(r *hostabi.ScrollRequest) ([]byte, error) {
			return nil, d.Input.Scroll(ctx, target, h.point(r.X, r.Y), r.DX, r.DY, 0)
		})
	case "oriel:input keys":
		return ask(request, func(r *hostabi.KeysRequest) ([]byte, error) {
			return nil, d.Input.Keys(ctx, target, chords(r.Chords))
		})
	case "oriel:input text":
		return ask(request, func(r *hostabi.TypeRequest) ([]byte, error) { return nil, d.Input.Type(ctx, target, r.Text) })
	case "oriel:wait change":
		return ask(request, func(r *hostabi.WaitRequest) ([]byte, error) { return h.wait(r), nil })
	}
	return nil, unsupported(name)
}

// request is a message that T points to.
type request[T any] interface {
	*T
	hostabi.Message
}

// ask reads a request and carries it out.
func ask[T any, M request[T]](text []byte, do func(M) ([]byte, error)) ([]byte, error) {
	var r T
	if err := hostabi.Read(text, M(&r)); err != nil {
		return nil, err
	}
	return do(&r)
}

func encoded(t *tree.Tree, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return tree.Append(nil, t), nil
}

// point is a point of the window on the screen.
func (h *host) point(x, y int32) desktop.Point {
	for _, w := range h.w.b.list() {
		if w.ID == h.w.ID {
			return desktop.Point{X: w.Bounds.X + x, Y: w.Bounds.Y + y}
		}
	}
	return desktop.Point{}
}

func chords(words []string) []desktop.Chord {
	mods := map[string]desktop.Modifiers{"shift": desktop.Shift, "ctrl": desktop.Control, "alt": desktop.Alt, "super": desktop.Super}
	var out []desktop.Chord
	for _, word := range words {
		parts := strings.Split(word, "+")
		c := desktop.Chord{Key: parts[len(parts)-1]}
		for _, m := range parts[:len(parts)-1] {
			c.Mods |= mods[m]
		}
		out = append(out, c)
	}
	return out
}

// wait looks until the window differs from what the adapter saw last.
func (h *host) wait(r *hostabi.WaitRequest) []byte {
	start := time.Now()
	changed := poll(time.Duration(r.TimeoutMS)*time.Millisecond, 30*time.Millisecond, func() bool {
		now, err := h.w.look()
		return err == nil && !bytes.Equal(now, h.last)
	})
	return hostabi.Append(nil, &hostabi.WaitReply{Changed: changed, WaitedMS: time.Since(start).Milliseconds()})
}
