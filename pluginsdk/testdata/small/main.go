// Command small is the least adapter that reads, acts and logs. A test builds it
// and looks at what the module imports.
package main

import (
	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

func init() {
	pluginsdk.Register(pluginsdk.Adapter{Translate: translate, Invoke: invoke})
}

func main() {}

func translate(r *tree.Reader) (*hostabi.View, error) {
	return &hostabi.View{Title: r.Window().Title}, nil
}

func invoke(c *pluginsdk.Call) (*hostabi.Outcome, error) {
	pluginsdk.Log(pluginsdk.Info, c.Action)
	return &hostabi.Outcome{}, pluginsdk.Focus(c.Window.Root().ID())
}
