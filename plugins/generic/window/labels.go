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
			f.Label = lastResort(f)
		}
	}
	s.uniqueFields()
}

// nameByRelation uses what the application says: which label is for which
// field. Such a label is no text of its own, even if the field has a name.
func (s *scanner) nameByRelation() {
	owner := map[tree.NodeID]*label{}
	for i := range s.labels {
		l := &s.labels[i]
		owner[l.node.ID()] = l
		for rel := range l.node.Relations() {
			if rel.Kind == tree.LabelFor {
				owner[rel.Target] = l
			}
		}
	}
	for i := range s.w.Fields {
		f := &s.w.Fields[i]
		for _, c := range [...]tree.Cursor{f.Node, f.Around} {
			l := owner[c.ID()]
			if l == nil {
				l = owner[c.Related(tree.LabelledBy).ID()]
			}
			if l == nil || l.node.ID() == 0 {
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

// pair is a field and a text that may be its label; the cheaper the better.
type pair struct{ cost, field, label int }

// nameByGeometry gives each text to the nearest field that needs it.
func (s *scanner) nameByGeometry() {
	var pairs []pair
	nameless := 0
	for i := range s.w.Fields {
		f := &s.w.Fields[i]
		if f.Label != "" || !f.Around.HasBounds() {
			continue
		}
		if nameless++; nameless > maxNameless {
			break
		}
		for j := range s.labels[:min(len(s.labels), maxTexts)] {
			l := &s.labels[j]
			if l.used || l.status || l.title || l.ticks || !mayName(l.text) || l.node.Surface() != f.Around.Surface() {
				continue
			}
			if c := s.cost(f, l); c >= 0 {
				pairs = append(pairs, pair{c, i, j})
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

// cost says how badly a text fits as a field's label by where it lies: left of
// it in the same row, above it, or, for what is switched on and off, right of
// it. -1 means not at all.
func (s *scanner) cost(f *Field, l *label) int {
	fb, lb := bounds(f), l.node.Bounds()
	right, bottom := lb.X+lb.W, lb.Y+lb.H
	bonus := 0
	if t := l.text; t[len(t)-1] == ':' {
		bonus = 15
	}
	if bonus == 0 && hint(f) != "" && !(sameRow(fb, lb) && right <= fb.X+4 && fb.X-right <= 200) {
		return -1 // the field says itself what it is for
	}
	switch {
	case sameRow(fb, lb) && right <= fb.X+4:
		if gap := fb.X - right; gap <= 1000 && !s.between(f, lb, fb) {
			return max(0, int(gap)/4+abs(fb.Y-lb.Y)/4-bonus)
		}
	case sameRow(fb, lb) && f.Kind == Check && lb.X >= fb.X+fb.W-4 && lb.X-(fb.X+fb.W) <= 40:
		return int(lb.X-(fb.X+fb.W)) + 5
	case bottom <= fb.Y+4 && lb.X >= fb.X-30 && lb.X < fb.X+fb.W:
		if gap := fb.Y - bottom; gap <= 45 {
			return max(0, int(gap)*2+abs(lb.X-fb.X)/4+20-bonus)
		}
	}
	return -1
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

// between reports whether another field lies between a text and a field.
func (s *scanner) between(f *Field, from, to tree.Rect) bool {
	for i := range s.w.Fields {
		o := &s.w.Fields[i]
		if o == f || o.Around.Surface() != f.Around.Surface() || !o.Around.HasBounds() {
			continue
		}
		b := o.Around.Bounds()
		if b.X >= from.X+from.W-4 && b.X+b.W <= to.X+4 && sameRow(b, to) && sameRow(b, from) {
			return true
		}
	}
	return false
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

// lastResort names a field that no text names.
func lastResort(f *Field) string {
	if h := hint(f); h != "" {
		return h
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
