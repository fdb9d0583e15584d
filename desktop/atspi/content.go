package atspi

import (
	"cmp"
	"slices"
	"strings"

	"oriel.dev/oriel/tree"
)

// content asks for what an object says beyond the basic facts: only what its
// role makes worth a call.
func (r *reader) content(e *elem) {
	n := &e.n
	if n.Ifaces.Has(tree.IfaceAction) && r.wantsActions(e) && !r.keptActions(e) {
		r.send(e.ref, ifacePrefix+"Action.GetActions", func(body []any, err error) {
			if err == nil {
				e.setActions(first(body), r.how)
				r.keep(e, true)
				r.nameActions(e)
			}
			if len(e.n.Actions) > 0 && r.how.byExtents && !e.n.HasBounds && e.transparent() {
				r.extents(e, func() { e.n.States |= tree.StateShowing })
			}
		})
	}
	if n.Ifaces.Has(tree.IfaceText) && r.wantsText(e) {
		r.text(e, 0, r.bus.limits.Text)
	}
	if n.Ifaces.Has(tree.IfaceValue) && wantsValue(n.Role) {
		r.value(e)
	}
	if r.how.attributes && r.wantsAttributes(e) {
		r.send(e.ref, accessible+".GetAttributes", func(body []any, err error) {
			if err == nil {
				e.setAttributes(first(body))
			}
		})
	}
	if n.Ifaces.Has(tree.IfaceTable) && !e.has(rawDescendants) {
		r.dimensions(e, &tree.Table{Rows: -1, Columns: -1}, func() {})
	}
	if n.Ifaces.Has(tree.IfaceTableCell) && n.Cell == nil {
		r.position(e)
	}
	if wantsRelations(e) {
		r.send(e.ref, accessible+".GetRelationSet", func(body []any, err error) {
			if err == nil {
				e.setRelations(first(body))
			}
		})
	}
}

// keptActions takes the actions that an object had in an earlier reading.
func (r *reader) keptActions(e *elem) bool {
	if !r.how.frugal {
		return false
	}
	k, ok := r.bus.lasting.find(e)
	if ok && k.asked {
		e.n.Actions = slices.Clone(k.actions)
		r.nameActions(e)
		return true
	}
	return false
}

// keep keeps for later readings what an object has told.
func (r *reader) keep(e *elem, asked bool) {
	if r.how.frugal && !e.fleeting() {
		r.bus.lasting.keep(e, kept{ifaces: e.n.Ifaces, actions: e.n.Actions, asked: asked})
	}
}

// wantsValue leaves out the roles whose value only says again that they are
// pressed or checked, or how wide they are.
func wantsValue(role tree.Role) bool {
	switch role {
	case tree.RoleSlider, tree.RoleSpinButton, tree.RoleScrollBar, tree.RoleProgressBar, tree.RoleLevelBar, tree.RoleSplitPane,
		tree.RoleEntry, tree.RoleCalendar, tree.RoleUnknown, tree.RoleFiller:
		return true
	}
	return false
}

// wantsActions leaves out the objects of toolkits that give actions to all.
func (r *reader) wantsActions(e *elem) bool {
	switch {
	case r.how.implied:
		return acts(e)
	case r.how.frugal: // a text can only be given the focus
		return acts(e) && e.n.Role != tree.RoleEntry && e.n.Role != tree.RoleTextArea && e.n.Role != tree.RolePassword
	case r.how.classNames:
		return acts(e) || e.parent == nil || e.n.Role == tree.RolePanel
	}
	return true
}

// wantsRelations leaves out what has a name of its own and belongs to nothing.
func wantsRelations(e *elem) bool {
	switch e.n.Role {
	case tree.RoleRadioButton, tree.RoleEntry, tree.RolePassword, tree.RoleTextArea, tree.RoleComboBox, tree.RoleSpinButton,
		tree.RoleSlider, tree.RoleTab:
		return true
	}
	return acts(e) && e.n.Name == "" && e.n.Description == ""
}

