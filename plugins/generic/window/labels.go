package window

import (
	"cmp"
	"slices"

	"oriel.dev/oriel/tree"
)

// Bounds on the search for labels by geometry: it compares every unnamed field
// with every text.
const (
	maxNameless = 200
	maxTexts    = 600
	longestName = 60 // bytes; a longer text is a sentence, not a label
)

// nameFields gives every field a label: by relation, by its own name, by where
// the texts lie, by tooltip or placeholder, by its group, by its kind.
func (s *scanner) nameFields() {
	s.nameByRelation()
	if d := s.w.Document(); d != nil && d.Label == "" {
		d.Label = "Document" // what stands above it is about something else
	}
	s.nameByGeometry()
	for i := range s.w.Fields {
		if f := &s.w.Fields[i]; f.Label == "" {
			f.Label = s.lastResort(f)
		}
	}
	s.uniqueFields()
}

// nameByRelation uses what the application says: which label is for which
// field. Such a label is no text of its own, even if the field has a name.
func (s *scanner) nameByRelation() {
	owner := map[tree.NodeID]*label{} // by the element that a label is for
	for i := range s.labels {
		for rel := range s.labels[i].node.Relations() {
			if rel.Kind == tree.LabelFor {
				owner[rel.Target] = &s.labels[i]
			}
		}
	}
	for i := range s.w.Fields {
		f := &s.w.Fields[i]
		for _, c := range [...]tree.Cursor{f.Node, f.Around} {
			l := owner[c.ID()]
			if l == nil {
				l = s.labelOf(c.Related(tree.LabelledBy))
			}
			if l == nil {
				continue
			}
			l.used = true
			if f.Label == "" {
				f.Label = Label(l.text)
			}
			break
		}
	}
}

// labelOf is the label that an element is, nil if it is none.
func (s *scanner) labelOf(c tree.Cursor) *label {
	for i := range s.labels {
		if c.Valid() && s.labels[i].node == c {
			return &s.labels[i]
		}
	}
	return nil
}

// pair is a field and a text that may be its label; the cheaper the better.
type pair struct{ cost, field, label int }

// place is where an element lies.
type place struct {
	tree.Rect
	surface uint32
	known   bool
}

func placeOf(c tree.Cursor) place { return place{c.Bounds(), c.Surface(), c.HasBounds()} }

// nameByGeometry gives each text to the nearest field that needs it.
func (s *scanner) nameByGeometry() {
	fields := make([]place, len(s.w.Fields))
	for i := range s.w.Fields {
		f := &s.w.Fields[i]
		fields[i] = place{bounds(f), f.Around.Surface(), f.Around.HasBounds()}
	}
	buttons := make([]place, len(s.w.Buttons))
	for i := range s.w.Buttons {
		buttons[i] = placeOf(s.w.Buttons[i].Node)
	}
	texts := s.nameTexts()
	var pairs []pair
	nameless := 0
	for i := range s.w.Fields {
		f := &s.w.Fields[i]
		if f.Label != "" || !fields[i].known {
			continue
		}
		if nameless++; nameless > maxNameless {
			break
		}
		near := neighbourhood{fields: fields, buttons: buttons, field: i, check: f.Kind == Check, hinted: hint(f) != ""}
		for _, t := range texts.beside(fields[i]) {
			if c := near.cost(t.place, s.labels[t.label].text); c >= 0 {
				pairs = append(pairs, pair{c, i, t.label})
			}
		}
	}
	slices.SortStableFunc(pairs, func(a, b pair) int {
		return cmp.Or(cmp.Compare(a.cost, b.cost), cmp.Compare(a.field, b.field), cmp.Compare(a.label, b.label))
	})
	for _, p := range pairs {
		f, l := &s.w.Fields[p.field], &s.labels[p.label]
		if f.Label == "" && !l.used {
			f.Label, l.used = Label(l.text), true
		}
	}
}

