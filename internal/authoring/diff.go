package authoring

import (
	"fmt"
	"strings"
)

const (
	// diffContext is how many equal lines are shown around a difference.
	diffContext = 2
	// diffLines is how many lines of a difference are worth reading at once.
	diffLines = 60
	// diffTable bounds the table that finds the shortest difference.
	diffTable = 4 << 20
)

// Diff shows in which lines two texts differ: "-" is in want, "+" in got. It is
// "" if they are the same.
func Diff(want, got string) string {
	if want == got {
		return ""
	}
	a, b := strings.Split(strings.TrimSuffix(want, "\n"), "\n"), strings.Split(strings.TrimSuffix(got, "\n"), "\n")
	head := 0
	for head < len(a) && head < len(b) && a[head] == b[head] {
		head++
	}
	tail := 0
	for tail < len(a)-head && tail < len(b)-head && a[len(a)-1-tail] == b[len(b)-1-tail] {
		tail++
	}
	lines := edits(a[head:len(a)-tail], b[head:len(b)-tail])
	before, after := a[max(0, head-diffContext):head], a[len(a)-tail:]
	var out strings.Builder
	fmt.Fprintf(&out, "@@ line %d @@\n", head+1)
	for _, l := range before {
		out.WriteString("  " + l + "\n")
	}
	shown := folded(lines)
	for _, l := range shown[:min(len(shown), diffLines)] {
		out.WriteString(l + "\n")
	}
	if n := len(shown) - diffLines; n > 0 {
		fmt.Fprintf(&out, "… and %d lines more\n", n)
		return out.String()
	}
	for _, l := range after[:min(len(after), diffContext)] {
		out.WriteString("  " + l + "\n")
	}
	return out.String()
}

// edits lists the lines of both, those of a alone marked "-", of b alone "+".
func edits(a, b []string) (out []string) {
	if len(a)*len(b) > diffTable { // too different for a shortest one to say more
		return append(marked("- ", a), marked("+ ", b)...)
	}
	// same[i][j] is how many lines a[i:] and b[j:] have in common, in order.
	same := make([][]int, len(a)+1)
	for i := range same {
		same[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				same[i][j] = same[i+1][j+1] + 1
			} else {
				same[i][j] = max(same[i+1][j], same[i][j+1])
			}
		}
	}
	i, j := 0, 0
	for i < len(a) && j < len(b) {
		switch {
		case a[i] == b[j]:
			out = append(out, "  "+a[i])
			i, j = i+1, j+1
		case same[i+1][j] >= same[i][j+1]:
			out = append(out, "- "+a[i])
			i++
		default:
			out = append(out, "+ "+b[j])
			j++
		}
	}
	out = append(out, marked("- ", a[i:])...)
	return append(out, marked("+ ", b[j:])...)
}

func marked(mark string, lines []string) (out []string) {
	for _, l := range lines {
		out = append(out, mark+l)
	}
	return out
}

// folded leaves out long runs of equal lines.
func folded(lines []string) (out []string) {
	for i := 0; i < len(lines); {
		end := i
		for end < len(lines) && strings.HasPrefix(lines[end], "  ") {
			end++
		}
		if end-i > 2*diffContext+1 {
			out = append(out, lines[i:i+diffContext]...)
			out = append(out, fmt.Sprintf("  … %d equal lines …", end-i-2*diffContext))
			i = end - diffContext
		}
		out = append(out, lines[i:end]...)
		if i = end; i < len(lines) {
			out = append(out, lines[i])
			i++
		}
	}
	return out
}
