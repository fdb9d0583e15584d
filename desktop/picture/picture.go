// Package picture does what the host needs with pixels: a digest that a blinking
// cursor does not change, small pictures for readers, and finding one picture in
// another. It is pure.
package picture

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"slices"

	"golang.org/x/image/draw"
)

// Coarse returns a digest of what img looks like from afar: two pictures that
// differ by a cursor have the same, two that differ by a line of text do not.
func Coarse(img image.Image) string {
	small := image.NewGray(image.Rect(0, 0, 64, 36))
	draw.ApproxBiLinear.Scale(small, small.Bounds(), img, img.Bounds(), draw.Src, nil)
	for i := range small.Pix {
		small.Pix[i] &= 0xf0
	}
	sum := sha256.Sum256(small.Pix)
	return hex.EncodeToString(sum[:])
}

// Thumbnail returns the part r of img as a JPEG at most width pixels wide. An
// empty r, or one that reaches beyond img, is cut to img.
func Thumbnail(img image.Image, r image.Rectangle, width int) ([]byte, error) {
	from := img.Bounds()
	if !r.Empty() {
		from = from.Intersect(r)
	}
	if from.Empty() {
		return nil, fmt.Errorf("making a small picture: %v lies outside %v", r, img.Bounds())
	}
	w, h := from.Dx(), from.Dy()
	if w > width {
		w, h = width, max(1, h*width/w)
	}
	small := image.NewRGBA(image.Rect(0, 0, w, h))
	draw.Draw(small, small.Bounds(), image.NewUniform(color.Black), image.Point{}, draw.Src)
	draw.ApproxBiLinear.Scale(small, small.Bounds(), img, from, draw.Over, nil)
	var buf bytes.Buffer
	if err := jpeg.Encode(&buf, small, &jpeg.Options{Quality: 60}); err != nil {
		return nil, fmt.Errorf("encoding a small picture: %w", err)
	}
	return buf.Bytes(), nil
}

// Match is a place where one picture was found in another.
type Match struct {
	At    image.Rectangle
	Score float64 // 0 to 1: one less the mean difference of the colours
}

// maxMatches bounds what Find returns.
const maxMatches = 20

// Find returns where what appears in img with at least the score, the best
// first. Places that overlap a better one are left out. When ctx ends it returns
// what it has found so far.
func Find(ctx context.Context, img, what *image.RGBA, score float64) []Match {
	size := what.Bounds().Size()
	area := img.Bounds()
	var found []Match
	if size.X == 0 || size.Y == 0 {
		return nil
	}
	budget := int64((1 - score) * 255 * 3 * float64(size.X*size.Y))
	for y := area.Min.Y; y+size.Y <= area.Max.Y && ctx.Err() == nil; y++ {
		for x := area.Min.X; x+size.X <= area.Max.X; x++ {
			if off := difference(img, what, x, y, budget); off <= budget {
				at := image.Rect(x, y, x+size.X, y+size.Y)
				found = append(found, Match{at, 1 - float64(off)/float64(255*3*size.X*size.Y)})
			}
		}
	}
	return best(found)
}

// best sorts matches and drops those that overlap a better one.
func best(found []Match) []Match {
	slices.SortStableFunc(found, func(a, b Match) int {
		switch {
		case a.Score > b.Score:
			return -1
		case a.Score < b.Score:
			return 1
		}
		return 0
	})
	var out []Match
	for _, m := range found {
		overlaps := slices.ContainsFunc(out, func(o Match) bool { return o.At.Overlaps(m.At) })
		if !overlaps && len(out) < maxMatches {
			out = append(out, m)
		}
	}
	return out
}

// difference sums the differences of the colours with what laid at x,y. It gives
// up, with a value over the budget, once the budget is spent.
func difference(img, what *image.RGBA, x, y int, budget int64) int64 {
	var sum int64
	b := what.Bounds()
	for row := range b.Dy() {
		i := img.PixOffset(x, y+row)
		j := what.PixOffset(b.Min.X, b.Min.Y+row)
		p, q := img.Pix[i:i+4*b.Dx()], what.Pix[j:j+4*b.Dx()]
		for k := 0; k < len(q); k += 4 {
			sum += apart(p[k], q[k]) + apart(p[k+1], q[k+1]) + apart(p[k+2], q[k+2])
		}
		if sum > budget {
			return sum
		}
	}
	return sum
}

func apart(a, b uint8) int64 {
	if a > b {
		return int64(a - b)
	}
	return int64(b - a)
}