// textPlace is the place of one of the scanner's labels.
type textPlace struct {
	place
	label int
}

// textPlaces are sorted from the top of the window down, so that only those
// beside a field are looked at.
type textPlaces struct {
	all     []textPlace
	tallest int32
}

// nameTexts are the texts that may name something.
func (s *scanner) nameTexts() textPlaces {
	var t textPlaces
	for j := range s.labels[:min(len(s.labels), maxTexts)] {
		l := &s.labels[j]
		if l.used || l.status || l.title || l.ticks || !mayName(l.text) {
			continue
		}
		t.all = append(t.all, textPlace{placeOf(l.node), j})
		t.tallest = max(t.tallest, l.node.Bounds().H)
	}
	slices.SortStableFunc(t.all, func(a, b textPlace) int { return cmp.Compare(a.Y, b.Y) })
	return t
}

// beside returns the texts in the rows of a place and a little above.
func (t *textPlaces) beside(p place) []textPlace {
	from, _ := slices.BinarySearchFunc(t.all, p.Y-farAbove-t.tallest, func(a textPlace, y int32) int { return cmp.Compare(a.Y, y) })
	to, _ := slices.BinarySearchFunc(t.all, p.Y+p.H, func(a textPlace, y int32) int { return cmp.Compare(a.Y, y) })
	return t.all[min(from, to):to]
}

// mayName reports whether a text can be a label rather than a sentence.
func mayName(text string) bool {
	switch text[len(text)-1] {
	case ':':
		return len(text) <= 2*longestName
	case '.', '!':
		return false
	}
	return len(text) <= longestName && hasLetter(text)
}

// neighbourhood is one field among all others.
type neighbourhood struct {
	fields  []place
	buttons []place
	field   int
	check   bool // something that is switched on and off
	hinted  bool // it says itself what it is for
}

// farAbove and farLeft are how far a label may be from its field, in pixels.
const (
	farAbove = 45
	farLeft  = 1000
)

// cost says how badly a text fits as the field's label by where it lies: left of
// it in the same row, above it, or, for what is switched on and off, right of
// it. -1 means not at all.
func (n *neighbourhood) cost(l place, text string) int {
	f := n.fields[n.field]
	right, bottom := l.X+l.W, l.Y+l.H
	if l.Y >= f.Y+f.H || bottom < f.Y-farAbove || l.surface != f.surface {
		return -1
	}
	row := sameRow(f.Rect, l.Rect)
	bonus := 0
	if text[len(text)-1] == ':' {
		bonus = 15
	}
	if bonus == 0 && n.hinted && !(row && right <= f.X+4 && f.X-right <= 200) {
		return -1
	}
	switch {
	case row && right <= f.X+4:
		if gap := f.X - right; gap <= farLeft && !n.between(l) {
			return max(0, int(gap)/4+abs(f.Y-l.Y)/4-bonus)
		}
	case row && n.check && l.X >= f.X+f.W-4 && l.X-(f.X+f.W) <= 40:
		return max(0, int(l.X-(f.X+f.W))+5)
	case bottom <= f.Y+4 && l.X >= f.X-30 && l.X < f.X+f.W && (bonus > 0 || n.below(l) < toolBarRow):
		return max(0, int(f.Y-bottom)*2+abs(l.X-f.X)/4+20-bonus)
	}
	return -1
}

// toolBarRow is how many elements beside a field make a tool bar of its row: a
// text above all of them is about something else.
const toolBarRow = 3

// below counts the elements in the row of the field, but for it, that lie below a
// text.
func (n *neighbourhood) below(l place) int {
	f, count := n.fields[n.field], 0
	for _, list := range [...][]place{n.fields, n.buttons} {
		for _, o := range list {
			if o.known && o.surface == f.surface && o.X >= f.X+f.W-4 && o.X < l.X+l.W && sameRow(o.Rect, f.Rect) {
				count++
			}
		}
	}
	return count
}

