package main

import (
	"encoding/json"
	"fmt"
	"os"

	"oriel.dev/oriel/host"
)

type windowsCmd struct {
	desktopFlags
	adapterFlags
	JSON    bool   `name:"json" help:"As JSON, as the tool desktop_read answers."`
	Picture string `placeholder:"FILE" type:"path" help:"Also write a picture of the desktop (PNG)."`
}

// Help is shown below the flags.
func (windowsCmd) Help() string {
	return `Asks the host that serves the desktop; if none runs, looks for itself. ● marks a window that takes input now, ○ one that does not, ! an action that destroys something.`
}

// Run shows the windows.
func (cmd *windowsCmd) Run(s *session) error {
	c, err := s.settings()
	if err != nil {
		return err
	}
	log, closeLog, err := s.logger(c)
	if err != nil {
		return err
	}
	defer closeLog() //nolint:errcheck // nothing depends on it
	cfg, err := s.hostConfig(c, log)
	if err != nil {
		return err
	}
	if cfg.Desktop, err = host.FindDesktop(s.ctx, c, os.Getenv); err != nil {
		return err
	}
	result, err := host.ReadDesktop(s.ctx, cfg)
	if err != nil {
		return err
	}
	if cmd.Picture != "" {
		picture, err := host.Picture(s.ctx, cfg.RuntimeDir, cfg.Desktop)
		if err != nil {
			return err
		}
		if err := os.WriteFile(cmd.Picture, picture, 0o600); err != nil {
			return fmt.Errorf("writing the picture: %w", err)
		}
	}
	if cmd.JSON {
		return writeJSON(s, result)
	}
	return host.WriteWindows(s.stdout, result)
}

type doctorCmd struct {
	desktopFlags
	adapterFlags
	JSON bool `name:"json" help:"As JSON."`
}

// Help is shown below the flags.
func (doctorCmd) Help() string {
	return `Changes nothing. Ends with exit code 1 if something must be mended before the host works.`
}

// Run examines the machine.
func (cmd *doctorCmd) Run(s *session) error {
	c, err := s.settings()
	if err != nil {
		return err
	}
	cfg, err := s.hostConfig(c, nil)
	if err != nil {
		return err
	}
	d, err := host.FindDesktop(s.ctx, c, os.Getenv)
	if err != nil {
		d = host.Desktop{} // the first check says so
	}
	checks := host.Examine(s.ctx, host.DoctorConfig{
		Display: d.Display, SessionBus: d.SessionBus, Virtual: d.Virtual != nil,
		Robot: len(cfg.Robot) > 0, Listen: c.HTTP.Listen,
		Folders:   map[string]string{"state": c.Dirs.State, "cache": c.Dirs.Cache, "runtime": c.Dirs.Runtime},
		TokenFile: host.TokenPath(c.Dirs.State), Socket: host.SocketPath(c.Dirs.Runtime, d), Adapters: cfg.Sandbox,
	})
	if cmd.JSON {
		err = writeJSON(s, checks)
	} else {
		err = host.WriteChecks(s.stdout, checks)
	}
	if err == nil && host.Worst(checks) == host.Fail {
		return &failure{code: exitFailed}
	}
	return err
}

type tokenCmd struct{}

// Run prints the token.
func (*tokenCmd) Run(s *session) error {
	c, err := s.settings()
	if err != nil {
		return err
	}
	token, err := host.Token(c.Dirs.State)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintln(s.stdout, token)
	return err
}

type versionCmd struct{}

// Run prints the version.
func (*versionCmd) Run(s *session) error {
	_, err := fmt.Fprintln(s.stdout, "oriel", versionText())
	return err
}

func writeJSON(s *session, v any) error {
	e := json.NewEncoder(s.stdout)
	e.SetEscapeHTML(false)
	e.SetIndent("", "  ")
	return e.Encode(v)
}
