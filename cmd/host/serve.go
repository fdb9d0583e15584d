package main

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"oriel.dev/oriel/host"
	"oriel.dev/oriel/internal/config"
)

type serveCmd struct {
	desktopFlags
	VirtualSize         string   `group:"desktop" setting:"desktop.virtual_size" placeholder:"WxH" help:"The size of the virtual desktop (1920x1080)."`
	Sample              bool     `group:"desktop" help:"Where there is no display, take a virtual desktop, and start sample applications on it."`
	Launch              []string `group:"desktop" sep:"none" placeholder:"COMMAND" help:"Start a program on the virtual desktop. May be given several times."`
	EnableAccessibility bool     `group:"desktop" setting:"desktop.enable_accessibility" help:"Switch accessibility on in the desktop session while the host runs."`

	Stdio     bool   `group:"clients" setting:"transport" value:"stdio" help:"Speak to the client that started the program: join the host of this desktop, or start one that goes with its last client."`
	Listen    string `group:"clients" setting:"http.listen" placeholder:"ADDR" help:"Where HTTP clients connect (127.0.0.1:60008)."`
	Port      string `group:"clients" setting:"http.port" placeholder:"N" help:"The port alone of --listen."`
	Transport string `group:"clients" setting:"transport" placeholder:"HOW" help:"http, or stdio, which is --stdio."`
	Auth      string `group:"clients" setting:"http.auth" placeholder:"HOW" help:"What HTTP clients must send: token, or none to let every program and user of this machine in."`
	Face      string `group:"clients" placeholder:"FACE" help:"With --stdio, what to show: all, or bridge for windows and actions alone."`
	App       string `group:"clients" placeholder:"APP" help:"With --stdio, show one application alone, such as mousepad, as if it had a server of its own."`
	Tools     string `group:"clients" setting:"tools" placeholder:"WHICH" help:"Which tools are listed: fixed, dynamic or both."`
	Language  string `group:"clients" setting:"language" placeholder:"LANG" help:"The language of the instructions for agents: en or zh."`

	adapterFlags

	LogLevel string `group:"log" setting:"log.level" placeholder:"LEVEL" help:"debug, info, warn or error."`
	LogFile  string `group:"log" setting:"log.file" placeholder:"FILE" help:"Log to a file instead of standard error."`

	Linger time.Duration `hidden:"" help:"Serve stdio clients alone, and end this long after the last one."`
}

// Help is shown below the flags.
func (serveCmd) Help() string {
	return `Serves until Ctrl-C, and takes down everything that it started. There is one host for a desktop and user.

Every flag is also a setting: see config.toml.`
}

// samples are started on the virtual desktop by --sample.
var samples = []string{"mousepad", "gnome-calculator", "featherpad", "zenity --entry --title=Welcome --text=Name"}

// linger is how long a host that was started for stdio clients waits for another
// one when the last has gone.
const linger = 2 * time.Second

// Run serves until the context of the session ends.
func (cmd *serveCmd) Run(s *session) (err error) {
	c, err := s.settings()
	if err != nil {
		return err
	}
	if cmd.Sample && c.Desktop.Virtual != config.VirtualAlways {
		c.Desktop.Virtual = config.VirtualAuto
	}
	if c.Transport == config.TransportStdio && cmd.Linger == 0 {
		return cmd.relay(s, c)
	}
	if cmd.Face != "" || cmd.App != "" {
		return &failure{exitUsage, errors.New("--face and --app go with --stdio; HTTP clients choose by the path: /mcp/bridge, /mcp/app/mousepad")}
	}
	log, closeLog, err := s.logger(c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeLog()) }()
	cfg, err := cmd.hostConfig(s, c, log)
	if err != nil {
		return err
	}
	if c.Desktop.EnableAccessibility {
		restore, err := host.EnableAccessibility(s.ctx, cfg.Desktop)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, restore(context.WithoutCancel(s.ctx))) }()
	}
	h, err := host.New(s.ctx, cfg)
	if errors.Is(err, host.ErrHostRuns) {
		return fmt.Errorf("%w for this desktop; `oriel serve --stdio` joins it, `oriel windows` shows what it sees", err)
	}
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.Close()) }()
	envFile, err := h.PublishEnv()
	if err != nil {
		return err
	}
	if envFile != "" {
		defer h.WithdrawEnv()
	}
	if cmd.Linger > 0 {
		err = host.SayReady()
	} else {
		err = cmd.present(s, c, h, cfg, envFile)
	}
	if err != nil {
		return err
	}
	return h.Serve(s.ctx)
}

