package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"oriel.dev/oriel/host"
)

type devCmd struct {
	desktopFlags
	adapterFlags
	buildFlags
	Listen string `group:"clients" setting:"http.listen" placeholder:"ADDR" help:"Where HTTP clients connect (127.0.0.1:60008)."`
	Port   string `group:"clients" setting:"http.port" placeholder:"N" help:"The port alone of --listen."`

	LogLevel string `group:"log" setting:"log.level" placeholder:"LEVEL" help:"debug, info, warn or error."`
	LogFile  string `group:"log" setting:"log.file" placeholder:"FILE" help:"Log to a file instead of standard error."`

	Path string `arg:"" default:"." help:"The adapter's folder, or a .wasm file that something else builds."`
}

// Help is shown below the flags.
func (devCmd) Help() string {
	return `Serves the desktop as oriel serve does, with this adapter, and takes every change of its files over: it builds, checks, starts the new version, tries it on the windows that are open, and lets it take over. Clients stay connected; the ids of windows, their versions and the adapter's own values stay. What does not build or fails on a window leaves the last good version serving.

This host alone grants the adapter all that its manifest asks for, and lets it win against other adapters for the same application. A new version is interpreted at first, so it serves at once; compiled code follows.

One line is printed for each change: the digest, what each step took, and the tools that came (+), went (-) or changed (~). Press Enter to build again without a change.`
}

// Run serves the desktop with an adapter under development.
func (cmd *devCmd) Run(s *session) (err error) {
	path, err := filepath.Abs(cmd.Path)
	if err != nil {
		return fmt.Errorf("opening the adapter: %w", err)
	}
	if _, err := os.Stat(path); err != nil {
		return fmt.Errorf("opening the adapter: %w; name its folder, or make one with: oriel adapter new", err)
	}
	c, err := s.settings()
	if err != nil {
		return err
	}
	log, closeLog, err := s.logger(c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, closeLog()) }()
	serve := serveCmd{}
	cfg, err := serve.hostConfig(s, c, log)
	if err != nil {
		return err
	}
	remove, err := host.PrepareDev(&cfg)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, remove()) }()
	h, err := host.New(s.ctx, cfg)
	if errors.Is(err, host.ErrHostRuns) {
		return fmt.Errorf("%w for this desktop; end it first, so that clients meet your adapter", err)
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
	if err := serve.present(s, c, h, cfg, envFile); err != nil {
		return err
	}
	fmt.Fprintf(s.stdout, "\nThis host grants the adapter in %s all that its manifest asks for. Enter builds it again.\n", cmd.Path)
	return cmd.follow(s, h, path)
}

// follow serves, and takes changes over, until the session ends.
func (cmd *devCmd) follow(s *session, h *host.Host, path string) error {
	ctx, stop := context.WithCancel(s.ctx)
	var group sync.WaitGroup
	defer group.Wait()
	defer stop()
	again := make(chan struct{})
	go func() { // ends with its input, or with the program
		for lines := bufio.NewScanner(s.stdin); lines.Scan(); {
			select {
			case again <- struct{}{}:
			case <-ctx.Done():
				return
			}
		}
	}()
	var devErr error
	group.Go(func() {
		defer stop()
		devErr = h.Dev(ctx, host.DevConfig{Path: path, Command: cmd.Build, Again: again, Receipt: func(r host.Receipt) {
			_ = r.Write(s.stdout) // who closed it does not want to know
		}})
	})
	err := h.Serve(ctx)
	stop()
	group.Wait()
	return errors.Join(err, devErr)
}
