// Package languages compiles the folder of an adapter to a WebAssembly reactor,
// whatever language it is written in. The SDKs of the other languages than Go are
// in the program itself, so a folder holds the author's own files alone.
//
// It looks for nothing but the sources: what else a module needs, its manifest and
// its check, is up to the caller.
package languages

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"oriel.dev/oriel"
)

// Language is one that adapters are written in.
type Language string

// The languages, by the names that a person gives them.
const (
	Go             Language = "go"
	Rust           Language = "rust"
	AssemblyScript Language = "assemblyscript"
	C              Language = "c"
)

// All lists the languages.
var All = []Language{Go, Rust, AssemblyScript, C}

// suffixes say by which files a language is known.
var suffixes = []struct {
	suffix string
	lang   Language
}{{".go", Go}, {".rs", Rust}, {".ts", AssemblyScript}, {".c", C}}

// Detect says in which language the sources in a folder are.
func Detect(dir string) (Language, error) {
	for _, s := range suffixes {
		files, err := sources(dir, s.suffix)
		if err != nil {
			return "", err
		}
		if len(files) > 0 {
			return s.lang, nil
		}
	}
	return "", fmt.Errorf("building the adapter in %s: there are no sources; write a .go, .rs, .ts or .c file", dir)
}

// sources lists the files of a folder with the suffix. Tests are none.
func sources(dir, suffix string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("building the adapter: %w", err)
	}
	var out []string
	for _, e := range entries {
		name := e.Name()
		if !e.IsDir() && strings.HasSuffix(name, suffix) && !strings.HasSuffix(name, "_test"+suffix) && !strings.HasSuffix(name, ".d.ts") {
			out = append(out, name)
		}
	}
	return out, nil
}

// Compile compiles the adapter in a folder to the file out.
func Compile(ctx context.Context, dir, out string) (err error) {
	lang, err := Detect(dir)
	if err != nil {
		return err
	}
	abs, err := filepath.Abs(out)
	if err != nil {
		return fmt.Errorf("building the adapter: %w", err)
	}
	b := build{ctx: ctx, dir: dir, out: abs}
	if lang == Go {
		return b.golang()
	}
	if b.work, err = os.MkdirTemp("", "oriel-sdk-"); err != nil {
		return fmt.Errorf("building the adapter: %w", err)
	}
	defer func() { err = errors.Join(err, os.RemoveAll(b.work)) }()
	switch lang {
	case Rust:
		return b.rust()
	case AssemblyScript:
		return b.assemblyScript()
	default:
		return b.c()
	}
}

// build is one compilation.
type build struct {
	ctx            context.Context
	dir, out, work string
}

// run runs a compiler in the adapter's folder. cure says how to get it.
func (b *build) run(cure string, env []string, name string, args ...string) error {
	cmd := exec.CommandContext(b.ctx, name, args...)
	cmd.Dir, cmd.Env = b.dir, append(os.Environ(), env...)
	cmd.WaitDelay = time.Second // for what a killed compiler has started
	said, err := cmd.CombinedOutput()
	switch {
	case errors.Is(err, exec.ErrNotFound), errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("building the adapter: %s is not installed; %s", name, cure)
	case err != nil:
		return fmt.Errorf("building the adapter in %s: %w\n%s", b.dir, err, strings.TrimSpace(string(said)))
	}
	return nil
}

// unpack writes an SDK to the working folder and returns where it is.
func (b *build) unpack(sdk, to string) (string, error) {
	files, err := fs.Sub(oriel.SDKs, "pluginsdk/"+sdk)
	if err == nil {
		to = filepath.Join(b.work, to)
		err = os.CopyFS(to, files)
	}
	if err != nil {
		return "", fmt.Errorf("building the adapter: unpacking the SDK: %w", err)
	}
	return to, nil
}

func (b *build) golang() error {
	return b.run("install Go 1.26 from https://go.dev/dl", []string{"GOOS=wasip1", "GOARCH=wasm", "CGO_ENABLED=0"},
		"go", "build", "-buildmode=c-shared", "-trimpath", "-ldflags=-s -w", "-o", b.out, ".")
}

