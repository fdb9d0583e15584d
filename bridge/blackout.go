package bridge

import (
	"image"
	"image/color"
	"image/draw"
	"regexp"
	"slices"
	"strings"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// blackout says which parts of a window's picture nobody may see.
type blackout struct {
	places []image.Rectangle // relative to the client area
	whole  bool              // something secret is shown, and nobody knows where
}

// margin is how far text may reach beyond the bounds of its element.
const margin = 2

// over makes what is secret black.
func (b blackout) over(img *image.RGBA) {
	from := img.Bounds()
	if b.whole {
		draw.Draw(img, from, image.NewUniform(color.Black), image.Point{}, draw.Src)
	}
	for _, p := range b.places {
		draw.Draw(img, p.Inset(-margin).Add(from.Min), image.NewUniform(color.Black), image.Point{}, draw.Src)
	}
}

// and returns what is secret by either.
func (b blackout) and(other blackout) blackout {
	return blackout{append(slices.Clip(b.places), other.places...), b.whole || other.whole}
}

// secretPlaces finds what is secret in a window: passwords, and the texts whose
// labels match a pattern of the administrator.
func secretPlaces(t *tree.Tree, patterns []*regexp.Regexp) blackout {
	return places(t, func(n *tree.Node, labels []string) bool {
		if n.Sensitive || n.Role == tree.RolePassword {
			return true
		}
		return n.Ifaces.Has(tree.IfaceText) && slices.ContainsFunc(labels, func(l string) bool {
			return slices.ContainsFunc(patterns, func(p *regexp.Regexp) bool { return p.MatchString(l) })
		})
	})
}

// markedPlaces finds what a view marks as sensitive. Of a field whose element is
// not known by its label, every element without a label may be the one; of a block
// that is not of fields nothing is known.
func markedPlaces(t *tree.Tree, v *hostabi.View) blackout {
	var out blackout
	for _, b := range v.Blocks {
		out.whole = out.whole || b.Sensitive && b.Type != hostabi.Fields && b.Type != hostabi.Media
		for _, f := range b.Items {
			if b.Sensitive || f.Sensitive {
				out = out.and(labelledPlaces(t, f.Label))
			}
		}
	}
	return out
}

func labelledPlaces(t *tree.Tree, label string) blackout {
	known := false
	out := places(t, func(n *tree.Node, labels []string) bool {
		mine := slices.ContainsFunc(labels, func(l string) bool { return strings.EqualFold(trimLabel(l), trimLabel(label)) })
		mine = mine && (n.Ifaces.Has(tree.IfaceText) || n.Sensitive)
		known = known || mine
		return mine
	})
	if known {
		return out
	}
	out = places(t, func(n *tree.Node, labels []string) bool {
		known = known || n.Sensitive
		mine := len(labels) == 0 && n.Ifaces.Has(tree.IfaceText) && n.States.Has(tree.StateEditable)
		known = known || mine
		return mine
	})
	out.whole = !known
	return out
}

func trimLabel(s string) string { return strings.Trim(s, " :*…") }

// places returns the bounds of the elements on the window itself that a test
// picks by the element and its labels.
func places(t *tree.Tree, secret func(n *tree.Node, labels []string) bool) (out blackout) {
	names := make(map[tree.NodeID]string, len(t.Nodes))
	for i := range t.Nodes {
		names[t.Nodes[i].ID] = t.Nodes[i].Name
	}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		var labels []string
		for _, r := range n.Relations {
			if r.Kind == tree.LabelledBy && names[r.Target] != "" {
				labels = append(labels, names[r.Target])
			}
		}
		if n.Name != "" {
			labels = append(labels, n.Name)
		}
		if secret(n, labels) && n.HasBounds && n.Surface == 0 {
			b := n.Bounds
			out.places = append(out.places, image.Rect(int(b.X), int(b.Y), int(b.X+b.W), int(b.Y+b.H)))
		}
	}
	return out
}

// blackout is what is secret in the window as this view shows it.
func (v view) blackout(patterns []*regexp.Regexp) blackout {
	if v.encoded == nil {
		return blackout{}
	}
	t, err := tree.Decode(v.encoded)
	if err != nil {
		return blackout{whole: true} // we encoded it: it cannot be
	}
	out := secretPlaces(t, patterns)
	if v.view != nil {
		out = out.and(markedPlaces(t, markSensitive(v.view, patterns)))
	}
	return out
}
