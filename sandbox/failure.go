package sandbox

import (
	"fmt"
	"strings"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/hostabi/check"
)

// Failure is a fault of an adapter: it trapped, went over a limit, or answered
// nonsense. It unwraps to a [hostabi.Fault] with the same text.
type Failure struct {
	Adapter, Version string // the file, and what it says, of one that is not loaded
	Function         string // "translate", "invoke", "start", "compile", "load"
	Limit            bool   // it went over a limit
	Message          string // what happened
	Frames           []string
	Stderr           []string // the adapter's last words
}

// Error names the adapter, its version, the function, what happened and where,
// and what to do.
func (f *Failure) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "adapter %s %s: %s failed: ", f.Adapter, f.Version, f.Function)
	if last := said(f.Stderr); last != "" {
		fmt.Fprintf(&b, "%s (%s)", last, f.Message)
	} else {
		b.WriteString(f.Message)
	}
	if len(f.Frames) > 0 {
		fmt.Fprintf(&b, ", in %s", strings.Join(f.Frames, ", called by "))
	}
	if f.Limit {
		b.WriteString("; tell the adapter's author, or raise the limit in [limits] of config.toml")
	} else {
		b.WriteString("; this is the adapter's fault: tell its author, or use another adapter for the application")
	}
	return b.String()
}

// Unwrap returns the failure as a fault.
func (f *Failure) Unwrap() error {
	return &hostabi.Fault{Code: hostabi.CodeInternal, Message: f.Error()}
}

// maxWord is how much of a guest's line or function's name is kept, in bytes.
const maxWord = 300

// harmless takes from what a guest says of itself what could do harm on a
// terminal, and its length.
func harmless(lines []string) []string {
	out := make([]string, len(lines))
	for i, s := range lines {
		out[i] = check.Line(strings.ToValidUTF8(s[:min(len(s), maxWord)], ""))
	}
	return out
}
