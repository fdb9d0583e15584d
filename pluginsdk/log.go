package pluginsdk

import "oriel.dev/oriel/hostabi"

// Level is the weight of a line of the log.
type Level string

// The levels.
const (
	Debug Level = "debug"
	Info  Level = "info"
	Warn  Level = "warn"
	Error Level = "error"
)

// Log writes a line to the host's log, by oriel:log. It cannot fail: a host that
// refuses it has a reason, and an adapter has nothing to do about it.
func Log(level Level, text string) {
	_ = do(logWrite, &hostabi.LogRequest{Level: string(level), Text: text})
}
