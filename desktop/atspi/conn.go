package atspi

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/godbus/dbus/v5"

	"oriel.dev/oriel/desktop"
)

// The names of the accessibility bus.
const (
	registryName = "org.a11y.atspi.Registry"
	registryPath = dbus.ObjectPath("/org/a11y/atspi/registry")
	rootPath     = "/org/a11y/atspi/accessible/root"
	a11yName     = "org.a11y.Bus"
	a11yPath     = dbus.ObjectPath("/org/a11y/bus")

	ifacePrefix = "org.a11y.atspi."
	accessible  = ifacePrefix + "Accessible"
	component   = ifacePrefix + "Component"
	properties  = "org.freedesktop.DBus.Properties"
	busName     = "org.freedesktop.DBus"
)

// callTimeout bounds calls to the bus itself and to the registry.
const callTimeout = 2 * time.Second

// Bus is a connection to the accessibility bus.
type Bus struct {
	conn   *dbus.Conn
	limits Limits
	ids    *identities
	known  known
	// registry is the unique name of the registry.
	registry string
	event    func(Event)

	// closing is set before the connection is closed on purpose, so that the end is
	// not reported as a loss.
	closing atomic.Bool
	// readerDone is closed by the wire when the bus can be read no more.
	readerDone chan struct{}
	closeOnce  sync.Once
	// deeds are the calls of Act whose answers are still awaited.
	deeds sync.WaitGroup
	doors doors
	// actionNames and lasting are shared by all readings.
	actionNames actionNames
	lasting     lasting
}

// Status is what the session says of accessibility.
type Status struct {
	Address      string // of the accessibility bus
	Enabled      bool   // IsEnabled: toolkits that wait for it have their trees on
	ScreenReader bool   // ScreenReaderEnabled: Chromium and Electron wait for this
}

// Enabled asks the session bus about accessibility without opening a [Bus] and
// without switching anything on.
func Enabled(ctx context.Context, sessionBus string) (Status, error) {
	conn, address, err := session(ctx, sessionBus)
	if err != nil {
		return Status{}, err
	}
	defer conn.Close()
	st := Status{Address: address}
	get := func(name string, to *bool) error {
		var v dbus.Variant
		err := conn.Object(a11yName, a11yPath).CallWithContext(ctx, properties+".Get", 0, "org.a11y.Status", name).Store(&v)
		if err == nil {
			*to, _ = v.Value().(bool)
		}
		return err
	}
	if err := errors.Join(get("IsEnabled", &st.Enabled), get("ScreenReaderEnabled", &st.ScreenReader)); err != nil {
		return st, fmt.Errorf("asking the session for its accessibility status: %w", err)
	}
	return st, nil
}

