package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"

	"oriel.dev/oriel/mcp"
	"oriel.dev/oriel/sandbox"
)

// files looks at the folders and the token.
func (d *doctor) files(context.Context) []Check {
	c := Check{Name: "files", Verdict: OK, Found: "the host's folders are private and can be written to"}
	var problems, cures []string
	for _, what := range slices.Sorted(maps.Keys(d.Folders)) {
		if problem, cure := checkFolder(d.Folders[what]); problem != "" {
			problems, cures = append(problems, what+": "+problem), append(cures, cure)
		}
	}
	if st, err := os.Stat(d.TokenFile); err == nil && st.Mode().Perm()&0o077 != 0 {
		problems = append(problems, fmt.Sprintf("token: others can read %s", d.TokenFile))
		cures = append(cures, fmt.Sprintf("rm %s (the next start makes a new token)", d.TokenFile))
	}
	if len(problems) > 0 {
		c.Verdict, c.Found, c.More = Fail, "not all is as it must be", problems
		c.Means, c.Do = "the host refuses to start, or others on this machine can use it", strings.Join(cures, "; ")
	}
	return []Check{c}
}

// checkFolder tells what is wrong with a folder of the host, and the cure. One
// that does not exist is fine if it can be made.
func checkFolder(dir string) (problem, cure string) {
	st, err := os.Stat(dir)
	if errors.Is(err, fs.ErrNotExist) {
		parent := dir
		for errors.Is(err, fs.ErrNotExist) && parent != filepath.Dir(parent) {
			parent = filepath.Dir(parent)
			st, err = os.Stat(parent)
		}
		switch {
		case err != nil:
			return err.Error(), "choose another folder in [dirs] of config.toml"
		case !st.IsDir():
			return parent + " is no folder", "choose another folder in [dirs] of config.toml"
		case unix.Access(parent, unix.W_OK|unix.X_OK) != nil:
			return dir + " cannot be made", "make it, or choose another folder in [dirs] of config.toml"
		}
		return "", ""
	}
	switch {
	case err != nil:
		return err.Error(), "choose another folder in [dirs] of config.toml"
	case !st.IsDir():
		return dir + " is no folder", "move it away"
	case unix.Access(dir, unix.W_OK|unix.X_OK) != nil:
		return dir + " cannot be written to", "chown it to you, or choose another folder in [dirs] of config.toml"
	case st.Mode().Perm()&0o077 != 0:
		return "others can look into " + dir, "chmod 700 " + dir
	}
	return "", ""
}

// host tells whether a host already serves this display.
func (d *doctor) host(ctx context.Context) []Check {
	c := Check{Name: "host", Verdict: OK, Found: "none runs on this display"}
	if d.running(ctx, d.Socket) {
		c.Found = "one runs on this display; `oriel serve --stdio` and `oriel windows` join it"
	}
	return []Check{c}
}

// hostRuns tells whether a host answers on a socket.
func hostRuns(ctx context.Context, socket string) bool {
	conn, err := mcp.Dial(ctx, socket)
	if err != nil {
		return false
	}
	return conn.Close() == nil
}

func (d *doctor) port(ctx context.Context) []Check {
	c := Check{Name: "port", Verdict: OK, Found: d.Listen + " is free"}
	if d.running(ctx, d.Socket) {
		return nil // it is the running host's
	}
	if err := d.portFree(ctx, d.Listen); err != nil {
		c.Verdict, c.Found = Fail, err.Error()
		c.Means, c.Do = "HTTP clients cannot be served there", portAdvice
	}
	return []Check{c}
}

// portAdvice is what to do if the port is taken.
const portAdvice = "end the program that has it (ss -ltnp shows which), or choose another port with --listen 127.0.0.1:PORT"

// portFree tells what is wrong with an address to listen on.
func portFree(ctx context.Context, addr string) error {
	var lc net.ListenConfig
	l, err := lc.Listen(ctx, "tcp", addr)
	if errors.Is(err, syscall.EADDRINUSE) {
		return fmt.Errorf("another program listens on %s", addr)
	}
	if err != nil {
		return err
	}
	return l.Close()
}

// runners tells what confines an adapter's process beside the engine.
func (d *doctor) runners(context.Context) []Check {
	held := d.confined()
	c := Check{Name: "adapter processes", Verdict: OK, Found: held.String()}
	if held.Missing != "" {
		c.Verdict, c.Found = Warn, strings.TrimSuffix(c.Found, "; "+held.Missing)
		c.Means = "an adapter that broke out of the WebAssembly engine would be held less: " + held.Missing
		c.Do = "use adapters that you trust, or a newer kernel"
	}
	return []Check{c}
}

// adapterFiles tells which adapters were found and which of them load.
func (d *doctor) adapterFiles(ctx context.Context) []Check {
	c := Check{Name: "adapters", Verdict: OK}
	found, err := d.list(ctx, d.Adapters)
	if err != nil {
		c.Verdict, c.Found, c.Do = Fail, err.Error(), "choose another folder with dirs.cache"
		return []Check{c}
	}
	good, generic := 0, false
	for _, a := range found {
		switch {
		case a.State == sandbox.StateBroken:
			c.Verdict = Warn
			c.More = append(c.More, cmp.Or(a.File, a.ID)+": "+a.Message)
			continue
		case a.Message != "":
			c.Verdict, c.Do = Warn, "do what the list says"
			c.More = append(c.More, fmt.Sprintf("%s %s: %s", a.ID, a.Version, a.Message))
		default:
			c.More = append(c.More, fmt.Sprintf("%s %s", a.ID, a.Version))
		}
		good++
		generic = generic || a.ID == genericID
	}
	c.Found = fmt.Sprintf("%d can be used", good)
	if n := len(found) - good; n > 0 {
		c.Found += fmt.Sprintf(", %d cannot", n)
		c.Means, c.Do = "the windows of a broken adapter go to the generic one", "run `oriel adapter inspect FILE` for each, and build it again"
	}
	if !generic {
		c.Verdict = Fail
		c.Means, c.Do = "windows that no adapter claims are not served: "+genericID+" is missing", "build the adapters with `make`, or name their folder in adapters.dirs"
	}
	return []Check{c}
}

// genericID is the adapter for every window that nobody claims.
const genericID = "dev.oriel.generic"
