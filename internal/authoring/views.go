package authoring

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/sandbox"
	"oriel.dev/oriel/tree"
)

// The endings of the files in testdata.
const (
	goldenExt  = ".view.json"
	sessionExt = ".session.json"
	pictureExt = ".png"
)

// Verdict is what one test found.
type Verdict struct {
	File    string
	Problem string // "" if all is well
	Updated bool   // the golden file was written anew
}

// Observations lists the recorded observations in an adapter's folder.
func Observations(dir string) ([]string, error) { return testdata(dir, tree.Extension) }

func testdata(dir, ext string) ([]string, error) {
	entries, err := os.ReadDir(filepath.Join(dir, "testdata"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("reading the recordings: %w", err)
	}
	var out []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ext) {
			out = append(out, filepath.Join(dir, "testdata", e.Name()))
		}
	}
	return out, nil
}

// Test has the adapter translate every recorded observation of its folder and
// compares the views with the golden files, or writes those with update; then it
// replays every recorded session. It calls done with each verdict.
func (a *Adapter) Test(ctx context.Context, dir string, update bool, done func(Verdict)) error {
	files, err := Observations(dir)
	if err != nil {
		return err
	}
	for _, file := range files {
		v, err := a.testView(ctx, file, update)
		if err != nil {
			return err
		}
		done(v)
	}
	sessions, err := testdata(dir, sessionExt)
	if err != nil {
		return err
	}
	for _, file := range sessions {
		v, err := a.testSession(ctx, file, update)
		if err != nil {
			return err
		}
		done(v)
	}
	if len(files)+len(sessions) == 0 {
		return fmt.Errorf("there is nothing to test in %s; record a window with: oriel adapter record", filepath.Join(dir, "testdata"))
	}
	return nil
}

// testView judges one observation. The error is of the machine.
func (a *Adapter) testView(ctx context.Context, file string, update bool) (Verdict, error) {
	v := Verdict{File: file}
	got, err := a.view(ctx, file)
	if ctx.Err() != nil {
		return v, ctx.Err()
	}
	if err != nil {
		v.Problem = err.Error()
		return v, nil
	}
	golden := strings.TrimSuffix(file, tree.Extension) + goldenExt
	want, err := os.ReadFile(golden)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return v, fmt.Errorf("reading the golden view: %w", err)
	}
	switch {
	case bytes.Equal(got, want):
	case update:
		v.Updated = true
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			return v, fmt.Errorf("writing the golden view: %w", err)
		}
	case want == nil:
		v.Problem = "there is no " + filepath.Base(golden) + "; write it with --update, and read it"
	default:
		v.Problem = "the view differs from " + filepath.Base(golden) + "; if it is right, write it with --update\n" + Diff(string(want), string(got))
	}
	return v, nil
}

// view translates an observation twice and returns the view as a golden file.
func (a *Adapter) view(ctx context.Context, file string) ([]byte, error) {
	observation, err := readObservation(file)
	if err != nil {
		return nil, err
	}
	var out [2][]byte
	for i := range out {
		view, err := a.Translate(ctx, observation, pictureOf(file))
		if err != nil {
			return nil, err
		}
		if out[i], err = golden(view); err != nil {
			return nil, err
		}
	}
	if !bytes.Equal(out[0], out[1]) {
		return nil, errors.New("translate is not pure: the same observation gave another view the second time\n" + Diff(string(out[0]), string(out[1])))
	}
	return out[0], nil
}

func readObservation(file string) ([]byte, error) {
	b, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the observation: %w", err)
	}
	if _, err := tree.NewReader(b); err != nil {
		return nil, fmt.Errorf("%s is no observation: %w; record it with: oriel adapter record", file, err)
	}
	return b, nil
}

// golden is a view as it stands in a golden file.
func golden(v *hostabi.View) ([]byte, error) {
	var b bytes.Buffer
	if err := json.Indent(&b, hostabi.AppendView(nil, v), "", "  "); err != nil {
		return nil, fmt.Errorf("indenting the view: %w", err)
	}
	b.WriteByte('\n')
	return b.Bytes(), nil
}

// pictureOf are the services of translate for an observation whose pixels were
// recorded beside it, else nil.
func pictureOf(file string) sandbox.Services {
	picture := strings.TrimSuffix(file, tree.Extension) + pictureExt
	if _, err := os.Stat(picture); err != nil {
		return nil
	}
	return recordedPicture(picture)
}
