package bridge_test

import (
	"fmt"

	"oriel.dev/oriel/bridge"
)

// A snapshot is what clients read: the windows, and which of them take input.
func ExampleNewSnapshot() {
	s := bridge.NewSnapshot(1, []*bridge.Window{
		{ID: "w1", App: "mousepad", Title: "letter.txt", Version: 3, Summary: "Editing “letter.txt”.", BlockedBy: "w2"},
		{ID: "w2", App: "mousepad", Title: "Save Changes", Modal: true, OwnerID: "w1", Version: 1, Operable: true},
	})
	fmt.Println(s.Operable)
	fmt.Println(string(s.Window("w2").JSON()))
	// Output:
	// [w2]
	// {"id":"w2","app":"mousepad","title":"Save Changes","modal":true,"ownerId":"w1","version":1,"summary":"","blocks":[]}
}
