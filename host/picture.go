package host

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image/png"

	"oriel.dev/oriel/desktop/x11"
	"oriel.dev/oriel/tree"
)

// Picture returns the whole desktop as a PNG.
func Picture(ctx context.Context, runtimeDir string, d Desktop) (picture []byte, err error) {
	name, err := displayOf(runtimeDir, d)
	if err != nil {
		return nil, err
	}
	x, err := x11.Open(ctx, x11.Config{Display: name})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, x.Close()) }()
	displays, err := x.Capture().Displays(ctx)
	if err != nil {
		return nil, fmt.Errorf("taking a picture of the desktop: %w", err)
	}
	var all tree.Rect
	for _, m := range displays {
		all.W, all.H = max(all.W, m.Bounds.X+m.Bounds.W), max(all.H, m.Bounds.Y+m.Bounds.H)
	}
	img, err := x.Capture().Screen(ctx, all)
	if err != nil {
		return nil, fmt.Errorf("taking a picture of the desktop: %w", err)
	}
	var b bytes.Buffer
	if err := png.Encode(&b, img); err != nil {
		return nil, fmt.Errorf("encoding the picture: %w", err)
	}
	return b.Bytes(), nil
}