// c compiles with Debian's clang, which needs lld beside it.
func (b *build) c() error {
	sdk, err := b.unpack("c", "c")
	if err != nil {
		return err
	}
	files, err := sources(b.dir, ".c")
	if err != nil {
		return err
	}
	args := []string{
		"--target=wasm32", "-std=c11", "-O2", "-Wall", "-Werror", "-ffreestanding", "-mbulk-memory", "-nostdlib", "-I", sdk, "-o", b.out,
		"-Wl,--no-entry", "-Wl,--strip-all", "-Wl,--stack-first",
	}
	sdkFiles, err := sources(sdk, ".c")
	if err != nil {
		return err
	}
	for _, f := range sdkFiles {
		files = append(files, filepath.Join(sdk, f))
	}
	return b.run("apt-get install clang lld", nil, "clang", append(args, files...)...)
}

const rustTarget = "wasm32-unknown-unknown"

// rust compiles the SDK as a library and then the adapter, whose file is the one
// named as its folder, or the only one, or adapter.rs.
func (b *build) rust() error {
	sdk, err := b.unpack("rust", "rust")
	if err != nil {
		return err
	}
	file, err := mainFile(b.dir, ".rs")
	if err != nil {
		return err
	}
	rustc, linker := b.rustc()
	const cure = "apt-get install rustc libstd-rust-dev-wasm32 lld-14"
	common := []string{
		"--edition", "2021", "--target", rustTarget, "-C", "opt-level=s", "-C", "panic=abort", "-C", "debuginfo=0",
		"--remap-path-prefix", b.work + "=oriel", // else each build differs by the folder's random name
	}
	lib := filepath.Join(b.work, "liboriel.rlib")
	err = b.run(cure, nil, rustc, append(common, "--crate-type", "rlib", "--crate-name", "oriel", "-o", lib, filepath.Join(sdk, "oriel.rs"))...)
	if err != nil {
		return err
	}
	args := append(common, "--crate-type", "cdylib", "--crate-name", "adapter", "-C", "lto=fat", "-C", "strip=symbols",
		"-C", "link-arg=-zstack-size=65536", "--extern", "oriel="+lib, "-o", b.out, file)
	return b.run(cure, nil, rustc, append(args, linker...)...)
}

// rustc finds a compiler that has the target's standard library, and the linker
// that goes with it: Debian's own is not the one of a rustup that may come first in
// the PATH, and reads its libraries by lld 14 alone.
func (b *build) rustc() (rustc string, linker []string) {
	const debian = "/usr/bin/rustc"
	path, err := exec.LookPath("rustc")
	if err == nil && path != debian {
		if libs, err := exec.CommandContext(b.ctx, path, "--print", "target-libdir", "--target", rustTarget).Output(); err == nil {
			if _, err := os.Stat(strings.TrimSpace(string(libs))); err == nil {
				return path, nil
			}
		}
	}
	return debian, []string{"-C", "linker=wasm-ld-14"}
}

// assemblyScript compiles by the asc of the folder's own node_modules, of the
// folder that $ORIEL_ASC names, or of the PATH.
func (b *build) assemblyScript() error {
	if _, err := b.unpack("as/assembly", "lib/oriel"); err != nil {
		return err
	}
	file, err := mainFile(b.dir, ".ts")
	if err != nil {
		return err
	}
	asc := "asc"
	for _, at := range []string{filepath.Join(b.dir, "node_modules/.bin/asc"), os.Getenv("ORIEL_ASC")} {
		if _, err := os.Stat(at); at != "" && err == nil {
			if asc, err = filepath.Abs(at); err != nil {
				return fmt.Errorf("building the adapter: %w", err)
			}
			break
		}
	}
	return b.run("npm install assemblyscript, in the adapter's folder", nil, asc, file, "-O2", "--runtime", "minimal",
		"--exportStart", "_initialize", "--use", "abort=", "--lib", filepath.Join(b.work, "lib"), "-o", b.out)
}

// mainFile is the file that a compiler is given where it finds the others by itself.
func mainFile(dir, suffix string) (string, error) {
	files, err := sources(dir, suffix)
	if err != nil || len(files) == 1 {
		return strings.Join(files, ""), err
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("building the adapter: %w", err)
	}
	for _, name := range []string{"adapter" + suffix, filepath.Base(abs) + suffix} {
		if _, err := os.Stat(filepath.Join(dir, name)); err == nil {
			return name, nil
		}
	}
	return "", fmt.Errorf("building the adapter in %s: which of %s is the adapter? Name it adapter%s", dir, strings.Join(files, ", "), suffix)
}
