package window

import (
	"slices"
	"strings"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// finish does what needs the whole window: names, choices, texts, what ticks.
func (s *scanner) finish() {
	for i := range s.w.Fields {
		if s.w.Fields[i].Radio {
			finishOptions(&s.w.Fields[i])
		}
	}
	s.keys()
	s.menuButtons()
	for i := range s.labels {
		_, s.labels[i].ticks = steady(s.labels[i].text, s.bars > 0)
	}
	s.findDocument()
	s.nameFields()
	s.uniqueButtons()
	s.sheets()
	s.nameLists()
	s.liveProgress()
	s.texts()
	s.fieldNotices()
	s.otherNotices()
}

// nameLists gives every list a unique label: its own, the text above it, that
// of its group, of the window if it is nothing else, else its kind.
func (s *scanner) nameLists() {
	var n names
	for i := range s.w.Lists {
		l := &s.w.Lists[i]
		if l.Label == "" {
			l.Label = s.textAbove(l.Node)
		}
		if l.Label == "" {
			l.Label = l.group
		}
		if l.Label == "" && l.Node == s.w.Tree.Root() {
			l.Label = Label(s.w.TitleText())
		}
		if l.Label == "" {
			l.Label = "List"
			if len(l.Columns) > 0 {
				l.Label = "Table"
			}
		}
		l.Label = n.unique(l.Label)
	}
}

// textAbove finds a short text left of a list or directly above it.
func (s *scanner) textAbove(c tree.Cursor) string {
	best, least := -1, 1<<30
	near, texts := neighbourhood{fields: []place{placeOf(c)}}, s.nameTexts()
	for _, t := range texts.beside(near.fields[0]) {
		if n := near.cost(t.place, s.labels[t.label].text); n >= 0 && n < least {
			best, least = t.label, n
		}
	}
	if best < 0 {
		return ""
	}
	s.labels[best].used = true
	return Label(s.labels[best].text)
}

// findDocument finds the text area that the window is about: the only one, or
// one that fills most of the window.
func (s *scanner) findDocument() {
	best, count := -1, 0
	for i := range s.w.Fields {
		f := &s.w.Fields[i]
		if f.Kind != Area || f.Sensitive {
			continue
		}
		count++
		if best < 0 || area(f.Node) > area(s.w.Fields[best].Node) {
			best = i
		}
	}
	if best < 0 {
		return
	}
	whole := int64(s.w.Bounds.W) * int64(s.w.Bounds.H)
	f := &s.w.Fields[best]
	alone := count == 1 && len(s.w.Fields) == 1 && f.Node.Bounds().H > 100
	if alone || area(f.Node)*5 > whole*2 && whole > 0 {
		f.Document = true
	}
}

func (s *scanner) liveProgress() {
	for i := range s.w.Fields {
		if f := &s.w.Fields[i]; f.live != "" {
			s.w.Live = append(s.w.Live, Live{f.Label, f.live})
		}
	}
}

// texts keeps the texts that name no field, without what is said twice, and
// with placeholders for what ticks.
func (s *scanner) texts() {
	last, numbers := "", s.manyNumbers()
	for i := range s.labels {
		l := &s.labels[i]
		if l.used || numbers && len(l.text) <= 2 && !hasLetter(l.text) {
			continue
		}
		text, ticks := steady(l.text, s.bars > 0)
		if ticks {
			s.w.Live = append(s.w.Live, Live{s.liveLabel(text), l.text})
		}
		if l.status {
			s.w.Status = append(s.w.Status, text)
			continue
		}
		if text == last || text == Clean(s.w.Title) || s.named(l.text) {
			continue
		}
		last = text
		s.w.Texts = append(s.w.Texts, Text{Text: text, Heading: l.heading, Node: l.node})
	}
}

// manyNumbers reports whether the window shows a month as a text for each day,
// which tells nothing.
func (s *scanner) manyNumbers() bool {
	n := 0
	for i := range s.labels {
		if t := s.labels[i].text; len(t) <= 2 && hasDigit(t) && !hasLetter(t) {
			n++
		}
	}
	return n > 25
}

func (s *scanner) liveLabel(text string) string {
	t := text
	for _, p := range [...]string{someTime, somePercent, someNumber} {
		t = strings.ReplaceAll(t, p, "")
	}
	if t = Label(t); t == "" || !hasLetter(t) {
		t = "Shown"
	}
	for n := 2; ; n++ {
		taken := false
		for _, l := range s.w.Live {
			taken = taken || l.Label == t
		}
		if !taken {
			return t
		}
		t = strings.TrimSuffix(t, " ("+itoa(int64(n-1))+")") + " (" + itoa(int64(n)) + ")"
	}
}

// named reports whether a text only repeats the label of a field or button.
func (s *scanner) named(text string) bool {
	text = Label(text)
	for i := range s.w.Buttons {
		if s.w.Buttons[i].Label == text {
			return true
		}
	}
	for i := range s.w.Fields {
		if s.w.Fields[i].Label == text {
			return true
		}
	}
	return false
}

// fieldNotices says which entries are wrong, in the place of a notice that does
// not say which.
func (s *scanner) fieldNotices() {
	for i := range s.w.Fields {
		if f := &s.w.Fields[i]; f.Problem != "" {
			s.w.Notices = slices.DeleteFunc(s.w.Notices, func(n Notice) bool { return n.Text == f.Problem })
			s.addNotice("invalid:", hostabi.Error, f.Label+": "+f.Problem)
		}
	}
}

// otherNotices makes a notice of a text that says itself that it is one. That a
// part of the window is missing the host says.
func (s *scanner) otherNotices() {
	kept := s.w.Texts[:0]
	for _, t := range s.w.Texts {
		sev := spokenSeverity(t.Text)
		if sev == "" || t.ReadOnly || t.Heading {
			kept = append(kept, t)
			continue
		}
		s.addNotice("warning:", sev, t.Text)
	}
	s.w.Texts = kept
}

// spokenSeverity tells the tone of a text that begins by naming it.
func spokenSeverity(text string) hostabi.Severity {
	word, _, ok := strings.Cut(text, ":")
	if !ok || len(word) > 12 {
		return ""
	}
	switch strings.ToLower(word) {
	case "warning", "caution", "attention":
		return hostabi.Warn
	case "error", "failed", "failure":
		return hostabi.Error
	}
	return ""
}

// severityOf judges the words of a bar or an alert.
func severityOf(text string, role tree.Role) hostabi.Severity {
	if sev := spokenSeverity(text); sev != "" {
		return sev
	}
	lower := strings.ToLower(text)
	for _, w := range [...]string{"error", "fail", "could not", "cannot", "can't", "denied", "invalid", "not valid"} {
		if strings.Contains(lower, w) {
			return hostabi.Error
		}
	}
	if role == tree.RoleAlert {
		return hostabi.Warn
	}
	return hostabi.Info
}
