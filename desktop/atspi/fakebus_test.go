package atspi

import (
	"bufio"
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"

	"oriel.dev/oriel/tree"
)

// fakeBus is a D-Bus daemon for one test: it is the session bus and the
// accessibility bus in one, with the applications behind it. Each application
// answers its calls one after the other, as a real one does.
type fakeBus struct {
	t       *testing.T
	address string
	ln      net.Listener
	wg      sync.WaitGroup

	mu    sync.Mutex // guards everything below
	conns []*fakeConn
	apps  []*fakeApp
	log   []string // "bus method" of every call to an application
	// a11y is what the session bus gives as the address; "" refuses.
	a11y string
}

type fakeConn struct {
	net.Conn
	mu sync.Mutex // one message at a time
}

// fakeApp is one application.
type fakeApp struct {
	bus     string
	name    string
	toolkit string
	version string
	pid     uint32
	root    *fakeNode
	// delay is how long each call takes; silent answers nothing at all.
	delay  time.Duration
	silent bool
	// act answers DoAction after actDelay.
	actDelay time.Duration
	actFails bool
	queue    chan func() // closed by the bus
	byPath   map[string]*fakeNode
	// answer may answer a call in another way; nil results fall through.
	answer func(n *fakeNode, method string, args []any) []any
}

// fakeNode is one accessible object.
type fakeNode struct {
	role    uint32
	name    string
	desc    string
	states  rawStates
	ifaces  []string
	extents [4]int32
	text    string
	attrs   map[string]string
	actions []string
	rows    int32
	columns int32
	count   int32 // overrides len(kids) if not 0
	// fails makes every call to it answer with an error.
	fails bool
	kids  []*fakeNode

	path   string
	parent *fakeNode
	index  int
}

type fakeRef struct {
	Bus  string
	Path dbus.ObjectPath
}

const (
	shown    = rawShowing | rawVisible | 1<<24
	editable = rawStates(1<<7 | 1<<11)
)

func newFakeBus(t *testing.T, apps ...*fakeApp) *fakeBus {
	t.Helper()
	dir, err := os.MkdirTemp("", "fb") // a socket's name must be short
	if err != nil {
		t.Fatal(err)
	}
	b := &fakeBus{t: t, apps: apps}
	b.address = "unix:path=" + filepath.Join(dir, "s")
	b.a11y = b.address
	if b.ln, err = net.Listen("unix", filepath.Join(dir, "s")); err != nil {
		t.Fatal(err)
	}
	for i, a := range apps {
		a.start(fmt.Sprintf(":1.%d", 10+i), &b.wg)
	}
	b.wg.Go(b.accept)
	t.Cleanup(func() {
		b.stop()
		os.RemoveAll(dir)
	})
	return b
}

// stop ends the bus as a crash would.
func (b *fakeBus) stop() {
	b.ln.Close()
	b.mu.Lock()
	for _, c := range b.conns {
		c.Close()
	}
	apps := b.apps
	b.apps = nil
	b.mu.Unlock()
	for _, a := range apps {
		close(a.queue)
	}
	b.wg.Wait()
}

func (a *fakeApp) start(bus string, wg *sync.WaitGroup) {
	a.bus, a.queue, a.byPath = bus, make(chan func(), 100_000), map[string]*fakeNode{}
	app := &fakeNode{role: 75, name: a.name, states: shown, kids: []*fakeNode{a.root}, ifaces: []string{"Application"}}
	a.register(app, nil, 0)
	wg.Go(func() {
		for f := range a.queue {
			f()
		}
	})
}

func (a *fakeApp) register(n *fakeNode, parent *fakeNode, index int) {
	n.parent, n.index = parent, index
	if n.path == "" {
		n.path = fmt.Sprintf("/o/%d", len(a.byPath))
		if parent == nil {
			n.path = rootPath
		}
	}
	a.byPath[n.path] = n
	for i, k := range n.kids {
		a.register(k, n, i)
	}
}

func (b *fakeBus) accept() {
	for {
		c, err := b.ln.Accept()
		if err != nil {
			return
		}
		fc := &fakeConn{Conn: c}
		b.mu.Lock()
		b.conns = append(b.conns, fc)
		b.mu.Unlock()
		b.wg.Go(func() { b.serve(fc) })
	}
}

// serve authenticates a client and reads its messages.
func (b *fakeBus) serve(c *fakeConn) {
	defer c.Close()
	r := bufio.NewReader(c)
	if _, err := r.ReadByte(); err != nil {
		return
	}
	for {
		line, err := r.ReadString('\n')
		switch line = strings.TrimSpace(line); {
		case err != nil:
			return
		case line == "AUTH":
			fmt.Fprint(c, "REJECTED EXTERNAL\r\n")
		case strings.HasPrefix(line, "AUTH EXTERNAL"):
			fmt.Fprint(c, "OK 0123456789abcdef0123456789abcdef\r\n")
		}
		if line == "BEGIN" {
			break
		}
	}
	for {
		m, err := dbus.DecodeMessage(r)
		if err != nil {
			return
		}
		if m.Type == dbus.TypeMethodCall {
			b.route(c, m)
		}
	}
}

