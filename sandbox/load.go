package sandbox

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/hostabi/check"
)

// State says what becomes of an adapter.
type State string

// The states.
const (
	StateReady     State = "ready"     // loaded; a runner starts on first need
	StateCompiling State = "compiling" // its windows are the generic adapter's meanwhile
	StateRunning   State = "running"
	StateAside     State = "set aside" // it failed three times in a row
	StateBroken    State = "broken"    // it was not loaded
)

// Info is what a person is told of an adapter or of a file that is none.
type Info struct {
	ID, Name, Version string
	Description       string
	Digest            string
	File              string
	State             State
	// Message is what is wrong or missing and what to do about it, else "".
	Message string
	Asked   []hostabi.Permission
	Granted []hostabi.Capability // of those asked for
	Matches []hostabi.Match
	// Ties are the ids of other adapters that claim the same windows as firmly.
	// The lowest id wins.
	Ties []string
	// Confined says what held the last runner, nil if there was none yet.
	Confined *Confined
}

// List describes every adapter and every broken file, by file.
func (s *Sandbox) List() []Info {
	set := s.set.Load()
	out := slices.Clone(set.broken)
	for _, a := range set.adapters {
		info := a.info()
		for _, b := range set.adapters {
			if a != b && a.ties(b) {
				info.Ties = append(info.Ties, b.man.ID)
			}
		}
		out = append(out, info)
	}
	slices.SortStableFunc(out, func(a, b Info) int { return cmp.Compare(a.File, b.File) })
	return out
}

// ties reports whether both have a match that asks for the same.
func (a *adapter) ties(b *adapter) bool {
	fold := func(m hostabi.Match) hostabi.Match {
		m.App, m.Toolkit, m.Role = strings.ToLower(m.App), strings.ToLower(m.Toolkit), strings.ToLower(m.Role)
		return m
	}
	for _, m := range a.matches {
		for _, n := range b.matches {
			if fold(m.Match) == fold(n.Match) {
				return true
			}
		}
	}
	return false
}

// scan reads the directories. Adapters of old whose file is the same are taken
// over with all their state.
func (s *Sandbox) scan(old *set) *set {
	next := &set{}
	files := s.files(next)
	loaded, errs := s.loadAll(files, old)
	ids := map[string]string{} // id → file
	for i, file := range files {
		a, err := loaded[i], errs[i]
		if err == nil && ids[a.man.ID] != "" {
			err = fmt.Errorf("%s has the same id %s and is taken; remove one of the two", ids[a.man.ID], a.man.ID)
		}
		if err != nil {
			next.broken = append(next.broken, brokenInfo(file, a, err))
			if a != nil && !slices.Contains(old.adapters, a) {
				a.cancel()
			}
			continue
		}
		ids[a.man.ID] = file
		next.adapters = append(next.adapters, a)
	}
	slices.SortFunc(next.adapters, func(a, b *adapter) int { return cmp.Compare(a.man.ID, b.man.ID) })
	for app, id := range s.cfg.Overrides {
		next.override = append(next.override, override{app, id})
		if ids[id] == "" {
			next.broken = append(next.broken, Info{
				ID: id, State: StateBroken,
				Message: fmt.Sprintf("the configuration names the adapter %s for %s, but it is not loaded; install it or remove the line", id, app),
			})
		}
	}
	slices.SortFunc(next.override, func(a, b override) int { return cmp.Compare(a.app, b.app) })
	s.tellBroken(next.broken, old.broken)
	return next
}

// tellBroken tells Config.Failed of what was not loaded and is news. It is named
// by its file: the id in it may be another's.
func (s *Sandbox) tellBroken(now, before []Info) {
	if s.cfg.Failed == nil {
		return
	}
	for _, b := range now {
		known := slices.ContainsFunc(before, func(o Info) bool { return o.File == b.File && o.ID == b.ID && o.Message == b.Message })
		if !known {
			s.cfg.Failed(&Failure{Adapter: cmp.Or(b.File, b.ID), Version: b.Version, Function: "load", Message: b.Message})
		}
	}
}

// files lists the modules in the directories; what cannot be read is broken.
func (s *Sandbox) files(next *set) (out []string) {
	for _, dir := range s.cfg.Dirs {
		entries, err := os.ReadDir(dir)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			next.broken = append(next.broken, Info{File: dir, State: StateBroken, Message: fmt.Sprintf("%v; make the directory readable or remove it from the configuration", err)})
		}
		for _, e := range entries {
			if filepath.Ext(e.Name()) == ".wasm" && !e.IsDir() {
				out = append(out, filepath.Join(dir, e.Name()))
			}
		}
	}
	return out
}

