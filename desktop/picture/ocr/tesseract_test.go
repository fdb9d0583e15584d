//go:build desktop

package ocr

import (
	"image"
	"image/draw"
	"slices"
	"strings"
	"testing"

	"golang.org/x/image/font"
	"golang.org/x/image/font/basicfont"
	"golang.org/x/image/math/fixed"
)

func TestReadsScreenText(t *testing.T) {
	img := image.NewRGBA(image.Rect(0, 0, 400, 100))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	d := font.Drawer{Dst: img, Src: image.Black, Face: basicfont.Face7x13, Dot: fixed.P(20, 50)}
	d.DrawString("Invoice total 4750 paid")
	words, err := Read(t.Context(), img, "eng")
	if err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, w := range words {
		texts = append(texts, w.Text)
		if !w.At.In(img.Bounds()) || w.Line != 1 {
			t.Errorf("%q lies at %v in line %d", w.Text, w.At, w.Line)
		}
	}
	if got := strings.Join(texts, " "); got != "Invoice total 4750 paid" {
		t.Errorf("read %q", got)
	}
	langs, err := Languages(t.Context())
	if err != nil || !slices.Contains(langs, "eng") {
		t.Errorf("languages %v, %v", langs, err)
	}
}
