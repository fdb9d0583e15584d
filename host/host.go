// Package host makes a running host of all the parts: it wires, and nothing else.
// A program that wants to serve a desktop itself uses [New] and [Host.Serve].
package host

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
	"time"

	"oriel.dev/oriel/audit"
	"oriel.dev/oriel/bridge"
	"oriel.dev/oriel/desktop/guard"
	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/internal/store"
	"oriel.dev/oriel/mcp"
	"oriel.dev/oriel/sandbox"
)

// Config says which desktop to serve, and how. Bridge, MCP and Sandbox are the
// parts' own settings; the fields that only the host can fill (Desktop, Guard,
// Adapters, NextID, OCR; Bridge; KV, Refused) are overwritten.
type Config struct {
	Desktop Desktop
	Bridge  bridge.Config
	MCP     mcp.Config
	Sandbox sandbox.Config
	// RefusedKeys are key combinations, such as "ctrl+q", that are never pressed,
	// beside the built-in ones.
	RefusedKeys []string
	// Watchdog is the command line of the process that lets go of keys if this
	// one is killed, to which the display is added, see [WatchdogMain]. Without
	// it a drag that is cut short by a kill leaves the button down.
	Watchdog []string
	// Robot, if set, is the command line of the robot backend, see package
	// desktop/robot, which then plays the input and capture roles.
	Robot []string
	// Launch names the installed applications that clients may start: "*" for
	// all, "auto" for all on a desktop of the host's own and none on another.
	Launch []string
	// StateDir holds the database, and RuntimeDir the socket by which stdio
	// clients join. Both are made with mode 0700.
	StateDir, RuntimeDir string
	// Listen is the address for HTTP clients; "" means none.
	Listen string
	// Linger, if not 0, ends Serve once no stdio client has been connected for
	// so long.
	Linger time.Duration
	// Audit is how much of the audit log is kept; zero is everything.
	Audit audit.Limits
	// Trace is told of every call of an adapter and of every change of one. It
	// must return soon, and may be called from several goroutines. nil drops it.
	Trace func(Trace)
	Log   *slog.Logger
}

// Host is a running host. It serves from [Host.Serve] on.
type Host struct {
	cfg      Config
	log      *slog.Logger
	store    *store.Store
	audit    *audit.Log
	sandbox  *sandbox.Sandbox
	ids      *ids
	conn     *connection
	live     *live
	server   *mcp.Server
	http     net.Listener // nil if there is none
	socket   net.Listener
	second   net.Listener           // that of the display of a virtual desktop, so that no other host serves it; or nil
	release  []func()               // let the next host take the sockets' places, see listen
	env      atomic.Pointer[string] // as PublishEnv wrote it, nil if it did not
	closeOne sync.Once

	ended   context.Context // ends with Close, and Serve with it
	end     context.CancelFunc
	serving sync.Mutex // held by Serve while it runs, and what it uses is open
}

// New opens everything that a host needs: the database, the adapters, the
// desktop, the socket and the HTTP address. An error names what could not be
// opened and the next step; what was opened before is then closed again.
func New(ctx context.Context, cfg Config) (*Host, error) {
	h := &Host{cfg: cfg, log: cfg.Log}
	if h.log == nil {
		h.log = slog.New(slog.DiscardHandler)
	}
	h.ended, h.end = context.WithCancel(context.Background())
	if err := h.open(ctx); err != nil {
		h.Close()
		return nil, err
	}
	return h, nil
}

func (h *Host) open(ctx context.Context) error {
	for _, dir := range []string{h.cfg.StateDir, h.cfg.RuntimeDir} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			return fmt.Errorf("making a folder of the host: %w", err)
		}
	}
	// The socket comes first: its lock decides which host serves the desktop.
	var err error
	if h.socket, err = h.listen(ctx, h.cfg.Desktop); err != nil {
		return err
	}
	if h.cfg.Listen != "" {
		if h.http, err = net.Listen("tcp", h.cfg.Listen); err != nil {
			return fmt.Errorf("listening for HTTP clients on %s: %w; end the other program, or choose another address with --listen", h.cfg.Listen, err)
		}
	}
	if h.store, err = store.Open(ctx, filepath.Join(h.cfg.StateDir, "oriel.db")); err != nil {
		return err
	}
	if notice := h.store.Notice(); notice != "" {
		h.log.Warn(notice)
	}
	h.ids = &ids{store: h.store}
	if h.audit, err = audit.Open(ctx, h.store); err != nil {
		return err
	}
	if err := h.openSandbox(ctx); err != nil {
		return err
	}
	h.conn = &connection{cfg: h.cfg.Desktop, watchdog: h.cfg.Watchdog, robot: h.cfg.Robot, log: h.log}
	b, err := h.connect(ctx, 0)
	if err != nil {
		return err
	}
	if h.cfg.Desktop.Virtual != nil {
		if h.second, err = h.listen(ctx, Desktop{Display: h.conn.display()}); err != nil {
			return err
		}
	}
	h.live = newLive(b)
	m := h.cfg.MCP
	m.Bridge, m.Log = h.live, h.log
	m.Launcher = &launcher{allowed: h.cfg.Launch, conn: h.conn, live: h.live, getenv: os.Getenv}
	h.server, err = mcp.New(m)
	return err
}

