package x11

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"oriel.dev/oriel/desktop"
)

// patience is how long a question may stay unanswered before its connection is
// given up. A server that is merely busy answers within milliseconds.
const patience = 2 * time.Second

// rawEvent is an event of an extension, as it came.
type rawEvent [32]byte

// Bytes implements [xgb.Event].
func (e rawEvent) Bytes() []byte { return e[:] }

// String implements [xgb.Event].
func (e rawEvent) String() string { return fmt.Sprintf("extension event %d", e.number()) }

func (e rawEvent) number() byte { return e[0] & 0x7f }

// rawError is an error of an extension, as it came.
type rawError [32]byte

// SequenceId implements [xgb.Error].
//
//lint:ignore ST1003 the name is xgb's
func (e rawError) SequenceId() uint16 { return xgb.Get16(e[2:]) }

// BadId implements [xgb.Error].
//
//lint:ignore ST1003 the name is xgb's
func (e rawError) BadId() uint32 { return xgb.Get32(e[4:]) }

// Error implements [xgb.Error].
func (e rawError) Error() string {
	return fmt.Sprintf("X error %d of request %d.%d, id %#x", e[1], e[10], xgb.Get16(e[8:]), e.BadId())
}

// sentUnmap is an UnmapNotify that a program made itself: by one sent to the
// root it says that it withdraws a window. xgb does not tell it from the
// server's own, which also comes when a window is iconified.
type sentUnmap struct{ xproto.UnmapNotifyEvent }

// sentFlag marks an event that was sent by a program.
const sentFlag = 0x80

// The readers of all xgb connections share two plain maps from event and error
// numbers to constructors, and the Init of each extension writes them. Filling
// every extension's number once, before there is a connection, keeps reading
// free of races; extensions are then set up without their Init.
func init() {
	xgb.Logger = log.New(io.Discard, "", 0)
	for n := 64; n < 128; n++ {
		xgb.NewEventFuncs[n] = func(b []byte) xgb.Event { return rawEvent(b) }
	}
	unmap := xgb.NewEventFuncs[xproto.UnmapNotify]
	xgb.NewEventFuncs[xproto.UnmapNotify] = func(b []byte) xgb.Event {
		if e, ok := unmap(b).(xproto.UnmapNotifyEvent); ok && b[0]&sentFlag != 0 {
			return sentUnmap{e}
		}
		return unmap(b)
	}
	for n := 128; n < 256; n++ {
		xgb.NewErrorFuncs[n] = func(b []byte) xgb.Error { return rawError(b) }
	}
}

// extension is where the server put one of its extensions.
type extension struct{ opcode, event byte }

// link is one connection to the X server.
type link struct {
	x     *xgb.Conn
	wire  *wire
	setup *xproto.SetupInfo
	root  xproto.Window
	// onEnd is called once, when the link ends by whatever cause.
	onEnd func(error)
	// lost is closed by end.
	lost chan struct{}

	// mu guards ended and cause, and the first Add of asking against Wait.
	mu     sync.Mutex
	ended  bool
	cause  error // why it ended
	asking sync.WaitGroup
}

// openLink connects, shakes hands and returns once the server has answered.
func openLink(ctx context.Context, name string, onEnd func(error)) (*link, error) {
	addr, err := parseDisplay(name)
	if err != nil {
		return nil, err
	}
	conn, err := addr.dial(ctx)
	if err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	defer stop()
	_ = conn.SetDeadline(time.Now().Add(patience))
	w := &wire{Conn: conn}
	x, err := handshake(w, addr.cookie())
	if err != nil {
		conn.Close()
		return nil, errors.Join(err, ctx.Err())
	}
	_ = conn.SetDeadline(time.Time{})
	l := &link{x: x, wire: w, setup: xproto.Setup(x), onEnd: onEnd, lost: make(chan struct{})}
	if addr.screen >= len(l.setup.Roots) {
		conn.Close()
		return nil, fmt.Errorf("the server has no screen %d", addr.screen)
	}
	l.root = l.setup.Roots[addr.screen].Root
	return l, nil
}

func handshake(w net.Conn, cookie string) (*xgb.Conn, error) {
	if cookie == "" {
		return xgb.NewConnNet(w)
	}
	return xgb.NewConnNetWithCookieHex(w, cookie)
}

// end gives the connection up. Every question on it returns.
func (l *link) end(cause error) {
	l.mu.Lock()
	first := !l.ended
	if first {
		l.ended, l.cause = true, cause
	}
	l.mu.Unlock()
	if !first {
		return
	}
	if l.onEnd != nil {
		l.onEnd(cause) // first, so that whoever sees the end can ask for the cause
	}
	close(l.lost)
	l.wire.Conn.Close()
}

