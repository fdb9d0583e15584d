// Command host builds the program oriel: it serves a desktop's windows to MCP
// clients, and tells a person what it sees and what is missing.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"

	"github.com/alecthomas/kong"

	"oriel.dev/oriel/desktop/robot"
	"oriel.dev/oriel/host"
	"oriel.dev/oriel/sandbox"
)

// The exit codes, as the help says.
const (
	exitOK     = 0
	exitFailed = 1
	exitUsage  = 2
)

// cli is the command line. A flag with a setting tag gives the setting of that
// key; its value tag, if any, is what the bare flag stands for.
type cli struct {
	Config string `help:"Settings file instead of ~/.config/oriel/config.toml." placeholder:"FILE" type:"path" env:"ORIEL_CONFIG"`

	Serve       serveCmd       `cmd:"" help:"Serve the desktop's windows to MCP clients."`
	Windows     windowsCmd     `cmd:"" help:"Show what the host sees now: each window, what it shows, what can be done."`
	Doctor      doctorCmd      `cmd:"" help:"Check the desktop, accessibility, adapters and permissions, and say what to do."`
	Audit       auditCmd       `cmd:"" help:"Show what was done and refused lately, and for whom."`
	Adapter     adapterCmd     `cmd:"" help:"Make, build, test, measure, list and inspect adapters."`
	Dev         devCmd         `cmd:"" help:"Serve the desktop with an adapter under development, and take every change of it over."`
	Conformance conformanceCmd `cmd:"" help:"Check any server of the GUI Bridge Protocol, requirement by requirement."`
	Token       tokenCmd       `cmd:"" help:"Print the token that HTTP clients must send."`
	Version     versionCmd     `cmd:"" help:"Print the version."`
}

const description = `Oriel gives AI agents a semantic window onto desktop applications.

It watches the desktop, has each application's adapter say what its windows
mean, and serves that, with actions, over MCP.

Examples:
  oriel doctor                       what works here, and what to do about the rest
  oriel serve                        serve this desktop on http://127.0.0.1:60008/mcp
  oriel serve --virtual --sample     serve a desktop of its own with sample applications
  oriel serve --stdio                for clients that start their server themselves
  oriel windows                      what an agent would see now
  oriel adapter new my-app --from-window TITLE   begin an adapter for an open window

Exit codes:
  0  done
  1  it did not work; for doctor: something must be mended
  2  wrong usage or settings
  3  another host serves this desktop already`

func main() {
	os.Exit(run(os.Args[1:], os.Stdin, os.Stdout, os.Stderr))
}

// run is the whole program but for the end of the process.
func run(args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	// The host's children come first: a runner is started often and needs nothing
	// of the rest.
	switch {
	case len(args) > 0 && args[0] == host.RunnerCommand:
		return sandbox.RunnerMain(args[1:])
	case len(args) > 0 && args[0] == host.RobotCommand:
		return exitCode(stderr, robot.Main())
	case len(args) > 0 && args[0] == host.WatchdogCommand:
		return exitCode(stderr, host.WatchdogMain(args[1:], stdin))
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	context.AfterFunc(ctx, stop) // a second signal ends the process at once

	app := &cli{}
	exited := -1
	parser, err := kong.New(app, kong.Name("oriel"), kong.Description(description), kong.Writers(stdout, stderr),
		kong.Exit(func(code int) { exited = code }),
		kong.ConfigureHelp(kong.HelpOptions{Compact: true, NoExpandSubcommands: true, WrapUpperBound: 100, NoAppDescFormat: true}),
		kong.ExplicitGroups(groups))
	if err != nil {
		fmt.Fprintln(stderr, "oriel:", err)
		return exitFailed
	}
	if len(args) == 0 {
		args = []string{"--help"}
	}
	parsed, err := parser.Parse(args)
	switch {
	case exited >= 0: // --help
		return exited
	case err != nil:
		fmt.Fprintf(stderr, "oriel: %v; `oriel %s` says more\n", err, helpFor(parsed))
		return exitUsage
	}
	return exitCode(stderr, parsed.Run(&session{ctx: ctx, parsed: parsed, app: app, stdin: stdin, stdout: stdout, stderr: stderr}))
}

// helpFor is the help that explains the command of a line that did not parse.
func helpFor(parsed *kong.Context) string {
	if parsed != nil && parsed.Selected() != nil {
		return parsed.Command() + " --help"
	}
	return "--help"
}

// failure is an error with an exit code of its own. Without an err it is silent.
type failure struct {
	code int
	err  error
}

func (f *failure) Error() string { return fmt.Sprint(f.err) }
func (f *failure) Unwrap() error { return f.err }

// exitCode says what went wrong and returns the exit code.
func exitCode(stderr io.Writer, err error) int {
	if err == nil {
		return exitOK
	}
	code := exitFailed
	if f, ok := errors.AsType[*failure](err); ok {
		if code = f.code; f.err == nil {
			return code
		}
	}
	if errors.Is(err, host.ErrHostRuns) {
		code = host.ExitHostRuns
	}
	for l := range strings.Lines(err.Error()) {
		fmt.Fprintf(stderr, "oriel: %s\n", strings.TrimRight(l, "\n"))
	}
	return code
}

// version is set by the linker for a release.
var version = ""

// versionText is the version of this program, or of its sources.
func versionText() string {
	if version != "" {
		return version
	}
	if info, ok := debug.ReadBuildInfo(); ok && info.Main.Version != "" {
		return info.Main.Version
	}
	return "(devel)"
}
