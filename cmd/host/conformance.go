package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"oriel.dev/oriel/conformance"
)

type conformanceCmd struct {
	URL       string        `name:"url" xor:"server" group:"server" placeholder:"URL" help:"The server's address, for Streamable HTTP."`
	Cmd       string        `name:"cmd" xor:"server" group:"server" placeholder:"COMMAND" help:"The command that starts the server, for stdio; started once for each connection, by the shell."`
	Token     string        `group:"server" xor:"token" placeholder:"TOKEN" help:"What HTTP clients must present."`
	TokenFile string        `group:"server" xor:"token" placeholder:"FILE" type:"path" help:"A file with the token."`
	Shared    bool          `group:"server" help:"All connections of the command reach the same server, so what they see can be compared."`
	Act       bool          `help:"Also call actions that say they are read-only, and set one field to the value it has."`
	Strict    bool          `help:"The server is one application: nothing beside the protocol is allowed."`
	Timeout   time.Duration `default:"30s" placeholder:"D" help:"How long an answer may take (30s)."`
	Watch     time.Duration `default:"3s" placeholder:"D" help:"How long to watch for changes, in each revision of MCP (3s)."`
	JSON      bool          `name:"json" help:"As JSON, with every finding."`
}

// Help is shown below the flags.
func (conformanceCmd) Help() string {
	return `Checks any server of the GUI Bridge Protocol from outside, by the requirements B01 to B33: one line for each, with the verdict (pass, fail, advice where the protocol says "should", not tested) and the JSON that decided it.

Without --act nothing is done to the application: calls are made only such that no server can carry them out. Windows may change meanwhile; change some, and notifications are checked too.

Examples:
  oriel conformance --url http://127.0.0.1:60008/mcp --token "$(oriel token)"
  oriel conformance --cmd 'oriel serve --stdio' --shared --act --json

Ends with exit code 1 if a requirement is broken.`
}

// Run checks the server.
func (cmd *conformanceCmd) Run(s *session) error {
	target, err := cmd.target(s)
	if err != nil {
		return &failure{exitUsage, err}
	}
	report := conformance.Run(s.ctx, target, conformance.Options{
		Act: cmd.Act, Strict: cmd.Strict, Shared: cmd.Shared, Timeout: cmd.Timeout, Watch: cmd.Watch,
	})
	if cmd.JSON {
		err = writeJSON(s, report)
	} else {
		err = report.Write(s.stdout)
	}
	if err == nil && s.ctx.Err() != nil {
		return errors.New("the check was ended early; what it had seen stands above")
	}
	if err == nil && report.Failed() {
		return &failure{code: exitFailed}
	}
	return err
}

func (cmd *conformanceCmd) target(s *session) (conformance.Target, error) {
	switch {
	case cmd.Timeout <= 0 || cmd.Watch <= 0:
		return conformance.Target{}, errors.New("--timeout and --watch must be above 0")
	case cmd.Cmd != "":
		return conformance.Command(s.stderr, os.Environ(), "/bin/sh", "-c", "exec "+cmd.Cmd), nil
	case cmd.URL == "":
		return conformance.Target{}, errors.New("which server? give --url or --cmd")
	case !strings.HasPrefix(cmd.URL, "http://") && !strings.HasPrefix(cmd.URL, "https://"):
		return conformance.Target{}, fmt.Errorf("--url is %q: give an address that begins with http:// or https://", cmd.URL)
	}
	token := cmd.Token
	if cmd.TokenFile != "" {
		text, err := os.ReadFile(cmd.TokenFile)
		if err != nil {
			return conformance.Target{}, fmt.Errorf("reading the token: %w", err)
		}
		token = strings.TrimSpace(string(text))
	}
	return conformance.HTTP(cmd.URL, token), nil
}
