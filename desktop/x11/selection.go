package x11

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"

	"oriel.dev/oriel/desktop"
)

// Selection implements [desktop.Selection] on CLIPBOARD. What it owns it serves
// until another program takes the clipboard or the display is closed.
type Selection struct {
	d *Display
	// reading and pasting hold a token while one conversion, one paste is under
	// way; a Paste reads too.
	reading, pasting chan struct{}
	requests         *queue // for serve

	// mu guards all below. The pump takes it, so nothing is waited for under it.
	mu     sync.Mutex
	offer  *offer // what we own, nil if nothing
	clocks []chan xproto.Timestamp
	asked  *conversion // the conversion under way
	paste  *paste      // the paste under way
}

var _ desktop.Selection = (*Selection)(nil)

func newSelection(d *Display) *Selection {
	return &Selection{d: d, reading: make(chan struct{}, 1), pasting: make(chan struct{}, 1), requests: newQueue()}
}

// offer is what we have on the clipboard.
type offer struct {
	since xproto.Timestamp
	data  map[xproto.Atom][]byte
}

// conversion is a question to the clipboard's owner.
type conversion struct {
	target xproto.Atom
	time   xproto.Timestamp
	answer chan xproto.SelectionNotifyEvent // holds one
	pieces chan struct{}                    // a token for each piece of a long answer
}

// answerTime is how long the clipboard's owner may take for each step.
const answerTime = time.Second

// Sizes of what goes over the clipboard.
const (
	maxClip   = 64 << 20  // the most that is read
	maxBackup = 16 << 20  // the most that is kept over a paste
	piece     = 128 << 10 // the most that is handed over in one piece
)

// notice sees every event before the loop does.
func (s *Selection) notice(ev xgb.Event) {
	switch e := ev.(type) {
	case xproto.SelectionNotifyEvent:
		s.mu.Lock()
		defer s.mu.Unlock()
		if c := s.asked; c != nil && e.Requestor == s.d.own && e.Target == c.target && (e.Time == c.time || e.Time == 0) {
			for len(c.pieces) > 0 {
				<-c.pieces // the announcement of a long answer is not a piece of it
			}
			offerTo(c.answer, e)
		}
	case xproto.PropertyNotifyEvent:
		s.noticeProperty(e)
	case xproto.SelectionRequestEvent, xproto.DestroyNotifyEvent:
		s.requests.put(ev)
	case xproto.SelectionClearEvent:
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.offer != nil && e.Selection == s.d.atoms.clipboard && int32(e.Time-s.offer.since) > 0 {
			s.offer = nil
		}
	}
}

func (s *Selection) noticeProperty(e xproto.PropertyNotifyEvent) {
	if e.State == xproto.PropertyDelete {
		s.requests.put(e) // somebody has fetched a piece, we ourselves perhaps
		return
	}
	if e.Window != s.d.own {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case e.Atom == s.d.atoms.clock:
		for _, c := range s.clocks {
			c <- e.Time
		}
		s.clocks = nil
	case e.Atom == s.d.atoms.transfer && s.asked != nil:
		offerTo(s.asked.pieces, struct{}{})
	}
}

// offerTo sends without waiting.
func offerTo[T any](c chan T, v T) {
	select {
	case c <- v:
	default:
	}
}

// serverTime asks the server for its time.
func (d *Display) serverTime(ctx context.Context) (xproto.Timestamp, error) {
	c := make(chan xproto.Timestamp, 1)
	return ask(ctx, d.events, func(x *xgb.Conn) (xproto.Timestamp, error) {
		d.selection.mu.Lock()
		d.selection.clocks = append(d.selection.clocks, c)
		d.selection.mu.Unlock()
		xproto.ChangeProperty(x, xproto.PropModeAppend, d.own, d.atoms.clock, xproto.AtomString, 8, 0, nil)
		select {
		case t := <-c:
			return t, nil
		case <-d.events.lost:
			return 0, desktop.ErrDisconnected
		}
	})
}

