//go:build desktop

package main

import (
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/internal/live"
)

func TestRealExtra(t *testing.T) {
	b := live.Start(t)
	w := b.Launch("", "gtk4-widget-factory")
	w.Must(adapter, hostabi.Confirmed, "set_field", `{"field":"checkbutton (2)","value":true}`)
	w.Must(adapter, hostabi.Confirmed, "set_field", `{"field":"radiobutton (2)","value":true}`)
	w.Must(adapter, hostabi.Confirmed, "set_field", `{"field":"Option","value":true}`)
	w.Must(adapter, hostabi.Confirmed, "set_field", `{"field":"Number (2)","value":60}`)
	w.Must(adapter, hostabi.Confirmed, "choose", `{"from":"Tab","item":"NYC"}`)
	w.Must(adapter, hostabi.Confirmed, "choose", `{"from":"Tab (5)","item":"Page 2"}`)
	w.Record("gtk4-page2")
	w.Must(adapter, "", "close", `{}`)
	w = b.Launch("", "gtk3-widget-factory")
	w.Must(adapter, hostabi.Confirmed, "set_field", `{"field":"checkbutton (5)","value":true}`)
	w.Must(adapter, hostabi.Confirmed, "choose", `{"from":"Choice (2)","item":"Middle"}`)
	w.Must(adapter, hostabi.Confirmed, "choose", `{"from":"Choice (5)","item":"radiobutton (4)"}`)
	w.Must(adapter, hostabi.Confirmed, "set_field", `{"field":"Option","value":true}`)
	w.Must(adapter, hostabi.Confirmed, "choose", `{"from":"Tab (2)","item":"page 3"}`)
	w.Must(adapter, hostabi.Confirmed, "choose", `{"from":"Table","item":"Otto"}`)
	w.Must(adapter, hostabi.Confirmed, "choose", `{"from":"Choice","item":"Page 2"}`)
	w.Record("gtk3-page2")
}
