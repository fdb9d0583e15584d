package mcp

import (
	"context"
	"errors"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"oriel.dev/oriel/bridge"
)

// Bridge is what the server asks of the bridge.
type Bridge interface {
	// Snapshot returns the published state. It is never nil.
	Snapshot() *bridge.Snapshot
	// Act carries out one request. The error is a *bridge.Error or the
	// context's.
	Act(ctx context.Context, r bridge.Request) (*bridge.Result, error)
	// Notify has f called with each newly published snapshot, in order, until
	// cancel returns. f must not block.
	Notify(f func(old, new *bridge.Snapshot)) (cancel func())
}

// Launcher starts installed applications.
type Launcher interface {
	// Launchable returns what can be started, sorted by name.
	Launchable() []string
	// Launch starts one and waits, within limits, for its window. The error is
	// that of Bridge.Act.
	Launch(ctx context.Context, client, app string) (*bridge.Result, error)
}

// The values of Config.Tools.
const (
	ToolsFixed   = "fixed"   // desktop_read and desktop_act
	ToolsDynamic = "dynamic" // {winId}__{action}
	ToolsBoth    = "both"
)

// Config says what to serve and to whom.
type Config struct {
	Bridge  Bridge
	Version string // of the host, as clients see it
	// Language is that of the instructions: "en" or "zh"; "" means "en".
	Language string
	// Notes are put at the end of the instructions.
	Notes string
	// Tools chooses which tools the faces of the desktop list where a client does
	// not say; "" means ToolsBoth. A tool that is not listed can still be called
	// by its name.
	Tools string
	// Launcher starts applications; nil: none can be started.
	Launcher Launcher
	// Log gets what an administrator should know; nil discards it.
	Log *slog.Logger

	// Token is what HTTP clients must present. Without a token the HTTP handler
	// refuses everybody.
	Token string
	// Anybody lets HTTP clients in without a token: every program and every user
	// of the machine.
	Anybody bool
	// Hosts are names beside those of the loopback interface by which HTTP
	// clients may address the server, without port.
	Hosts []string
	// Origins are web origins, beside the server's own, whose pages may call.
	Origins []string
	// IdleTimeout ends an HTTP session that has neither sent a request nor
	// listened for so long; 0 means 30 minutes.
	IdleTimeout time.Duration
	// WriteTimeout is how long a client may take to read what was written to it
	// before its connection is closed; 0 means 10 seconds.
	WriteTimeout time.Duration

	// extend lets a test serve more on every face than the host has.
	extend func(*sdk.ServerOptions) func(*sdk.Server)
}

func (c *Config) complete() error {
	if err := checkTools(c.Tools); err != nil {
		return err
	}
	if c.Tools == "" {
		c.Tools = ToolsBoth
	}
	if c.Bridge == nil {
		return errors.New("a server needs a Bridge")
	}
	if c.Log == nil {
		c.Log = slog.New(slog.DiscardHandler)
	}
	if c.IdleTimeout == 0 {
		c.IdleTimeout = 30 * time.Minute
	}
	if c.WriteTimeout == 0 {
		c.WriteTimeout = 10 * time.Second
	}
	return nil
}

// Server serves the bridge to any number of clients, each through the [Face] that
// it asks for.
type Server struct {
	cfg Config // fixed at creation

	// ctx ends when Close begins; every call and goroutine of the server is
	// derived from it.
	ctx    context.Context
	cancel context.CancelFunc
	wg     sync.WaitGroup
	closed sync.Once

	mu    sync.Mutex // guards what follows, and the uses of every face
	faces map[Face]*face
}

// maxFaces bounds the faces that are served at the same time.
const maxFaces = 256

// New starts a server. Close it when it is no longer needed.
func New(cfg Config) (*Server, error) {
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	for _, key := range []Face{{Tools: cfg.Tools}, {App: "app", Tools: ToolsBoth}, {Tools: ToolsBoth}} {
		if _, err := instructions(cfg.Language, key, cfg.Notes); err != nil {
			return nil, err
		}
	}
	s := &Server{cfg: cfg, faces: map[Face]*face{}}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.wg.Go(s.reap)
	return s, nil
}

// Close cancels every running call, ends every session and waits for what the
// server started. It may be called more than once.
func (s *Server) Close() {
	s.closed.Do(func() {
		s.cancel()
		s.wg.Wait()
		s.mu.Lock()
		faces := slices.Collect(maps.Values(s.faces))
		clear(s.faces)
		s.mu.Unlock()
		for _, f := range faces {
			f.close()
		}
	})
}

// enter returns a face, which it makes if nobody is served by it yet. It stays at
// least until leave.
func (s *Server) enter(key Face) (f *face, leave func(), err error) {
	switch {
	case key.Tools != "":
	case key.App != "":
		key.Tools = ToolsDynamic
	default:
		key.Tools = s.cfg.Tools
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.ctx.Err() != nil {
		return nil, nil, errors.New("the host is ending")
	}
	f = s.faces[key]
	if f == nil {
		if len(s.faces) >= maxFaces {
			return nil, nil, errors.New("too many faces are in use; end a client of another one first")
		}
		if f, err = newFace(s.ctx, s.cfg, key); err != nil {
			return nil, nil, err
		}
		s.faces[key] = f
	}
	f.uses++
	return f, func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		f.uses--
		f.used = time.Now()
	}, nil
}

// reap ends idle sessions, and faces that nobody is served by any more, until the
// server closes.
func (s *Server) reap() {
	ticker := time.NewTicker(max(s.cfg.IdleTimeout/8, time.Millisecond))
	defer ticker.Stop()
	for {
		select {
		case <-s.ctx.Done():
			return
		case <-ticker.C:
		}
		for _, f := range s.idle() {
			f.close()
		}
	}
}

// idle reaps the sessions of every face and takes away the faces that have been
// without one for the idle time.
func (s *Server) idle() []*face {
	s.mu.Lock()
	all := maps.Clone(s.faces)
	s.mu.Unlock()
	var idle []*face
	for key, f := range all {
		f.reap()
		s.mu.Lock()
		if f.uses == 0 && time.Since(f.used) >= s.cfg.IdleTimeout && !f.inUse() {
			delete(s.faces, key)
			idle = append(idle, f)
		}
		s.mu.Unlock()
	}
	return idle
}
