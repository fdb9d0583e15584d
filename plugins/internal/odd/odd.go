// Package odd tests that an adapter stands whatever an application tells of
// itself: recorded observations are changed at random, and the adapter must make
// a view of each that the host takes, or refuse; so must its actions, with a host
// that answers oddly.
package odd

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/hostabi/check"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"

	"pgregory.net/rapid"
)

const secret = "tr0ub4dor"

// words are what elements are called and say: what people write, and what breaks
// careless code.
var words = []string{
	"", "", "Name:", "Save...", "12:34:56", "a\nb", "\ufffc", "\u202eevil", "\x00", "\xff\xfe", " ", "名前：", "Warning: hot", "(", "#1", "B12", "/", "*", "-1",
	"A sentence that is long enough not to be taken for the label of anything at all, as it goes on and on.",
}

// Check runs the adapter against changed versions of the observations that are
// recorded in the folder testdata.
func Check(t *testing.T, a pluginsdk.Adapter) {
	t.Helper()
	files, err := filepath.Glob("testdata/*" + tree.Extension)
	if err != nil || len(files) == 0 {
		t.Fatalf("finding the recorded observations: %v, %d files", err, len(files))
	}
	recorded := map[string][]byte{}
	for _, file := range files {
		b, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		recorded[file] = b
	}
	defer pluginsdk.SetHost(nil)
	rapid.Check(t, func(t *rapid.T) {
		observation := change(t, recorded[rapid.SampledFrom(files).Draw(t, "recorded")])
		pluginsdk.SetHost(nil)
		first := pluginsdk.Translate(nil, a, observation)
		if second := pluginsdk.Translate(nil, a, observation); !bytes.Equal(first, second) {
			t.Fatalf("the same observation gave\n%s\nand then\n%s", first, second)
		}
		if bytes.Contains(first, []byte(secret)) {
			t.Fatalf("a secret is in the view: %s", first)
		}
		view, err := hostabi.ParseView(first)
		if err != nil {
			t.Fatalf("translating: %v", err)
		}
		if err := check.View(view); err != nil {
			t.Fatalf("the host would refuse this view:\n%v", err)
		}
		invoke(t, a, view, observation)
	})
}

// change makes a tree that an application of another version, language or mind
// might show.
func change(t *rapid.T, recorded []byte) []byte {
	tr, err := tree.Decode(recorded)
	if err != nil {
		t.Fatal(err)
	}
	word := rapid.SampledFrom(words)
	tr.Window.Title = rapid.SampledFrom([]string{tr.Window.Title, word.Draw(t, "title")}).Draw(t, "titled")
	for range rapid.IntRange(0, 12).Draw(t, "changes") {
		if len(tr.Nodes) == 0 {
			break
		}
		i := rapid.IntRange(0, len(tr.Nodes)-1).Draw(t, "node")
		n := &tr.Nodes[i]
		switch rapid.IntRange(0, 9).Draw(t, "change") {
		case 0:
			n.Name = word.Draw(t, "name")
		case 1:
			n.Text, n.TextInfo = word.Draw(t, "text"), &tree.TextInfo{Length: rapid.Int64Range(-1, 1<<40).Draw(t, "length"), Caret: -1}
		case 2:
			n.Role = tree.Role(rapid.IntRange(0, 80).Draw(t, "role"))
		case 3:
			n.States = tree.States(rapid.Uint64().Draw(t, "states"))
		case 4:
			n.HasBounds = !n.HasBounds
		case 5:
			n.Table = &tree.Table{Rows: rapid.Int64Range(-1, 1<<40).Draw(t, "rows"), Columns: rapid.Int64Range(-1, 1<<40).Draw(t, "columns")}
		case 6:
			n.Cell = &tree.Cell{Row: rapid.Uint32().Draw(t, "row"), Column: rapid.Uint32().Draw(t, "column")}
		case 7:
			n.Actions, n.Value = nil, nil
		case 8:
			n.Sensitive, n.Text = true, secret
		case 9:
			cut(tr, i)
		}
	}
	if err := tr.Link(); err != nil {
		t.Fatal(err)
	}
	return tree.Append(nil, tr)
}

// cut takes a node with all below it out of a tree; the root stays.
func cut(tr *tree.Tree, i int) {
	if i == 0 {
		return
	}
	gone := map[int32]bool{int32(i): true}
	moved := map[int32]int32{-1: -1}
	var kept []tree.Node
	for j := range tr.Nodes {
		n := tr.Nodes[j]
		if gone[int32(j)] || gone[n.Parent] {
			gone[int32(j)] = true
			continue
		}
		moved[int32(j)] = int32(len(kept))
		n.Parent = moved[n.Parent]
		kept = append(kept, n)
	}
	tr.Nodes = kept
}

// invoke carries out one of the actions that are offered, with arguments that
// its schema takes.
func invoke(t *rapid.T, a pluginsdk.Adapter, view *hostabi.View, observation []byte) {
	if len(view.Actions) == 0 {
		return
	}
	action := rapid.SampledFrom(view.Actions).Draw(t, "action")
	args := arguments(t, action.Input)
	if len(check.Args(action.Input, []byte(args))) > 0 {
		return
	}
	pluginsdk.SetHost(func(f hostabi.Function, _ []byte) ([]byte, *hostabi.Fault) {
		name := string(f.Capability) + " " + f.Name
		switch {
		case rapid.IntRange(0, 3).Draw(t, name) == 0:
			return nil, &hostabi.Fault{Code: hostabi.CodeTimeout, Message: "the application did not answer"}
		case name == "oriel:tree observe", name == "oriel:tree children", name == "oriel:tree cells":
			return observation, nil
		case name == "oriel:tree text":
			return []byte(rapid.SampledFrom(words).Draw(t, "read")), nil
		case name == "oriel:wait change":
			return hostabi.Append(nil, &hostabi.WaitReply{WaitedMS: 1000}), nil
		}
		return nil, nil
	})
	out, err := hostabi.ParseOutcome(pluginsdk.Invoke(nil, a, hostabi.AppendCall(nil, &hostabi.Call{Action: action.Name, Args: args, Observation: observation})))
	if err != nil {
		t.Fatalf("%s %s: %v", action.Name, args, err)
	}
	if err := check.Outcome(out, action); err != nil {
		t.Fatalf("%s %s: the host would refuse this outcome:\n%v", action.Name, args, err)
	}
}

// arguments draws an object for a schema.
func arguments(t *rapid.T, schema string) string {
	var s struct {
		Properties map[string]struct {
			Type  any
			Enum  []any
			Items struct{ Type any }
		}
	}
	if schema != "" {
		if err := json.Unmarshal([]byte(schema), &s); err != nil {
			t.Fatal(err)
		}
	}
	args := map[string]any{}
	for name, p := range s.Properties {
		switch {
		case len(p.Enum) > 0:
			args[name] = p.Enum[rapid.IntRange(0, len(p.Enum)-1).Draw(t, name)]
		case p.Type == "integer", p.Type == "number":
			args[name] = rapid.Int64Range(0, 1<<40).Draw(t, name)
		case p.Type == "boolean":
			args[name] = rapid.Bool().Draw(t, name)
		case p.Type == "array" && p.Items.Type == "array":
			args[name] = [][]any{{rapid.SampledFrom(words).Draw(t, name)}, {}}
		case p.Type == "array":
			args[name] = []any{rapid.SampledFrom(words).Draw(t, name)}
		default:
			args[name] = rapid.SampledFrom(words).Draw(t, name)
		}
	}
	text, err := json.Marshal(args)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
