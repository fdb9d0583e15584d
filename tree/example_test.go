package tree_test

import (
	"fmt"

	"oriel.dev/oriel/tree"
)

func Example() {
	window := &tree.Tree{
		Window: tree.Window{Title: "Find"},
		Nodes: []tree.Node{
			{ID: 1, Parent: -1, Role: tree.RoleDialog},
			{ID: 2, Role: tree.RoleLabel, Name: "Search for:"},
			{ID: 3, Role: tree.RoleEntry, Text: "needle", Relations: []tree.Relation{{Kind: tree.LabelledBy, Target: 2}}},
		},
	}
	if err := window.Link(); err != nil {
		fmt.Println(err)
	}

	r, err := tree.NewReader(tree.Append(nil, window))
	if err != nil {
		fmt.Println(err)
	}
	for c := range r.Root().Children() {
		if c.Role() == tree.RoleEntry {
			fmt.Printf("%s %q\n", c.Label(), c.Text())
		}
	}
	// Output: Search for: "needle"
}
