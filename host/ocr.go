package host

import (
	"context"
	"image"
	"slices"

	"oriel.dev/oriel/bridge"
	"oriel.dev/oriel/desktop/picture/ocr"
	"oriel.dev/oriel/hostabi"
)

// newOCR returns the reader of text in pictures, or nil where there is none. It
// reads English if that is installed, else the first language that is.
func newOCR(ctx context.Context) bridge.OCR {
	languages, err := ocr.Languages(ctx)
	if err != nil || len(languages) == 0 {
		return nil // doctor says so, and what to install
	}
	language := languages[0]
	if slices.Contains(languages, "eng") {
		language = "eng"
	}
	return func(ctx context.Context, img *image.RGBA) ([]hostabi.Word, error) {
		seen, err := ocr.Read(ctx, img, language)
		words := make([]hostabi.Word, len(seen))
		for i, w := range seen {
			words[i] = hostabi.Word{
				Text: w.Text, X: int32(w.At.Min.X), Y: int32(w.At.Min.Y), W: int32(w.At.Dx()), H: int32(w.At.Dy()),
				Line: w.Line, Confidence: w.Confidence,
			}
		}
		return words, err
	}
}
