package host

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"oriel.dev/oriel/sandbox"
)

// reloadLook is how often the adapters' folders are looked at. A folder that does
// not notify, such as one on a network, is served like any other.
const reloadLook = 2 * time.Second

// followAdapters has the sandbox read the adapters' folders again when a file in
// them has changed and has then stayed as it is for a while, so that one that is
// still being written is not read in half.
func (h *Host) followAdapters(ctx context.Context) {
	tick := time.NewTicker(reloadLook)
	defer tick.Stop()
	dirs := slices.DeleteFunc(slices.Clone(h.cfg.Sandbox.Dirs), func(dir string) bool {
		return dir == h.cfg.Sandbox.Trial // whoever puts a module there says so
	})
	loaded := adapterFiles(dirs)
	last := loaded
	for {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
		now := adapterFiles(dirs)
		if now != loaded && now == last {
			loaded = now
			if _, err := h.reload(ctx); err != nil && ctx.Err() == nil {
				h.log.Warn("reading changed adapters", "err", err)
			}
		}
		last = now
	}
}

// reload has the sandbox read the adapters' folders again, and tells of what
// changed.
func (h *Host) reload(ctx context.Context) ([]sandbox.Update, error) {
	updates, err := h.sandbox.Update(ctx)
	for i := range updates {
		if h.cfg.Trace != nil {
			h.cfg.Trace(Trace{Update: &updates[i]})
		}
	}
	return updates, err
}

// adapterFiles describes the modules in folders by name, size and time.
func adapterFiles(dirs []string) string {
	var b strings.Builder
	for _, dir := range dirs {
		files, err := filepath.Glob(filepath.Join(dir, "*.wasm"))
		if err != nil {
			continue // a pattern in the folder's own name: it is read at the start only
		}
		for _, file := range files {
			if st, err := os.Stat(file); err == nil {
				fmt.Fprintln(&b, file, st.Size(), st.ModTime().UnixNano())
			}
		}
	}
	return b.String()
}
