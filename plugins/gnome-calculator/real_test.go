//go:build desktop

package main

import (
	"strings"
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/internal/live"
	"oriel.dev/oriel/tree"
)

func TestRealCalculator(t *testing.T) {
	b := live.Start(t, "gnome-calculator")
	w := b.Launch("", "gnome-calculator")
	w.Record("empty")
	for expression, want := range map[string]string{"12+30": "42", "(12 + 30) * 2": "84", "10/4": "2.5", "7-10": "−3", "√16": "4", "2^10": "1024"} {
		o := w.Must(adapter, hostabi.Confirmed, "calculate", `{"expression":"`+expression+`"}`)
		if v, _ := hostabi.Parse(o.Result); v.Get("result").Str() != want {
			t.Errorf("%s gave %s, want %s", expression, o.Result, want)
		}
	}
	w.Must(adapter, hostabi.Confirmed, "calculate", `{"expression":"1/0"}`)
	w.Record("error")
	w.Must(adapter, hostabi.Confirmed, "clear", `{}`)
	w.Must(adapter, hostabi.Unchanged, "clear", `{}`)
	o := w.Must(adapter, hostabi.Confirmed, "press_keys", `{"keys":"11+22="}`)
	if !strings.Contains(o.Result, `"33"`) {
		t.Errorf("11+22= shows %s", o.Result)
	}
	w.Must(adapter, hostabi.Confirmed, "clear", `{}`)
	w.Must(adapter, hostabi.Confirmed, "press_keys", `{"keys":"7 mod 3 ="}`)
	w.Record("history")
	w.Must(adapter, hostabi.Unconfirmed, "copy_result", `{}`)
	if got := b.Clipboard(); got != "1" {
		t.Errorf("the clipboard holds %q", got)
	}
	w.Must(adapter, hostabi.Confirmed, "set_mode", `{"mode":"Advanced"}`)
	w.Record("advanced")
	w.Must(adapter, hostabi.Confirmed, "calculate", `{"expression":"sin(30)"}`)
	w.Must(adapter, hostabi.Confirmed, "choose", `{"from":"Conversion","item":"Length"}`)
	w.Must(adapter, hostabi.Confirmed, "set_mode", `{"mode":"Programming"}`)
	w.Record("programming")
	w.Must(adapter, hostabi.Confirmed, "set_mode", `{"mode":"Basic"}`)
	w.Must(adapter, "", "press", `{"button":"Primary menu"}`)
	w.Until(func(r *tree.Reader) bool { return len(r.Window().Surfaces) > 0 })
	w.Record("menu")
	w.Must(adapter, "", "press", `{"button":"Preferences"}`)
}
