package x11

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/jezek/xgb/xproto"

	"oriel.dev/oriel/desktop"
)

// paste is a paste under way.
type paste struct {
	client uint32 // whose requests count; 0: anybody's
	armed  bool   // the chord is being sent
	// taken gets a token for each request for the text itself.
	taken chan struct{}
}

// Times of a paste.
const (
	backupTime  = time.Second            // to save what is on the clipboard
	takeTime    = 2 * time.Second        // for the application to ask for the text
	quietTime   = 150 * time.Millisecond // without requests before the old content is put back
	restoreTime = time.Second
)

// tellPaste hears that somebody was given data.
func (s *Selection) tellPaste(w xproto.Window) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if p := s.paste; p != nil && p.armed && (p.client == 0 || p.client == s.d.client(w)) {
		offerTo(p.taken, struct{}{})
	}
}

// Paste implements [desktop.Selection]. Programs that only look at what the
// clipboard offers, or clipboard managers that copy it, are not taken for the
// target. What was on the clipboard comes back in all its forms as far as their
// owner gave them; that it could not be saved or put back is no error.
func (s *Selection) Paste(ctx context.Context, t desktop.Target, text string) error {
	return wrap(s.doPaste(ctx, t, text), "pasting")
}

func (s *Selection) doPaste(ctx context.Context, t desktop.Target, text string) error {
	if err := take(ctx, s.pasting); err != nil {
		return err
	}
	defer func() { <-s.pasting }()
	p := &paste{taken: make(chan struct{}, 64)}
	if t.Window != 0 {
		g, err := s.d.windows.Geometry(ctx, t.Window)
		if err != nil {
			return err
		}
		p.client = g.Client
	}
	saved := s.save(ctx)
	b := []byte(text)
	mine, err := s.own(ctx, map[string][]byte{"UTF8_STRING": b, "text/plain;charset=utf-8": b, "TEXT": b})
	if err != nil {
		return err
	}
	defer s.putBack(mine, saved)
	if err := s.arm(ctx, p); err != nil {
		return err
	}
	defer s.setPaste(nil)
	if err := s.d.input.Keys(ctx, t, []desktop.Chord{{Mods: desktop.Control, Key: "v"}}); err != nil {
		return err
	}
	return s.awaitTaken(ctx, p)
}

// arm counts requests from now on: those that came because the clipboard's
// owner changed have been seen by then.
func (s *Selection) arm(ctx context.Context, p *paste) error {
	if err := s.d.Sync(ctx); err != nil {
		return err
	}
	p.armed = true
	s.setPaste(p)
	return nil
}

func (s *Selection) setPaste(p *paste) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.paste = p
}

// awaitTaken waits until the application has asked for the text and then for
// nothing more for a while: some ask several times.
func (s *Selection) awaitTaken(ctx context.Context, p *paste) error {
	wait := time.NewTimer(takeTime)
	defer wait.Stop()
	taken := false
	for {
		select {
		case <-p.taken:
			taken = true
			wait.Reset(quietTime)
		case <-wait.C:
			if taken {
				return nil
			}
			return fmt.Errorf("the application did not ask for the text: %w", desktop.ErrRefused)
		case <-s.d.events.lost:
			return desktop.ErrDisconnected
		case <-ctx.Done():
			return fmt.Errorf("%w: %w", desktop.ErrInterrupted, ctx.Err())
		}
	}
}

// notContent are forms that name things of the server or tell of the content.
var notContent = []string{"PIXMAP", "BITMAP", "DRAWABLE", "COLORMAP", "LENGTH"}

// save reads all forms of what is on the clipboard, within bounds. Nil means
// that there is nothing to put back.
func (s *Selection) save(ctx context.Context) map[string][]byte {
	ctx, cancel := context.WithTimeout(ctx, backupTime)
	defer cancel()
	types, err := s.Types(ctx)
	if err != nil {
		return nil
	}
	saved, size := make(map[string][]byte), 0
	for _, typ := range types {
		if slices.Contains(notContent, typ) {
			continue
		}
		b, err := s.Read(ctx, typ)
		if size += len(b); err == nil && size <= maxBackup {
			saved[typ] = b
		}
	}
	return saved
}

// putBack restores the clipboard unless another program has taken it since.
func (s *Selection) putBack(mine *offer, saved map[string][]byte) {
	ctx, cancel := context.WithTimeout(context.Background(), restoreTime)
	defer cancel()
	s.mu.Lock()
	ours := s.offer == mine
	s.mu.Unlock()
	if owner, err := s.owner(ctx); err != nil || owner != s.d.own || !ours {
		return
	}
	if len(saved) > 0 {
		_, _ = s.own(ctx, saved)
		return
	}
	now, err := s.d.serverTime(ctx)
	if err != nil {
		return
	}
	s.mu.Lock()
	s.offer = nil
	s.mu.Unlock()
	_, _ = s.setOwner(ctx, 0, now)
}
