//go:build desktop

package host

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// process is a running program as /proc shows it.
type process struct {
	pid, parent int
	name        string
	environ     string
}

// processes lists what runs now. One that ends meanwhile is left out.
func processes(t testing.TB) (all []process) {
	t.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		environ, errEnv := os.ReadFile(filepath.Join(filepath.Dir(path), "environ"))
		open, end := strings.IndexByte(string(stat), '('), strings.LastIndexByte(string(stat), ')')
		if err != nil || errEnv != nil || open < 0 || end < open {
			continue
		}
		p := process{name: string(stat[open+1 : end]), environ: "\x00" + string(environ)}
		var state string
		if _, err := fmt.Sscan(string(stat[:open]), &p.pid); err != nil {
			t.Fatal(err)
		}
		if _, err := fmt.Sscan(string(stat[end+1:]), &state, &p.parent); err != nil {
			t.Fatal(err)
		}
		if state != "Z" {
			all = append(all, p)
		}
	}
	return all
}

// only returns the one process that is wanted.
func only(t testing.TB, what string, wanted func(process) bool) process {
	t.Helper()
	found := slices.DeleteFunc(processes(t), func(p process) bool { return !wanted(p) })
	if len(found) != 1 {
		t.Fatalf("%d processes are %s, want one: %v", len(found), what, found)
	}
	return found[0]
}

// A virtual desktop whose X server does not answer for a while keeps its
// applications: a real host gives the connection up, finds the same desktop again,
// and serves the same applications with what was typed into them.
func TestStalledServerCostsNoApplication(t *testing.T) {
	r := newRig(t)
	file := filepath.Join(r.dir, "stalled.txt")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := r.stdio("--virtual", "--launch", "mousepad "+file, "--launch", "zenity --entry --title=Bystander --text=Name")
	host := only(t, "the host", func(p process) bool {
		cmdline, _ := os.ReadFile(fmt.Sprintf("/proc/%d/cmdline", p.pid))
		return slices.Contains(r.programs(), p.pid) && strings.Contains(string(cmdline), "--linger")
	})
	server := only(t, "the host's X server", func(p process) bool { return p.parent == host.pid && p.name == "Xvfb" })
	editor, bystander := c.looked("stalled.txt"), c.looked("Bystander")
	c.act(editor, "set_text", map[string]any{"text": "typed before the stall\n"})
	before := c.applications(host.pid)

	_ = syscall.Kill(server.pid, syscall.SIGSTOP)
	t.Cleanup(func() { _ = syscall.Kill(server.pid, syscall.SIGCONT) })
	stalled := time.After(3 * time.Second)
	c.call("tools/call", map[string]any{"name": "desktop_act", "arguments": map[string]any{ // whatever it answers, it answers
		"winId": bystander, "action": "set_field", "args": map[string]any{"field": "Name", "value": "x"},
	}})
	<-stalled
	_ = syscall.Kill(server.pid, syscall.SIGCONT)

	again := c.other("stalled.txt", editor)
	if after := c.applications(host.pid); !slices.Equal(before, after) {
		t.Errorf("the desktop runs %v, and ran %v before the stall", after, before)
	}
	c.act(again, "insert_text", map[string]any{"text": "typed after it\n", "where": "end"})
	c.act(again, "save", nil)
	want := "typed before the stall\ntyped after it\n"
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for end := time.Now().Add(patience); ; <-tick.C {
		b, err := os.ReadFile(file)
		if err == nil && string(b) == want {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("the editor saved %q (%v), want %q", b, err, want)
		}
	}
}

// act carries out an action by the fixed tool, and fails the test if it is refused.
func (c *stdioClient) act(window, action string, args map[string]any) {
	c.Helper()
	if args == nil {
		args = map[string]any{}
	}
	end := time.Now().Add(2 * patience)
	for {
		res := c.call("tools/call", map[string]any{"name": "desktop_act", "arguments": map[string]any{"winId": window, "action": action, "args": args}})
		content := fmt.Sprint(res["content"])
		switch {
		case res["isError"] != true:
			return
		case strings.Contains(content, "action_not_available") && time.Now().Before(end):
			continue // the application's own adapter may still be compiled
		}
		c.Fatalf("%s on %s: %v", action, window, content)
	}
}

// applications are the applications and the X server of a host's own desktop, by
// name and process id.
func (c *stdioClient) applications(host int) (out []string) {
	c.Helper()
	for _, p := range processes(c) {
		if p.parent == host && slices.Contains([]string{"Xvfb", "mousepad", "zenity", "openbox"}, p.name) {
			out = append(out, fmt.Sprintf("%s %d", p.name, p.pid))
		}
	}
	slices.Sort(out)
	return out
}

// looked waits for a window whose title contains a text, and that has been looked
// at.
func (c *stdioClient) looked(title string) (id string) {
	c.Helper()
	return c.other(title, "")
}

// other waits for such a window with another id than one.
func (c *stdioClient) other(title, than string) string {
	c.Helper()
	var text string
	for end := time.Now().Add(2 * patience); time.Now().Before(end); {
		res := c.call("resources/read", map[string]any{"uri": "app://windows"})
		text = res["contents"].([]any)[0].(map[string]any)["text"].(string)
		var s struct {
			Windows []struct {
				ID, Title, Summary string // no summary: it has not been looked at
			}
		}
		if err := json.Unmarshal([]byte(text), &s); err != nil {
			c.Fatal(err)
		}
		for _, w := range s.Windows {
			if strings.Contains(w.Title, title) && w.Summary != "" && w.ID != than {
				return w.ID
			}
		}
	}
	c.Fatalf("no window %q other than %q in %s", title, than, text)
	return ""
}
