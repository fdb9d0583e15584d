package main

import (
	"fmt"
	"path/filepath"

	"oriel.dev/oriel/host"
)

type adapterCmd struct {
	List    adapterListCmd    `cmd:"" help:"Show every adapter that the host would load, and every file that it would not."`
	Inspect adapterInspectCmd `cmd:"" help:"Show what a file says of its adapter: manifest, permissions, imports, digest."`
	New     adapterNewCmd     `cmd:"" help:"Make the folder of an adapter for a window that is open, with tests that pass."`
	Build   adapterBuildCmd   `cmd:"" help:"Build the adapter in a folder, with its adapter.toml inside."`
	Test    adapterTestCmd    `cmd:"" help:"Test an adapter by its recordings: golden views and replayed actions."`
	Run     adapterRunCmd     `cmd:"" help:"Show what an adapter makes of a live window, and try an action on it."`
	Record  adapterRecordCmd  `cmd:"" help:"Record a live window, or an action on it, for the tests."`
	Lint    adapterLintCmd    `cmd:"" help:"Find what serves the readers of an adapter's views badly."`
	Bench   adapterBenchCmd   `cmd:"" help:"Measure how long translating takes and how much an agent reads."`
	Replay  adapterReplayCmd  `cmd:"" help:"Replay a recorded action where there is no desktop."`
}

type adapterListCmd struct {
	adapterFlags
	JSON bool `name:"json" help:"As JSON."`
}

// Run lists the adapters.
func (cmd *adapterListCmd) Run(s *session) error {
	c, err := s.settings()
	if err != nil {
		return err
	}
	cfg, err := s.hostConfig(c, nil)
	if err != nil {
		return err
	}
	list, err := host.ListAdapters(s.ctx, cfg.Sandbox)
	if err != nil {
		return err
	}
	if cmd.JSON {
		return writeJSON(s, list)
	}
	return host.WriteAdapters(s.stdout, list)
}

type adapterInspectCmd struct {
	JSON bool   `name:"json" help:"As JSON."`
	File string `arg:"" help:"The adapter, a .wasm file."`
}

// Help is shown below the flags.
func (adapterInspectCmd) Help() string {
	return `Nothing of the adapter runs. Ends with exit code 1 if the host would refuse it.`
}

// Run inspects one adapter.
func (cmd *adapterInspectCmd) Run(s *session) error {
	c, err := s.settings()
	if err != nil {
		return err
	}
	cfg, err := s.hostConfig(c, nil)
	if err != nil {
		return err
	}
	info, err := host.InspectAdapter(cmd.File)
	if err != nil {
		return err
	}
	if cmd.JSON {
		err = writeJSON(s, info)
	} else {
		err = host.WriteAdapter(s.stdout, info, cfg.Sandbox.Grants)
	}
	if err == nil && info.Problem != "" {
		return &failure{code: exitFailed}
	}
	return err
}

type adapterBuildCmd struct {
	buildFlags
	Output string `short:"o" placeholder:"FILE" help:"Where to put the adapter (DIR/NAME.wasm)."`
	Dir    string `arg:"" default:"." help:"The adapter's folder: sources and adapter.toml."`
}

// Run builds an adapter.
func (cmd *adapterBuildCmd) Run(s *session) error {
	out := cmd.Output
	if out == "" {
		abs, err := filepath.Abs(cmd.Dir)
		if err != nil {
			return fmt.Errorf("building the adapter: %w", err)
		}
		out = filepath.Join(abs, filepath.Base(abs)+".wasm")
	}
	info, err := host.BuildAdapterWith(s.ctx, cmd.Dir, cmd.Build, out)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.stdout, "%s: %s %s, %d bytes, sha256 %s\n", out, info.Manifest.ID, info.Manifest.Version, info.Size, info.Digest)
	return err
}
