package authoring

import (
	"context"
	"fmt"
	"path/filepath"

	"oriel.dev/oriel/hostabi/check"
)

// Lint finds what serves readers badly, though the host takes it: in the
// manifest, and in the views of the recorded observations. A finding that several
// views share is told once.
func (a *Adapter) Lint(ctx context.Context, dir string) ([]string, error) {
	var out []string
	told := map[string]bool{}
	tell := func(file string, list []check.Finding) {
		for _, f := range list {
			if text := f.String(); !told[text] {
				told[text] = true
				out = append(out, file+": "+text)
			}
		}
	}
	tell("adapter.toml", check.Lint(a.Manifest, nil))
	files, err := Observations(dir)
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		observation, err := readObservation(file)
		if err != nil {
			return nil, err
		}
		view, err := a.Translate(ctx, observation, pictureOf(file))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", file, err)
		}
		tell(filepath.Base(file), check.Lint(nil, view))
	}
	return out, nil
}
