// Package plugintest runs an adapter natively against recorded observations and
// a scripted host. What passes here passes in the real host: the bytes go
// through the same encoders and the same hostabi/check.
//
//	func TestTranslate(t *testing.T) {
//		plugintest.Translate(t, adapter, "testdata/main.ort")
//	}
//
// compares with testdata/main.view.json; go test -update writes that file. An
// observation is recorded with oriel adapter record, or written by hand with
// [Tree].
//
// A module serves one call at a time, and so does this package: tests that use
// it may be parallel, their calls are not.
package plugintest

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/hostabi/check"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

var update = flag.Bool("update", false, "write the golden files")

// running is held while an adapter runs, since the host behind the imports is
// one for the whole process.
var running sync.Mutex

// Translate has the adapter translate the observation in a file and compares
// the view with the golden file beside it. It fails the test if the view is
// refused by the host or if a second call gives another one. It returns the
// view. An adapter that needs pixels gets them from the script; without one,
// every capability is denied, as before an administrator grants it.
func Translate(t testing.TB, a pluginsdk.Adapter, file string, script ...Exchange) *hostabi.View {
	t.Helper()
	view := View(t, a, read(t, file), script...)
	golden(t, strings.TrimSuffix(file, tree.Extension)+".view.json", hostabi.AppendView(nil, view))
	return view
}

// View is Translate without a golden file, on an encoded observation.
func View(t testing.TB, a pluginsdk.Adapter, observation []byte, script ...Exchange) *hostabi.View {
	t.Helper()
	translate := func() []byte {
		if len(script) == 0 {
			return with(translateHost, func() []byte { return pluginsdk.Translate(nil, a, observation) })
		}
		host := &scriptedHost{t: t, script: script}
		defer host.finish()
		return with(host.call, func() []byte { return pluginsdk.Translate(nil, a, observation) })
	}
	first := translate()
	if second := translate(); !bytes.Equal(first, second) {
		t.Fatalf("translate is not pure: the same observation gave\n%s\nand then\n%s", first, second)
	}
	view, err := hostabi.ParseView(first)
	if err != nil {
		t.Fatalf("translating: %v", err)
	}
	if err := check.View(view); err != nil {
		t.Fatalf("the host would refuse this view:\n%v", err)
	}
	return view
}

// with runs an adapter on a host, while no other runs.
func with(host pluginsdk.Host, run func() []byte) []byte {
	running.Lock()
	defer running.Unlock()
	pluginsdk.SetHost(host)
	defer pluginsdk.SetHost(nil)
	return run()
}

// translateHost is what translate finds without a granted capability.
func translateHost(f hostabi.Function, _ []byte) ([]byte, *hostabi.Fault) {
	if f.Capability == hostabi.CapLog {
		return nil, nil
	}
	why := "was not granted; the view must do without it"
	if !f.Translate {
		why = "is not to be had in translate; use it in invoke"
	}
	return nil, &hostabi.Fault{
		Code: hostabi.CodeDenied, Capability: f.Capability, Message: string(f.Capability) + " " + f.Name + " " + why,
	}
}

// Invoke has the adapter carry out an action of the window in a file. The
// arguments are JSON; the script is what the host is to be asked, in this order
// and no more. Like the host, it first has the window translated and refuses an
// action that is not offered, or arguments that its schema does not take. It
// returns the outcome, checked against the action.
func Invoke(t testing.TB, a pluginsdk.Adapter, file, action, args string, script ...Exchange) *hostabi.Outcome {
	t.Helper()
	return InvokeOn(t, a, read(t, file), action, args, script...)
}

// InvokeOn is Invoke on an encoded observation.
func InvokeOn(t testing.TB, a pluginsdk.Adapter, observation []byte, action, args string, script ...Exchange) *hostabi.Outcome {
	t.Helper()
	host := &scriptedHost{t: t, script: script}
	defer host.finish()
	return InvokeWith(t, a, observation, action, args, host.call)
}

// InvokeWith is InvokeOn with a host of the test's own in the place of a script:
// an application that answers to what it is asked.
func InvokeWith(t testing.TB, a pluginsdk.Adapter, observation []byte, action, args string, host pluginsdk.Host) *hostabi.Outcome {
	t.Helper()
	offered := find(t, View(t, a, observation), action)
	if faults := check.Args(offered.Input, []byte(args)); len(faults) > 0 {
		t.Fatalf("the host would refuse these arguments: %+v", faults)
	}
	call := hostabi.Call{Action: action, Args: args, Observation: observation}
	out := with(host, func() []byte { return pluginsdk.Invoke(nil, a, hostabi.AppendCall(nil, &call)) })
	outcome, err := hostabi.ParseOutcome(out)
	if err != nil {
		t.Fatalf("invoking %s: %v", action, err)
	}
	if err := check.Outcome(outcome, offered); err != nil {
		t.Fatalf("the host would refuse this outcome:\n%v", err)
	}
	return outcome
}

// find returns the action, which must be offered and available.
func find(t testing.TB, v *hostabi.View, name string) hostabi.Action {
	t.Helper()
	for _, list := range [][]hostabi.Action{v.Actions, v.AppActions} {
		for _, a := range list {
			if a.Name == name && a.Unavailable != "" {
				t.Fatalf("the action %s is not available: %s", name, a.Unavailable)
			}
			if a.Name == name {
				return a
			}
		}
	}
	t.Fatalf("the window offers no action %s", name)
	return hostabi.Action{}
}

func read(t testing.TB, file string) []byte {
	t.Helper()
	b, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("reading the observation: %v", err)
	}
	return b
}

// golden compares JSON with a file, or writes the file. It is indented for the
// people who review it.
func golden(t testing.TB, file string, got []byte) {
	t.Helper()
	var indented bytes.Buffer
	if err := json.Indent(&indented, got, "", "  "); err != nil {
		t.Fatalf("indenting %s: %v", file, err)
	}
	indented.WriteByte('\n')
	if *update {
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, indented.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("reading the golden file: %v; write it with -update", err)
	}
	if !bytes.Equal(indented.Bytes(), want) {
		t.Errorf("the view differs from %s; if it is right, run with -update\n%s", file, firstDifference(indented.Bytes(), want))
	}
}

// firstDifference shows the first line in which two texts differ.
func firstDifference(got, want []byte) string {
	g, w := strings.Split(string(got), "\n"), strings.Split(string(want), "\n")
	for i := range max(len(g), len(w)) {
		var a, b string
		if i < len(g) {
			a = g[i]
		}
		if i < len(w) {
			b = w[i]
		}
		if a != b {
			return "got:  " + a + "\nwant: " + b
		}
	}
	return ""
}
