// Native is the hello adapter under oriel/1.
package main

import (
	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/sandbox/testdata/hello"
	"oriel.dev/oriel/tree"
)

var host = &hello.Host{
	Log:     func(_, text string) { pluginsdk.Log(pluginsdk.Info, text) },
	SetText: pluginsdk.SetText, Observe: pluginsdk.Observe, Load: pluginsdk.Load, Store: pluginsdk.Store,
}

func init() {
	pluginsdk.Register(pluginsdk.Adapter{
		Translate: func(r *tree.Reader) (*hostabi.View, error) { return hello.Translate(host, r) },
		Invoke:    func(c *pluginsdk.Call) (*hostabi.Outcome, error) { return hello.Invoke(host, c.Args, c.Window) },
	})
}

func main() {}
