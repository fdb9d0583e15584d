package mcp

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"regexp"
	"runtime/debug"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"oriel.dev/oriel/bridge"
)

// Face is what a client sees of the host. The zero value is everything.
type Face struct {
	// Bridge leaves out what is not of the protocol of windows and actions.
	Bridge bool
	// App is the handle of the one application that is shown, as if it had a
	// server of its own; "" shows the whole desktop.
	App string
	// Tools are those that are listed; "" means what the configuration says, and
	// for an application ToolsDynamic.
	Tools string
}

var appHandle = regexp.MustCompile(`^[a-z0-9_-]{1,64}$`)

// ParseFace reads a face from the path and the query of its URL: /mcp,
// /mcp/bridge or /mcp/app/{app}, each with ?tools=fixed, dynamic or both.
func ParseFace(target string) (Face, error) {
	u, err := url.ParseRequestURI(target)
	if err != nil {
		return Face{}, fmt.Errorf("reading the face: %w", err)
	}
	face := Face{Tools: u.Query().Get("tools")}
	if err := checkTools(face.Tools); err != nil {
		return Face{}, err
	}
	app, ofApp := strings.CutPrefix(u.Path, "/mcp/app/")
	switch {
	case u.Path == "/mcp":
	case u.Path == "/mcp/bridge":
		face.Bridge = true
	case ofApp && appHandle.MatchString(app):
		face.App = app
	default:
		return Face{}, fmt.Errorf("there is no face %q: take /mcp, /mcp/bridge or /mcp/app/ and the handle of an application, such as mousepad", cut(u.Path, 100))
	}
	return face, nil
}

// String is the path and the query by which ParseFace reads the face.
func (k Face) String() string {
	path := "/mcp"
	switch {
	case k.App != "":
		path += "/app/" + k.App
	case k.Bridge:
		path += "/bridge"
	}
	if k.Tools != "" {
		path += "?tools=" + k.Tools
	}
	return path
}

func checkTools(tools string) error {
	switch tools {
	case "", ToolsFixed, ToolsDynamic, ToolsBoth:
		return nil
	}
	return fmt.Errorf("tools is %q: choose %s, %s or %s", cut(tools, 40), ToolsFixed, ToolsDynamic, ToolsBoth)
}

// face serves the clients of one Face.
type face struct {
	// fixed at creation
	cfg          Config
	key          Face
	sdk          *sdk.Server
	newer, older http.Handler // by revision
	tools        *toolset
	sessions     *sessions
	outbox       *outbox
	reads        readCache

	ctx    context.Context // ends when close begins
	cancel context.CancelFunc
	wake   chan struct{} // holds one token while a snapshot is unannounced; never closed
	forget func()        // ends Bridge.Notify
	wg     sync.WaitGroup

	uses int       // requests and connections; guarded by Server.mu
	used time.Time // when uses last fell to 0; guarded by Server.mu

	mu   sync.Mutex       // guards what follows
	base *bridge.Snapshot // that part was made from
	part *bridge.Snapshot // what of it the face shows
}

func newFace(ctx context.Context, cfg Config, key Face) (*face, error) {
	text, err := instructions(cfg.Language, key, cfg.Notes)
	if err != nil {
		return nil, err
	}
	f := &face{cfg: cfg, key: key, wake: make(chan struct{}, 1), used: time.Now()}
	f.ctx, f.cancel = context.WithCancel(ctx)
	f.sessions = newSessions(f.ctx)
	f.outbox = newOutbox(f.ctx, cfg.WriteTimeout, f.sessions.miss, func() uint64 { return f.tools.current() })
	options := &sdk.ServerOptions{
		Instructions: text,
		PageSize:     maxTools,
		Capabilities: &sdk.ServerCapabilities{
			Tools:     &sdk.ToolCapabilities{ListChanged: true},
			Resources: &sdk.ResourceCapabilities{Subscribe: true},
		},
		SubscribeHandler:   func(_ context.Context, r *sdk.SubscribeRequest) error { return checkURI(r.Params.URI) },
		UnsubscribeHandler: func(_ context.Context, r *sdk.UnsubscribeRequest) error { return checkURI(r.Params.URI) },
		SetCacheable:       func(_ context.Context, _ sdk.Request, c *sdk.Cacheable) { c.CacheScope = "private" },
	}
	extend := func(*sdk.Server) {}
	if cfg.extend != nil {
		extend = cfg.extend(options)
	}
	f.sdk = sdk.NewServer(&sdk.Implementation{Name: "oriel", Title: "Oriel", Version: cfg.Version}, options)
	extend(f.sdk)
	f.sdk.AddReceivingMiddleware(f.recovering, f.calling)
	f.sdk.AddSendingMiddleware(f.outbox.middleware)
	f.newer, f.older = newHandlers(f.sdk)
	f.addResource()
	f.tools = newToolset(f.sdk, key.Tools != ToolsFixed, f.callAction)
	f.addFixedTools()
	f.forget = cfg.Bridge.Notify(func(_, _ *bridge.Snapshot) {
		select {
		case f.wake <- struct{}{}:
		default: // the notifier has not yet looked; it will see this one too
		}
	})
	first := f.snapshot()
	f.tools.sync(first)
	f.wg.Go(func() { f.notify(first) })
	return f, nil
}

// close cancels every running call, ends every session and waits for what the
// face started.
func (f *face) close() {
	f.cancel()
	f.forget()
	var wg sync.WaitGroup
	for ss := range f.sdk.Sessions() {
		wg.Go(func() { ss.Close() })
	}
	wg.Wait()
	f.wg.Wait()
	f.outbox.close()
}

// inUse reports whether a session is open.
func (f *face) inUse() bool {
	for range f.sdk.Sessions() {
		return true
	}
	return false
}

// snapshot returns what the face shows of the published state.
func (f *face) snapshot() *bridge.Snapshot {
	base := f.cfg.Bridge.Snapshot()
	if f.key.App == "" {
		return base
	}
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case f.base == base:
	case f.base != nil && base.Seq < f.base.Seq: // another caller saw a newer one
	default:
		f.base, f.part = base, base.Within(f.key.App, f.part)
	}
	return f.part
}

// recovering keeps a fault in a handler from ending the process, and its details
// from the client.
func (f *face) recovering(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (res sdk.Result, err error) {
		defer func() {
			if p := recover(); p != nil {
				f.cfg.Log.Error("a request handler panicked", "method", method, "panic", p, "stack", string(debug.Stack()))
				res, err = nil, &jsonrpc.Error{Code: jsonrpc.CodeInternalError, Message: "internal error; the host's log has the details"}
			}
		}()
		return next(ctx, method, req)
	}
}

// calling bounds every request by the life of its client, and answers what
// depends on the snapshot of this very moment.
func (f *face) calling(next sdk.MethodHandler) sdk.MethodHandler {
	return func(ctx context.Context, method string, req sdk.Request) (sdk.Result, error) {
		ctx, end := f.bound(ctx, req)
		defer end()
		switch r := req.(type) {
		case *sdk.ListToolsRequest:
			return f.tools.list(f.snapshot(), func() (sdk.Result, error) { return next(ctx, method, req) })
		case *sdk.CallToolRequest:
			if strings.Contains(r.Params.Name, "__") {
				ctx, req = reroute(ctx, r)
			}
		}
		return next(ctx, method, req)
	}
}