// hostConfig is what the host is made of.
func (cmd *serveCmd) hostConfig(s *session, c *config.Config, log *slog.Logger) (host.Config, error) {
	cfg, err := s.hostConfig(c, log)
	if err != nil {
		return cfg, err
	}
	if cfg.Desktop, err = host.ChooseDesktop(c, os.Getenv); err != nil {
		return cfg, err
	}
	switch {
	case cfg.Desktop.Virtual != nil:
		cfg.Desktop.Launch = cmd.programs()
	case os.Getenv("WAYLAND_DISPLAY") != "":
		log.Warn("this is a Wayland session: only applications that run under Xwayland are served", "next", "oriel doctor")
	}
	if cfg.MCP.Anybody {
		log.Warn("every program and every user of this machine can read and drive the desktop", "http.auth", c.HTTP.Auth)
	}
	if cfg.Linger = cmd.Linger; cfg.Linger > 0 {
		cfg.Listen = ""
		syscall.CloseOnExec(host.ReadyFD) // what the host starts must not hold it open
	}
	cfg.MCP.Token, err = host.Token(c.Dirs.State)
	return cfg, err
}

// programs are the commands to start on a virtual desktop.
func (cmd *serveCmd) programs() [][]string {
	list := cmd.Launch
	if cmd.Sample {
		list = append(list, samples...)
	}
	var out [][]string
	for _, line := range list {
		if words := strings.Fields(line); len(words) > 0 {
			out = append(out, words)
		}
	}
	return out
}

// present tells a person how to connect.
func (cmd *serveCmd) present(s *session, c *config.Config, h *host.Host, cfg host.Config, envFile string) error {
	exe, err := executable()
	if err != nil {
		return err
	}
	p := host.Presentation{Executable: exe, URL: "http://" + h.Addr().String() + "/mcp", EnvFile: envFile}
	if c.HTTP.Auth != config.AuthNone {
		p.Token = cfg.MCP.Token
	}
	p.Args = cmd.joinArgs(s, cfg.Desktop)
	_, err = fmt.Fprintf(s.stdout, "Oriel %s serves the display %s at %s\n\n%s\nCtrl-C ends it.\n", versionText(), h.Display(), p.URL, p.Snippets())
	return err
}

// joinArgs are the flags by which another program finds the same desktop with the
// same settings, wherever it is started.
func (cmd *serveCmd) joinArgs(s *session, d host.Desktop) []string {
	var args []string
	if s.app.Config != "" {
		args = append(args, "--config", s.app.Config)
	}
	if d.Virtual != nil {
		return append(args, "--virtual")
	}
	return append(args, "--display", d.Display)
}

// relay joins standard input and output to the host of the desktop, and starts
// one if there is none.
func (cmd *serveCmd) relay(s *session, c *config.Config) (err error) {
	face, err := host.Face(cmd.Face, cmd.App, cmd.Tools)
	if err != nil {
		return &failure{exitUsage, err}
	}
	d, err := host.FindDesktop(s.ctx, c, os.Getenv)
	if err != nil {
		return err
	}
	exe, err := executable()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(c.Dirs.State, 0o700); err != nil {
		return fmt.Errorf("making a folder of the host: %w", err)
	}
	log, err := os.OpenFile(filepath.Join(c.Dirs.State, "host.log"), os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return fmt.Errorf("opening the log of the host: %w", err)
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	conn, err := host.Join(s.ctx, host.SocketPath(c.Dirs.Runtime, d), exec.Command(exe, cmd.startArgs(s, d)...), log)
	if err != nil {
		return err
	}
	return host.Relay(s.ctx, s.stdin, s.stdout, conn, face)
}

// startArgs are the arguments of the host that a relay starts: its own settings,
// without those that make it a relay.
func (cmd *serveCmd) startArgs(s *session, d host.Desktop) []string {
	args := []string{"serve", "--linger", linger.String()}
	args = append(args, cmd.joinArgs(s, d)...)
	for _, f := range s.parsed.Flags() {
		switch key := f.Tag.Get("setting"); {
		case !f.Set, f.Name == "face", f.Name == "app", key == "transport", key == "http.listen", key == config.PortKey, f.Name == "display", f.Name == "virtual", f.Name == "config":
		case f.IsBool():
			args = append(args, "--"+f.Name)
		case f.Name == "launch":
			for _, line := range cmd.Launch {
				args = append(args, "--launch="+line)
			}
		default:
			args = append(args, "--"+f.Name+"="+flagValue(f))
		}
	}
	return args
}
