package check_test

import (
	"fmt"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/hostabi/check"
)

func ExampleArgs() {
	schema := `{"type":"object","required":["row"],"properties":{"row":{"type":"integer","minimum":0}}}`
	for _, f := range check.Args(schema, []byte(`{"row":-2}`)) {
		fmt.Println(f.Field, f.Error)
	}
	// Output: row is -2; it must be at least 0
}

func ExampleView() {
	view := &hostabi.View{Blocks: []hostabi.Block{
		{Key: "files", Type: hostabi.Table, Columns: []string{"Name", "Size"}, Rows: [][]hostabi.Scalar{{"a.txt"}}},
	}}
	fmt.Println(check.View(view))
	// Output: view: blocks[0].rows[0]: has 1 cells; there are 2 columns
}
