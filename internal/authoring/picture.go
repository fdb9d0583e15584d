package authoring

import (
	"context"
	"fmt"
	"image"
	"image/draw"
	"image/png"
	"os"

	"oriel.dev/oriel/hostabi"
)

// recordedPicture is the file with the frozen frame of an observation. It answers
// what an adapter may ask of the frame.
type recordedPicture string

// Call serves oriel:capture window.
func (p recordedPicture) Call(_ context.Context, f hostabi.Function, request []byte) ([]byte, *hostabi.Fault) {
	if f.Capability != hostabi.CapCapture || f.Name != "window" {
		return nil, &hostabi.Fault{Code: hostabi.CodeUnsupported, Capability: f.Capability, Message: fmt.Sprintf("%s %s is not recorded; test it on the live window with: oriel adapter run", f.Capability, f.Name)}
	}
	var r hostabi.CaptureRequest
	if err := hostabi.Read(request, &r); err != nil {
		return nil, &hostabi.Fault{Code: hostabi.CodeInvalid, Message: err.Error()}
	}
	img, err := p.region(r.Region)
	if err != nil {
		return nil, &hostabi.Fault{Code: hostabi.CodeInternal, Message: err.Error()}
	}
	size := img.Bounds().Size()
	return hostabi.AppendImage(nil, &hostabi.Image{W: int32(size.X), H: int32(size.Y), RGBA: img.Pix}), nil
}

// region reads a part of the picture, nil for all of it.
func (p recordedPicture) region(r *hostabi.Region) (*image.RGBA, error) {
	f, err := os.Open(string(p))
	if err != nil {
		return nil, fmt.Errorf("reading the recorded pixels: %w", err)
	}
	defer f.Close()
	img, err := png.Decode(f)
	if err != nil {
		return nil, fmt.Errorf("reading the recorded pixels: %w", err)
	}
	part := img.Bounds()
	if r != nil {
		part = image.Rect(int(r.X), int(r.Y), int(r.X+r.W), int(r.Y+r.H)).Intersect(part)
	}
	out := image.NewRGBA(image.Rectangle{Max: part.Size()})
	draw.Draw(out, out.Bounds(), img, part.Min, draw.Src)
	return out, nil
}
