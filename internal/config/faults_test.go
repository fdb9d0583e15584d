package config

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

// G01: no setting takes just anything: for each of them there is a value that is
// found to be wrong when the settings are read, with file, line and key, and not
// only by the part of the host that it is for.
func TestG01EverySettingIsChecked(t *testing.T) {
	chord := func(s string) error {
		if s == "ctrl+nokey" {
			return errors.New("no key is called so")
		}
		return nil
	}
	bad := map[string][]string{
		"transport":                    {`"tcp"`, `""`, `3`},
		"tools":                        {`"all"`, `""`},
		"language":                     {`"fr"`, `"EN"`},
		"http.listen":                  {`"0.0.0.0:60008"`, `":60008"`, `"127.0.0.1:http"`, `"127.0.0.1:-1"`, `""`},
		"http.auth":                    {`"password"`, `""`},
		"http.hosts":                   {`["https://example.org"]`, `["example.org:443"]`, `[""]`, `["a/b"]`, `["*"]`},
		"http.origins":                 {`["example.org"]`, `["https://example.org/"]`, `["null"]`, `[""]`},
		"http.idle_timeout_s":          {`0`, `-1`, `"30m"`, `1.5`, `99999999`},
		"log.level":                    {`"verbose"`, `""`},
		"log.file":                     {`"a\u0000b"`, `true`},
		"desktop.display":              {`"0"`, `":x"`, `"-1"`},
		"desktop.backend":              {`"wayland"`, `""`},
		"desktop.virtual":              {`"yes"`, `true`},
		"desktop.virtual_size":         {`"1920"`, `"-1920x1080"`, `"0x0"`, `"1920x1080x24"`, `""`},
		"desktop.enable_accessibility": {`"yes"`, `1`},
		"desktop.refused_keys":         {`["ctrl+nokey"]`, `"ctrl+q"`, `[3]`},
		"desktop.launch":               {`["mousepad --new"]`, `["/usr/bin/mousepad"]`, `["mousepad.desktop"]`, `[""]`, `["**"]`},
		"desktop.quiet_ms":             {`0`, `-50`, `"50ms"`, `1000000`},
		"desktop.busy_ms":              {`0`, `-1`},
		"desktop.look_ms":              {`0`, `-1`},
		"desktop.patience_ms":          {`0`, `-1`},
		"desktop.settle_ms":            {`0`, `-1`},
		"adapters.dirs":                {`[""]`, `[" "]`, `["a\u0000b"]`, `"/a"`},
		"limits.translate_ms":          {`0`, `-1`},
		"limits.invoke_ms":             {`0`, `-1`, `61000`},
		"limits.total_ms":              {`0`, `-1`},
		"limits.start_ms":              {`0`, `-1`},
		"limits.compile_ms":            {`0`, `-1`},
		"limits.memory_mb":             {`0`, `-64`, `1000000`},
		"limits.compile_memory_mb":     {`0`, `-1`},
		"limits.module_mb":             {`0`, `-1`},
		"limits.view_kb":               {`0`, `-1`},
		"limits.log_lines_per_s":       {`0`, `-1`},
		"limits.host_calls":            {`0`, `-1`},
		"limits.idle_s":                {`0`, `-1`},
		"limits.cache_mb":              {`0`, `-1`},
		"sensitive.labels":             {`["(pin"]`, `[""]`, `["*"]`, `["(?<n"]`},
		"audit.days":                   {`0`, `-1`, `"90d"`, `100000`},
		"audit.rows":                   {`0`, `-1`, `999`},
		"dirs.state":                   {`"a\u0000b"`, `["/a"]`},
		"dirs.cache":                   {`"a\u0000b"`},
		"dirs.runtime":                 {`"a\u0000b"`, `"/` + strings.Repeat("long/", 30) + `"`},
	}
	for _, f := range fields {
		if len(bad[f.key]) == 0 {
			t.Errorf("%s: this test knows no bad value of it", f.key)
		}
		for _, value := range bad[f.key] {
			table, name, ok := strings.Cut(f.key, ".")
			text := fmt.Sprintf("[%s]\n%s = %s\n", table, name, value)
			if !ok {
				text = fmt.Sprintf("\n%s = %s\n", f.key, value)
			}
			path := write(t, text)
			_, err := Load(Sources{File: path, Environ: env(), Chord: chord})
			if err == nil || !strings.HasPrefix(err.Error(), fmt.Sprintf("%s:2: %s: ", path, f.key)) {
				t.Errorf("%s = %s: %v", f.key, value, err)
			}
		}
	}
}

// Without a setting of the user's, what is wrong with the usual place is told by
// where it comes from.
func TestRuntimeFolderIsTooLong(t *testing.T) {
	long := "/" + strings.Repeat("x", 90)
	_, err := Load(Sources{Environ: []string{"HOME=/h", "XDG_RUNTIME_DIR=" + long}})
	if err == nil || !strings.HasPrefix(err.Error(), "XDG_RUNTIME_DIR: dirs.runtime: ") {
		t.Errorf("%v", err)
	}
	if _, err := Load(Sources{Environ: []string{"HOME=/h", "XDG_RUNTIME_DIR=" + long[:60]}}); err != nil {
		t.Error(err)
	}
}
