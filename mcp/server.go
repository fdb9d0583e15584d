package mcp

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
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
	// Tools chooses which tools are listed; "" means ToolsBoth. A tool that is
	// not listed can still be called by its name.
	Tools string
	// Log gets what an administrator should know; nil discards it.
	Log *slog.Logger

	// Token is what HTTP clients must present, and TokenPath where its owner
	// finds it. Without a token the HTTP handler refuses everybody.
	Token, TokenPath string
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
}

func (c *Config) complete() error {
	switch c.Tools {
	case "":
		c.Tools = ToolsBoth
	case ToolsFixed, ToolsDynamic, ToolsBoth:
	default:
		return fmt.Errorf("tools is %q: choose %s, %s or %s", c.Tools, ToolsFixed, ToolsDynamic, ToolsBoth)
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

// Server is one MCP server for any number of clients.
type Server struct {
	// fixed at creation
	cfg      Config
	sdk      *sdk.Server
	handler  http.Handler
	tools    *toolset
	sessions *sessions
	outbox   *outbox
	reads    readCache

	// ctx ends when Close begins; every call and goroutine of the server is
	// derived from it.
	ctx    context.Context
	cancel context.CancelFunc
	wake   chan struct{} // holds one token while a snapshot is unannounced; never closed
	forget func()        // ends Bridge.Notify
	wg     sync.WaitGroup
	closed sync.Once
}

// New starts a server. Close it when it is no longer needed.
func New(cfg Config) (*Server, error) {
	if err := cfg.complete(); err != nil {
		return nil, err
	}
	instructions, err := instructions(cfg.Language, cfg.Tools, cfg.Notes)
	if err != nil {
		return nil, err
	}
	s := &Server{cfg: cfg, wake: make(chan struct{}, 1)}
	s.ctx, s.cancel = context.WithCancel(context.Background())
	s.sessions = newSessions(s.ctx)
	s.outbox = newOutbox(s.ctx, cfg.WriteTimeout, s.sessions.miss, func() uint64 { return s.tools.current() })
	s.sdk = sdk.NewServer(&sdk.Implementation{Name: "oriel", Title: "Oriel", Version: cfg.Version}, &sdk.ServerOptions{
		Instructions: instructions,
		PageSize:     maxTools,
		Capabilities: &sdk.ServerCapabilities{
			Tools:     &sdk.ToolCapabilities{ListChanged: true},
			Resources: &sdk.ResourceCapabilities{Subscribe: true},
		},
		SubscribeHandler:   func(_ context.Context, r *sdk.SubscribeRequest) error { return checkURI(r.Params.URI) },
		UnsubscribeHandler: func(_ context.Context, r *sdk.UnsubscribeRequest) error { return checkURI(r.Params.URI) },
		SetCacheable:       func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = "private" },
	})
	s.sdk.AddReceivingMiddleware(s.recovering, s.calling)
	s.sdk.AddSendingMiddleware(s.outbox.middleware)
	s.addResource()
	s.tools = newToolset(s.sdk, cfg.Tools != ToolsFixed, s.callAction)
	if cfg.Tools != ToolsDynamic {
		s.addFixedTools()
	}
	s.handler = s.newHandler()
	s.forget = cfg.Bridge.Notify(func(_, _ *bridge.Snapshot) {
		select {
		case s.wake <- struct{}{}:
		default: // the notifier has not yet looked; it will see this one too
		}
	})
	first := cfg.Bridge.Snapshot()
	s.tools.sync(first)
	s.wg.Go(func() { s.notify(first) })
	s.wg.Go(s.reap)
	return s, nil
}

// Close cancels every running call, ends every session and waits for what the
// server started. It may be called more than once.
func (s *Server) Close() {
	s.closed.Do(func() {
		s.cancel()
		s.forget()
		var wg sync.WaitGroup
		for ss := range s.sdk.Sessions() {
			wg.Go(func() { ss.Close() })
		}
		wg.Wait()
		s.wg.Wait()
		s.outbox.close()
	})
}

// recovering keeps a fault in a handler from ending the process, and its details
// from the client.
func (s *Server) recovering(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (res sdk.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				s.cfg.Log.Error("a request handler panicked", "method", method, "panic", p, "stack", string(debug.Stack()))
				res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error; the host's log has the details"}
			}
		}()
		return next(ctx, method, req)
	}
}

// calling bounds every request by the life of its client, and answers what
// depends on the snapshot of this very moment.
func (s *Server) calling(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		ctx, end := s.bound(ctx, req)
		defer end()
		switch r := req.(type) {
		case *sdk.ListToolsRequest:
			return s.tools.list(s.cfg.Bridge.Snapshot(), func() (sdk.Result, error) { return next(ctx, method, req) })
		case *sdk.CallToolRequest:
			if strings.Contains(r.Params.Name, "__") {
				ctx, req = reroute(ctx, r)
			}
		}
		return next(ctx, method, req)
	}
}