// between reports whether another field lies between a text and the field.
func (n *neighbourhood) between(l place) bool {
	f := n.fields[n.field]
	for i, o := range n.fields {
		if i != n.field && o.known && o.surface == f.surface && o.X >= l.X+l.W-4 && o.X+o.W <= f.X+4 &&
			sameRow(o.Rect, f.Rect) && sameRow(o.Rect, l.Rect) {
			return true
		}
	}
	return false
}

// bounds is the rectangle of a field, that of all buttons for a radio group.
func bounds(f *Field) tree.Rect {
	b := f.Around.Bounds()
	if !f.Radio {
		return b
	}
	for _, o := range f.Options {
		if o.Node.Surface() == f.Around.Surface() {
			b = union(b, o.Node.Bounds())
		}
	}
	return b
}

func union(a, b tree.Rect) tree.Rect {
	x, y := min(a.X, b.X), min(a.Y, b.Y)
	return tree.Rect{X: x, Y: y, W: max(a.X+a.W, b.X+b.W) - x, H: max(a.Y+a.H, b.Y+b.H) - y}
}

// sameRow reports whether two elements share half the height of the lower one.
func sameRow(a, b tree.Rect) bool {
	shared := min(a.Y+a.H, b.Y+b.H) - max(a.Y, b.Y)
	return shared*2 >= min(a.H, b.H) && shared > 0
}

func abs(n int32) int { return int(max(n, -n)) }

// hint is what a field says of itself short of a name: a tooltip or the words
// that an empty entry shows.
func hint(f *Field) string {
	if d := Label(f.Node.Description()); d != "" && len(d) <= longestName && f.Problem == "" {
		return bare(d)
	}
	return bare(Label(f.Node.Attribute("placeholder-text")))
}

// aloneIn is the name of the group or bar in which a field stands alone.
func (s *scanner) aloneIn(f *Field) string {
	for p := f.Around.Parent(); p.Valid(); p = p.Parent() {
		switch p.Role() {
		case tree.RolePanel, tree.RoleGrouping, tree.RoleFiller, tree.RoleToolBar:
		default:
			return ""
		}
		for i := range s.w.Fields {
			if g := &s.w.Fields[i]; g.Around != f.Around && (below(g.Around, p) || g.Around == p) {
				return ""
			}
		}
		if n := s.name(p); n != "" {
			return n
		}
	}
	return ""
}

// lastResort names a field that no text names.
func (s *scanner) lastResort(f *Field) string {
	if h := hint(f); h != "" {
		return h
	}
	if n := s.aloneIn(f); n != "" {
		return n
	}
	if f.fallback != "" {
		return f.fallback
	}
	if f.Radio && f.group != "" {
		return f.group
	}
	return kindNames[f.Kind]
}

var kindNames = [...]string{Line: "Text field", Area: "Text", Check: "Option", Choice: "Choice", Number: "Number", Shown: "Value"}

// uniqueFields makes labels differ: by the group that a field stands in, else
// by a number.
func (s *scanner) uniqueFields() {
	count := map[string]int{}
	for i := range s.w.Fields {
		count[s.w.Fields[i].Label]++
	}
	var n names
	for i := range s.w.Fields {
		f := &s.w.Fields[i]
		label := f.Label
		if count[label] > 1 && f.group != "" && f.group != label {
			label += " (" + Cut(f.group, 30) + ")"
		}
		f.Label = n.unique(label)
	}
}

// uniqueButtons does the same for buttons: three of "Remove" differ by the row
// that they stand in.
func (s *scanner) uniqueButtons() {
	count := map[string]int{}
	for i := range s.w.Buttons {
		count[s.w.Buttons[i].Label]++
	}
	var n names
	for i := range s.w.Buttons {
		b := &s.w.Buttons[i]
		label := b.Label
		if count[label] > 1 && b.around != "" && b.around != label {
			label += " (" + Cut(b.around, 30) + ")"
		}
		b.Label = n.unique(label)
	}
}
