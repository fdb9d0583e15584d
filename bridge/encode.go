package bridge

import (
	"bytes"
	"encoding/json"
	"fmt"

	"oriel.dev/oriel/hostabi"
)

// NewSnapshot returns a snapshot of windows, which are sorted by age and have
// been made by a bridge or by a test. Operable windows are those that say so.
func NewSnapshot(seq uint64, windows []*Window) *Snapshot { return newSnapshot(seq, windows, "") }

func newSnapshot(seq uint64, windows []*Window, notice string) *Snapshot {
	s := &Snapshot{Seq: seq, Notice: notice, Windows: windows, Operable: []string{}, byID: make(map[string]*Window, len(windows))}
	for _, w := range windows {
		s.byID[w.ID] = w
		if w.Operable {
			s.Operable = append(s.Operable, w.ID)
		}
	}
	s.Apps = apps(windows)
	s.text = s.encode()
	return s
}

// encode writes app://windows. Windows that did not change bring their own text
// along.
func (s *Snapshot) encode() []byte {
	size := 64
	for _, w := range s.Windows {
		size += len(w.JSON()) + 1
	}
	out := make([]byte, 0, size)
	out = append(out, `{"operableWindowIds":`...)
	out = appendJSON(out, s.Operable)
	out = append(out, `,"windows":[`...)
	for i, w := range s.Windows {
		if i > 0 {
			out = append(out, ',')
		}
		out = append(out, w.JSON()...)
	}
	out = append(out, ']')
	if s.Notice != "" {
		out = append(out, `,"notice":`...)
		out = appendJSON(out, s.Notice)
	}
	return append(out, '}')
}

// JSON returns the window as it stands in app://windows.
func (w *Window) JSON() []byte {
	if w.text != nil {
		return w.text
	}
	return w.encode()
}

func (w *Window) encode() []byte {
	var owner *string
	if w.OwnerID != "" {
		owner = &w.OwnerID
	}
	out := appendJSON(nil, struct {
		ID      string  `json:"id"`
		App     string  `json:"app,omitempty"`
		Title   string  `json:"title"`
		Modal   bool    `json:"modal"`
		OwnerID *string `json:"ownerId"`
		Version int64   `json:"version"`
		Summary string  `json:"summary"`
	}{w.ID, w.App, w.Title, w.Modal, owner, w.Version, w.Summary})
	out = append(out[:len(out)-1], `,"blocks":[`...)
	for i, b := range w.Blocks {
		if i > 0 {
			out = append(out, ',')
		}
		out = appendBlock(out, b)
	}
	return append(out, "]}"...)
}

// wireField and wireBlock are the protocol's shapes. Which fields of a block are
// written follows from its type alone; see appendBlock.
type wireField struct {
	Label     string `json:"label"`
	Value     any    `json:"value"`
	Sensitive bool   `json:"sensitive,omitempty"`
}

type wireBlock struct {
	Type      hostabi.BlockType   `json:"type"`
	ID        string              `json:"id"`
	Sensitive bool                `json:"sensitive,omitempty"`
	Severity  hostabi.Severity    `json:"severity,omitempty"`
	Text      *string             `json:"text,omitempty"`
	Items     any                 `json:"items,omitempty"`
	Ordered   bool                `json:"ordered,omitempty"`
	Columns   *[]string           `json:"columns,omitempty"`
	Rows      *[][]hostabi.Scalar `json:"rows,omitempty"`
	Offset    *int64              `json:"offset,omitempty"`
	Total     *int64              `json:"total,omitempty"`
	MimeType  string              `json:"mimeType,omitempty"`
	URL       string              `json:"url,omitempty"`
	Alt       string              `json:"alt,omitempty"`
	Payload   json.RawMessage     `json:"payload,omitempty"`
}

// appendBlock writes exactly the fields of the block's type.
func appendBlock(out []byte, b Block) []byte {
	w := wireBlock{Type: b.Type, ID: b.ID, Sensitive: b.Sensitive}
	switch b.Type {
	case hostabi.Text:
		w.Text = &b.Text
	case hostabi.Notice:
		w.Text, w.Severity = &b.Text, b.Severity
	case hostabi.Fields:
		items := make([]wireField, len(b.Items))
		for i, f := range b.Items {
			items[i] = wireField{f.Label, f.Value, f.Sensitive}
		}
		w.Items = items
	case hostabi.List:
		w.Items, w.Ordered = nonNil(b.List), b.Ordered
	case hostabi.Table:
		columns, rows := nonNil(b.Columns), nonNil(b.Rows)
		w.Columns, w.Rows = &columns, &rows
	case hostabi.Media:
		w.MimeType, w.URL, w.Alt = b.MimeType, b.URL, b.Alt
	case hostabi.Custom:
		w.Payload = json.RawMessage(b.Payload)
	}
	if b.Truncated && (b.Type == hostabi.List || b.Type == hostabi.Table) {
		w.Offset, w.Total = &b.Offset, &b.Total
	}
	return appendJSON(out, w)
}

func nonNil[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// appendJSON appends v without escaping what only HTML needs escaped. Its values
// are ours and checked before, so that it cannot fail.
func appendJSON(out []byte, v any) []byte {
	buf := bytes.NewBuffer(out)
	enc := json.NewEncoder(buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		panic(fmt.Sprintf("BUG: encoding %T: %v", v, err))
	}
	return bytes.TrimSuffix(buf.Bytes(), []byte("\n"))
}
