//go:build desktop

package x11

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/jezek/xgb"

	"oriel.dev/oriel/desktop/linux/virtual"
)

var update = flag.Bool("update", false, "record the keyboard maps in testdata anew")

// TestRecordedMapsAreTrue compares the maps that the tests without a desktop use
// with those of a real server.
func TestRecordedMapsAreTrue(t *testing.T) {
	v := start(t, virtual.Config{Width: 640, Height: 480, WindowManager: []string{}})
	d, _ := open(t, v)
	for _, layout := range []string{"us", "de", "fr", "us,ru"} {
		setLayout(t, v, layout)
		b, err := ask(within(t), d.hands, func(*xgb.Conn) ([]byte, error) { return d.hands.send(mapRequest(d.input.xkb)).Reply() })
		if err != nil {
			t.Fatal(err)
		}
		b[2], b[3] = 0, 0 // the sequence number
		file := filepath.Join("testdata", strings.ReplaceAll(layout, ",", "+")+".xkb")
		if *update {
			if err := os.WriteFile(file, b, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if string(b) != string(want) {
			t.Errorf("the map of %s has changed: record it anew with -update", layout)
		}
	}
}
