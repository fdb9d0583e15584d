// Newwindow is an adapter for the host's tests: a window that is no dialog offers
// an action of its application.
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
	w := r.Window()
	v := &hostabi.View{
		Title: w.Title, Summary: "A window of the editor.",
		Blocks:  []hostabi.Block{{Key: "title", Type: hostabi.Text, Text: w.Title}},
		Actions: []hostabi.Action{{Name: "activate", Title: "Activate", Description: "Brings the window to the front.", Idempotent: true}},
	}
	if !w.Modal {
		v.AppActions = []hostabi.Action{{Name: "new_window", Title: "New window", Description: "Opens a window with an empty document.", Patience: 10_000}}
	}
	return v, nil
}

func invoke(c *pluginsdk.Call) (*hostabi.Outcome, error) {
	if err := pluginsdk.ActivateWindow(); err != nil {
		return nil, err
	}
	if c.Action == "activate" {
		return &hostabi.Outcome{Message: "It is in front.", Effect: hostabi.Confirmed}, nil
	}
	if err := pluginsdk.Keys("ctrl+shift+n"); err != nil {
		return nil, err
	}
	return &hostabi.Outcome{Message: "Pressed the keys for a new window."}, nil
}
