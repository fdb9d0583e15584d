// Command demo shows the main job end to end, as a client of the protocol that
// knows nothing of the host but its address: it reads a text editor's window,
// edits the document by the window's own tool, opens a dialog, sees that the
// owner is blocked and its tools are gone, answers the dialog, and saves. Whether
// it worked is judged by the saved file.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
)

func main() {
	oriel := flag.String("oriel", "bin/oriel", "the `program` to show")
	adapters := flag.String("adapters", "bin/adapters", "the `folder` with its adapters")
	out := flag.String("out", "demo", "the `folder` for the picture and the blocks")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	if err := run(ctx, *oriel, *adapters, *out); err != nil {
		fmt.Fprintln(os.Stderr, "demo:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, oriel, adapters, out string) (err error) {
	dir, err := os.MkdirTemp("", "oriel-demo-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	if err := os.MkdirAll(out, 0o755); err != nil {
		return err
	}
	h, err := startHost(ctx, oriel, adapters, dir)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, h.stop()) }()
	s, err := connect(ctx, h)
	if err != nil {
		return err
	}
	defer s.close()
	return (&story{session: s, host: h, dir: dir, out: out, file: filepath.Join(dir, "letter.txt")}).tell(ctx)
}