func header(m *dbus.Message, f dbus.HeaderField) string {
	switch v := m.Headers[f].Value().(type) {
	case string:
		return v
	case dbus.ObjectPath:
		return string(v)
	}
	return ""
}

// route hands a call to whom it is for.
func (b *fakeBus) route(c *fakeConn, m *dbus.Message) {
	to, path := header(m, dbus.FieldDestination), header(m, dbus.FieldPath)
	method := header(m, dbus.FieldMember)
	b.mu.Lock()
	defer b.mu.Unlock()
	for _, a := range b.apps {
		if a.bus != to {
			continue
		}
		b.log = append(b.log, path+" "+method)
		if a.silent {
			return
		}
		a.queue <- func() { a.handle(b, c, m, path, method) }
		return
	}
	c.reply(m, to, b.busAnswer(to, method, m.Body))
}

// busAnswer is what the bus itself and the registry say. The caller holds mu.
func (b *fakeBus) busAnswer(to, method string, args []any) []any {
	switch method {
	case "Hello":
		return []any{":1.1"}
	case "GetNameOwner":
		return []any{":1.2"}
	case "GetAddress":
		if b.a11y == "" {
			return nil
		}
		return []any{b.a11y}
	case "AddMatch", "RegisterEvent":
		return []any{}
	case "GetChildren":
		kids := []fakeRef{}
		for _, a := range b.apps {
			kids = append(kids, fakeRef{a.bus, rootPath})
		}
		return []any{kids}
	case "GetConnectionUnixProcessID":
		for _, a := range b.apps {
			if a.bus == args[0] {
				return []any{a.pid}
			}
		}
	case "Get":
		return []any{dbus.MakeVariant(args[1] == "IsEnabled")}
	}
	return nil
}

// reply answers a call; nil is an error.
func (c *fakeConn) reply(m *dbus.Message, from string, body []any) {
	out := &dbus.Message{Type: dbus.TypeMethodReply, Headers: map[dbus.HeaderField]dbus.Variant{
		dbus.FieldReplySerial: dbus.MakeVariant(m.Serial()), dbus.FieldSender: dbus.MakeVariant(from), dbus.FieldDestination: dbus.MakeVariant(":1.1"),
	}, Body: body}
	if body == nil {
		out.Type = dbus.TypeError
		out.Headers[dbus.FieldErrorName] = dbus.MakeVariant("org.freedesktop.DBus.Error.Failed")
	}
	c.send(out)
}

