package authoring

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/hostabi/check"
	"oriel.dev/oriel/sandbox"
)

// Machine says how adapters are run here: as the host runs them.
type Machine struct {
	Runner   []string // as in sandbox.Config
	CacheDir string
	Limits   sandbox.Limits
	Log      *slog.Logger
}

// Adapter is a built adapter in a runner. What it asks for is granted, and every
// host function is answered by a recording. It makes one call at a time.
type Adapter struct {
	Info     sandbox.Info
	Manifest *hostabi.Manifest

	box    *sandbox.Sandbox
	dir    string // with the module alone
	player *player
}

// Open makes the adapter in a file ready to be called. Close ends it.
func Open(ctx context.Context, m Machine, file string) (*Adapter, error) {
	wasm, err := os.ReadFile(file)
	if err != nil {
		return nil, fmt.Errorf("reading the adapter: %w; build it with: oriel adapter build", err)
	}
	dir, err := os.MkdirTemp("", "oriel-author-")
	if err != nil {
		return nil, fmt.Errorf("opening the adapter: %w", err)
	}
	a := &Adapter{dir: dir, player: &player{}}
	if err := a.open(ctx, m, wasm); err != nil {
		return nil, errors.Join(err, a.Close())
	}
	return a, nil
}

func (a *Adapter) open(ctx context.Context, m Machine, wasm []byte) error {
	info, err := check.Module(wasm)
	if err != nil {
		return fmt.Errorf("the host would not load the adapter: %w", err)
	}
	a.Manifest = info.Manifest
	if err := os.WriteFile(filepath.Join(a.dir, "adapter.wasm"), wasm, 0o600); err != nil {
		return fmt.Errorf("opening the adapter: %w", err)
	}
	cfg := sandbox.Config{Dirs: []string{a.dir}, CacheDir: m.CacheDir, Runner: m.Runner, Limits: m.Limits, Log: m.Log, KV: a.player}
	seen, err := sandbox.New(ctx, cfg)
	if err != nil {
		return err
	}
	list := seen.List()
	seen.Close()
	if len(list) != 1 || list[0].State == sandbox.StateBroken {
		return fmt.Errorf("the host would not load the adapter: %s", list[0].Message)
	}
	cfg.Grants = []sandbox.Grant{GrantAll(list[0])}
	a.Info = list[0]
	a.box, err = sandbox.New(ctx, cfg)
	return err
}

// GrantAll grants an adapter what its manifest asks for.
func GrantAll(i sandbox.Info) sandbox.Grant {
	g := sandbox.Grant{ID: i.ID, Digest: i.Digest}
	for _, p := range i.Asked {
		g.Capabilities = append(g.Capabilities, p.Capability)
	}
	return g
}

// Close ends the runner.
func (a *Adapter) Close() error {
	if a.box != nil {
		a.box.Close()
	}
	return os.RemoveAll(a.dir)
}

func (a *Adapter) ref() sandbox.Ref {
	return sandbox.Ref{ID: a.Info.ID, Name: a.Info.Name, Version: a.Info.Version, Digest: a.Info.Digest}
}

// Translate makes the view of an observation; the services answer what may be
// asked meanwhile and may be nil.
func (a *Adapter) Translate(ctx context.Context, observation []byte, sv sandbox.Services) (*hostabi.View, error) {
	return a.box.Translate(ctx, a.ref(), observation, sv)
}
