// Probe is the adapter that the tests of package sandbox run. What it does is
// said by the window's title in translate and by the action in invoke.
package main

import (
	"fmt"
	"os"
	"strings"
	"time"
	"unsafe"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/pluginsdk"
	"oriel.dev/oriel/tree"
)

func init() {
	pluginsdk.Register(pluginsdk.Adapter{Translate: translate, Invoke: invoke})
}

func main() {}

// calls counts the calls of this instance: a new instance starts at 0.
var calls int

func translate(r *tree.Reader) (*hostabi.View, error) {
	calls++
	title := r.Window().Title
	v := &hostabi.View{Title: title, Summary: fmt.Sprintf("call %d", calls)}
	if err := do(title, v); err != nil {
		return nil, err
	}
	if strings.HasPrefix(title, "nodes") {
		nodes(r, v)
	}
	return v, nil
}

// nodes does what a real adapter does: it looks at every node and shows what has
// a value.
func nodes(r *tree.Reader, v *hostabi.View) {
	fields := hostabi.Block{Key: "fields", Type: hostabi.Fields}
	table := hostabi.Block{Key: "rows", Type: hostabi.Table, Columns: []string{"name", "role"}}
	for c := range r.Root().Descendants() {
		switch {
		case c.Role() == tree.RoleEntry && len(fields.Items) < 100:
			fields.Items = append(fields.Items, hostabi.Field{Label: c.Name(), Value: c.Text()})
		case c.Role() == tree.RoleTableCell && len(table.Rows) < 100:
			table.Rows = append(table.Rows, []hostabi.Scalar{c.Name(), c.Role().String()})
		}
	}
	v.Blocks = append(v.Blocks, fields, table)
}

func invoke(c *pluginsdk.Call) (*hostabi.Outcome, error) {
	calls++
	v := &hostabi.View{Summary: fmt.Sprintf("call %d", calls)}
	if err := do(c.Action, v); err != nil {
		return nil, err
	}
	return &hostabi.Outcome{Message: v.Summary}, nil
}

// do carries out a command and notes its result in the summary.
func do(command string, v *hostabi.View) error {
	name, arg, _ := strings.Cut(command, " ")
	n := 0
	fmt.Sscan(arg, &n)
	switch name {
	case "panic":
		outer(arg)
	case "exit":
		os.Exit(3)
	case "flood":
		for range 20_000 {
			fmt.Fprintln(os.Stderr, "a line of noise")
		}
		outer(arg)
	case "spin":
		for end := 0; ; end++ {
			sink = end
		}
	case "fib":
		sink = fib(n)
	case "recurse":
		sink = deep(n)
	case "grow":
		for {
			kept = append(kept, make([]byte, 1<<20))
		}
	case "sleep":
		time.Sleep(time.Duration(n) * time.Millisecond)
	case "huge":
		v.Summary = strings.Repeat("x", n)
	case "bad":
		v.Blocks = append(v.Blocks, hostabi.Block{Key: "k", Type: "nonsense"})
	case "refuse":
		return pluginsdk.Refuse(hostabi.CodeUnsupported, "not this window")
	case "clock":
		v.Summary = fmt.Sprint(time.Now().UnixNano(), " ", len(os.Args), len(os.Environ()))
	case "file":
		_, err := os.ReadFile("/etc/passwd")
		v.Summary = fmt.Sprint(err)
	case "log":
		for i := range n {
			pluginsdk.Log(pluginsdk.Info, fmt.Sprintf("line %d\n\x1b[31mred", i))
		}
	case "kv":
		return kv(arg, v)
	case "call":
		for range n {
			if _, err := pluginsdk.Observe(); err != nil {
				return err
			}
		}
	case "all":
		v.Summary = all()
	}
	return nil
}

var (
	sink int
	kept [][]byte
)

func outer(s string)  { middle(s) }
func middle(s string) { inner(s) }

//go:noinline
func inner(s string) { panic("probe says " + s) }

// fib has no loop, so an engine that looks at its deadline in loops alone never
// stops it.
//
//go:noinline
func fib(n int) int {
	if n < 2 {
		return n
	}
	return fib(n-1) + fib(n-2)
}

//go:noinline
func deep(n int) int {
	if n == 0 {
		return 0
	}
	return deep(n-1) + 1
}

func kv(key string, v *hostabi.View) error {
	if err := pluginsdk.Store(key, []byte("value of "+key)); err != nil {
		return err
	}
	b, found, err := pluginsdk.Load(key)
	if err != nil {
		return err
	}
	if err := pluginsdk.Delete(key); err != nil {
		return err
	}
	_, after, err := pluginsdk.Load(key)
	v.Summary = fmt.Sprintf("%s %v %v", b, found, after)
	return err
}

// all calls every host function with an empty request and lists the codes of the
// replies.
func all() string {
	var out []string
	for i, f := range table {
		req := []byte("{}")
		n := f(unsafe.Pointer(unsafe.SliceData(req)), uint32(len(req)))
		reply := make([]byte, n)
		take(unsafe.Pointer(unsafe.SliceData(reply)), n)
		code := "ok"
		if n > 0 && reply[0] == 1 {
			if fault, err := hostabi.ParseFault(reply[1:]); err == nil {
				code = string(fault.Code)
			}
		}
		out = append(out, fmt.Sprintf("%s=%s", hostabi.Functions[i].Name, code))
	}
	return strings.Join(out, " ")
}
