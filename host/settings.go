package host

import (
	"fmt"
	"log/slog"
	"path/filepath"
	"regexp"
	"slices"
	"time"

	"oriel.dev/oriel/audit"
	"oriel.dev/oriel/desktop/guard"
	"oriel.dev/oriel/desktop/x11"
	"oriel.dev/oriel/internal/config"
	"oriel.dev/oriel/sandbox"
)

// FromSettings makes the configuration of a host of the settings, for the
// program at a path. Desktop and token, which depend on more than the settings,
// are left to the caller.
func FromSettings(c *config.Config, executable string, log *slog.Logger) Config {
	ms := func(n int) time.Duration { return time.Duration(n) * time.Millisecond }
	out := Config{
		RefusedKeys: c.Desktop.RefusedKeys, Launch: c.Desktop.Launch, Listen: c.HTTP.Listen,
		Audit:    audit.Limits{Age: time.Duration(c.Audit.Days) * 24 * time.Hour, Rows: c.Audit.Rows},
		StateDir: c.Dirs.State, RuntimeDir: c.Dirs.Runtime, Log: log,
	}
	out.Bridge.Quiet, out.Bridge.Busy, out.Bridge.Look = ms(c.Desktop.QuietMS), ms(c.Desktop.BusyMS), ms(c.Desktop.LookMS)
	out.Bridge.Patience, out.Bridge.Settle = ms(c.Desktop.PatienceMS), ms(c.Desktop.SettleMS)
	for _, label := range c.Sensitive.Labels {
		if p, err := regexp.Compile(label); err == nil { // the settings were checked before
			out.Bridge.SensitiveLabels = append(out.Bridge.SensitiveLabels, p)
		}
	}
	out.MCP.Language, out.MCP.Tools = c.Language, c.Tools
	out.MCP.Hosts, out.MCP.Origins = c.HTTP.Hosts, c.HTTP.Origins
	out.MCP.IdleTimeout = time.Duration(c.HTTP.IdleTimeoutS) * time.Second
	out.MCP.Anybody = c.HTTP.Auth == config.AuthNone
	out.Sandbox = sandbox.Config{
		Dirs:     adapterDirs(c.Adapters.Dirs, executable),
		CacheDir: filepath.Join(c.Dirs.Cache, "adapters"),
		Runner:   []string{executable, RunnerCommand},
		Log:      log,
		Limits: sandbox.Limits{
			Translate: ms(c.Limits.TranslateMS), Invoke: ms(c.Limits.InvokeMS), Total: ms(c.Limits.TotalMS),
			Start: ms(c.Limits.StartMS), Compile: ms(c.Limits.CompileMS),
			Memory: int64(c.Limits.MemoryMB) << 20, CompileMemory: int64(c.Limits.CompileMemoryMB) << 20,
			Module: int64(c.Limits.ModuleMB) << 20, View: c.Limits.ViewKB << 10,
			LogLines: c.Limits.LogLinesPerS, HostCalls: c.Limits.HostCalls,
			Idle: time.Duration(c.Limits.IdleS) * time.Second, Cache: int64(c.Limits.CacheMB) << 20,
		},
	}
	out.Watchdog = []string{executable, WatchdogCommand}
	if c.Desktop.Backend == config.BackendRobot {
		out.Robot = []string{executable, RobotCommand}
	}
	for _, g := range c.Adapters.Grants {
		out.Sandbox.Grants = append(out.Sandbox.Grants, sandbox.Grant{ID: g.ID, Digest: g.Digest, Capabilities: g.Capabilities, Scopes: g.Scopes})
	}
	return out
}

// CheckChord tells what is wrong with a key combination in the settings.
func CheckChord(chord string) error {
	c, err := guard.ParseChord(chord)
	if err != nil {
		return err
	}
	if !guard.KnowsKey(c.Key) && !x11.KnowsKey(c.Key) {
		return fmt.Errorf("%q: no key is called %q; write one character, or a name such as Return, F4, Page_Up or plus", chord, c.Key)
	}
	return nil
}

// adapterDirs are the folders of the settings and those of the program, each once.
func adapterDirs(dirs []string, executable string) []string {
	var out []string
	for _, dir := range append(slices.Clone(dirs), BuiltinAdapterDirs(executable)...) {
		if dir = filepath.Clean(dir); !slices.Contains(out, dir) {
			out = append(out, dir)
		}
	}
	return out
}

// RunnerCommand is the hidden subcommand that is the process of an adapter.
const RunnerCommand = "runner"
