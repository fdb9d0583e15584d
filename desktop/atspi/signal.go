package atspi

import (
	"strings"

	"github.com/godbus/dbus/v5"
)

// DeliverSignal makes the Bus a signal handler of godbus. godbus calls it in
// the goroutine that reads the bus, which is what gives events their order.
func (b *Bus) DeliverSignal(iface, member string, s *dbus.Signal) {
	switch {
	case iface == busName && member == "NameOwnerChanged":
		if name, gone := nameGone(s.Body); gone {
			b.ids.forgetApp(name)
			b.actionNames.forgetApp(name)
			b.lasting.forgetApp(name)
			b.known.forget(name)
			b.event(Event{Kind: AppGone, Bus: name, Name: member})
		}
	case iface == ifacePrefix+"Cache":
		if member == "RemoveAccessible" {
			if r, ok := refOf(first(s.Body)); ok {
				b.ids.forget(r)
			}
		}
	case strings.HasPrefix(iface, ifacePrefix+"Event."):
		b.deliver(strings.TrimPrefix(iface, ifacePrefix+"Event."), member, s)
	}
}

// Terminate is called by godbus when the connection has ended.
func (b *Bus) Terminate() {
	if !b.closing.Load() {
		b.event(Event{Kind: Lost})
	}
}

// deliver reports one accessibility event. Its body is the detail, two numbers
// and a value.
func (b *Bus) deliver(class, member string, s *dbus.Signal) {
	e := Event{Bus: s.Sender, Path: string(s.Path), Name: member}
	detail, _ := first(s.Body).(string)
	if detail != "" {
		e.Name += ":" + detail
	}
	if len(s.Body) > 1 {
		n, _ := s.Body[1].(int32)
		e.On = n != 0
	}
	if s.Sender == b.registry {
		b.deliverApp(member, detail, s)
		return
	}
	e.Kind = kindOf(class, member, detail)
	if e.Kind == StateChanged && detail == "defunct" && e.On {
		b.ids.forget(ref{e.Bus, e.Path})
	}
	b.event(e)
}

// deliverApp reports what the registry says of its children, the applications.
func (b *Bus) deliverApp(member, detail string, s *dbus.Signal) {
	if member != "ChildrenChanged" || len(s.Body) < 4 {
		return
	}
	v, _ := s.Body[3].(dbus.Variant)
	r, ok := refOf(v.Value())
	if !ok {
		return
	}
	switch {
	case strings.HasPrefix(detail, "add"):
		b.event(Event{Kind: AppAdded, Bus: r.bus, Name: member})
	case strings.HasPrefix(detail, "remove"):
		b.event(Event{Kind: AppGone, Bus: r.bus, Name: member})
	}
}

func kindOf(class, member, detail string) Kind {
	switch class {
	case "Window":
		return WindowChanged
	case "Focus":
		return Focused
	case "Document":
		return Busy
	}
	switch member {
	case "ChildrenChanged":
		return ChildrenChanged
	case "TextChanged":
		return TextChanged
	case "StateChanged":
		switch detail {
		case "busy":
			return Busy
		case "focused":
			return Focused
		}
		return StateChanged
	}
	return Changed
}

// nameGone tells whether a NameOwnerChanged says that a unique name has ended.
func nameGone(body []any) (string, bool) {
	if len(body) < 3 {
		return "", false
	}
	name, _ := body[0].(string)
	owner, _ := body[2].(string)
	return name, owner == "" && strings.HasPrefix(name, ":")
}

func first(body []any) any {
	if len(body) == 0 {
		return nil
	}
	return body[0]
}

// refOf reads the (so) that AT-SPI names objects with. The null object is none.
func refOf(v any) (ref, bool) {
	pair, _ := v.([]any)
	if len(pair) < 2 {
		return ref{}, false
	}
	bus, _ := pair[0].(string)
	path, _ := pair[1].(dbus.ObjectPath)
	if bus == "" || path == "" || path == ifaceNullPath {
		return ref{}, false
	}
	return ref{bus, string(path)}, true
}

// ifaceNullPath is the path by which AT-SPI says "none".
const ifaceNullPath = "/org/a11y/atspi/null"