// loadAll loads the files, several at a time.
func (s *Sandbox) loadAll(files []string, old *set) ([]*adapter, []error) {
	loaded, errs := make([]*adapter, len(files)), make([]error, len(files))
	var next atomic.Int32
	var all sync.WaitGroup
	for range runtime.NumCPU() {
		all.Go(func() {
			var buf []byte // one for all: nothing of a module is kept but copies
			for i := next.Add(1) - 1; int(i) < len(files); i = next.Add(1) - 1 {
				loaded[i], errs[i] = s.load(files[i], &buf, old)
			}
		})
	}
	all.Wait()
	return loaded, errs
}

// load reads one module into buf, which it enlarges, and checks it. Nothing of it
// runs.
func (s *Sandbox) load(file string, buf *[]byte, old *set) (*adapter, error) {
	wasm, err := readInto(buf, file, s.limits.Module)
	if err != nil {
		return nil, err
	}
	info, err := check.Module(wasm)
	for _, a := range old.adapters {
		if err == nil && a.file == file && a.digest == info.Digest {
			a.recovered()
			return a, nil
		}
	}
	if info.Manifest == nil {
		return nil, err
	}
	a, newErr := newAdapter(s, file, &info)
	return a, errors.Join(err, newErr)
}

// readFile reads a regular file of at most limit bytes.
func readFile(file string, limit int64) ([]byte, error) {
	var buf []byte
	return readInto(&buf, file, limit)
}

// readInto is readFile into a buffer that is enlarged if it is too small.
func readInto(buf *[]byte, file string, limit int64) ([]byte, error) {
	st, err := os.Stat(file) // a pipe would make opening wait
	switch {
	case err != nil:
		return nil, err
	case !st.Mode().IsRegular():
		return nil, fmt.Errorf("%s is no regular file; remove it", file)
	case st.Size() > limit:
		return nil, fmt.Errorf("%s has %d MB; the limit is %d MB", file, st.Size()>>20, limit>>20)
	}
	f, err := os.Open(file)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	need := int(st.Size()) + 1 // one more, to meet the end
	if cap(*buf) < need {
		*buf = make([]byte, need)
	}
	b := (*buf)[:need]
	n, err := io.ReadFull(f, b)
	if err == nil {
		return nil, fmt.Errorf("%s grows while it is read; have it reloaded", file)
	}
	if !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, err
	}
	return b[:n], nil
}

// brokenInfo describes a file that was not loaded; a is nil if its manifest
// could not be read.
func brokenInfo(file string, a *adapter, err error) Info {
	info := Info{File: file}
	if a != nil {
		info = a.info()
	}
	info.State, info.Message = StateBroken, err.Error()
	return info
}

// of returns the adapter that was loaded from the file, or nil.
func (s *set) of(file string) *adapter {
	for _, a := range s.adapters {
		if a.file == file {
			return a
		}
	}
	return nil
}

// keepGood puts the old adapter of a file back if the file is broken now.
func (s *set) keepGood(old *set) {
	var broken []Info
	for _, b := range s.broken {
		a := old.of(b.File)
		if a == nil || slices.ContainsFunc(s.adapters, func(c *adapter) bool { return c.man.ID == a.man.ID }) {
			broken = append(broken, b)
			continue
		}
		a.setMessage("the file was changed and does not work now, so the old version serves: " + b.Message)
		s.adapters = append(s.adapters, a)
	}
	s.broken = broken
	slices.SortFunc(s.adapters, func(a, b *adapter) int { return cmp.Compare(a.man.ID, b.man.ID) })
}

// Warm compiles what is not compiled yet, the generic adapter first, and returns
// at once. Windows go to the generic adapter until theirs is ready; every one
// that becomes ready is told through [Sandbox.Changed].
func (s *Sandbox) Warm(ctx context.Context) {
	adapters := slices.Clone(s.set.Load().adapters)
	slices.SortStableFunc(adapters, func(a, b *adapter) int {
		return cmp.Compare(b2i(b.catchAll()), b2i(a.catchAll()))
	})
	var cold []*adapter
	for _, a := range adapters {
		if a.prepare() {
			cold = append(cold, a)
		}
	}
	if len(cold) == 0 || !s.begin() {
		return
	}
	ctx, cancel := context.WithCancel(ctx)
	stop := context.AfterFunc(s.ctx, cancel)
	go func() {
		defer s.work.Done()
		defer cancel()
		defer stop()
		for _, a := range cold {
			a.finish(a.build(ctx))
			s.notify()
		}
		if err := s.cache.trim(s.loaded); err != nil {
			s.cfg.Log.Warn("compiled code was not trimmed", "error", err)
		}
	}()
}

// loaded reports whether a module with the digest is loaded.
func (s *Sandbox) loaded(digest string) bool {
	return slices.ContainsFunc(s.set.Load().adapters, func(a *adapter) bool { return a.digest == digest })
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}