// endTime is how long a host may take to end once its socket is closed: HTTP
// clients get shutdownTime, then its desktop ends.
const endTime = 15 * time.Second

// listen opens the socket of a desktop, whose place the host then has until the very
// end of Close: the next host must not meet the desktop of this one. A host that is
// ending, so that nobody answers any more, is waited for.
func (h *Host) listen(ctx context.Context, d Desktop) (net.Listener, error) {
	path := SocketPath(h.cfg.RuntimeDir, d)
	ctx, cancel := context.WithTimeout(ctx, endTime)
	defer cancel()
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		ln, err := mcp.Listen(path)
		if err == nil {
			h.release = append(h.release, mcp.Hold(ln))
			return ln, nil
		}
		if !errors.Is(err, ErrHostRuns) {
			return nil, err
		}
		if conn, unanswered := mcp.Dial(ctx, path); unanswered == nil {
			return nil, errors.Join(err, conn.Close())
		}
		select {
		case <-ctx.Done():
			return nil, err
		case <-tick.C:
		}
	}
}

func (h *Host) openSandbox(ctx context.Context) error {
	cfg := h.cfg.Sandbox
	cfg.KV, cfg.Log = h.store, h.log
	cfg.Refused, cfg.Failed, cfg.Live = h.refused, h.failed, h.seen
	if h.cfg.Trace != nil {
		cfg.Trace = h.traced
	}
	var err error
	if h.sandbox, err = sandbox.New(ctx, cfg); err != nil {
		return err
	}
	h.sandbox.Warm(context.WithoutCancel(ctx)) // ends with the sandbox
	return nil
}

// connect opens the desktop and makes a bridge over it.
func (h *Host) connect(ctx context.Context, seq uint64) (*bridge.Bridge, error) {
	desk, err := h.conn.open(ctx)
	if err != nil {
		return nil, err
	}
	g, err := guard.New(desk, h.audit, h.cfg.RefusedKeys)
	if err != nil {
		return nil, err
	}
	cfg := h.cfg.Bridge
	cfg.OCR = newOCR(ctx)
	cfg.Desktop, cfg.Guard, cfg.Adapters, cfg.Log, cfg.Seq = desk, g, adapters{h.sandbox}, h.log, seq
	cfg.NextID = h.ids.next
	return bridge.New(cfg)
}

// Addr is the address for HTTP clients, or nil.
func (h *Host) Addr() net.Addr {
	if h.http == nil {
		return nil
	}
	return h.http.Addr()
}

// Adapters lists the adapters that were found.
func (h *Host) Adapters() []sandbox.Info { return h.sandbox.List() }

// Snapshot returns the present state of the desktop.
func (h *Host) Snapshot() *bridge.Snapshot { return h.live.Snapshot() }

// Ready waits until every window that is open has been looked at.
func (h *Host) Ready(ctx context.Context) error { return h.live.bridge.Load().Ready(ctx) }

// Display is the X display that is served.
func (h *Host) Display() string { return h.conn.display() }

// shutdownTime is how long HTTP clients get to finish.
const shutdownTime = 2 * time.Second

