package x11

import (
	"context"
	"fmt"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// Facts are what a display says of itself.
type Facts struct {
	Vendor        string
	Width, Height int
	// Extensions are those of the server, of the names that were asked for.
	Extensions map[string]bool
	// Manager is the name of the window manager: "" without one, "?" if it does
	// not say.
	Manager string
}

// Probe asks a display what it is, without taking part in it: it selects no
// event and makes no window.
func Probe(ctx context.Context, name string, extensions []string) (Facts, error) {
	l, err := openLink(ctx, name, nil)
	if err != nil {
		return Facts{}, fmt.Errorf("connecting to the display %s: %w", name, err)
	}
	defer l.asking.Wait()
	defer l.end(nil)
	screen := l.setup.Roots[0]
	f := Facts{
		Vendor: l.setup.Vendor, Width: int(screen.WidthInPixels), Height: int(screen.HeightInPixels),
		Extensions: map[string]bool{},
	}
	found, err := ask(ctx, l, func(x *xgb.Conn) (map[string]bool, error) {
		out := map[string]bool{}
		for _, e := range extensions {
			r, err := xproto.QueryExtension(x, uint16(len(e)), e).Reply()
			if err != nil {
				return nil, err
			}
			out[e] = r.Present
		}
		return out, nil
	})
	if err != nil {
		return f, fmt.Errorf("asking the display %s for its extensions: %w", name, err)
	}
	f.Extensions = found
	f.Manager, err = ask(ctx, l, func(x *xgb.Conn) (string, error) { return managerName(x, l.root) })
	if err != nil {
		return f, fmt.Errorf("asking the display %s for its window manager: %w", name, err)
	}
	return f, nil
}

// managerName follows the root window to the manager's own window, which must
// name itself: a manager that died leaves the first half behind.
func managerName(x *xgb.Conn, root xproto.Window) (string, error) {
	atom := func(name string) xproto.Atom {
		r, err := xproto.InternAtom(x, true, uint16(len(name)), name).Reply()
		if err != nil {
			return 0
		}
		return r.Atom
	}
	check := atom("_NET_SUPPORTING_WM_CHECK")
	if check == 0 {
		return "", nil
	}
	w := cardinals(x, root, check)
	if len(w) == 0 {
		return "", nil
	}
	if self := cardinals(x, xproto.Window(w[0]), check); len(self) == 0 || self[0] != w[0] {
		return "", nil
	}
	r, err := xproto.GetProperty(x, false, xproto.Window(w[0]), atom("_NET_WM_NAME"), xproto.GetPropertyTypeAny, 0, 256).Reply()
	if err != nil || len(r.Value) == 0 {
		return "?", nil
	}
	return string(r.Value), nil
}