// session connects to the session bus and asks it for the accessibility bus.
func session(ctx context.Context, address string) (*dbus.Conn, string, error) {
	if address == "" {
		address = os.Getenv("DBUS_SESSION_BUS_ADDRESS")
	}
	if address == "" {
		return nil, "", fmt.Errorf("finding the session bus: %w: DBUS_SESSION_BUS_ADDRESS is not set; "+
			"start Oriel inside the desktop session, or give it the address of the session bus", desktop.ErrDisconnected)
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	conn, _, err := dial(ctx, address, nil)
	if err != nil {
		return nil, "", fmt.Errorf("connecting to the session bus at %s: %w: %w; check DBUS_SESSION_BUS_ADDRESS", address, desktop.ErrDisconnected, err)
	}
	var a11y string
	err = conn.Object(a11yName, a11yPath).CallWithContext(ctx, a11yName+".GetAddress", 0).Store(&a11y)
	if err != nil {
		conn.Close()
		return nil, "", fmt.Errorf("asking the session bus for the accessibility bus: %w: %w; "+
			"install at-spi2-core and start its at-spi-bus-launcher", desktop.ErrDisconnected, err)
	}
	return conn, a11y, nil
}

// Open connects to the accessibility bus and asks for every event that may
// change what a reading shows. It switches nothing on: whether applications
// have trees is for the desktop to decide, see [Enabled].
func Open(ctx context.Context, c Config) (*Bus, error) {
	sess, address, err := session(ctx, c.SessionBus)
	if err != nil {
		return nil, err
	}
	sess.Close()

	b := &Bus{limits: c.Limits.withDefaults(), ids: newIdentities(), event: c.Event}
	if b.event == nil {
		b.event = func(Event) {}
	}
	ctx, cancel := context.WithTimeout(ctx, callTimeout)
	defer cancel()
	b.conn, b.readerDone, err = dial(ctx, address, b)
	if err != nil {
		return nil, fmt.Errorf("connecting to the accessibility bus at %s: %w: %w; restart at-spi-bus-launcher", address, desktop.ErrDisconnected, err)
	}
	if err := b.subscribe(ctx); err != nil {
		b.Close()
		return nil, fmt.Errorf("registering for accessibility events: %w: %w; check that at-spi2-registryd is installed", desktop.ErrDisconnected, err)
	}
	return b, nil
}

// eventClasses are the events that applications are asked to send. The registry
// tells every toolkit; GTK3 fills its cache only once somebody has asked.
var eventClasses = []string{"object:", "window:", "document:", "focus:"}

func (b *Bus) subscribe(ctx context.Context) error {
	err := b.conn.BusObject().CallWithContext(ctx, busName+".GetNameOwner", 0, registryName).Store(&b.registry)
	if err != nil {
		// The registry is started by the bus on the first call to it.
		var started uint32
		if err = b.conn.BusObject().CallWithContext(ctx, busName+".StartServiceByName", 0, registryName, uint32(0)).Store(&started); err != nil {
			return err
		}
		if err = b.conn.BusObject().CallWithContext(ctx, busName+".GetNameOwner", 0, registryName).Store(&b.registry); err != nil {
			return err
		}
	}
	rules := []dbus.MatchOption{
		dbus.WithMatchInterface(ifacePrefix + "Event.Object"),
		dbus.WithMatchInterface(ifacePrefix + "Event.Window"),
		dbus.WithMatchInterface(ifacePrefix + "Event.Document"),
		dbus.WithMatchInterface(ifacePrefix + "Event.Focus"),
		dbus.WithMatchInterface(ifacePrefix + "Cache"),
		dbus.WithMatchMember("NameOwnerChanged"),
	}
	for _, r := range rules {
		if err := b.conn.AddMatchSignalContext(ctx, r); err != nil {
			return err
		}
	}
	for _, class := range eventClasses {
		err := b.conn.Object(registryName, registryPath).CallWithContext(ctx, registryName+".RegisterEvent", 0, class, []string{}, "").Err
		if err != nil {
			return err
		}
	}
	return nil
}

// Close ends the connection and waits until nothing is read from it any more. It
// may be called more than once.
func (b *Bus) Close() error {
	b.closing.Store(true)
	b.closeOnce.Do(func() { b.conn.Close() })
	b.doors.close()
	<-b.readerDone
	b.deeds.Wait()
	return nil
}

// closed reports whether the connection is gone.
func (b *Bus) closed() bool { return b.conn.Context().Err() != nil }

// wire is the socket of one bus. It buffers reads, and a write that the bus
// daemon does not take in time ends the connection: without that, one stopped
// daemon would hang every caller.
type wire struct {
	net.Conn
	r    *bufio.Reader
	once sync.Once
	done chan struct{} // closed by the first failing Read
}

func (w *wire) Read(p []byte) (int, error) {
	n, err := w.r.Read(p)
	if err != nil {
		w.once.Do(func() { close(w.done) })
	}
	return n, err
}

func (w *wire) Write(p []byte) (int, error) {
	if err := w.SetWriteDeadline(time.Now().Add(callTimeout)); err != nil {
		return 0, err
	}
	n, err := w.Conn.Write(p)
	if err != nil {
		w.Conn.Close()
	}
	return n, err
}

// dial connects to the bus at one of the addresses and says hello. The channel
// is closed when the connection can be read no more.
func dial(ctx context.Context, addresses string, signals dbus.SignalHandler) (*dbus.Conn, chan struct{}, error) {
	var errs []error
	for address := range strings.SplitSeq(addresses, ";") {
		conn, done, err := dialOne(ctx, address, signals)
		if err == nil {
			return conn, done, nil
		}
		errs = append(errs, err)
	}
	return nil, nil, errors.Join(errs...)
}

func dialOne(ctx context.Context, address string, signals dbus.SignalHandler) (*dbus.Conn, chan struct{}, error) {
	name, err := socketName(address)
	if err != nil {
		return nil, nil, err
	}
	var d net.Dialer
	sock, err := d.DialContext(ctx, "unix", name)
	if err != nil {
		return nil, nil, err
	}
	w := &wire{Conn: sock, r: bufio.NewReaderSize(sock, 64<<10), done: make(chan struct{})}
	if t, ok := ctx.Deadline(); ok {
		_ = sock.SetReadDeadline(t) // for the authentication, which godbus does not bound
	}
	opts := []dbus.ConnOption{}
	if signals != nil {
		opts = append(opts, dbus.WithSignalHandler(signals))
	}
	conn, err := dbus.NewConn(w, opts...)
	if err != nil {
		sock.Close()
		return nil, nil, err
	}
	if err = conn.Auth(nil); err == nil {
		_ = sock.SetReadDeadline(time.Time{})
		err = conn.Hello()
	}
	if err != nil {
		conn.Close()
		return nil, nil, err
	}
	return conn, w.done, nil
}

// socketName turns a D-Bus address into the name of a Unix socket.
func socketName(address string) (string, error) {
	rest, ok := strings.CutPrefix(address, "unix:")
	if !ok {
		return "", fmt.Errorf("address %q: only unix: addresses are supported", address)
	}
	for kv := range strings.SplitSeq(rest, ",") {
		key, value, _ := strings.Cut(kv, "=")
		value, err := dbus.UnescapeBusAddressValue(value)
		if err != nil {
			return "", fmt.Errorf("address %q: %w", address, err)
		}
		switch key {
		case "path":
			return value, nil
		case "abstract":
			return "@" + value, nil
		}
	}
	return "", fmt.Errorf("address %q names no socket", address)
}

// reason turns the error of a call into one of the desktop's reasons.
func (b *Bus) reason(err error) error {
	var reply dbus.Error
	switch {
	case err == nil:
		return nil
	case b.closed(), errors.Is(err, dbus.ErrClosed), errors.Is(err, io.EOF):
		return fmt.Errorf("%w: the accessibility bus ended", desktop.ErrDisconnected)
	case errors.Is(err, context.DeadlineExceeded):
		return fmt.Errorf("%w: %w", desktop.ErrNotAnswering, err)
	case errors.As(err, &reply):
		return replyReason(reply)
	}
	return err
}

// replyReason sorts the D-Bus errors that applications answer with.
func replyReason(e dbus.Error) error {
	switch e.Name {
	case busName + ".Error.NoReply", busName + ".Error.Timeout", busName + ".Error.TimedOut":
		return fmt.Errorf("%w: %w", desktop.ErrNotAnswering, e)
	case busName + ".Error.ServiceUnknown", busName + ".Error.NameHasNoOwner", busName + ".Error.UnknownObject",
		busName + ".Error.Disconnected", "org.a11y.atspi.Error.Defunct":
		return fmt.Errorf("%w: %w", desktop.ErrGone, e)
	case busName + ".Error.UnknownMethod", busName + ".Error.UnknownInterface", busName + ".Error.NotSupported":
		return fmt.Errorf("%w: %w", desktop.ErrUnsupported, e)
	}
	return fmt.Errorf("%w: %w", desktop.ErrRefused, e)
}
