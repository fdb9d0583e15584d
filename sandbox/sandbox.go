package sandbox

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/hostabi/check"
)

// Config says what a Sandbox runs and how.
type Config struct {
	// Dirs are searched for *.wasm, in this order; of two adapters with the same
	// id the first is taken. A directory that is not there is no error.
	Dirs []string
	// Grants are what an administrator allows. Nothing is allowed without.
	Grants []Grant
	// Overrides names the adapter's id for an application, whatever the
	// adapters' own matches say.
	Overrides map[string]string
	// CacheDir keeps compiled code; whoever can write there runs code as the
	// user. It is made with mode 0700.
	CacheDir string
	// Runner is the command that calls [RunnerMain] with the arguments after it.
	// On Linux /proc/self/exe is the best name for the own program: it stays the
	// same when the file is replaced by an update.
	Runner []string
	Limits Limits
	// KV keeps the adapters' own values; nil makes oriel:kv unsupported.
	KV KV
	// Log takes what adapters log and what becomes of them; nil drops it.
	Log *slog.Logger
	// Refused is told of every host function that an adapter called without
	// being allowed to, and why not, once in each call of the adapter. It must
	// return soon. nil drops it.
	Refused func(adapter string, f hostabi.Function, why string)
	// Failed is told of every failure of an adapter, and of every file that is not
	// loaded, once for what is wrong with it. It must return soon. nil drops it.
	Failed func(*Failure)
	// Trial is one of Dirs, with adapters under development. They are granted what
	// they ask for, and win against others that claim the same application. One
	// whose code is not in the cache serves interpreted at once, and its compiled
	// code takes over when it is there. "" stands for none.
	Trial string
	// Live returns the windows as they are now, on which a new version of an
	// adapter is tried before it takes over. nil stands for none.
	Live func() []Live
	// Trace is told of every call of an adapter's functions when it has ended. It
	// must return soon. nil drops it.
	Trace func(Trace)
}

// Grant allows an adapter capabilities. The adapter is named by the digest of
// its module, by its id, or by both, which must then both fit.
type Grant struct {
	ID           string
	Digest       string // hex SHA-256
	Capabilities []hostabi.Capability
	// Scopes narrow capabilities of the list further than the manifest does, by
	// the same words.
	Scopes map[hostabi.Capability]string
}

// Names reports whether the grant is for an adapter.
func (g *Grant) Names(id, digest string) bool {
	return (g.Digest != "" || g.ID != "") && (g.Digest == "" || g.Digest == digest) && (g.ID == "" || g.ID == id)
}

// KV keeps small values for adapters, apart for each. Its methods return when
// ctx ends.
type KV interface {
	Get(ctx context.Context, adapter, key string) (value []byte, found bool, err error)
	Set(ctx context.Context, adapter, key string, value []byte) error
	Delete(ctx context.Context, adapter, key string) error
	// Used returns the bytes that an adapter keeps under all keys but one, keys
	// included.
	Used(ctx context.Context, adapter, but string) (int64, error)
}

// Services carries out the host functions that reach the desktop, for one call.
// Whether the adapter may call them has been checked. Call returns when ctx
// ends; after that the call it belongs to is over.
type Services interface {
	Call(ctx context.Context, f hostabi.Function, request []byte) ([]byte, *hostabi.Fault)
}

// Limits bound what an adapter may take. The zero value of a field is its
// default. Manifests tighten them and never widen them, but for Invoke, which they
// may ask to be as long as Total.
type Limits struct {
	Translate time.Duration // of the guest's own time: 500 ms
	Invoke    time.Duration // of the guest's own time: 10 s
	Total     time.Duration // of one call with all its host functions: 60 s
	Start     time.Duration // 2 s
	Compile   time.Duration // 20 s
	Memory    int64         // of one instance, bytes: 64 MB
	// CompileMemory is what compiling may take: 1 GB.
	CompileMemory int64
	Module        int64         // size of a module, bytes: 32 MB
	View          int           // size of a view or an outcome, bytes: 256 KB
	LogLines      int           // a second: 100
	HostCalls     int           // in one call: 10,000
	Idle          time.Duration // after which a runner without work is ended: 10 min
	Cache         int64         // compiled code of modules not loaded any more, bytes: 512 MB
}

// withDefaults fills the zero fields in.
func (l Limits) withDefaults() Limits {
	def := func(d *time.Duration, v time.Duration) {
		if *d <= 0 {
			*d = v
		}
	}
	def(&l.Translate, 500*time.Millisecond)
	def(&l.Invoke, 10*time.Second)
	def(&l.Total, time.Minute)
	def(&l.Start, 2*time.Second)
	def(&l.Compile, 20*time.Second)
	def(&l.Idle, 10*time.Minute)
	size(&l.Memory, 64<<20)
	size(&l.CompileMemory, 1<<30)
	size(&l.Module, 32<<20)
	size(&l.View, 256<<10)
	size(&l.LogLines, 100)
	size(&l.HostCalls, 10_000)
	size(&l.Cache, 512<<20)
	l.View = min(l.View, maxToHost)
	return l
}

func size[T int | int64](p *T, v T) {
	if *p <= 0 {
		*p = v
	}
}

// tighten applies a manifest's limits where they are narrower.
func (l Limits) tighten(m hostabi.Limits) Limits {
	if d := time.Duration(m.TranslateMS) * time.Millisecond; d > 0 {
		l.Translate = min(l.Translate, d)
	}
	if d := time.Duration(m.InvokeMS) * time.Millisecond; d > 0 {
		l.Invoke = min(l.Total, d) // an adapter with long work asks for more, up to the whole call's limit
	}
	if n := int64(m.MemoryMB) << 20; n > 0 {
		l.Memory = min(l.Memory, n)
	}
	return l
}

