package atspi

import "oriel.dev/oriel/tree"

// LibreOffice draws its windows itself, inside of one widget of GTK3, and puts
// widgets of GTK3 among what it draws. What it draws it reports as if the menu
// bar, which is GTK3's, took no room.

// askDrawn asks a panel whether GTK3 or LibreOffice made it: only these hold
// the others' objects.
func (r *reader) askDrawn(e *elem) {
	if e.n.Role != tree.RolePanel && e.n.Role != tree.RoleFiller {
		return
	}
	r.send(e.ref, accessible+".GetAttributes", func(body []any, err error) {
		m, _ := first(body).(map[string]string)
		if err == nil {
			e.maker = madeByOffice
			if m["toolkit"] != "" {
				e.maker = madeByGTK
			}
		}
	})
}

// maker says who made an object of LibreOffice.
type maker uint8

const (
	madeAsParent maker = iota // by whoever made the object it is in
	madeByGTK
	madeByOffice
)

// shiftDrawn moves what LibreOffice draws below the menu bar.
func shiftDrawn(root *elem) {
	bar := findRole(root, tree.RoleMenuBar)
	if bar == nil || !bar.n.HasBounds {
		return
	}
	shiftBelow(root, madeByGTK, bar.n.Bounds)
}

func shiftBelow(e *elem, m maker, bar tree.Rect) {
	for _, k := range e.kids {
		by := m
		if k.maker != madeAsParent {
			by = k.maker
		}
		if by == madeByOffice && m == madeByGTK && k.n.HasBounds && k.n.Bounds.Y != bar.Y {
			// It knows of the bar, or there is none above it.
			continue
		}
		if by == madeByOffice && k.n.HasBounds {
			k.n.Bounds.Y += bar.H
		}
		shiftBelow(k, by, bar)
	}
}

func findRole(e *elem, role tree.Role) *elem {
	if e.n.Role == role {
		return e
	}
	for _, k := range e.kids {
		if k.status == statusRead {
			if found := findRole(k, role); found != nil {
				return found
			}
		}
	}
	return nil
}
