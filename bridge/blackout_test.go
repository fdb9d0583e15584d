package bridge

import (
	"image"
	"image/color"
	"image/draw"
	"regexp"
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// B15: which places of a picture are black.
func TestB15Blackout(t *testing.T) {
	const text = tree.IfaceText | tree.IfaceEditableText
	at := func(n tree.Node, y int32) tree.Node {
		n.Bounds, n.HasBounds, n.Ifaces = tree.Rect{X: 10, Y: y, W: 50, H: 10}, true, text
		n.States |= tree.StateEditable
		return n
	}
	window := &tree.Tree{Nodes: []tree.Node{
		{ID: 1, Role: tree.RoleWindow},
		at(tree.Node{ID: 2, Role: tree.RolePassword, Name: "Password"}, 10),
		at(tree.Node{ID: 3, Role: tree.RoleEntry, Sensitive: true}, 30),
		at(tree.Node{ID: 4, Role: tree.RoleEntry, Name: "Card number:"}, 50),
		{ID: 5, Role: tree.RoleLabel, Name: "Recovery code"},
		at(tree.Node{ID: 6, Role: tree.RoleEntry, Relations: []tree.Relation{{Kind: tree.LabelledBy, Target: 5}}}, 70),
		at(tree.Node{ID: 7, Role: tree.RoleEntry}, 90),
		at(tree.Node{ID: 8, Role: tree.RolePassword, Surface: 1}, 110),
	}}
	marks := func(label string) *hostabi.View {
		return &hostabi.View{Blocks: []hostabi.Block{{Type: hostabi.Fields, Items: []hostabi.Field{{Label: label, Value: "x", Sensitive: true}}}}}
	}
	for _, tt := range []struct {
		name  string
		found blackout
		black []int // the y of each
		whole bool
	}{
		{"passwords and what the toolkit marks", secretPlaces(window, nil), []int{10, 30}, false},
		{"an administrator's patterns", secretPlaces(window, []*regexp.Regexp{regexp.MustCompile(`^Card|^Recovery`)}), []int{10, 30, 50, 70}, false},
		{"a field that the adapter marks", markedPlaces(window, marks("card number")), []int{50}, false},
		{"by the label beside it", markedPlaces(window, marks("Recovery code:")), []int{70}, false},
		{"by a label that nothing bears: what has none may be it", markedPlaces(window, marks("PIN")), []int{30, 90}, false},
		{"nothing can be it", markedPlaces(&tree.Tree{Nodes: window.Nodes[:1]}, marks("PIN")), nil, true},
		{"a text that the adapter marks", markedPlaces(window, &hostabi.View{Blocks: []hostabi.Block{{Type: hostabi.Text, Text: "x", Sensitive: true}}}), nil, true},
		{"nothing", markedPlaces(window, &hostabi.View{Blocks: []hostabi.Block{{Type: hostabi.Text, Text: "x"}}}), nil, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			img := image.NewRGBA(image.Rect(0, 0, 100, 140))
			draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
			tt.found.over(img)
			black := func(y int) bool { return img.RGBAAt(35, y) == color.RGBA{A: 255} }
			for y := 10; y < 130; y += 20 {
				want := tt.whole
				for _, b := range tt.black {
					want = want || b == y
				}
				if got := black(y + 5); got != want {
					t.Errorf("at %d black: %v, want %v", y, got, want)
				}
			}
			if got := black(3); got != tt.whole {
				t.Errorf("beside everything black: %v", got)
			}
		})
	}
}

// B15: a picture that the adapter marks as sensitive is not shown.
func TestB15SensitivePictureIsLeftOut(t *testing.T) {
	v := &hostabi.View{Blocks: []hostabi.Block{{Key: "p", Type: hostabi.Media, Alt: "code", Sensitive: true}}}
	c, err := newContent("w1", v, &blockIDs{}, func(hostabi.Region) (string, string) { return "image/jpeg", "data:image/jpeg;base64,AAAA" })
	if err != nil || len(c.blocks) != 0 {
		t.Errorf("blocks %+v, %v", c.blocks, err)
	}
}
