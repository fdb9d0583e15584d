package host

import (
	"context"
	"errors"
	"io"

	"oriel.dev/oriel/desktop/watchdog"
	"oriel.dev/oriel/desktop/x11"
)

// WatchdogCommand is the hidden subcommand that is the process that lets go of
// keys when the host was killed. Its argument is the display.
const WatchdogCommand = "watchdog"

// WatchdogMain is that process, with the host at the other end of stdin.
func WatchdogMain(args []string, stdin io.Reader) error {
	if len(args) != 1 {
		return errors.New("watching over a host: this command is for the host alone; run `oriel serve`")
	}
	return watchdog.Main(stdin, func(ctx context.Context) error { return x11.ReleaseAll(ctx, args[0]) })
}
