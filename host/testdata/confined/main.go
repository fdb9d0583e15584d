// Confined is an adapter for the host's tests that tries to reach beyond its
// window and says what came of it.
package main

import (
	"errors"
	"fmt"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

func init() {
	pluginsdk.Register(pluginsdk.Adapter{Translate: translate, Invoke: invoke})
}

func main() {}

const point = `{"type":"object","properties":{"x":{"type":"integer"},"y":{"type":"integer"}}}`

// translate tries what only invoke may do.
func translate(r *tree.Reader) (*hostabi.View, error) {
	_, observed := pluginsdk.Observe()
	_, captured := pluginsdk.Capture(nil)
	tried := fmt.Sprintf("observe %s, click %s, keys %s, capture %s",
		verdict(observed), verdict(pluginsdk.Click(5, 5)), verdict(pluginsdk.Keys("x")), verdict(captured))
	v := &hostabi.View{Title: r.Window().Title, Summary: "Confined.", Blocks: []hostabi.Block{{Key: "tried", Type: hostabi.Text, Text: tried}}}
	for _, name := range []string{"click", "drag", "keys", "capture", "clipboard"} {
		v.Actions = append(v.Actions, hostabi.Action{Name: name, Title: name, Description: "Tries it.", Input: point})
	}
	return v, nil
}

func invoke(c *pluginsdk.Call) (*hostabi.Outcome, error) {
	x, y := int32(c.Args.Get("x").Int()), int32(c.Args.Get("y").Int())
	out := &hostabi.Outcome{Effect: hostabi.Unconfirmed}
	switch c.Action {
	case "click":
		out.Message = verdict(pluginsdk.Click(x, y))
	case "drag":
		out.Message = verdict(pluginsdk.Drag(hostabi.DragRequest{X: x, Y: y, ToX: x + 2000, ToY: y}))
	case "keys":
		out.Message = verdict(pluginsdk.Keys("x"))
	case "clipboard":
		_, err := pluginsdk.ReadClipboard("text/plain")
		out.Message = verdict(err)
	case "capture":
		img, err := pluginsdk.Capture(nil)
		if err != nil {
			return nil, err
		}
		red := 0
		for p := img.RGBA; len(p) >= 4; p = p[4:] {
			if p[0] > 250 && p[1] < 5 && p[2] < 5 {
				red++
			}
		}
		out.Message = fmt.Sprintf("%d red of %dx%d", red, img.W, img.H)
	}
	return out, nil
}

// verdict is the code of a refusal.
func verdict(err error) string {
	if f, ok := errors.AsType[*hostabi.Fault](err); ok {
		return string(f.Code)
	}
	return fmt.Sprint(err)
}