// position asks a cell for its place in its table.
func (r *reader) position(e *elem) {
	r.get(e.ref, ifacePrefix+"TableCell", "Position", func(v any, err error) {
		at, _ := v.([]any)
		if err != nil || len(at) < 2 {
			return
		}
		row, _ := at[0].(int32)
		column, _ := at[1].(int32)
		if row >= 0 && column >= 0 {
			e.n.Cell = &tree.Cell{Row: uint32(row), Column: uint32(column), RowSpan: 1, ColumnSpan: 1}
		}
	})
}

// acts reports whether an object is one that a person works with.
func acts(e *elem) bool {
	if e.n.States&(tree.StateFocusable|tree.StateEditable) != 0 {
		return true
	}
	switch e.n.Role {
	case tree.RoleButton, tree.RoleToggleButton, tree.RoleCheckBox, tree.RoleRadioButton, tree.RoleSwitch, tree.RoleComboBox,
		tree.RoleEntry, tree.RolePassword, tree.RoleTextArea, tree.RoleSpinButton, tree.RoleSlider, tree.RoleLink, tree.RoleTab,
		tree.RoleMenuItem, tree.RoleCheckMenuItem, tree.RoleRadioMenuItem, tree.RoleTreeItem:
		return true
	}
	return false
}

// wantsText leaves out texts that only repeat the name or join the names of
// what is inside.
func (r *reader) wantsText(e *elem) bool {
	n := &e.n
	switch {
	case n.Sensitive:
		return true // for its length and caret; the text itself is never asked for
	case n.States&tree.StateEditable != 0, n.Ifaces.Has(tree.IfaceEditableText):
		return true
	case r.how.implied:
		return n.Role == tree.RoleEntry || n.Role == tree.RoleTextArea
	case n.Name != "" && (n.Role == tree.RoleLabel || n.Role == tree.RoleStatic || n.Role == tree.RoleHeading || n.Role == tree.RoleTableCell):
		return false
	}
	return longText(n.Role)
}

func (r *reader) wantsAttributes(e *elem) bool {
	return r.how.implied || e.parent == nil || e.n.Ifaces.Has(tree.IfaceText) && e.n.Role != tree.RoleLabel && e.n.Role != tree.RoleTableCell
}

// text asks for n characters of an object's text from offset from on.
func (r *reader) text(e *elem, from int64, n int) {
	const iface = ifacePrefix + "Text"
	info := &tree.TextInfo{Caret: -1, SelStart: -1, SelEnd: -1, First: from}
	r.get(e.ref, iface, "CharacterCount", func(v any, err error) {
		length, ok := v.(int32)
		if err != nil || !ok || length < 0 {
			return
		}
		e.n.TextInfo = info
		info.Length = int64(length)
		// Qt5 answers nothing at all when asked beyond the end.
		end := min(info.Length, from+int64(n))
		if e.n.Sensitive || from >= end {
			return
		}
		if r.how.bareText && e.n.Ifaces.Has(tree.IfaceEditableText) && e.n.Role != tree.RoleTextArea {
			r.displayed(e, from, end)
			return
		}
		r.send(e.ref, iface+".GetText", func(body []any, err error) {
			s, _ := first(body).(string)
			if err == nil && !e.n.Sensitive {
				e.n.Text = strings.ToValidUTF8(s, "\uFFFD")
			}
		}, int32(from), int32(end))
	})
	if e.n.States&(tree.StateFocusable|tree.StateEditable) == 0 {
		return
	}
	r.get(e.ref, iface, "CaretOffset", func(v any, err error) {
		if at, ok := v.(int32); err == nil && ok && at >= 0 {
			info.Caret = at
		}
	})
	r.send(e.ref, iface+".GetSelection", func(body []any, err error) {
		if err != nil || len(body) < 2 {
			return
		}
		from, _ := body[0].(int32)
		to, _ := body[1].(int32)
		if from != to && from >= 0 && to >= 0 {
			info.SelStart, info.SelEnd = min(from, to), max(from, to)
		}
	}, int32(0))
}

