package host

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/hostabi/check"
	"oriel.dev/oriel/internal/languages"
	"oriel.dev/oriel/sandbox"
)

// AdapterInfo is what a file says of the adapter in it, before anything runs.
type AdapterInfo struct {
	File     string            `json:"file"`
	Problem  string            `json:"problem,omitempty"` // why it cannot be used, or ""
	Manifest *hostabi.Manifest `json:"manifest,omitempty"`
	Digest   string            `json:"digest,omitempty"` // hex SHA-256
	Size     int64             `json:"size"`
	Imports  []string          `json:"imports,omitempty"` // "module function", those of the contract
	// Acts is set if it has actions, and does not only translate.
	Acts bool `json:"acts"`
}

// InspectAdapter reads and checks one adapter; nothing of it runs. The error is
// for a file that cannot be read; what is wrong with an adapter is in Problem.
func InspectAdapter(path string) (AdapterInfo, error) {
	info := AdapterInfo{File: path}
	st, err := os.Stat(path)
	switch {
	case err != nil:
		return info, fmt.Errorf("opening the adapter: %w", err)
	case !st.Mode().IsRegular():
		return info, fmt.Errorf("opening the adapter: %s is no file; name a .wasm file", path)
	}
	if info.Size = st.Size(); info.Size > check.MaxModule {
		info.Problem = fmt.Sprintf("module: has %d bytes; the most is %d, so link less", info.Size, check.MaxModule)
		return info, nil
	}
	wasm, err := os.ReadFile(path)
	if err != nil {
		return info, fmt.Errorf("reading the adapter: %w", err)
	}
	m, err := check.Module(wasm)
	info.Manifest, info.Digest, info.Acts = m.Manifest, m.Digest, m.Invokes()
	for _, i := range m.Imports {
		if strings.HasPrefix(i.Module, "oriel:") {
			info.Imports = append(info.Imports, i.Module+" "+i.Name)
		}
	}
	if err != nil {
		info.Problem = err.Error()
	}
	return info, nil
}

// ListAdapters describes every adapter that a host with this configuration would
// load, and every file that it would not. Nothing of them runs.
func ListAdapters(ctx context.Context, cfg sandbox.Config) ([]sandbox.Info, error) {
	s, err := sandbox.New(ctx, cfg)
	if err != nil {
		return nil, err
	}
	defer s.Close()
	return s.List(), nil
}

// BuiltinAdapterDirs are the folders of the adapters that come with the program
// at a path: beside it, or where a package puts them.
func BuiltinAdapterDirs(executable string) []string {
	bin := filepath.Dir(executable)
	dirs := []string{filepath.Join(bin, "adapters"), filepath.Join(filepath.Dir(bin), "share", "oriel", "adapters")}
	return slices.DeleteFunc(dirs, func(dir string) bool {
		_, err := os.Stat(dir)
		return errors.Is(err, fs.ErrNotExist)
	})
}

// BuildAdapter compiles the adapter in a folder, puts its adapter.toml into the
// module, and returns what it built at the path out. The module is checked
// before it takes the place of what is there, so that a broken build harms nothing.
func BuildAdapter(ctx context.Context, dir, out string) (AdapterInfo, error) {
	return BuildAdapterWith(ctx, dir, "", out)
}

// BuildAdapterWith is BuildAdapter for an adapter in any language: the command is
// run in the folder by the shell and writes the module to the file that
// $ORIEL_OUT names. "" builds by the
// sources that are there: Go, Rust, AssemblyScript or C.
func BuildAdapterWith(ctx context.Context, dir, command, out string) (info AdapterInfo, err error) {
	manifestFile := filepath.Join(dir, "adapter.toml")
	text, err := os.ReadFile(manifestFile)
	if err != nil {
		return info, fmt.Errorf("reading the manifest: %w; the folder of an adapter holds an adapter.toml", err)
	}
	manifest, err := check.ManifestFromTOML(manifestFile, text)
	if err != nil {
		return info, err
	}
	work, err := os.MkdirTemp(filepath.Dir(out), ".oriel-build-")
	if err != nil {
		return info, fmt.Errorf("building the adapter: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	built := filepath.Join(work, "module.wasm")
	if err := compile(ctx, dir, command, built); err != nil {
		return info, err
	}
	wasm, err := os.ReadFile(built)
	if err != nil {
		return info, fmt.Errorf("reading what was built: %w", err)
	}
	if wasm, err = check.Embed(wasm, hostabi.AppendManifest(nil, manifest)); err != nil {
		return info, err
	}
	if _, err := check.Module(wasm); err != nil {
		return info, err
	}
	if err := errors.Join(os.WriteFile(built, wasm, 0o644), os.Chmod(built, 0o644), os.Rename(built, out)); err != nil {
		return info, fmt.Errorf("writing the adapter: %w", err)
	}
	return InspectAdapter(out)
}

// compile builds the program in a folder as a WebAssembly reactor.
func compile(ctx context.Context, dir, command, out string) error {
	abs, err := filepath.Abs(out)
	if err != nil {
		return fmt.Errorf("building the adapter: %w", err)
	}
	if command == "" {
		return languages.Compile(ctx, dir, abs)
	}
	cmd := exec.CommandContext(ctx, "/bin/sh", "-c", command)
	cmd.Dir, cmd.Env = dir, append(os.Environ(), "ORIEL_OUT="+abs)
	cmd.WaitDelay = time.Second // for what a killed compiler has started
	said, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("building the adapter in %s: %w\n%s", dir, err, strings.TrimSpace(string(said)))
	}
	if _, err := os.Stat(abs); err != nil {
		return fmt.Errorf("building the adapter in %s: the command wrote no module; have it write to the file $ORIEL_OUT\n%s", dir, strings.TrimSpace(string(said)))
	}
	return nil
}
