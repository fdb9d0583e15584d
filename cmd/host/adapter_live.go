package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"oriel.dev/oriel/host"
	"oriel.dev/oriel/internal/authoring"
)

// actionFlags name an action to carry out.
type actionFlags struct {
	Action string `placeholder:"NAME" help:"Carry out this action of the adapter."`
	Args   string `placeholder:"JSON" default:"{}" help:"The arguments of the action, a JSON object ({})."`
}

func (f *actionFlags) check() error {
	var args map[string]json.RawMessage
	if err := json.Unmarshal([]byte(f.Args), &args); err != nil || args == nil {
		return &failure{exitUsage, fmt.Errorf("--args is %q: write a JSON object, such as '{\"button\":\"OK\"}'", f.Args)}
	}
	return nil
}

type adapterRunCmd struct {
	desktopFlags
	adapterFlags
	buildFlags
	actionFlags
	Window string `required:"" placeholder:"W" help:"The window: its id, or a part of its title, as oriel windows shows them."`
	Path   string `arg:"" default:"." help:"The adapter's folder, or a .wasm file."`
}

// Help is shown below the flags.
func (adapterRunCmd) Help() string {
	return `Builds the adapter and shows what it makes of the window, in a host that goes again at once and grants it all that it asks for; another host is not disturbed. With --action the action is carried out first, for real, and its host calls are shown.

Example:
  oriel adapter run my-editor --window Mousepad --action set_field --args '{"field":"Text","value":"Hello"}'`
}

// Run tries an adapter on a live window.
func (cmd *adapterRunCmd) Run(s *session) error {
	if err := cmd.check(); err != nil {
		return err
	}
	return s.built(cmd.Path, cmd.Build, func(wasm, _ string) error {
		return s.onWindow(cmd.Window, wasm, func(ctx context.Context, w *host.LiveWindow) error {
			if cmd.Action != "" {
				acted, err := w.Act(ctx, cmd.Action, json.RawMessage(cmd.Args))
				if err := errors.Join(acted.Write(s.stdout), err); err != nil {
					return err
				}
			}
			text, err := w.Text(ctx)
			fmt.Fprint(s.stdout, text)
			return err
		})
	})
}

type adapterRecordCmd struct {
	desktopFlags
	adapterFlags
	buildFlags
	actionFlags
	Window string `required:"" placeholder:"W" help:"The window: its id, or a part of its title, as oriel windows shows them."`
	Name   string `placeholder:"NAME" help:"What the recording is called (of the title, or the action)."`
	Path   string `arg:"" default:"." help:"The adapter's folder."`
}

// Help is shown below the flags.
func (adapterRecordCmd) Help() string {
	return `Writes the observation of a window, with its pixels, into the adapter's testdata, where oriel adapter test finds it. With --action the adapter is built and the action carried out, for real, and one JSON file keeps the observation, the arguments, every host call with its answer, and the outcome; oriel adapter replay repeats it where there is no desktop.

A recording holds what the window showed, so look through it before you publish it. The name of the home folder is replaced, and what is masked for agents is masked here.`
}

// Run records a window or an action.
func (cmd *adapterRecordCmd) Run(s *session) error {
	if err := cmd.check(); err != nil {
		return err
	}
	if st, err := os.Stat(cmd.Path); err != nil || !st.IsDir() {
		return fmt.Errorf("%s is no folder of an adapter; make one with: oriel adapter new", cmd.Path)
	}
	dir := filepath.Join(cmd.Path, "testdata")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("making the folder of recordings: %w", err)
	}
	if cmd.Action == "" {
		return s.onWindow(cmd.Window, "", func(ctx context.Context, w *host.LiveWindow) error { return cmd.observe(ctx, s, w, dir) })
	}
	return s.built(cmd.Path, cmd.Build, func(wasm, _ string) error {
		return s.onWindow(cmd.Window, wasm, func(ctx context.Context, w *host.LiveWindow) error { return cmd.act(ctx, s, w, dir) })
	})
}

func (cmd *adapterRecordCmd) observe(ctx context.Context, s *session, w *host.LiveWindow, dir string) error {
	observation, err := authoring.Impersonal(w.Observation)
	if err != nil {
		return err
	}
	file := cmd.file(dir, w.Title, ".ort")
	picture, pictureErr := w.Picture(ctx)
	if pictureErr != nil {
		s.say("without pixels: %v", pictureErr)
	} else if err := os.WriteFile(strings.TrimSuffix(file, ".ort")+".png", picture, 0o644); err != nil {
		return fmt.Errorf("writing the pixels: %w", err)
	}
	if err := os.WriteFile(file, observation, 0o644); err != nil {
		return fmt.Errorf("writing the recording: %w", err)
	}
	_, err = fmt.Fprintf(s.stdout, "recorded %s\nNext: oriel adapter test %s --update, and read the view that it writes\n", file, cmd.Path)
	return err
}

func (cmd *adapterRecordCmd) act(ctx context.Context, s *session, w *host.LiveWindow, dir string) error {
	acted, err := w.Act(ctx, cmd.Action, json.RawMessage(cmd.Args))
	if acted.Trace == nil {
		return errors.Join(err, errors.New("the adapter was not asked, so there is nothing to record"))
	}
	if err := acted.Write(s.stdout); err != nil { // a refusal is worth recording too
		return err
	}
	session, err := authoring.Record(*acted.Trace, w.Title)
	if err != nil {
		return err
	}
	file := cmd.file(dir, cmd.Action, ".session.json")
	if err := session.Write(file); err != nil {
		return err
	}
	_, err = fmt.Fprintf(s.stdout, "recorded %s: %d host calls\nNext: oriel adapter replay %s\n", file, len(session.Calls), file)
	return err
}

var noName = regexp.MustCompile(`[^a-z0-9]+`)

// file is a file in dir that is not there yet, unless it was named.
func (cmd *adapterRecordCmd) file(dir, title, ext string) string {
	if cmd.Name != "" {
		return filepath.Join(dir, cmd.Name+ext)
	}
	const most = 40
	name := strings.Trim(noName.ReplaceAllString(strings.ToLower(title), "-"), "-")
	if name = name[:min(len(name), most)]; name == "" {
		name = "window"
	}
	file := filepath.Join(dir, name+ext)
	for n := 2; ; n++ {
		if _, err := os.Stat(file); err != nil {
			return file
		}
		file = filepath.Join(dir, fmt.Sprintf("%s-%d%s", name, n, ext))
	}
}
