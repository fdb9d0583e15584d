package bridge

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/draw"
	"image/png"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/picture"
	"oriel.dev/oriel/hostabi"
)

// picture takes the window's own pixels; other windows are not on it. What is
// secret by a look before or by one after is black.
func (l *lease) picture(ctx context.Context) (*image.RGBA, error) {
	c := l.act.b.cfg.Desktop.Capture
	if c == nil {
		return nil, desktop.ErrUnsupported
	}
	before, err := l.secret(ctx)
	if err != nil {
		return nil, err
	}
	img, err := c.Window(ctx, l.act.id)
	if err != nil {
		return nil, err
	}
	after, err := l.secret(ctx)
	if err != nil {
		return nil, err
	}
	before.and(after).over(img)
	return img, nil
}

// secret is what a fresh look at the window says is secret.
func (l *lease) secret(ctx context.Context) (blackout, error) {
	b := l.act.b
	if err := b.fresh(ctx, l.act.id); err != nil {
		return blackout{}, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	e := b.entries[l.act.id]
	if e == nil {
		return blackout{}, desktop.ErrGone
	}
	return e.seen.blackout(b.cfg.SensitiveLabels), nil
}

func (l *lease) capture(ctx context.Context, request []byte) ([]byte, error) {
	img, err := l.picture(ctx)
	if err != nil {
		return nil, err
	}
	return captured(img, request)
}

// captured answers oriel:capture window from a picture.
func captured(img *image.RGBA, request []byte) ([]byte, error) {
	var r hostabi.CaptureRequest
	if err := ask(request, &r); err != nil {
		return nil, err
	}
	part := crop(img, r.Region)
	size := part.Bounds().Size()
	return hostabi.AppendImage(nil, &hostabi.Image{W: int32(size.X), H: int32(size.Y), RGBA: part.Pix}), nil
}

// crop copies a region, or the whole, so that rows follow without padding.
func crop(img *image.RGBA, r *hostabi.Region) *image.RGBA {
	from := img.Bounds()
	if r != nil {
		at := image.Pt(int(r.X), int(r.Y)).Add(from.Min)
		from = from.Intersect(image.Rectangle{Min: at, Max: at.Add(image.Pt(int(r.W), int(r.H)))})
	}
	out := image.NewRGBA(image.Rect(0, 0, from.Dx(), from.Dy()))
	draw.Draw(out, out.Bounds(), img, from.Min, draw.Src)
	return out
}

func (l *lease) find(ctx context.Context, request []byte) ([]byte, error) {
	var r hostabi.FindRequest
	if err := ask(request, &r); err != nil {
		return nil, err
	}
	size, err := png.DecodeConfig(bytes.NewReader(r.PNG))
	if err != nil || size.Width*size.Height > maxSought {
		return nil, invalid("png", "give a PNG picture of at most one million pixels")
	}
	decoded, err := png.Decode(bytes.NewReader(r.PNG))
	if err != nil {
		return nil, invalid("png", err.Error())
	}
	what := image.NewRGBA(image.Rectangle{Max: decoded.Bounds().Size()})
	draw.Draw(what, what.Bounds(), decoded, decoded.Bounds().Min, draw.Src)
	img, err := l.picture(ctx)
	if err != nil {
		return nil, err
	}
	if r.Threshold == 0 {
		r.Threshold = 0.9
	}
	var shift image.Point
	if r.Region != nil {
		shift = image.Pt(int(max(r.Region.X, 0)), int(max(r.Region.Y, 0)))
	}
	var reply hostabi.FindReply
	for _, m := range picture.Find(ctx, crop(img, r.Region), what, r.Threshold) {
		at := m.At.Add(shift)
		reply.Matches = append(reply.Matches, hostabi.FoundMatch{X: int32(at.Min.X), Y: int32(at.Min.Y), W: int32(at.Dx()), H: int32(at.Dy()), Score: m.Score})
	}
	return hostabi.Append(nil, &reply), nil
}

func (l *lease) ocr(ctx context.Context, request []byte) ([]byte, error) {
	img, err := l.picture(ctx)
	if err != nil {
		return nil, err
	}
	return recognised(ctx, l.act.b.cfg.OCR, img, request)
}

// recognised answers oriel:ocr text from a picture.
func recognised(ctx context.Context, ocr OCR, img *image.RGBA, request []byte) ([]byte, error) {
	var r hostabi.OCRRequest
	if err := ask(request, &r); err != nil {
		return nil, err
	}
	if ocr == nil {
		return nil, fmt.Errorf("reading text from pixels: %w; install tesseract-ocr", desktop.ErrUnsupported)
	}
	words, err := ocr(ctx, crop(img, r.Region))
	if err != nil {
		return nil, err
	}
	if r.Region != nil {
		for i := range words {
			words[i].X += max(r.Region.X, 0)
			words[i].Y += max(r.Region.Y, 0)
		}
	}
	return hostabi.Append(nil, &hostabi.OCRReply{Words: words}), nil
}
