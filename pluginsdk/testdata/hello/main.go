// Command hello is an adapter for windows with one entry: it shows the text and
// replaces it. It is the twin of those in the other languages.
package main

import (
	"fmt"
	"strconv"
	"strings"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

func init() { pluginsdk.Register(pluginsdk.Adapter{Translate: translate, Invoke: invoke}) }

func main() {}

func translate(r *tree.Reader) (*hostabi.View, error) {
	entry := r.Root().Find(tree.RoleEntry)
	if !entry.Valid() {
		return nil, pluginsdk.Refuse(hostabi.CodeUnsupported, "the window has no entry; another adapter must take it")
	}
	pluginsdk.Log(pluginsdk.Debug, "hello sees "+r.Window().Title)
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

// count adds one to a number that the host keeps for this adapter.
func count() (int, error) {
	before, _, err := pluginsdk.Load("count")
	if err != nil {
		return 0, err
	}
	n, err := strconv.Atoi(string(before))
	if err != nil {
		n = 0
	}
	return n + 1, pluginsdk.Store("count", []byte(strconv.Itoa(n+1)))
}

func invoke(c *pluginsdk.Call) (*hostabi.Outcome, error) {
	text := c.Args.Get("text").Str()
	if strings.Contains(text, "\n") {
		return nil, pluginsdk.Invalid("text", "it is one line")
	}
	if err := pluginsdk.SetText(c.Window.Root().Find(tree.RoleEntry).ID(), text); err != nil {
		return nil, err
	}
	n, err := count()
	if err != nil {
		return nil, err
	}
	after, err := pluginsdk.Observe()
	if err != nil {
		return nil, err
	}
	out := &hostabi.Outcome{Message: "the text is set", Effect: hostabi.Confirmed, Result: fmt.Sprintf(`{"count":%d}`, n)}
	if after.Root().Find(tree.RoleEntry).Text() != text {
		out.Message, out.Effect = "the text was sent", hostabi.Unconfirmed
	}
	pluginsdk.Log(pluginsdk.Info, out.Message)
	return out, nil
}
