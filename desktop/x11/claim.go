package x11

import (
	"github.com/jezek/xgb/xproto"

	"oriel.dev/oriel/desktop"
)

// Claim says that a popup belongs to a window, until the popup is destroyed.
// Where a client has several windows and the popup does not name its owner, the
// window system can only guess; whoever reads what the popup shows knows.
func (w *Windows) Claim(popup uint32, owner desktop.WindowID) {
	m := &w.d.model
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.byXID[xproto.Window(popup)]; r != nil && r.popup {
		r.owner = owner
	}
}

// claimed returns the window that a popup was claimed for, or 0.
func (m *model) claimed(popup xproto.Window) desktop.WindowID {
	m.mu.Lock()
	defer m.mu.Unlock()
	if r := m.byXID[popup]; r != nil {
		return r.owner
	}
	return 0
}