// disconnected says why the link ended, as far as it is known yet.
func (l *link) disconnected() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.cause == nil {
		return desktop.ErrDisconnected
	}
	return fmt.Errorf("%w: %w", desktop.ErrDisconnected, l.cause)
}

// drain reads events that nobody wants (every client gets MappingNotify) and
// returns when the connection has ended.
func (l *link) drain() {
	for {
		ev, xerr := l.x.WaitForEvent()
		if ev == nil && xerr == nil {
			l.end(errClosedByServer)
			return
		}
	}
}

// watch ends the link unless the returned function is called in time.
func (l *link) watch() (answered func() bool) {
	return time.AfterFunc(patience, func() {
		l.end(fmt.Errorf("the X server did not answer within %v", patience))
	}).Stop
}

// begin counts a question in, unless the link has ended.
func (l *link) begin() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ended {
		return false
	}
	l.asking.Add(1)
	return true
}

// extension looks up an extension and makes its requests usable on the link.
func (l *link) extension(name string) (extension, error) {
	r, err := xproto.QueryExtension(l.x, uint16(len(name)), name).Reply()
	if err != nil {
		return extension{}, err
	}
	if !r.Present {
		return extension{}, fmt.Errorf("the X server lacks the extension %s: %w", name, desktop.ErrUnsupported)
	}
	l.x.ExtLock.Lock()
	l.x.Extensions[name] = r.MajorOpcode
	l.x.ExtLock.Unlock()
	return extension{r.MajorOpcode, r.FirstEvent}, nil
}

// send sends a request that xgb has no package for and that has a reply.
func (l *link) send(request []byte) *xgb.Cookie {
	cookie := l.x.NewCookie(true, true)
	l.x.NewRequest(request, cookie)
	return cookie
}

// ask runs f, which sends requests and waits for their replies, and returns
// what it returns. When ctx ends first, f goes on by itself, so it must not
// touch what its caller holds; the watchdog ends it at the latest.
func ask[T any](ctx context.Context, l *link, f func(x *xgb.Conn) (T, error)) (T, error) {
	type answer struct {
		v   T
		err error
	}
	var none T
	if err := ctx.Err(); err != nil {
		return none, fmt.Errorf("asking the X server: %w", err)
	}
	if !l.begin() {
		return none, l.disconnected()
	}
	got := make(chan answer, 1)
	go func() {
		defer l.asking.Done()
		defer l.watch()()
		v, err := f(l.x)
		got <- answer{v, err}
	}()
	select {
	case a := <-got:
		select {
		case <-l.lost:
			return none, l.disconnected()
		default:
		}
		if errors.Is(a.err, io.EOF) {
			l.end(errClosedByServer)
			return none, l.disconnected()
		}
		return a.v, a.err
	case <-l.lost:
		return none, l.disconnected()
	case <-ctx.Done():
		return none, fmt.Errorf("asking the X server: %w", ctx.Err())
	}
}

// wire is the byte stream under a connection. A write that the server does not
// take in time fails, and several requests can be made to leave as one write.
type wire struct {
	net.Conn

	// mu guards corks and held.
	mu    sync.Mutex
	corks int
	held  []byte
}

// getInputFocus is the request by which xgb makes the server answer when it has
// sent too many requests without replies. It waits for the answer while it
// sends, so this one is never held back.
const getInputFocus = 43

// Write implements [net.Conn].
func (w *wire) Write(b []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held = append(w.held, b...)
	if w.corks > 0 && !(len(b) == 4 && b[0] == getInputFocus) {
		return len(b), nil
	}
	if err := w.flush(); err != nil {
		return 0, err
	}
	return len(b), nil
}

func (w *wire) flush() error {
	if len(w.held) == 0 {
		return nil
	}
	_ = w.SetWriteDeadline(time.Now().Add(patience))
	_, err := w.Conn.Write(w.held)
	w.held = w.held[:0]
	return err
}

// cork holds requests back until the matching uncork. Nothing may be waited for
// meanwhile.
func (w *wire) cork() {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.corks++
}

// uncork sends what was held in one write. A press and its release that leave
// together both reach the server even if this process dies in between.
func (w *wire) uncork() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.corks--; w.corks > 0 {
		return
	}
	if err := w.flush(); err != nil {
		w.Conn.Close()
	}
}
