package mcp

import (
	_ "embed"
	"fmt"
	"strings"
)

// maxInstructions is where clients cut the instructions, in bytes.
const maxInstructions = 2048

//go:embed instructions.en.txt
var instructionsEN string

//go:embed instructions.zh.txt
var instructionsZH string

// instructions returns what an agent is told when it connects to a face. Lines
// that are only true of some faces are marked by a word.
func instructions(language string, key Face, notes string) (string, error) {
	var all string
	switch language {
	case "", "en":
		all = instructionsEN
	case "zh":
		all = instructionsZH
	default:
		return "", fmt.Errorf("language is %q: choose en or zh", language)
	}
	var kept []string
	for line := range strings.Lines(strings.TrimSpace(all)) {
		kind, rest, marked := strings.Cut(line, "| ")
		if !marked {
			rest = line
		} else if !key.is(kind) {
			continue
		}
		kept = append(kept, rest)
	}
	out := strings.TrimSpace(strings.Join(kept, "") + "\n\n" + notes)
	if len(out) > maxInstructions {
		return "", fmt.Errorf("the instructions have %d bytes with the notes, and clients cut at %d: shorten the notes by %d",
			len(out), maxInstructions, len(out)-maxInstructions)
	}
	return out, nil
}

// is reports whether a line with the mark is true of the face.
func (k Face) is(mark string) bool {
	switch mark {
	case ToolsFixed, ToolsDynamic:
		return k.Tools == mark || k.Tools == ToolsBoth
	case "app":
		return k.App != ""
	}
	return mark == "desktop" && k.App == ""
}
