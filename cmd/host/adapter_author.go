package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/tabwriter"

	"oriel.dev/oriel/host"
	"oriel.dev/oriel/internal/authoring"
	"oriel.dev/oriel/internal/config"
)

// buildFlags say how an adapter is built from its sources.
type buildFlags struct {
	Build string `placeholder:"COMMAND" help:"Build by this command, run in the folder by the shell; it writes the module to the file $$ORIEL_OUT. Without it the sources that are there are built: Go, Rust, AssemblyScript or C."`
}

// machine is how adapters are run here.
func (s *session) machine() (authoring.Machine, host.Config, *config.Config, error) {
	c, err := s.settings()
	if err != nil {
		return authoring.Machine{}, host.Config{}, nil, err
	}
	cfg, err := s.hostConfig(c, nil)
	if err != nil {
		return authoring.Machine{}, host.Config{}, nil, err
	}
	return authoring.Machine{Runner: cfg.Sandbox.Runner, CacheDir: cfg.Sandbox.CacheDir, Limits: cfg.Sandbox.Limits}, cfg, c, nil
}

// say tells a person what takes a while.
func (s *session) say(format string, args ...any) { fmt.Fprintf(s.stderr, format+"\n", args...) }

// built builds the adapter in a folder, or takes a module as it is, and calls do
// with its file and the folder of its testdata.
func (s *session) built(path, command string, do func(wasm, dir string) error) (err error) {
	st, err := os.Stat(path)
	if err != nil {
		return fmt.Errorf("opening the adapter: %w; name its folder, or a .wasm file", err)
	}
	if !st.IsDir() {
		return do(path, filepath.Dir(path))
	}
	dir, err := os.MkdirTemp("", "oriel-built-")
	if err != nil {
		return fmt.Errorf("building the adapter: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	out := filepath.Join(dir, "adapter.wasm")
	s.say("building %s …", path)
	if _, err := host.BuildAdapterWith(s.ctx, path, command, out); err != nil {
		return err
	}
	return do(out, path)
}

// opened is built, with the adapter ready to be called.
func (s *session) opened(path, command string, do func(a *authoring.Adapter, dir string) error) error {
	m, _, _, err := s.machine()
	if err != nil {
		return err
	}
	return s.built(path, command, func(wasm, dir string) (err error) {
		a, err := authoring.Open(s.ctx, m, wasm)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, a.Close()) }()
		return do(a, dir)
	})
}

type adapterNewCmd struct {
	desktopFlags
	adapterFlags
	FromWindow    string `xor:"from" placeholder:"W" help:"The window to make it from: its id, or a part of its title, as oriel windows shows them."`
	FromRecording string `xor:"from" placeholder:"FILE" type:"path" help:"Make it from a recorded observation (.ort) instead."`
	ID            string `name:"id" placeholder:"ID" help:"The adapter's id, a reverse domain (org.example.NAME)."`
	Dir           string `placeholder:"DIR" help:"Where to make it (NAME)."`
	Source        string `placeholder:"DIR" help:"The sources of Oriel to build with, if they are not found by themselves."`
	Name          string `arg:"" help:"The adapter's name, such as my-editor."`
}

// Help is shown below the flags.
func (adapterNewCmd) Help() string {
	return `Records the window, with its pixels, and makes the folder of a Go adapter for it: adapter.toml, code that shows its texts, fields, lists and tables and has one action, and tests that pass. Looks at the desktop beside a host that runs.

Example:
  oriel adapter new my-editor --from-window Mousepad
  oriel dev my-editor`
}

