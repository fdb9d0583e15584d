package desktoptest

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"oriel.dev/oriel/desktop"
)

// SetClipboard puts data on the clipboard, as another program does.
func (d *Desktop) SetClipboard(data map[string][]byte) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.clip = cloneData(data)
}

// Clipboard returns what is on the clipboard.
func (d *Desktop) Clipboard() map[string][]byte {
	d.mu.Lock()
	defer d.mu.Unlock()
	return cloneData(d.clip)
}

func cloneData(data map[string][]byte) map[string][]byte {
	out := make(map[string][]byte, len(data))
	for k, v := range data {
		out[k] = slices.Clone(v)
	}
	return out
}

type selectionRole struct{ d *Desktop }

func (r selectionRole) Types(ctx context.Context) ([]string, error) {
	d := r.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.begin(ctx, "Types"); err != nil {
		return nil, err
	}
	return slices.Sorted(maps.Keys(d.clip)), nil
}

func (r selectionRole) Read(ctx context.Context, typ string) ([]byte, error) {
	d := r.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.begin(ctx, "Read"); err != nil {
		return nil, err
	}
	data, ok := d.clip[typ]
	if !ok {
		return nil, fmt.Errorf("reading %s from the clipboard: %w", typ, desktop.ErrUnsupported)
	}
	return slices.Clone(data), nil
}

func (r selectionRole) Write(ctx context.Context, data map[string][]byte) error {
	d := r.d
	d.mu.Lock()
	defer d.mu.Unlock()
	if err := d.begin(ctx, "Write"); err != nil {
		return err
	}
	d.clip = cloneData(data)
	return nil
}

func (r selectionRole) Paste(ctx context.Context, t desktop.Target, text string) error {
	return r.d.enter(ctx, t, Input{Method: "Paste", Text: text})
}