// take waits for a turn.
func take(ctx context.Context, turn chan struct{}) error {
	select {
	case turn <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Types implements [desktop.Selection]. An empty clipboard has none.
func (s *Selection) Types(ctx context.Context) ([]string, error) {
	owner, err := s.owner(ctx)
	if err != nil || owner == 0 {
		return nil, wrap(err, "asking for the clipboard's types")
	}
	b, err := s.convert(ctx, s.d.atoms.targets)
	if err != nil {
		return nil, fmt.Errorf("asking for the clipboard's types: %w", err)
	}
	var list []xproto.Atom
	for i := 0; i+4 <= len(b); i += 4 {
		list = append(list, xproto.Atom(xgb.Get32(b[i:])))
	}
	names, err := s.d.names.of(ctx, list)
	if err != nil {
		return nil, fmt.Errorf("asking for the clipboard's types: %w", err)
	}
	return slices.DeleteFunc(names, func(n string) bool { return n == "" || slices.Contains(protocolTargets, n) }), nil
}

// protocolTargets are targets that carry nothing of the clipboard's content.
var protocolTargets = []string{"TARGETS", "MULTIPLE", "TIMESTAMP", "SAVE_TARGETS", "DELETE", "INSERT_SELECTION", "INSERT_PROPERTY"}

// Read implements [desktop.Selection].
func (s *Selection) Read(ctx context.Context, typ string) ([]byte, error) {
	b, err := s.read(ctx, typ)
	return b, wrap(err, fmt.Sprintf("reading %s from the clipboard", typ))
}

func (s *Selection) read(ctx context.Context, typ string) ([]byte, error) {
	owner, err := s.owner(ctx)
	if err != nil {
		return nil, err
	}
	if owner == 0 {
		return nil, fmt.Errorf("it is empty: %w", desktop.ErrUnsupported)
	}
	atoms, err := s.d.names.atoms(ctx, []string{typ})
	if err != nil {
		return nil, err
	}
	return s.convert(ctx, atoms[0])
}

// owner returns the window that owns the clipboard, 0 if nobody does.
func (s *Selection) owner(ctx context.Context) (xproto.Window, error) {
	return ask(ctx, s.d.questions, func(x *xgb.Conn) (xproto.Window, error) {
		r, err := xproto.GetSelectionOwner(x, s.d.atoms.clipboard).Reply()
		if err != nil {
			return 0, err
		}
		return r.Owner, nil
	})
}

// convert asks the owner for the clipboard in one form.
func (s *Selection) convert(ctx context.Context, target xproto.Atom) ([]byte, error) {
	if err := take(ctx, s.reading); err != nil {
		return nil, err
	}
	defer func() { <-s.reading }()
	now, err := s.d.serverTime(ctx)
	if err != nil {
		return nil, err
	}
	c := &conversion{target, now, make(chan xproto.SelectionNotifyEvent, 1), make(chan struct{}, 16)}
	s.setAsked(c)
	defer s.setAsked(nil)
	_, err = ask(ctx, s.d.questions, func(x *xgb.Conn) (any, error) {
		xproto.DeleteProperty(x, s.d.own, s.d.atoms.transfer)
		return nil, xproto.ConvertSelectionChecked(x, s.d.own, s.d.atoms.clipboard, target, s.d.atoms.transfer, now).Check()
	})
	if err != nil {
		return nil, err
	}
	answer, err := await(ctx, s.d, c.answer)
	if err != nil {
		return nil, err
	}
	if answer.Property == 0 {
		return nil, fmt.Errorf("its owner does not offer that: %w", desktop.ErrUnsupported)
	}
	typ, b, err := s.fetch(ctx)
	if err != nil || typ != s.d.atoms.incr {
		return b, err
	}
	return s.fetchPieces(ctx, c)
}

func (s *Selection) setAsked(c *conversion) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = c
}

// await waits for the clipboard's owner.
func await[T any](ctx context.Context, d *Display, c <-chan T) (T, error) {
	var none T
	late := time.NewTimer(answerTime)
	defer late.Stop()
	select {
	case v := <-c:
		return v, nil
	case <-late.C:
		return none, fmt.Errorf("the program that owns the clipboard: %w", desktop.ErrNotAnswering)
	case <-d.events.lost:
		return none, desktop.ErrDisconnected
	case <-ctx.Done():
		return none, ctx.Err()
	}
}

// fetch reads and deletes what the owner has put into our property.
func (s *Selection) fetch(ctx context.Context) (xproto.Atom, []byte, error) {
	type value struct {
		typ xproto.Atom
		b   []byte
	}
	v, err := ask(ctx, s.d.questions, func(x *xgb.Conn) (value, error) {
		var v value
		for {
			r, err := xproto.GetProperty(x, true, s.d.own, s.d.atoms.transfer, xproto.GetPropertyTypeAny, uint32(len(v.b)/4), 1<<18).Reply()
			if err != nil {
				return v, err
			}
			v.typ = r.Type
			v.b = append(v.b, r.Value...)
			if r.BytesAfter == 0 || len(r.Value) == 0 {
				return v, nil
			}
			if len(v.b) > maxClip {
				return v, errTooLong
			}
		}
	})
	return v.typ, v.b, err
}

var errTooLong = fmt.Errorf("it is longer than %d MiB: %w", maxClip>>20, desktop.ErrUnsupported)

// fetchPieces reads a long answer, which comes piece by piece as we delete
// them. An empty piece ends it.
func (s *Selection) fetchPieces(ctx context.Context, c *conversion) ([]byte, error) {
	var all []byte
	for {
		if _, err := await(ctx, s.d, c.pieces); err != nil {
			return nil, err
		}
		_, b, err := s.fetch(ctx)
		if err != nil {
			return nil, err
		}
		if len(b) == 0 {
			return all, nil
		}
		if all = append(all, b...); len(all) > maxClip {
			return nil, errTooLong
		}
	}
}

// Write implements [desktop.Selection]. Text is offered under both of its
// common names.
func (s *Selection) Write(ctx context.Context, data map[string][]byte) error {
	data = maps.Clone(data)
	const a, b = "UTF8_STRING", "text/plain;charset=utf-8"
	for _, p := range [][2]string{{a, b}, {b, a}} {
		if v, ok := data[p[0]]; ok {
			if _, both := data[p[1]]; !both {
				data[p[1]] = v
			}
		}
	}
	_, err := s.own(ctx, data)
	return wrap(err, "writing to the clipboard")
}

// own takes the clipboard and offers exactly data.
func (s *Selection) own(ctx context.Context, data map[string][]byte) (*offer, error) {
	names := slices.Sorted(maps.Keys(data))
	atoms, err := s.d.names.atoms(ctx, names)
	if err != nil {
		return nil, err
	}
	now, err := s.d.serverTime(ctx)
	if err != nil {
		return nil, err
	}
	o := &offer{since: now, data: make(map[xproto.Atom][]byte, len(data))}
	for i, a := range atoms {
		o.data[a] = slices.Clone(data[names[i]])
	}
	s.mu.Lock()
	s.offer = o
	s.mu.Unlock()
	owner, err := s.setOwner(ctx, s.d.own, now)
	if err == nil && owner != s.d.own {
		err = fmt.Errorf("another program took it at the same time: %w", desktop.ErrRefused)
	}
	return o, err
}

// setOwner must use the connection that is to get the requests.
func (s *Selection) setOwner(ctx context.Context, w xproto.Window, now xproto.Timestamp) (xproto.Window, error) {
	return ask(ctx, s.d.events, func(x *xgb.Conn) (xproto.Window, error) {
		xproto.SetSelectionOwner(x, w, s.d.atoms.clipboard, now)
		r, err := xproto.GetSelectionOwner(x, s.d.atoms.clipboard).Reply()
		if err != nil {
			return 0, err
		}
		return r.Owner, nil
	})
}