// Run makes an adapter.
func (cmd *adapterNewCmd) Run(s *session) error {
	sc := authoring.Scaffold{Dir: cmd.Dir, Name: cmd.Name, ID: cmd.ID, Source: cmd.Source, Version: versionText()}
	if sc.Dir == "" {
		sc.Dir = cmd.Name
	}
	if sc.Source == "" {
		exe, err := executable()
		if err != nil {
			return err
		}
		sc.Source = authoring.FindSource(sc.Dir, exe)
	}
	if err := cmd.window(s, &sc); err != nil {
		return err
	}
	files, err := authoring.New(sc)
	if err != nil {
		return err
	}
	slices.Sort(files)
	for _, f := range files {
		fmt.Fprintln(s.stdout, "made", f)
	}
	if sc.Source == "" {
		_, err = fmt.Fprintf(s.stdout, "Next:\n  cd %s && go mod tidy && go test -update . && oriel dev\n", sc.Dir)
		return err
	}
	err = s.opened(sc.Dir, "", func(a *authoring.Adapter, dir string) error {
		s.say("translating the window …")
		var wrong error
		err := a.Test(s.ctx, dir, true, func(v authoring.Verdict) {
			if v.Problem != "" {
				wrong = fmt.Errorf("%s: %s", v.File, v.Problem)
			}
		})
		return errors.Join(err, wrong)
	})
	if err != nil {
		return fmt.Errorf("the adapter is made, but: %w", err)
	}
	_, err = fmt.Fprintf(s.stdout, "Its view of the window is in %s\nNext:\n  oriel dev %s            serve it, and take every change over\n  oriel adapter test %s   test it\n",
		filepath.Join(sc.Dir, "testdata", "window.view.json"), sc.Dir, sc.Dir)
	return err
}

// window reads what the adapter is made from.
func (cmd *adapterNewCmd) window(s *session, sc *authoring.Scaffold) (err error) {
	switch {
	case cmd.FromRecording != "":
		if sc.Observation, err = os.ReadFile(cmd.FromRecording); err != nil {
			return fmt.Errorf("reading the recording: %w", err)
		}
		return nil
	case cmd.FromWindow == "":
		return &failure{exitUsage, errors.New("which window? give --from-window, or --from-recording for one that was recorded; `oriel windows` shows what is open")}
	}
	return s.onWindow(cmd.FromWindow, "", func(ctx context.Context, w *host.LiveWindow) error {
		sc.Observation = w.Observation
		picture, err := w.Picture(ctx)
		if err != nil {
			s.say("without pixels: %v", err)
		}
		sc.Picture = picture
		return nil
	})
}

// onWindow calls do with a window of the desktop that the flags and settings
// mean.
func (s *session) onWindow(window, wasm string, do func(ctx context.Context, w *host.LiveWindow) error) error {
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
	s.say("looking at the desktop …")
	return host.OnWindow(s.ctx, cfg, window, wasm, do)
}

type adapterTestCmd struct {
	buildFlags
	Update bool   `help:"Write the golden views, and the outcomes of recorded actions, anew."`
	Path   string `arg:"" default:"." help:"The adapter's folder, or a .wasm file beside its testdata."`
}

// Help is shown below the flags.
func (adapterTestCmd) Help() string {
	return `Builds the adapter, has the module translate every recorded observation in testdata in a runner as the host's, and compares the views with the golden files; replays every recorded action; and shows what oriel adapter lint finds. Ends with exit code 1 if a test goes wrong.`
}

// Run tests an adapter.
func (cmd *adapterTestCmd) Run(s *session) error {
	return s.opened(cmd.Path, cmd.Build, func(a *authoring.Adapter, dir string) error {
		wrong, tests := 0, 0
		err := a.Test(s.ctx, dir, cmd.Update, func(v authoring.Verdict) {
			tests++
			word := "ok      "
			switch {
			case v.Problem != "":
				wrong++
				word = "WRONG   "
			case v.Updated:
				word = "updated "
			}
			fmt.Fprintln(s.stdout, word+v.File)
			if v.Problem != "" {
				fmt.Fprintln(s.stdout, "  "+strings.ReplaceAll(strings.TrimRight(v.Problem, "\n"), "\n", "\n  "))
			}
		})
		if err != nil {
			return err
		}
		if wrong == 0 {
			found, err := a.Lint(s.ctx, dir)
			for _, f := range found {
				fmt.Fprintln(s.stdout, "advice  "+f)
			}
			return err
		}
		return fmt.Errorf("%d of %d tests went wrong; what differs stands above", wrong, tests)
	})
}

type adapterLintCmd struct {
	buildFlags
	Path string `arg:"" default:"." help:"The adapter's folder, or a .wasm file beside its testdata."`
}

