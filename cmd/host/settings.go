package main

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"os"
	"strings"

	"github.com/alecthomas/kong"

	"oriel.dev/oriel/host"
	"oriel.dev/oriel/internal/config"
)

// groups are the headings under which the flags of a command stand in its help.
var groups = []kong.Group{
	{Key: "desktop", Title: "Which desktop:"},
	{Key: "clients", Title: "Clients:"},
	{Key: "server", Title: "Which server:"},
	{Key: "adapters", Title: "Adapters:"},
	{Key: "log", Title: "Log (never to standard output):"},
}

// desktopFlags say which desktop a command is about.
type desktopFlags struct {
	Display string `group:"desktop" setting:"desktop.display" placeholder:":N" help:"The X display, instead of $$DISPLAY."`
	Virtual bool   `group:"desktop" setting:"desktop.virtual" value:"always" help:"The host's own virtual desktop."`
}

// adapterFlags say where adapters are.
type adapterFlags struct {
	Adapters []string `group:"adapters" setting:"adapters.dirs" placeholder:"DIR" type:"path" help:"Folders with adapters, beside those that come with the host."`
}

// session is one run of the program.
type session struct {
	ctx            context.Context //nolint:containedctx // of this run alone
	parsed         *kong.Context
	app            *cli
	stdin          io.Reader
	stdout, stderr io.Writer
}

// settings reads the settings of all sources.
func (s *session) settings() (*config.Config, error) {
	src := config.Sources{File: s.app.Config, FileRequired: s.app.Config != "", Environ: os.Environ(), Chord: host.CheckChord}
	if src.File == "" {
		src.File = config.DefaultFile(src.Environ)
	}
	for _, f := range s.parsed.Flags() {
		key := f.Tag.Get("setting")
		if key == "" || !f.Set {
			continue
		}
		value := f.Tag.Get("value")
		if value == "" {
			value = flagValue(f)
		}
		src.Flags = append(src.Flags, config.Flag{Name: "--" + f.Name, Key: key, Value: value})
	}
	c, err := config.Load(src)
	if err != nil {
		return nil, &failure{exitUsage, err}
	}
	// Only now is it known where the database lies.
	if src.Stored, err = host.StoredSettings(s.ctx, c.Dirs.State); err != nil {
		return nil, err
	}
	if c, err = config.Load(src); err != nil {
		return nil, &failure{exitUsage, err}
	}
	return c, nil
}

func flagValue(f *kong.Flag) string {
	if list, ok := f.Target.Interface().([]string); ok {
		return strings.Join(list, ",")
	}
	return fmt.Sprint(f.Target.Interface())
}

// logger opens the log. It is never standard output.
func (s *session) logger(c *config.Config) (*slog.Logger, func() error, error) {
	var level slog.Level
	if err := level.UnmarshalText([]byte(c.Log.Level)); err != nil {
		return nil, nil, &failure{exitUsage, err} // the settings were checked before
	}
	out, done := s.stderr, func() error { return nil }
	if c.Log.File != "" {
		f, err := os.OpenFile(c.Log.File, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o600)
		if err != nil {
			return nil, nil, fmt.Errorf("opening the log: %w; choose another file with --log-file", err)
		}
		out, done = f, f.Close
	}
	return slog.New(slog.NewTextHandler(out, &slog.HandlerOptions{Level: level})), done, nil
}

// executable is the path of this program, for others to start it by.
func executable() (string, error) {
	path, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("finding the program's own path: %w", err)
	}
	return path, nil
}

// hostConfig is what a host of this program is made of, without its desktop.
func (s *session) hostConfig(c *config.Config, log *slog.Logger) (host.Config, error) {
	exe, err := executable()
	if err != nil {
		return host.Config{}, err
	}
	cfg := host.FromSettings(c, exe, log)
	cfg.MCP.Version = versionText()
	return cfg, nil
}
