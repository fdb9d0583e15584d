//go:build desktop

package linux

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/godbus/dbus/v5"
)

func TestDbg(t *testing.T) {
	e := startReal(t)
	p := e.start(t, "mousepad", "--disable-server", file(t, e, "b.txt", "text"))
	e.xdo(t, "windowactivate", "--sync", e.xid(t, p))
	time.Sleep(500 * time.Millisecond)
	s, err := dbus.Connect(e.v.SessionBus())
	if err != nil {
		t.Fatal(err)
	}
	var addr string
	if err := s.Object("org.a11y.Bus", "/org/a11y/bus").Call("org.a11y.Bus.GetAddress", 0).Store(&addr); err != nil {
		t.Fatal(err)
	}
	a, err := dbus.Connect(addr)
	if err != nil {
		t.Fatal(err)
	}
	j := e.d.Windows.(windows).j
	apps, _ := j.apps.bus.Apps(t.Context())
	bus := apps[0].Bus
	var items [][]any
	if err := a.Object(bus, "/org/a11y/atspi/cache").Call("org.a11y.atspi.Cache.GetItems", 0).Store(&items); err != nil {
		t.Fatal(err)
	}
	var path dbus.ObjectPath
	for _, it := range items {
		for _, v := range it {
			if s, ok := v.(string); ok && strings.HasPrefix(s, "Go to") {
				path = it[0].([]any)[1].(dbus.ObjectPath)
				t.Log(it)
			}
		}
	}
	var peer string
	if err := a.Object(bus, "/org/a11y/atspi/accessible/root").Call("org.a11y.atspi.Application.GetApplicationBusAddress", 0).Store(&peer); err != nil {
		t.Fatal(err)
	}
	t.Log(peer, path)
	c, err := dbus.Dial(peer)
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Auth(nil); err != nil {
		t.Fatal(err)
	}
	b := time.Now()
	call := func(o dbus.BusObject, m string, args ...any) {
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		c := o.CallWithContext(ctx, m, 0, args...)
		t.Log(m, c.Body, c.Err, time.Since(b))
	}
	call(a.Object(bus, path), "org.a11y.atspi.Action.DoAction", int32(0))
	time.Sleep(time.Second)
	call(a.Object(bus, "/org/a11y/atspi/accessible/root"), "org.a11y.atspi.Accessible.GetChildren")
	time.Sleep(time.Second)
	t.Log(e.d.Windows.List(t.Context()))
	e.xdo(t, "key", "Escape")
	time.Sleep(time.Second)
	t.Log(e.d.Windows.List(t.Context()))
	call(a.Object(bus, "/org/a11y/atspi/accessible/root"), "org.a11y.atspi.Accessible.GetChildren")
}
