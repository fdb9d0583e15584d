package picture

import (
	"bytes"
	"image"
	"image/color"
	"image/draw"
	"image/jpeg"
	"testing"
)

func canvas(w, h int) *image.RGBA {
	img := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(img, img.Bounds(), image.White, image.Point{}, draw.Src)
	return img
}

func box(img *image.RGBA, r image.Rectangle) {
	draw.Draw(img, r, image.NewUniform(color.RGBA{20, 40, 90, 255}), image.Point{}, draw.Src)
}

func TestCoarseIgnoresACursorButNotALine(t *testing.T) {
	plain, cursor, line := canvas(800, 480), canvas(800, 480), canvas(800, 480)
	box(cursor, image.Rect(100, 100, 102, 112))
	box(line, image.Rect(100, 100, 500, 112))
	if Coarse(plain) != Coarse(cursor) {
		t.Error("a cursor changes the digest")
	}
	if Coarse(plain) == Coarse(line) {
		t.Error("a line of text does not change the digest")
	}
}

func TestThumbnail(t *testing.T) {
	img := canvas(1000, 500)
	data, err := Thumbnail(img, image.Rectangle{}, 320)
	if err != nil {
		t.Fatal(err)
	}
	small, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	if got := small.Bounds().Size(); got != image.Pt(320, 160) {
		t.Errorf("size %v, want 320x160", got)
	}
	if _, err := Thumbnail(img, image.Rect(2000, 0, 2010, 10), 320); err == nil {
		t.Error("a region outside the picture gave no error")
	}
}

func TestFind(t *testing.T) {
	img := canvas(200, 100)
	box(img, image.Rect(20, 30, 40, 50))
	box(img, image.Rect(120, 60, 140, 80))
	what := canvas(30, 30)
	box(what, image.Rect(5, 5, 25, 25))
	got := Find(t.Context(), img, what, 0.99)
	want := []image.Rectangle{image.Rect(15, 25, 45, 55), image.Rect(115, 55, 145, 85)}
	if len(got) != 2 || got[0].At != want[0] || got[1].At != want[1] {
		t.Errorf("found %v, want %v", got, want)
	}
	if got := Find(t.Context(), what, img, 0.9); got != nil {
		t.Errorf("a larger picture was found in a smaller one: %v", got)
	}
}