// Ref names one loaded version of an adapter.
type Ref struct {
	ID, Name, Version string
	Digest            string // of the module, hex SHA-256
	Pixels            bool   // translate reads the frame
	// Notice says why a window is not served by the adapter that claims it, for
	// the window's reader; else "".
	Notice string
}

// Sandbox runs adapters. Its methods may be called at the same time.
type Sandbox struct {
	// Fixed at creation.
	cfg     Config
	limits  Limits
	cache   *codeCache
	threads *spawner
	ctx     context.Context // ends with Close; runners' starts belong to it
	cancel  context.CancelFunc
	changed chan struct{} // one token, never closed
	compile chan struct{} // one token: compiling takes all processors, so one at a time

	set atomic.Pointer[set] // what is loaded; replaced whole

	reload sync.Mutex // serialises changes of set

	mu     sync.Mutex // guards closed, and Add of work against its Wait
	closed bool
	work   sync.WaitGroup // calls, starts, host calls: all that Close waits for
}

// set is what is loaded at one moment. It is immutable.
type set struct {
	adapters []*adapter // by id
	broken   []Info
	override []override // by application
}

type override struct{ app, id string }

var errClosed = errors.New("the adapters' host is closing")

// New loads the adapters that it finds. A broken one is no error: the others
// work, and [Sandbox.List] says what is wrong with it.
func New(ctx context.Context, cfg Config) (*Sandbox, error) {
	if len(cfg.Runner) == 0 {
		return nil, errors.New("starting the adapters' host: no runner command is configured")
	}
	for _, g := range cfg.Grants {
		for c, scope := range g.Scopes {
			if _, err := check.ParseScope(c, scope); err != nil {
				return nil, fmt.Errorf("reading the scope of %s in the grant for %s%s: %w; correct it in config.toml", c, g.ID, g.Digest, err)
			}
		}
	}
	if cfg.Log == nil {
		cfg.Log = slog.New(slog.DiscardHandler)
	}
	limits := cfg.Limits.withDefaults()
	cache, err := openCache(cfg.CacheDir, limits.Cache)
	if err != nil {
		return nil, fmt.Errorf("starting the adapters' host: %w", err)
	}
	s := &Sandbox{
		cfg: cfg, limits: limits, cache: cache, threads: newSpawner(),
		changed: make(chan struct{}, 1), compile: make(chan struct{}, 1),
	}
	s.ctx, s.cancel = context.WithCancel(context.WithoutCancel(ctx))
	s.set.Store(s.scan(&set{}))
	return s, nil
}

// Close ends all runners and waits for everything that is under way. It may be
// called twice.
func (s *Sandbox) Close() {
	s.mu.Lock()
	already := s.closed
	s.closed = true
	s.mu.Unlock()
	s.cancel()
	retireAll(s.set.Load().adapters)
	s.work.Wait()
	retireAll(s.set.Load().adapters) // a reload that was under way may have brought others
	if !already {
		s.threads.close()
	}
}

// retireAll retires adapters at the same time.
func retireAll(adapters []*adapter) {
	var all sync.WaitGroup
	for _, a := range adapters {
		all.Go(a.retire)
	}
	all.Wait()
}

// begin enters a piece of work that Close waits for; end it with work.Done. It
// reports false once the Sandbox is closed.
func (s *Sandbox) begin() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		return false
	}
	s.work.Add(1)
	return true
}

// background runs f and has Close wait for it.
func (s *Sandbox) background(f func()) {
	s.work.Go(f)
}

// Changed is sent to when the answer of Match may differ from before. Several
// changes may come as one.
func (s *Sandbox) Changed() <-chan struct{} { return s.changed }

func (s *Sandbox) notify() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// Translate has the adapter make a view of an encoded observation. The error is
// a [*Failure] if the adapter is at fault and wraps a [*hostabi.Fault] unless
// ctx ended.
func (s *Sandbox) Translate(ctx context.Context, r Ref, observation []byte, sv Services) (*hostabi.View, error) {
	a, err := s.adapter(r)
	if err != nil {
		return nil, err
	}
	defer s.work.Done()
	return a.translate(ctx, observation, sv)
}

// Invoke has the adapter carry out one action. It may use sv only while this
// runs. The error is for faults of the adapter; a refusal is in the Outcome.
func (s *Sandbox) Invoke(ctx context.Context, r Ref, call hostabi.Call, sv Services) (*hostabi.Outcome, error) {
	a, err := s.adapter(r)
	if err != nil {
		return nil, err
	}
	defer s.work.Done()
	return a.invoke(ctx, call, sv)
}

// adapter returns the adapter that r names and enters a piece of work.
func (s *Sandbox) adapter(r Ref) (*adapter, error) {
	if r.ID == "" {
		return nil, &hostabi.Fault{Code: hostabi.CodeUnavailable, Message: "no adapter takes this window; run oriel adapter list to see which are loaded"}
	}
	for _, a := range s.set.Load().adapters {
		if a.man.ID != r.ID {
			continue
		}
		if a.digest != r.Digest {
			return nil, &hostabi.Fault{Code: hostabi.CodeUnavailable, Message: fmt.Sprintf("the adapter %s was replaced meanwhile; look at the window again", r.ID)}
		}
		if !s.begin() {
			return nil, errClosed
		}
		return a, nil
	}
	return nil, &hostabi.Fault{Code: hostabi.CodeUnavailable, Message: fmt.Sprintf("the adapter %s was removed meanwhile; look at the window again", r.ID)}
}
