package sandbox

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"

	"github.com/tetratelabs/wazero/sys"
)

// maxFrames and maxLines bound what a trap carries.
const (
	maxFrames = 12
	maxLines  = 20
)

// trap puts what is known of a failure into words.
func (in *instance) trap(stage string, err error) trap {
	t := trap{Stage: stage, Stderr: in.stderr.lines()}
	text, stack, _ := strings.Cut(err.Error(), "\nwasm stack trace:\n")
	text = strings.TrimPrefix(strings.TrimSuffix(text, " (recovered by wazero)"), "wasm error: ")
	var exit *sys.ExitError
	if errors.As(err, &exit) {
		text = fmt.Sprintf("the adapter ended itself with code %d", exit.ExitCode())
	}
	t.Message = text
	if t.Frames = goFrames(t.Stderr); len(t.Frames) == 0 { // Go's own know lines and inlined functions
		t.Frames = engineFrames(stack)
	}
	if n := len(t.Stderr) - maxLines; n > 0 {
		t.Stderr = append([]string{said(t.Stderr)}, t.Stderr[n+1:]...)
	}
	return t
}

// signature is what the engine appends to a function's name.
var signature = regexp.MustCompile(`^(.*?)\([a-z0-9,]*\)(?: [a-z0-9]+| \([a-z0-9,]*\))?$`)

// engineFrames reads the engine's stack trace.
func engineFrames(stack string) (out []string) {
	stack, _, _ = strings.Cut(stack, "\n\n")
	for line := range strings.Lines(stack) {
		name := strings.TrimSpace(line)
		if m := signature.FindStringSubmatch(name); m != nil {
			name = strings.TrimPrefix(m[1], ".")
		}
		if name != "" && !plumbing(name) {
			out = appendFrame(out, name)
		}
	}
	return out
}

// goFrame is the line of a Go stack trace that names a function.
var goFrame = regexp.MustCompile(`^([\w./*()\[\]-]+)\((?:.*)\)$`)

// goFrames reads the stack trace that a Go guest writes when it panics.
func goFrames(lines []string) (out []string) {
	for i, line := range lines {
		m := goFrame.FindStringSubmatch(line)
		if m == nil || i+1 >= len(lines) || !strings.HasPrefix(lines[i+1], "\t") || plumbing(m[1]) || strings.Contains(m[1], "/pluginsdk.") {
			continue
		}
		place, _, _ := strings.Cut(strings.TrimSpace(lines[i+1]), " ")
		out = appendFrame(out, m[1]+" ("+filepath.Base(place)+")")
	}
	return out
}

// appendFrame leaves out what recursion repeats.
func appendFrame(frames []string, name string) []string {
	if n := len(frames); n == maxFrames || n > 0 && frames[n-1] == name {
		return frames
	}
	return append(frames, name)
}

// plumbing reports whether a frame is the language's own and says nothing.
func plumbing(name string) bool {
	return name == "panic" || name == "wasm_pc_f_loop" || name == "wasm_pc_f_loop_export" ||
		strings.HasPrefix(name, "runtime.") || strings.HasPrefix(name, "_rt0_")
}

// said returns the line in which a guest says why it fails: the last panic, else
// the last line.
func said(lines []string) string {
	for i := len(lines) - 1; i >= 0; i-- {
		if strings.HasPrefix(lines[i], "panic: ") || strings.HasPrefix(lines[i], "fatal error: ") {
			return lines[i]
		}
	}
	if len(lines) == 0 {
		return ""
	}
	return lines[len(lines)-1]
}