// granularityLine is ATSPI_TEXT_GRANULARITY_LINE.
const granularityLine = uint32(3)

// displayed asks for the characters from from to end of a line as a person sees
// them, for a toolkit whose GetText tells what dots stand for.
func (r *reader) displayed(e *elem, from, end int64) {
	r.send(e.ref, ifacePrefix+"Text.GetStringAtOffset", func(body []any, err error) {
		s, _ := first(body).(string)
		if err != nil || s == "" {
			return
		}
		if strings.Trim(s, "●•") == "" {
			e.n.Sensitive = true
			return
		}
		if line := []rune(s); from < int64(len(line)) {
			e.n.Text = string(line[from:min(end, int64(len(line)))])
		}
	}, int32(0), granularityLine)
}

// value asks for the state of a slider, a spin button or a bar.
func (r *reader) value(e *elem) {
	v := &tree.Value{}
	for _, p := range []struct {
		name string
		to   *float64
	}{{"CurrentValue", &v.Current}, {"MinimumValue", &v.Min}, {"MaximumValue", &v.Max}, {"MinimumIncrement", &v.Step}} {
		r.get(e.ref, ifacePrefix+"Value", p.name, func(got any, err error) {
			if f, ok := got.(float64); ok && err == nil {
				*p.to = f
				e.n.Value = v
			}
		})
	}
}

// impliedActions are the names of Chromium's first actions, which it leaves empty.
var impliedActions = [...]string{"press", "menu"}

// setActions takes the actions in the application's order: their place is
// their number.
func (e *elem) setActions(v any, how strategy) {
	list, _ := v.([][]any)
	for _, a := range list {
		if len(a) < 3 {
			return
		}
		name, _ := a[0].(string)
		description, _ := a[1].(string)
		key, _ := a[2].(string)
		if key == "<VoidSymbol>" { // GTK4's word for none
			key = ""
		}
		if description == name {
			description = ""
		}
		if place := len(e.n.Actions); how.implied && name == "" && place < len(impliedActions) {
			name = impliedActions[place]
		}
		e.n.Actions = append(e.n.Actions, tree.Action{Name: name, Description: description, KeyBinding: strings.Trim(key, ";")})
	}
}

// dullAttributes say nothing of the element, or what is said elsewhere.
var dullAttributes = map[string]bool{
	"toolkit": true, "explicit-name": true, "name-from": true, "description-from": true, "description": true, "text-align": true,
	"text-model": true, "display": true, "checkable": true, "table-cell-index": true, "window-type": true,
}

func (e *elem) setAttributes(v any) {
	m, _ := v.(map[string]string)
	for key, value := range m {
		switch {
		case dullAttributes[key] || value == "":
			continue
		case key == "placeholder":
			key = "placeholder-text"
		case key == "input-purpose" && (value == "password" || value == "pin"), key == "text-input-type" && value == "password":
			e.n.Sensitive = true
			e.n.Text = ""
		}
		e.n.Attributes = append(e.n.Attributes, tree.Attribute{Key: key, Value: value})
	}
	slices.SortFunc(e.n.Attributes, func(a, b tree.Attribute) int { return cmp.Compare(a.Key, b.Key) })
}

func (e *elem) setRelations(v any) {
	list, _ := v.([][]any)
	for _, rel := range list {
		if len(rel) < 2 {
			continue
		}
		number, _ := rel[0].(uint32)
		kind, ok := relationKinds[number]
		if !ok {
			continue
		}
		targets, _ := rel[1].([][]any)
		for _, t := range targets {
			if to, ok := refOf(t); ok {
				e.relate(relation{kind, to})
			}
		}
	}
}

// relate adds a relation once: Qt5 tells the same one many times.
func (e *elem) relate(rel relation) {
	if slices.Contains(e.relations, rel) {
		return
	}
	e.relations = append(e.relations, rel)
}
