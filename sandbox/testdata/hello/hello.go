// Package hello is one adapter, for windows with one entry, that is built under
// every version of the contract. How it reaches the host it is told.
package hello

import (
	"strconv"
	"strings"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// Host is what the adapter uses of the host.
type Host struct {
	Log     func(level, text string)
	SetText func(id tree.NodeID, text string) error
	Observe func() (*tree.Reader, error)
	Load    func(key string) (value []byte, found bool, err error)
	Store   func(key string, value []byte) error
}

// Translate shows the entry's text. A window titled "nodes" it walks whole, as an
// adapter for a large window does.
func Translate(h *Host, r *tree.Reader) (*hostabi.View, error) {
	title := r.Window().Title
	if title == "nodes" {
		return count(r), nil
	}
	entry := r.Root().Find(tree.RoleEntry)
	if !entry.Valid() {
		return nil, &hostabi.Fault{Code: hostabi.CodeUnsupported, Message: "the window has no entry; another adapter must take it"}
	}
	if title != "quiet" {
		h.Log("info", "hello sees "+title)
	}
	return &hostabi.View{
		Title: title, Summary: "One line of text.",
		Blocks: []hostabi.Block{{Key: "line", Type: hostabi.Text, Text: strings.Clone(entry.Text())}},
		Actions: []hostabi.Action{{
			Name: "set_text", Title: "Set text", Description: "Replaces the text.", Idempotent: true,
			Input: `{"type":"object","required":["text"],"properties":{"text":{"type":"string"}}}`,
		}},
	}, nil
}

func count(r *tree.Reader) *hostabi.View {
	n, named := 0, 0
	for c := range r.Root().Descendants() {
		if n++; c.Name() != "" {
			named++
		}
	}
	return &hostabi.View{Title: "nodes", Summary: strconv.Itoa(n) + " nodes, " + strconv.Itoa(named) + " of them with a name."}
}

// Invoke replaces the text and counts how often it did.
func Invoke(h *Host, args hostabi.Value, window *tree.Reader) (*hostabi.Outcome, error) {
	text := args.Get("text").Str()
	if strings.Contains(text, "\n") {
		return nil, &hostabi.Fault{
			Code: hostabi.CodeInvalid, Message: "the argument text is wrong: it is one line",
			Fields: []hostabi.FieldFault{{Field: "text", Error: "it is one line"}},
		}
	}
	if err := h.SetText(window.Root().Find(tree.RoleEntry).ID(), text); err != nil {
		return nil, err
	}
	before, _, err := h.Load("count")
	if err != nil {
		return nil, err
	}
	n, _ := strconv.Atoi(string(before)) // none is 0
	if err := h.Store("count", []byte(strconv.Itoa(n+1))); err != nil {
		return nil, err
	}
	after, err := h.Observe()
	if err != nil {
		return nil, err
	}
	out := &hostabi.Outcome{Message: "the text was sent", Effect: hostabi.Unconfirmed, Result: `{"count":` + strconv.Itoa(n+1) + `}`}
	if after.Root().Find(tree.RoleEntry).Text() == text {
		out.Message, out.Effect = "the text is set", hostabi.Confirmed
	}
	return out, nil
}
