package authoring

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/fsnotify/fsnotify"
)

const (
	// settle is how long the files must have stayed as they are to count as
	// written.
	settle = 20 * time.Millisecond
	// look is how often they are read without a notification: a folder on a
	// network sends none.
	look = time.Second
	// largestSource bounds what is read of one file.
	largestSource = 32 << 20
)

// Watch calls changed once when it has begun, so that nothing that changes from
// then on is missed, and again whenever what an adapter is built from has changed
// and has then stayed as it is for a moment, until ctx ends. It goes by the contents of
// the files, so it does not matter how they are written, nor what their times
// say. The path is a folder, or one file.
func Watch(ctx context.Context, path string, changed func()) (err error) {
	w, err := fsnotify.NewWatcher()
	if err != nil {
		return fmt.Errorf("watching %s: %w", path, err)
	}
	defer func() { err = errors.Join(err, w.Close()) }()
	reported := fingerprint(path, w)
	changed()
	tick := time.NewTicker(look)
	defer tick.Stop()
	pause := time.NewTimer(settle)
	defer pause.Stop()
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-w.Events:
		case <-w.Errors: // events were lost: the files say what they meant
		case <-tick.C:
		}
		now := fingerprint(path, w)
		if bytes.Equal(now, reported) {
			continue
		}
		for {
			pause.Reset(settle)
			select {
			case <-ctx.Done():
				return nil
			case <-pause.C:
			}
			later := fingerprint(path, w)
			if bytes.Equal(later, now) {
				break
			}
			now = later
		}
		if !bytes.Equal(now, reported) { // nil is what cannot be read now, as in the middle of a rename
			reported = now
			changed()
		}
	}
}

// fingerprint stands for the contents of all files that a module is built from,
// and has w watch every folder of them.
func fingerprint(path string, w *fsnotify.Watcher) []byte {
	sum := sha256.New()
	add := func(file string) {
		st, err := os.Stat(file)
		if err != nil || !st.Mode().IsRegular() || st.Size() > largestSource {
			return
		}
		if text, err := os.ReadFile(file); err == nil {
			fmt.Fprintf(sum, "%s %d\n", file, len(text))
			sum.Write(text)
		}
	}
	if st, err := os.Stat(path); err != nil || !st.IsDir() {
		_ = w.Add(filepath.Dir(path)) // without it the tick notices
		add(path)
		return sum.Sum(nil)
	}
	_ = filepath.WalkDir(path, func(file string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // it went away meanwhile
		case d.IsDir() && file != path && passed(d.Name()):
			return fs.SkipDir
		case d.IsDir():
			_ = w.Add(file) // without it the tick notices
		case !ignored(d.Name()):
			add(file)
		}
		return nil
	})
	return sum.Sum(nil)
}

// passed reports whether a folder holds nothing that a module is built from.
func passed(name string) bool {
	return strings.HasPrefix(name, ".") || slices.Contains([]string{"testdata", "node_modules", "target", "bin", "build"}, name)
}

// ignored reports whether a file is an editor's own, a test, or what was built.
func ignored(name string) bool {
	return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "#") || strings.HasSuffix(name, "~") ||
		strings.HasSuffix(name, "_test.go") || filepath.Ext(name) == ".wasm"
}
