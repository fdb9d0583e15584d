package main

import (
	"context"
	"fmt"
	"os"
	"strings"
	"time"

	"oriel.dev/oriel/desktop/atspi"
	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/hostabi/check"
	"oriel.dev/oriel/plugins/generic/window"
	"oriel.dev/oriel/tree"
)

func main() {
	ctx, c := context.WithTimeout(context.Background(), 20*time.Second)
	defer c()
	b, err := atspi.Open(ctx, atspi.Config{})
	if err != nil { panic(err) }
	apps, err := b.Apps(ctx)
	if err != nil { panic(err) }
	want := os.Args[1];
	for _, a := range apps {
		if !strings.Contains(strings.ToLower(a.Name), want) { continue }
		tops, err := b.TopLevels(ctx, a)
		if err != nil { fmt.Println(err); continue }
		for i, t := range tops {
			if t.Popup { continue }
			start := time.Now()
			r, err := b.Read(ctx, a, t.Path, atspi.ReadOptions{})
			if err != nil { fmt.Println(a.Name, err); continue }
			took := time.Since(start)
			tr := &tree.Tree{Nodes: r.Nodes, Partial: r.Partial, Why: r.Why}
			tr.Window = tree.Window{Title: t.Name, Class: a.Name, App: strings.ToLower(a.Name), Toolkit: a.Toolkit, Bounds: t.Bounds}
			if a.Space() == atspi.ScreenSpace {
				for i := range tr.Nodes { tr.Nodes[i].Bounds.X -= t.Bounds.X; tr.Nodes[i].Bounds.Y -= t.Bounds.Y }
			}
			enc := tree.Append(nil, tr)
			if err != nil { panic(err) }
			name := fmt.Sprintf("/tmp/w/plug/rec/%s-%d", strings.ReplaceAll(strings.ToLower(a.Name), " ", "-"), i)
			os.WriteFile(name+".ort", enc, 0o644)
			rd, err := tree.NewReader(enc)
			if err != nil { panic(err) }
			fmt.Printf("##### %s nodes %d calls %d read %v tree %d bytes\n", name, len(r.Nodes), r.Calls, took, len(enc))
			if len(os.Args) > 2 && os.Args[2] == "menus" {
				for _, n := range r.Nodes {
					if n.Role == tree.RoleMenu || n.Role == tree.RoleButton && n.Name == "Basic" {
						k, err := b.Children(ctx, a, n.ID, 0, 200)
						fmt.Println(n.Name, err)
						for _, c := range k.Nodes { fmt.Println("   ", c.Role, c.Name, c.States.Names(), c.Actions) }
					}
				}
				continue
			}
			if len(os.Args) > 2 { dump(rd) }
			v := window.Read(rd).View()
			if err := check.View(v); err != nil { fmt.Println("CHECK", err) }
			Show(v)
			fmt.Println("view bytes", len(hostabi.AppendView(nil, v)))
		}
	}
}

func dump(r *tree.Reader) {
	for c := range r.All() {
		d := 0
		for p := c.Parent(); p.Valid(); p = p.Parent() { d++ }
		fmt.Printf("%s%s %q", strings.Repeat("  ", d), c.Role(), c.Name())
		if c.Description() != "" { fmt.Printf(" desc=%q", c.Description()) }
		if c.Text() != "" { fmt.Printf(" text=%q", c.Text()) }
		if c.HasBounds() { b := c.Bounds(); fmt.Printf(" [%d,%d %dx%d]", b.X, b.Y, b.W, b.H) }
		fmt.Printf(" {%s}", strings.Join(c.States().Names(), " "))
		for _, a := range c.Actions() { fmt.Printf(" !%s", a.Name) }
		if v, ok := c.Value(); ok { fmt.Printf(" val=%v", v) }
		if v, ok := c.Table(); ok { fmt.Printf(" tab=%v", v) }
		if v, ok := c.Cell(); ok { fmt.Printf(" cell=%v", v) }
		for rel := range c.Relations() { fmt.Printf(" rel%d->%d", rel.Kind, r.ByID(rel.Target).Index()) }
		for k, v := range c.Attributes() { fmt.Printf(" @%s=%s", k, v) }
		if c.ChildrenTotal() != int64(c.ChildrenCount()) { fmt.Printf(" kids=%d/%d first %d end %d", c.ChildrenCount(), c.ChildrenTotal(), c.ChildrenFirst(), c.End()) }
		fmt.Println()
	}
}

func Show(v *hostabi.View) {
	fmt.Printf("TITLE %s\nSUMMARY %s\n", v.Title, v.Summary)
	for _, b := range v.Blocks {
		fmt.Printf("[%s %s] %s%s\n", b.Type, b.Key, b.Severity, b.Text)
		for _, f := range b.Items { fmt.Printf("    %s: %#v\n", f.Label, f.Value) }
		if b.Columns != nil { fmt.Printf("    %q\n", b.Columns) }
		for _, r := range b.Rows { fmt.Printf("    %v\n", r) }
		for _, r := range b.List { fmt.Printf("    - %v\n", r) }
		if b.Truncated { fmt.Println("    truncated", b.Offset, b.Total) }
	}
	for _, a := range v.Actions {
		fmt.Printf("(%s) %s\n", a.Name, a.Description)
		if os.Getenv("SCHEMA") != "" || a.Name == "press" { fmt.Printf("     in %s\n", a.Input) }
		if a.Unavailable != "" { fmt.Println("     UNAVAILABLE", a.Unavailable) }
	}
}