func (c *fakeConn) send(m *dbus.Message) {
	if len(m.Body) > 0 {
		m.Headers[dbus.FieldSignature] = dbus.MakeVariant(dbus.SignatureOf(m.Body...))
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	_ = m.EncodeTo(c, binary.LittleEndian)
}

// emit sends a signal to every client. It is called by a fake application, so
// that it goes out before the answers that follow.
func (b *fakeBus) emit(from, path, iface, member string, body ...any) {
	b.mu.Lock()
	conns := b.conns
	b.mu.Unlock()
	for _, c := range conns {
		c.send(&dbus.Message{Type: dbus.TypeSignal, Headers: map[dbus.HeaderField]dbus.Variant{
			dbus.FieldPath: dbus.MakeVariant(dbus.ObjectPath(path)), dbus.FieldInterface: dbus.MakeVariant(iface),
			dbus.FieldMember: dbus.MakeVariant(member), dbus.FieldSender: dbus.MakeVariant(from),
		}, Body: body})
	}
}

// calls counts the calls whose path and method contain what.
func (b *fakeBus) calls(what string) int {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := 0
	for _, l := range b.log {
		if strings.Contains(l, what) {
			n++
		}
	}
	return n
}

func (a *fakeApp) handle(b *fakeBus, c *fakeConn, m *dbus.Message, path, method string) {
	time.Sleep(a.delay)
	n := a.byPath[path]
	if n == nil {
		if strings.HasSuffix(path, "/cache") {
			c.reply(m, a.bus, nil)
			return
		}
		out := &dbus.Message{Type: dbus.TypeError, Headers: map[dbus.HeaderField]dbus.Variant{
			dbus.FieldReplySerial: dbus.MakeVariant(m.Serial()), dbus.FieldSender: dbus.MakeVariant(a.bus),
			dbus.FieldDestination: dbus.MakeVariant(":1.1"),
			dbus.FieldErrorName:   dbus.MakeVariant("org.freedesktop.DBus.Error.UnknownObject"),
		}}
		c.send(out)
		return
	}
	c.reply(m, a.bus, a.say(n, method, m.Body))
}

// say answers a call to an object.
func (a *fakeApp) say(n *fakeNode, method string, args []any) []any {
	if a.answer != nil {
		if body := a.answer(n, method, args); body != nil {
			return body
		}
	}
	if n.fails {
		return nil
	}
	switch method {
	case "Get":
		if v := a.property(n, args[1].(string)); v != nil {
			return []any{dbus.MakeVariant(v)}
		}
	case "GetState":
		return []any{[]uint32{uint32(n.states), uint32(n.states >> 32)}}
	case "GetRole":
		return []any{n.role}
	case "GetInterfaces":
		out := []string{accessible}
		for _, i := range n.ifaces {
			out = append(out, ifacePrefix+i)
		}
		return []any{out}
	case "GetChildren":
		out := []fakeRef{}
		for _, k := range n.kids {
			out = append(out, fakeRef{a.bus, dbus.ObjectPath(k.path)})
		}
		return []any{out}
	case "GetChildAtIndex":
		return []any{a.kid(n, args[0].(int32))}
	case "GetIndexInParent":
		return []any{int32(n.index)}
	case "GetExtents":
		return []any{struct{ X, Y, W, H int32 }{n.extents[0], n.extents[1], n.extents[2], n.extents[3]}}
	case "GetAccessibleAtPoint":
		return []any{a.at(n, args[0].(int32), args[1].(int32))}
	case "GetText":
		from, to := args[0].(int32), args[1].(int32)
		return []any{string([]rune(n.text)[from:to])}
	case "GetSelection":
		return []any{int32(0), int32(0)}
	case "GetActions":
		out := []struct{ A, B, C string }{}
		for _, name := range n.actions {
			out = append(out, struct{ A, B, C string }{name, "", ""})
		}
		return []any{out}
	case "GetAttributes":
		if n.attrs == nil {
			return []any{map[string]string{}}
		}
		return []any{n.attrs}
	case "GetRelationSet":
		return []any{[]struct {
			Kind uint32
			To   []fakeRef
		}{}}
	case "GetRowAtIndex":
		return []any{args[0].(int32) / n.columns}
	case "GetColumnAtIndex":
		return []any{args[0].(int32) % n.columns}
	case "GetAccessibleAt":
		return []any{a.kid(n, args[0].(int32)*n.columns+args[1].(int32))}
	case "DoAction":
		time.Sleep(a.actDelay)
		if a.actFails {
			return nil
		}
		return []any{true}
	case "SetTextContents":
		n.text = args[0].(string)
		return []any{true}
	}
	return nil
}

func (a *fakeApp) kid(n *fakeNode, i int32) fakeRef {
	if int(i) >= len(n.kids) {
		return fakeRef{a.bus, ifaceNullPath}
	}
	return fakeRef{a.bus, dbus.ObjectPath(n.kids[i].path)}
}

// at finds the child at a point.
func (a *fakeApp) at(n *fakeNode, x, y int32) fakeRef {
	for _, k := range n.kids {
		if (tree.Rect{X: k.extents[0], Y: k.extents[1], W: k.extents[2], H: k.extents[3]}).Contains(x, y) {
			return fakeRef{a.bus, dbus.ObjectPath(k.path)}
		}
	}
	return fakeRef{a.bus, ifaceNullPath}
}

func (a *fakeApp) property(n *fakeNode, name string) any {
	switch name {
	case "Name":
		return n.name
	case "Description":
		return n.desc
	case "ChildCount":
		if n.count != 0 {
			return n.count
		}
		return int32(len(n.kids))
	case "Parent":
		if n.parent == nil {
			return fakeRef{a.bus, ifaceNullPath}
		}
		return fakeRef{a.bus, dbus.ObjectPath(n.parent.path)}
	case "ToolkitName":
		return a.toolkit
	case "Version":
		return a.version
	case "CharacterCount":
		return int32(len([]rune(n.text)))
	case "CaretOffset":
		return int32(0)
	case "NRows":
		return n.rows
	case "NColumns":
		return n.columns
	}
	return nil
}

// window makes an application's window with what is in it.
func window(name string, kids ...*fakeNode) *fakeNode {
	return &fakeNode{role: atspiFrame, name: name, states: shown, ifaces: []string{"Component"}, extents: [4]int32{0, 0, 400, 300}, kids: kids}
}

func button(name string) *fakeNode {
	return &fakeNode{
		role: 43, name: name, states: shown | 1<<11, ifaces: []string{"Component", "Action"},
		extents: [4]int32{10, 10, 80, 20}, actions: []string{"Press"},
	}
}

func entry(text string) *fakeNode {
	return &fakeNode{
		role: 61, text: text, states: shown | editable, ifaces: []string{"Component", "Text", "EditableText"},
		extents: [4]int32{10, 40, 80, 20},
	}
}

// open opens the bus with the limits and returns it with its one application.
func (b *fakeBus) open(t *testing.T, c Config) (*Bus, []App) {
	t.Helper()
	c.SessionBus = b.address
	bus, err := Open(t.Context(), c)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { bus.Close() })
	apps, err := bus.Apps(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return bus, apps
}

// top returns the path of the one top-level of an application.
func (a *fakeApp) top() string { return a.root.path }
