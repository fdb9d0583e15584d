package pluginsdk_test

import (
	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

// An adapter for windows with one entry shows its text and replaces it.
func Example() {
	translate := func(r *tree.Reader) (*hostabi.View, error) {
		entry := r.Root().Find(tree.RoleEntry)
		if !entry.Valid() {
			return nil, pluginsdk.Refuse(hostabi.CodeUnsupported, "the window has no entry; another adapter must take it")
		}
		return &hostabi.View{
			Title:   r.Window().Title,
			Summary: "One line of text.",
			Blocks:  []hostabi.Block{{Key: "line", Type: hostabi.Text, Text: entry.Text()}},
			Actions: []hostabi.Action{{
				Name: "set_text", Title: "Set text", Description: "Replaces the text.", Idempotent: true,
				Input: `{"type":"object","required":["text"],"properties":{"text":{"type":"string"}}}`,
			}},
		}, nil
	}
	invoke := func(c *pluginsdk.Call) (*hostabi.Outcome, error) {
		text := c.Args.Get("text").Str()
		if err := pluginsdk.SetText(c.Window.Root().Find(tree.RoleEntry).ID(), text); err != nil {
			return nil, err
		}
		after, err := pluginsdk.Observe()
		if err != nil {
			return nil, err
		}
		if after.Root().Find(tree.RoleEntry).Text() != text {
			return &hostabi.Outcome{Message: "the text was sent", Effect: hostabi.Unconfirmed}, nil
		}
		return &hostabi.Outcome{Message: "the text is set", Effect: hostabi.Confirmed}, nil
	}
	pluginsdk.Register(pluginsdk.Adapter{Translate: translate, Invoke: invoke})
}