// Help is shown below the flags.
func (adapterLintCmd) Help() string {
	return `Finds in the manifest, and in the views of the recorded observations, what the host takes but serves readers badly: a summary that says nothing, labels that are code names, missing annotations, too much custom. Each with its cure. Ends with exit code 1 if there is any.`
}

// Run lints an adapter.
func (cmd *adapterLintCmd) Run(s *session) error {
	return s.opened(cmd.Path, cmd.Build, func(a *authoring.Adapter, dir string) error {
		found, err := a.Lint(s.ctx, dir)
		if err != nil {
			return err
		}
		for _, f := range found {
			fmt.Fprintln(s.stdout, f)
		}
		if len(found) > 0 {
			return &failure{code: exitFailed}
		}
		_, err = fmt.Fprintln(s.stdout, "nothing found")
		return err
	})
}

type adapterBenchCmd struct {
	buildFlags
	Rounds int    `default:"50" help:"How often each observation is translated (50)."`
	JSON   bool   `name:"json" help:"As JSON."`
	Path   string `arg:"" default:"." help:"The adapter's folder, or a .wasm file beside its testdata."`
}

// Help is shown below the flags.
func (adapterBenchCmd) Help() string {
	return `Translates every recorded observation in a runner as the host's, the pipe included. Tokens are characters/4: of the view without its actions, and of the whole tree, a line a node.`
}

// Run measures an adapter.
func (cmd *adapterBenchCmd) Run(s *session) error {
	if cmd.Rounds < 1 {
		return &failure{exitUsage, errors.New("--rounds must be at least 1")}
	}
	return s.opened(cmd.Path, cmd.Build, func(a *authoring.Adapter, dir string) error {
		files, err := authoring.Observations(dir)
		if err != nil {
			return err
		}
		if len(files) == 0 {
			return fmt.Errorf("there is no recorded observation in %s; record one with: oriel adapter record", filepath.Join(dir, "testdata"))
		}
		figures := make([]authoring.Figures, len(files))
		for i, f := range files {
			if figures[i], err = a.Bench(s.ctx, f, cmd.Rounds); err != nil {
				return err
			}
		}
		if cmd.JSON {
			return writeJSON(s, figures)
		}
		t := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
		fmt.Fprintln(t, "observation\tnodes\tp50 ms\tp95 ms\tview bytes\ttokens\tof the tree's\t")
		for _, f := range figures {
			fmt.Fprintf(t, "%s\t%d\t%.2f\t%.2f\t%d\t%d\t%d (%.0f %%)\t\n", filepath.Base(f.File), f.Nodes, f.P50, f.P95, f.View, f.Tokens, f.RawTokens, 100*float64(f.Tokens)/float64(max(f.RawTokens, 1)))
		}
		return t.Flush()
	})
}

type adapterReplayCmd struct {
	buildFlags
	File string `arg:"" help:"The recorded action, a .session.json file."`
	Path string `arg:"" optional:"" help:"The adapter's folder, or a .wasm file (that of the recording)."`
}

// Help is shown below the flags.
func (adapterReplayCmd) Help() string {
	return `Needs no desktop: the host answers as it did when the action was recorded. Shows the first difference, and ends with exit code 1 if there is one.`
}

// Run replays a recorded action.
func (cmd *adapterReplayCmd) Run(s *session) error {
	session, err := authoring.ReadSession(cmd.File)
	if err != nil {
		return err
	}
	if cmd.Path == "" {
		cmd.Path = filepath.Dir(filepath.Dir(filepath.Clean(cmd.File)))
	}
	return s.opened(cmd.Path, cmd.Build, func(a *authoring.Adapter, _ string) error {
		difference, err := a.Replay(s.ctx, session)
		if err != nil {
			return err
		}
		if difference != "" {
			fmt.Fprintln(s.stdout, strings.TrimRight(difference, "\n"))
			return &failure{code: exitFailed}
		}
		_, err = fmt.Fprintf(s.stdout, "%s %s: %d host calls and the outcome are as recorded\n", session.Action, short(session.Args), len(session.Calls))
		return err
	})
}

// short cuts a text that stands in a line.
func short(text json.RawMessage) string {
	const most = 100
	if len(text) > most {
		return string(text[:most]) + "…"
	}
	return string(text)
}