// Serve serves clients until ctx ends or the host is closed, or, with Config.Linger,
// until the last stdio client has gone. It waits for everything that it started.
func (h *Host) Serve(ctx context.Context) error {
	h.serving.Lock()
	defer h.serving.Unlock()
	if h.ended.Err() != nil {
		return nil
	}
	ctx, cancel := context.WithCancel(ctx)
	defer context.AfterFunc(h.ended, cancel)()
	var group sync.WaitGroup
	defer group.Wait()
	defer cancel()
	group.Go(func() { h.follow(ctx) })
	group.Go(func() { h.followAdapters(ctx) })
	group.Go(func() { h.trimAudit(ctx) })
	failed := make(chan error, 1)
	web := &http.Server{Handler: h.routes(), ReadHeaderTimeout: 10 * time.Second, ErrorLog: slog.NewLogLogger(h.log.Handler(), slog.LevelWarn)}
	if h.http != nil {
		group.Go(func() {
			if err := web.Serve(h.http); !errors.Is(err, http.ErrServerClosed) {
				failed <- fmt.Errorf("serving HTTP clients: %w", err)
			}
		})
	}
	local := make(chan struct{})
	group.Go(func() {
		defer close(local)
		h.server.ServeSocket(ctx, h.socket, h.cfg.Linger)
	})
	if h.second != nil {
		group.Go(func() { h.server.ServeSocket(ctx, h.second, 0) })
	}
	var err error
	select {
	case <-ctx.Done():
	case err = <-failed:
	case <-local:
	}
	h.server.Close()
	quit, stop := context.WithTimeout(context.WithoutCancel(ctx), shutdownTime)
	defer stop()
	if web.Shutdown(quit) != nil {
		_ = web.Close() // a stream is still open; it has had its time
	}
	return err
}

func (h *Host) routes() http.Handler {
	mux := http.NewServeMux()
	mux.Handle("/mcp", h.server.Handler())
	mux.Handle("/mcp/", h.server.Handler())
	return mux
}

// retryAfter is how long the host waits before it looks for a lost desktop again.
const retryAfter = time.Second

// follow runs the bridge, and another one over the desktop found again whenever
// the desktop was lost.
func (h *Host) follow(ctx context.Context) {
	for {
		err := h.live.bridge.Load().Run(ctx)
		if ctx.Err() != nil {
			return
		}
		h.log.Error("the desktop is lost; looking for it again", "err", err)
		b := h.reconnect(ctx)
		if b == nil {
			return
		}
		h.log.Info("the desktop is back", "display", h.conn.display())
		if h.env.Load() != nil {
			if _, err := h.PublishEnv(); err != nil {
				h.log.Warn("the published environment is that of the desktop before", "err", err)
			}
		}
		h.live.follow(b)
	}
}

// reconnect opens the desktop again, as soon as that works. It returns nil when
// ctx ends.
func (h *Host) reconnect(ctx context.Context) *bridge.Bridge {
	timer := time.NewTicker(retryAfter)
	defer timer.Stop()
	for {
		b, err := h.connect(ctx, h.live.Snapshot().Seq)
		if err == nil {
			return b
		}
		h.log.Debug("the desktop is not back yet", "err", err)
		select {
		case <-ctx.Done():
			return nil
		case <-timer.C:
		}
	}
}

// Close ends everything, Serve included, and waits for it. It may be called more
// than once.
func (h *Host) Close() error {
	var errs []error
	h.closeOne.Do(func() {
		h.end()
		h.serving.Lock()
		defer h.serving.Unlock()
		if h.server != nil {
			h.server.Close()
		}
		for _, l := range []net.Listener{h.http, h.socket, h.second} {
			if l != nil {
				_ = l.Close() // Serve may have closed it
			}
		}
		if h.conn != nil {
			errs = append(errs, h.conn.close())
		}
		if h.sandbox != nil {
			h.sandbox.Close()
		}
		if h.store != nil {
			errs = append(errs, h.store.Close())
		}
		for _, release := range h.release {
			release()
		}
	})
	return errors.Join(errs...)
}

// recordTime bounds the write of an audit record of what an adapter did wrong.
const recordTime = 5 * time.Second

// refused records that an adapter asked for what it may not do.
func (h *Host) refused(adapter string, f hostabi.Function, why string) {
	h.record(audit.Record{Adapter: adapter, Tool: string(f.Capability) + " " + f.Name, Outcome: string(hostabi.CodeDenied), Message: why})
}

// failed records that an adapter failed, or was not loaded.
func (h *Host) failed(f *sandbox.Failure) {
	h.record(audit.Record{Adapter: f.Adapter, Tool: "adapter " + f.Function, Outcome: string(hostabi.CodeInternal), Message: f.Message})
}

func (h *Host) record(r audit.Record) {
	ctx, cancel := context.WithTimeout(context.Background(), recordTime)
	defer cancel()
	r.Client = "adapter"
	if err := h.audit.Append(ctx, r); err != nil {
		h.log.Error("recording in the audit log", "adapter", r.Adapter, "err", err)
	}
}
