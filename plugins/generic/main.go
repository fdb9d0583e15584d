// Generic is the adapter for every window that no other adapter claims. All
// that it knows is in package window.
package main

import (
	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/plugins/generic/window"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

var adapter = pluginsdk.Adapter{Translate: translate, Invoke: invoke}

func init() { pluginsdk.Register(adapter) }

func main() {}

func translate(r *tree.Reader) (*hostabi.View, error) { return window.Read(r).View(), nil }

func invoke(c *pluginsdk.Call) (*hostabi.Outcome, error) { return window.Read(c.Window).Invoke(c) }
