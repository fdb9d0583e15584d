package window

import (
	"errors"
	"strings"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

// deafens reports whether carrying out an action may make the application deaf
// to accessibility: GTK3 runs it inside the very request, and if it opens a
// dialog that waits for its answer there, no other request is heard until then.
// What comes in as a key or a click does not.
func (w *Window) deafens() bool { return w.Toolkit == "gtk3" }

// Press does what pressing an element does: by its own action, unless that may
// make the application deaf; then by the keyboard or the mouse, if they can be
// used.
func (w *Window) Press(c tree.Cursor) error {
	if w.deafens() {
		if err := pressByInput(c); !mayTryElse(err) {
			return err
		}
	}
	return Activate(c)
}

// mayTryElse reports whether a refusal leaves another way: nothing was sent.
func mayTryElse(err error) bool {
	f, ok := errors.AsType[*hostabi.Fault](err)
	if !ok {
		return false
	}
	switch f.Code {
	case hostabi.CodeDenied, hostabi.CodeUnsupported, hostabi.CodeNoFocus, hostabi.CodeCovered:
		return true
	}
	return false
}

// pressByInput presses an element with the space bar if it takes the focus,
// which moves no pointer, else with a click.
func pressByInput(c tree.Cursor) error {
	if c.Surface() > 0 {
		return click(c, 1) // the popup has the keyboard
	}
	if err := pluginsdk.ActivateWindow(); err != nil {
		return err
	}
	if c.Is(tree.StateFocusable) && giveFocus(c) {
		return pluginsdk.Keys("space")
	}
	return click(c, 1)
}

// giveFocus gives an element the focus by accessibility and reports whether it
// was seen to have it.
func giveFocus(c tree.Cursor) bool {
	if !c.Can(tree.IfaceComponent) || pluginsdk.Focus(c.ID()) != nil {
		return false
	}
	_, err := pluginsdk.WaitUntil(SettleTime/2, func(r *tree.Reader) bool { return r.ByID(c.ID()).Is(tree.StateFocused) })
	return err == nil
}

// chord translates the last of an item's key bindings, as GTK writes them, to
// one that the keyboard takes: "s;<Alt>f:s;<Primary>s" is ctrl+s. Only one with
// a modifier, or a function key, means the item wherever the focus is.
func (e *MenuEntry) chord() string {
	binding := e.Keys[strings.LastIndexByte(e.Keys, ';')+1:]
	if strings.IndexByte(binding, ':') >= 0 {
		return "" // a path of mnemonics
	}
	out, safe := "", false
	for strings.HasPrefix(binding, "<") {
		modifier, rest, ok := strings.Cut(binding[1:], ">")
		if !ok {
			return ""
		}
		switch modifier {
		case "Primary", "Control", "Ctrl":
			out, safe = out+"ctrl+", true
		case "Shift":
			out += "shift+"
		case "Alt":
			out, safe = out+"alt+", true
		default:
			return ""
		}
		binding = rest
	}
	if binding == "" || !safe && !(len(binding) > 1 && binding[0] == 'F' && isDigit(binding[1])) {
		return ""
	}
	return out + binding
}

// ChooseEntry chooses an item of a closed menu. The way leads from the entry of
// the menu bar over submenus to the item.
func (w *Window) ChooseEntry(bar tree.Cursor, way ...MenuEntry) error {
	item := &way[len(way)-1]
	if w.deafens() {
		if err := chooseByInput(bar, way); !mayTryElse(err) {
			return err
		}
	}
	return Activate(item.Node)
}

// chooseByInput presses an item's key binding, or opens the menus with the mouse
// and clicks on it.
func chooseByInput(bar tree.Cursor, way []MenuEntry) error {
	if err := pluginsdk.ActivateWindow(); err != nil {
		return err
	}
	if chord := way[len(way)-1].chord(); chord != "" {
		return pluginsdk.Keys(chord)
	}
	if err := click(bar, 1); err != nil {
		return err
	}
	for i := range way {
		var item tree.Cursor
		_, err := pluginsdk.WaitUntil(SettleTime, func(r *tree.Reader) bool {
			item = r.ByID(way[i].Node.ID())
			return item.Is(tree.StateShowing) && item.HasBounds()
		})
		if err == nil {
			err = click(item, 1)
		}
		if err != nil {
			closeMenu(true)
			return err
		}
	}
	return nil
}
