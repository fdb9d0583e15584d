package desktoptest_test

import (
	"context"
	"fmt"

	"oriel.dev/oriel/desktop"
	"oriel.dev/oriel/desktop/desktoptest"
	"oriel.dev/oriel/tree"
)

func ExampleDesktop() {
	d := desktoptest.New()
	roles := d.Roles()
	ctx := context.Background()

	note := d.AddWindow(desktop.Window{Title: "Note", App: desktop.App{Name: "notes"}}, desktoptest.Tree(
		desktoptest.N(tree.Node{Role: tree.RoleWindow, Name: "Note"},
			desktoptest.N(tree.Node{Role: tree.RoleButton, Name: "Delete", Actions: []tree.Action{{Name: "click"}}}),
		)))
	button, _ := d.Find(note, tree.RoleButton, "Delete")
	d.Bind(button, 0, func() {
		d.AddWindow(desktop.Window{Title: "Delete the note?", App: desktop.App{Name: "notes"}, Owner: note, Modal: true}, nil)
	})

	if err := roles.Tree.Act(ctx, note, button, desktop.Deed{Kind: desktop.DoAction}); err != nil {
		fmt.Println(err)
	}
	windows, _ := roles.Windows.List(ctx)
	for _, w := range windows {
		fmt.Println(w.Title, "modal:", w.Modal)
	}
	// Output:
	// Note modal: false
	// Delete the note? modal: true
}
