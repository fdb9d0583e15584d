package conformance

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

// Verdict says how a server stands to a requirement.
type Verdict string

// The verdicts.
const (
	Pass      Verdict = "pass"
	Fail      Verdict = "fail"
	Advice    Verdict = "advice" // against something that a server should do
	NotTested Verdict = "not tested"
)

// Finding is one thing that was seen.
type Finding struct {
	Verdict  Verdict `json:"verdict"`
	Why      string  `json:"why"`
	Evidence string  `json:"evidence,omitempty"` // the JSON that was seen, cut
}

// Result is the verdict on one requirement. Its findings start with the gravest.
type Result struct {
	Requirement string    `json:"requirement"`
	Title       string    `json:"title"`
	Verdict     Verdict   `json:"verdict"`
	Findings    []Finding `json:"findings"`
}

// Report is what a run found.
type Report struct {
	Server    string   `json:"server"`    // by its own word
	Revisions []string `json:"revisions"` // in which it answered
	Results   []Result `json:"results"`
}

// Failed reports whether a requirement is broken.
func (r *Report) Failed() bool { return r.count(Fail) > 0 }

func (r *Report) count(v Verdict) (n int) {
	for _, res := range r.Results {
		if res.Verdict == v {
			n++
		}
	}
	return n
}

// Write prints the report, one line for a requirement, and a sum.
func (r *Report) Write(w io.Writer) error {
	var b strings.Builder
	for _, res := range r.Results {
		var whys []string
		evidence := ""
		for _, f := range res.Findings {
			if f.Verdict == res.Verdict {
				whys = append(whys, f.Why)
				evidence = orElse(evidence, f.Evidence)
			}
		}
		fmt.Fprintf(&b, "%s  %-10s  %s: %s", res.Requirement, res.Verdict, res.Title, strings.Join(whys, "; "))
		if evidence != "" {
			b.WriteString("  " + evidence)
		}
		b.WriteByte('\n')
	}
	fmt.Fprintf(&b, "%d passed, %d failed, %d advice, %d not tested: %s, revisions %s\n", r.count(Pass), r.count(Fail),
		r.count(Advice), r.count(NotTested), orElse(r.Server, "unnamed server"), orElse(strings.Join(r.Revisions, " and "), "none"))
	_, err := io.WriteString(w, b.String())
	return err
}

func orElse(s, other string) string {
	if s == "" {
		return other
	}
	return s
}

// maxFindings is how many findings of one verdict are kept for a requirement: a
// fault in one window is often in all.
const maxFindings = 5

// log collects findings.
type log struct {
	// ended reports that the run was ended early, after which nothing can be said
	// to be a fault of the server; nil if it cannot be. Fixed at creation.
	ended func() bool

	// mu guards found.
	mu    sync.Mutex
	found map[string][]Finding // by requirement
}

func (l *log) add(id string, f Finding) {
	if f.Verdict == Fail && l.ended != nil && l.ended() {
		f = Finding{Verdict: NotTested, Why: "the run was ended early"}
	}
	f.Why = strings.ReplaceAll(f.Why, "\n", "; ") // the report has a line for each requirement
	l.mu.Lock()
	defer l.mu.Unlock()
	n := 0
	for _, old := range l.found[id] {
		if old.Verdict == f.Verdict {
			if n++; old.Why == f.Why {
				return
			}
		}
	}
	if n == maxFindings {
		return
	}
	if l.found == nil {
		l.found = map[string][]Finding{}
	}
	l.found[id] = append(l.found[id], f)
}

func (l *log) pass(id string, evidence any, format string, args ...any) {
	l.add(id, Finding{Pass, fmt.Sprintf(format, args...), cut(evidence)})
}

func (l *log) fail(id string, evidence any, format string, args ...any) {
	l.add(id, Finding{Fail, fmt.Sprintf(format, args...), cut(evidence)})
}

func (l *log) advise(id string, evidence any, format string, args ...any) {
	l.add(id, Finding{Advice, fmt.Sprintf(format, args...), cut(evidence)})
}

func (l *log) untested(id, format string, args ...any) {
	l.add(id, Finding{Verdict: NotTested, Why: fmt.Sprintf(format, args...)})
}

// failures counts what failed so far.
func (l *log) failures(ids ...string) (n int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		for _, f := range l.found[id] {
			if f.Verdict == Fail {
				n++
			}
		}
	}
	return n
}

// results judges every requirement: the gravest finding decides.
func (l *log) results() []Result {
	l.mu.Lock()
	defer l.mu.Unlock()
	gravity := []Verdict{Fail, Advice, Pass, NotTested}
	out := make([]Result, 0, len(requirements))
	for _, req := range requirements {
		findings := slices.Clone(l.found[req.id])
		if len(findings) == 0 {
			findings = []Finding{{Verdict: NotTested, Why: orElse(req.why, "nothing to see it by was there")}}
		}
		slices.SortStableFunc(findings, func(a, b Finding) int {
			return slices.Index(gravity, a.Verdict) - slices.Index(gravity, b.Verdict)
		})
		out = append(out, Result{req.id, req.title, findings[0].Verdict, findings})
	}
	return out
}

// maxEvidence is where evidence is cut, in characters.
const maxEvidence = 300

func cut(evidence any) string {
	var text string
	switch e := evidence.(type) {
	case nil:
		return ""
	case json.RawMessage:
		text = string(e)
	default:
		text = encode(e)
	}
	text = strings.Join(strings.Fields(text), " ")
	if r := []rune(text); len(r) > maxEvidence {
		return string(r[:maxEvidence-1]) + "…"
	}
	return text
}

// encode is JSON with sorted keys, for people and for comparing.
func encode(v any) string {
	var b strings.Builder
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if err := e.Encode(v); err != nil {
		return fmt.Sprint(v)
	}
	return strings.TrimSuffix(b.String(), "\n")
}
