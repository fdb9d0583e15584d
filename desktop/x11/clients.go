package x11

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/res"
	"github.com/jezek/xgb/xproto"
)

// localClientPID asks the resource extension for a client's process.
const localClientPID = 2

// pids asks the server for the processes behind the windows, which it knows
// from the sockets; a window's own word may be missing or wrong. Answers are
// kept for the life of the window.
func (d *Display) pids(ctx context.Context, r *reading, l look) map[xproto.Window]int {
	out := make(map[xproto.Window]int)
	var unknown []xproto.Window
	for _, p := range append(slices.Clone(r.windows), r.popups...) {
		rec := l.records[p.xid]
		if rec == nil {
			continue
		}
		if pid := rec.pid.Load(); pid > 0 {
			out[p.xid] = int(pid - 1)
		} else {
			unknown = append(unknown, p.xid)
		}
	}
	if len(unknown) == 0 || !d.resources {
		return out
	}
	found, err := ask(ctx, d.questions, func(x *xgb.Conn) (map[xproto.Window]int, error) { return clientPIDs(x, unknown), nil })
	if err != nil {
		return out
	}
	for w, pid := range found {
		l.records[w].pid.Store(int64(pid) + 1)
		out[w] = pid
	}
	return out
}

func clientPIDs(x *xgb.Conn, windows []xproto.Window) map[xproto.Window]int {
	cookies := make([]res.QueryClientIdsCookie, len(windows))
	for i, w := range windows {
		cookies[i] = res.QueryClientIds(x, 1, []res.ClientIdSpec{{Client: uint32(w), Mask: localClientPID}})
	}
	out := make(map[xproto.Window]int)
	for i, c := range cookies {
		r, err := c.Reply()
		if err == nil && len(r.Ids) == 1 && len(r.Ids[0].Value) > 0 {
			out[windows[i]] = int(r.Ids[0].Value[0])
		}
	}
	return out
}

// process returns the base name of a process's executable.
func process(pid int) string {
	if pid <= 0 {
		return ""
	}
	exe, err := os.Readlink(fmt.Sprintf("/proc/%d/exe", pid))
	if err != nil {
		return ""
	}
	return filepath.Base(strings.TrimSuffix(exe, " (deleted)"))
}
