package check

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"oriel.dev/oriel/hostabi"
)

// Rule names what a [Finding] breaks. The names stay, so that an author can leave
// one out on purpose.
type Rule string

// The rules of [Lint].
const (
	SummaryEmpty        Rule = "summary-empty"
	SummaryRepeatsTitle Rule = "summary-repeats-title"
	LabelMissing        Rule = "label-missing"
	LabelCodeName       Rule = "label-code-name"
	CustomOverused      Rule = "custom-overused"
	NoticeIsNone        Rule = "notice-is-none"
	NoticesMany         Rule = "notices-many"
	DescriptionPoor     Rule = "description-poor"
	ArgumentUnexplained Rule = "argument-unexplained"
	AnnotationMissing   Rule = "annotation-missing"
	ReasonPoor          Rule = "reason-poor"
)

// Finding is one thing by which a view or manifest serves its readers badly
// although the host takes it.
type Finding struct {
	Rule  Rule
	Place string // as in the errors of [View]: "blocks[0].items[2].label"
	What  string // what is there
	Cure  string // what to write instead
}

// String is the finding on one line.
func (f Finding) String() string {
	return string(f.Rule) + ": " + f.Place + ": " + f.What + "; " + f.Cure
}

// The bounds of what Lint calls too much or too little.
const (
	maxNoticeText = 600 // characters
	maxNotices    = 10
	minWords      = 12 // characters of a description or reason
)

// Lint finds what makes a view or its manifest hard to understand for an agent.
// Either may be nil. The view should have passed [View].
func Lint(m *hostabi.Manifest, v *hostabi.View) []Finding {
	var l linter
	if m != nil {
		l.manifest(m)
	}
	if v != nil {
		l.summary(v)
		l.blocks(v)
		l.actions("actions", v.Actions)
		l.actions("app_actions", v.AppActions)
	}
	return l.found
}

type linter struct{ found []Finding }

func (l *linter) add(r Rule, place, what, cure string) {
	l.found = append(l.found, Finding{r, place, what, cure})
}

func (l *linter) manifest(m *hostabi.Manifest) {
	if utf8.RuneCountInString(m.Description) < minWords {
		l.add(DescriptionPoor, "description", quoted(m.Description), "say in a sentence what the adapter is for")
	}
	for i, p := range m.Permissions {
		if utf8.RuneCountInString(p.Reason) < minWords {
			l.add(ReasonPoor, fmt.Sprintf("permission[%d].reason", i), quoted(p.Reason), "say what the adapter does with it")
		}
	}
}

func (l *linter) summary(v *hostabi.View) {
	switch plain(v.Summary) {
	case "":
		l.add(SummaryEmpty, "summary", "is empty", "say in a sentence what the window shows now")
	case plain(v.Title):
		l.add(SummaryRepeatsTitle, "summary", "says what the title says", "say what the window shows now")
	}
}

// plain is a text without what makes no difference to a reader.
func plain(s string) string {
	return strings.ToLower(strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.IsPunct(r) }))
}

func (l *linter) blocks(v *hostabi.View) {
	custom, notices := 0, 0
	for i := range v.Blocks {
		b, place := &v.Blocks[i], fmt.Sprintf("blocks[%d]", i)
		for j, f := range b.Items {
			l.label(fmt.Sprintf("%s.items[%d].label", place, j), f.Label)
		}
		for j, c := range b.Columns {
			l.label(fmt.Sprintf("%s.columns[%d]", place, j), c)
		}
		switch b.Type {
		case hostabi.Custom:
			custom++
		case hostabi.Notice:
			notices++
			l.notice(place, b, v)
		}
	}
	if 2*custom > len(v.Blocks) {
		l.add(CustomOverused, "blocks", fmt.Sprintf("%d of %d are custom", custom, len(v.Blocks)),
			"use fields, tables, lists and texts, which every client can show")
	}
	if notices > maxNotices {
		l.add(NoticesMany, "blocks", fmt.Sprintf("%d are notices", notices), "keep those to which a person must attend")
	}
}

func (l *linter) notice(place string, b *hostabi.Block, v *hostabi.View) {
	switch text := plain(b.Text); {
	case text == plain(v.Title) || text == plain(v.Summary):
		l.add(NoticeIsNone, place+".text", "repeats the title or the summary", "leave it out")
	case utf8.RuneCountInString(b.Text) > maxNoticeText:
		l.add(NoticeIsNone, place+".text", "is a long text", "use a text block")
	case !strings.ContainsFunc(b.Text, unicode.IsLetter):
		l.add(NoticeIsNone, place+".text", quoted(b.Text)+" has no words", "say what is the matter, or use fields")
	case b.Severity == hostabi.Info && isPair(b.Text):
		l.add(NoticeIsNone, place+".text", quoted(b.Text)+" is a label and its value", "use fields")
	}
}

