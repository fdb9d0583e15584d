package config

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// resolve puts the usual places where nothing is set, and makes all absolute.
func (d *Dirs) resolve(environ []string) {
	for _, dir := range []struct {
		path  *string
		usual func() string
	}{
		{&d.State, func() string { return filepath.Join(xdg(environ, "XDG_STATE_HOME", ".local/state"), "oriel") }},
		{&d.Cache, func() string { return filepath.Join(xdg(environ, "XDG_CACHE_HOME", ".cache"), "oriel") }},
		{&d.Runtime, func() string {
			if run := getenv(environ, "XDG_RUNTIME_DIR"); run != "" {
				return filepath.Join(run, "oriel")
			}
			return filepath.Join(os.TempDir(), fmt.Sprintf("oriel-%d", os.Getuid()))
		}},
	} {
		if *dir.path == "" {
			*dir.path = dir.usual()
		}
		*dir.path = expandHome(*dir.path, environ)
	}
}

// expandHome makes a path absolute; ~ is the user's home.
func expandHome(path string, environ []string) string {
	if rest, ok := strings.CutPrefix(path, "~/"); ok || path == "~" {
		path = filepath.Join(home(environ), rest)
	}
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return path
}

// xdg is a base folder of the XDG specification; a relative one is ignored, as
// the specification asks.
func xdg(environ []string, name, usual string) string {
	if dir := getenv(environ, name); filepath.IsAbs(dir) {
		return dir
	}
	return filepath.Join(home(environ), usual)
}

func home(environ []string) string {
	if dir := getenv(environ, "HOME"); dir != "" {
		return dir
	}
	return os.TempDir()
}

func getenv(environ []string, name string) string {
	for _, kv := range environ {
		if value, ok := strings.CutPrefix(kv, name+"="); ok {
			return value
		}
	}
	return ""
}
