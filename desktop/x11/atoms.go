package x11

import (
	"context"
	"maps"
	"sync"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
)

// atoms holds the numbers of the names that this package uses, so that a
// misspelt one does not compile.
type atoms struct {
	wmState, wmProtocols, wmDeleteWindow, wmTakeFocus xproto.Atom

	netClientList, netClientListStacking, netActiveWindow, netCloseWindow,
	netCurrentDesktop, netSupportingWMCheck xproto.Atom

	netWMName, netWMPID, netWMDesktop, netWMState, netWMWindowType,
	netWMUserTime, netFrameExtents, gtkFrameExtents, gtkApplicationID,
	kdeDesktopFile xproto.Atom

	stateModal, stateHidden, stateFullscreen, stateMaxVert, stateMaxHorz,
	stateAttention xproto.Atom

	utf8String, clipboard, targets, multiple, timestamp, incr, saveTargets,
	deleteTarget, insertSelection, insertProperty, atomPair, text, plainUTF8, plain xproto.Atom

	// Ours: serial numbers come back in the first, what other programs hand
	// over lands in the second, the third makes the server tell its time.
	sync, transfer, clock xproto.Atom
}

func (a *atoms) table() map[string]*xproto.Atom {
	return map[string]*xproto.Atom{
		"WM_STATE": &a.wmState, "WM_PROTOCOLS": &a.wmProtocols,
		"WM_DELETE_WINDOW": &a.wmDeleteWindow, "WM_TAKE_FOCUS": &a.wmTakeFocus,

		"_NET_CLIENT_LIST": &a.netClientList, "_NET_CLIENT_LIST_STACKING": &a.netClientListStacking,
		"_NET_ACTIVE_WINDOW": &a.netActiveWindow, "_NET_CLOSE_WINDOW": &a.netCloseWindow,
		"_NET_CURRENT_DESKTOP": &a.netCurrentDesktop, "_NET_SUPPORTING_WM_CHECK": &a.netSupportingWMCheck,

		"_NET_WM_NAME": &a.netWMName, "_NET_WM_PID": &a.netWMPID, "_NET_WM_DESKTOP": &a.netWMDesktop,
		"_NET_WM_STATE": &a.netWMState, "_NET_WM_WINDOW_TYPE": &a.netWMWindowType,
		"_NET_WM_USER_TIME": &a.netWMUserTime, "_NET_FRAME_EXTENTS": &a.netFrameExtents,
		"_GTK_FRAME_EXTENTS": &a.gtkFrameExtents, "_GTK_APPLICATION_ID": &a.gtkApplicationID,
		"_KDE_NET_WM_DESKTOP_FILE": &a.kdeDesktopFile,

		"_NET_WM_STATE_MODAL": &a.stateModal, "_NET_WM_STATE_HIDDEN": &a.stateHidden,
		"_NET_WM_STATE_FULLSCREEN": &a.stateFullscreen, "_NET_WM_STATE_MAXIMIZED_VERT": &a.stateMaxVert,
		"_NET_WM_STATE_MAXIMIZED_HORZ": &a.stateMaxHorz, "_NET_WM_STATE_DEMANDS_ATTENTION": &a.stateAttention,

		"UTF8_STRING": &a.utf8String, "CLIPBOARD": &a.clipboard, "TARGETS": &a.targets, "MULTIPLE": &a.multiple,
		"TIMESTAMP": &a.timestamp, "INCR": &a.incr, "SAVE_TARGETS": &a.saveTargets, "DELETE": &a.deleteTarget,
		"INSERT_SELECTION": &a.insertSelection, "INSERT_PROPERTY": &a.insertProperty, "ATOM_PAIR": &a.atomPair,
		"TEXT": &a.text, "text/plain;charset=utf-8": &a.plainUTF8, "text/plain": &a.plain,

		"_ORIEL_SYNC": &a.sync, "_ORIEL_TRANSFER": &a.transfer, "_ORIEL_CLOCK": &a.clock,
	}
}

// load asks for all atoms at once.
func (a *atoms) load(x *xgb.Conn) error {
	type pair struct {
		to     *xproto.Atom
		cookie xproto.InternAtomCookie
	}
	var pairs []pair
	for name, to := range a.table() {
		pairs = append(pairs, pair{to, xproto.InternAtom(x, false, uint16(len(name)), name)})
	}
	for _, p := range pairs {
		r, err := p.cookie.Reply()
		if err != nil {
			return err
		}
		*p.to = r.Atom
	}
	return nil
}

// names translates between atoms and names that are not known beforehand:
// window types and selection targets.
type names struct {
	l *link

	// mu guards name. An atom never changes its name while the server runs.
	mu   sync.Mutex
	name map[xproto.Atom]string
}

// of returns the names of atoms; one that does not exist has the name "".
func (n *names) of(ctx context.Context, list []xproto.Atom) ([]string, error) {
	n.mu.Lock()
	var missing []xproto.Atom
	for _, a := range list {
		if _, ok := n.name[a]; !ok {
			missing = append(missing, a)
		}
	}
	n.mu.Unlock()
	if len(missing) > 0 {
		found, err := ask(ctx, n.l, func(x *xgb.Conn) (map[xproto.Atom]string, error) { return atomNames(x, missing), nil })
		if err != nil {
			return nil, err
		}
		n.mu.Lock()
		maps.Copy(n.name, found)
		n.mu.Unlock()
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	out := make([]string, len(list))
	for i, a := range list {
		out[i] = n.name[a]
	}
	return out, nil
}

func atomNames(x *xgb.Conn, list []xproto.Atom) map[xproto.Atom]string {
	cookies := make([]xproto.GetAtomNameCookie, len(list))
	for i, a := range list {
		cookies[i] = xproto.GetAtomName(x, a)
	}
	out := make(map[xproto.Atom]string, len(list))
	for i, c := range cookies {
		if r, err := c.Reply(); err == nil {
			out[list[i]] = r.Name
		}
	}
	return out
}

// atoms returns the atoms of names, made where they do not exist yet.
func (n *names) atoms(ctx context.Context, list []string) ([]xproto.Atom, error) {
	return ask(ctx, n.l, func(x *xgb.Conn) ([]xproto.Atom, error) {
		cookies := make([]xproto.InternAtomCookie, len(list))
		for i, s := range list {
			cookies[i] = xproto.InternAtom(x, false, uint16(len(s)), s)
		}
		out := make([]xproto.Atom, len(list))
		for i, c := range cookies {
			r, err := c.Reply()
			if err != nil {
				return nil, err
			}
			out[i] = r.Atom
		}
		return out, nil
	})
}