// isPair reports whether a text is a word and a value, such as "Zoom: 100%".
func isPair(s string) bool {
	label, value, ok := strings.Cut(s, ": ")
	return ok && !strings.Contains(label, " ") && value != "" && !strings.Contains(value, " ") && utf8.RuneCountInString(s) < 30
}

// codeName is a name that a programmer gave: snake_case, camelCase, or the class
// of a widget. Names that people write so, such as iPhone, have one capital.
var (
	codeName = regexp.MustCompile(`^(?:` +
		`[a-z][a-z0-9]*(?:_[a-z0-9]+)+|` + // snake_case
		`[a-z]{3,}[a-z0-9]*[A-Z][a-zA-Z0-9]*|` + // camelCase
		`(?:Gtk|Gdk|Adw|Hdy|Qt|Q|wx|Atk)[A-Z][a-z]+[A-Za-z]*` + // a class
		`)(?: \(\d+\))?$`)
	roleWord = regexp.MustCompile(`(?i)^(?:` +
		`(?:unnamed|untitled|unknown|n/a|null|nil|none|undefined|widget|control|input|entry|text ?box|combo ?box|push ?button)(?: ?\(?\d+\)?)?|` +
		`(?:field|item|element|label|button) ?\d+)$`)
)

// speaks reports whether a character can be a label by itself: "#" is a number.
func speaks(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsSymbol(r) || strings.ContainsRune("#%&@*", r)
}

func (l *linter) label(place, label string) {
	switch {
	case !strings.ContainsFunc(label, speaks):
		l.add(LabelMissing, place, quoted(label)+" names nothing", "write what a person would call it")
	case roleWord.MatchString(label):
		l.add(LabelMissing, place, quoted(label)+" only says what kind of element it is", "write what a person would call it")
	case codeName.MatchString(label):
		l.add(LabelCodeName, place, quoted(label)+" is a name from the program's code", "write the words that a person reads")
	}
}

func (l *linter) actions(place string, list []hostabi.Action) {
	for i := range list {
		a, at := &list[i], fmt.Sprintf("%s[%d]", place, i)
		if plain(a.Title) == strings.ToLower(a.Name) && strings.Contains(a.Name, "_") {
			l.add(LabelCodeName, at+".title", quoted(a.Title)+" is the action's name", "write it in words")
		} else {
			l.label(at+".title", a.Title)
		}
		if plain(a.Description) == plain(a.Title) || utf8.RuneCountInString(a.Description) < minWords {
			l.add(DescriptionPoor, at+".description", quoted(a.Description), "say what the action does and when to use it")
		}
		l.arguments(at, a)
		l.annotations(at, a)
	}
}

// arguments wants words for each argument, or a choice that speaks for itself.
func (l *linter) arguments(at string, a *hostabi.Action) {
	if a.Input == "" {
		return
	}
	s, err := compile(a.Input)
	if err != nil {
		return // View says so
	}
	properties := s.Schema().Properties
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		if p := properties[name]; p.Description == "" && len(p.Enum) == 0 && p.Const == nil {
			l.add(ArgumentUnexplained, at+".input."+name, "has no description", "say what it means, with its unit and what happens without it")
		}
	}
}

// annotations compares what an action's name says with its annotations.
func (l *linter) annotations(at string, a *hostabi.Action) {
	verb, _, _ := strings.Cut(a.Name, "_")
	switch verb {
	case "read", "get", "list", "find":
		if !a.ReadOnly {
			l.add(AnnotationMissing, at+".read_only", "is not set on "+quoted(a.Name), "set it, or name the action after what it changes")
		}
	case "close", "delete", "remove", "discard", "quit", "overwrite":
		if !a.Destructive {
			l.add(AnnotationMissing, at+".destructive", "is not set on "+quoted(a.Name), "set it, so that clients ask their users first")
		}
	case "set", "choose", "select":
		if !a.Idempotent && !a.Destructive {
			l.add(AnnotationMissing, at+".idempotent", "is not set on "+quoted(a.Name), "set it if doing it twice is as doing it once")
		}
	}
	if a.ReadOnly && (a.Destructive || a.OpenWorld) {
		l.add(AnnotationMissing, at+".read_only", "contradicts destructive or open_world on "+quoted(a.Name), "keep what is true")
	}
}
