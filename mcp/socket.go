package mcp

import (
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// ErrHostRuns says that another host has the socket already: connect to it.
var ErrHostRuns = errors.New("a host is running already")

// acceptPause is the time between attempts to accept a client after one failed.
const acceptPause = 200 * time.Millisecond

// socketListener removes what it made when it is closed.
type socketListener struct {
	*net.UnixListener
	lock    *os.File
	holds   atomic.Int32 // the listener's own, until it is closed, and those of Hold
	closing sync.Once
}

// Listen opens the socket of the one host of a display and user. It gives
// [ErrHostRuns] if there is one. A lock file beside the socket decides, so that a
// socket left behind by a host that was killed is in nobody's way. The folder must
// belong to the user alone.
func Listen(path string) (net.Listener, error) {
	if err := checkFolder(filepath.Dir(path)); err != nil {
		return nil, err
	}
	lock, err := os.OpenFile(path+".lock", os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("opening the lock of the host's socket: %w", err)
	}
	if err := lockFile(lock); err != nil {
		lock.Close()
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, os.ErrNotExist) {
		lock.Close()
		return nil, fmt.Errorf("removing the socket of an earlier host: %w", err)
	}
	ln, err := net.ListenUnix("unix", &net.UnixAddr{Name: path, Net: "unix"})
	if err == nil {
		err = os.Chmod(path, 0o600)
	}
	if err != nil {
		lock.Close()
		return nil, fmt.Errorf("opening the host's socket: %w", err)
	}
	l := &socketListener{UnixListener: ln, lock: lock}
	l.holds.Store(1)
	return l, nil
}

// Close removes the socket and lets the next host start, unless a [Hold] remains.
func (l *socketListener) Close() error {
	err := l.UnixListener.Close()
	l.closing.Do(l.drop)
	return err
}

func (l *socketListener) drop() {
	if l.holds.Add(-1) == 0 {
		l.lock.Close()
	}
}

// Hold keeps the next host out until release is called, although ln, which comes
// from [Listen] and is open, may be closed before: a host that takes no more
// clients still has a desktop to close.
func Hold(ln net.Listener) (release func()) {
	l, ok := ln.(*socketListener)
	if !ok {
		return func() {}
	}
	l.holds.Add(1)
	return sync.OnceFunc(l.drop)
}

// checkFolder refuses a folder in which another user could put a socket of his
// own in the place of ours.
func checkFolder(dir string) error {
	info, err := os.Stat(dir)
	if err != nil {
		return fmt.Errorf("looking at the folder of the host's socket: %w", err)
	}
	if !info.IsDir() || info.Mode().Perm()&0o077 != 0 {
		return fmt.Errorf("the folder %s of the host's socket is open to others: run chmod 700 on it", dir)
	}
	return nil
}

// Dial connects to the socket of a running host.
func Dial(ctx context.Context, path string) (net.Conn, error) {
	var d net.Dialer
	conn, err := d.DialContext(ctx, "unix", path)
	if err != nil {
		return nil, fmt.Errorf("connecting to the host: %w", err)
	}
	return conn, nil
}

// ServeSocket serves every client that connects to ln until ctx ends, and closes
// ln. If linger is not 0 it also ends once no client has been connected for so long:
// a host that was started for its clients ends with the last.
func (s *Server) ServeSocket(ctx context.Context, ln net.Listener, linger time.Duration) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(s.ctx, cancel)()
	defer context.AfterFunc(ctx, func() { ln.Close() })()
	idle := &idleTimer{linger: linger, expired: cancel}
	idle.leave(0)
	defer idle.stop()
	var clients sync.WaitGroup
	defer clients.Wait()
	defer cancel()
	for {
		conn, err := ln.Accept()
		if err != nil {
			if ctx.Err() != nil {
				return
			}
			// Most likely the process is out of file descriptors; clients that
			// leave give some back.
			s.cfg.Log.Error("a client could not be accepted", "error", err)
			select {
			case <-ctx.Done():
			case <-time.After(acceptPause):
			}
			continue
		}
		idle.enter()
		clients.Go(func() {
			defer idle.leave(1)
			if err := s.ServeConn(ctx, conn, peerName(conn)); err != nil {
				s.cfg.Log.Info("a client's connection ended", "error", err)
			}
		})
	}
}

// peerName names the process at the other end of a unix socket.
func peerName(conn net.Conn) string {
	if pid := peerPID(conn); pid > 0 {
		return "stdio pid " + strconv.Itoa(pid)
	}
	return "stdio"
}

// idleTimer calls expired when nobody has been there for the linger time.
type idleTimer struct {
	linger  time.Duration // 0: never
	expired func()

	mu    sync.Mutex // guards what follows
	here  int
	timer *time.Timer
}

func (t *idleTimer) enter() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.here++
	if t.timer != nil {
		t.timer.Stop()
	}
}

func (t *idleTimer) leave(n int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.here -= n
	if t.here == 0 && t.linger > 0 {
		t.timer = time.AfterFunc(t.linger, t.expire)
	}
}

func (t *idleTimer) expire() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.here == 0 {
		t.expired()
	}
}

func (t *idleTimer) stop() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.timer != nil {
		t.timer.Stop()
	}
}
