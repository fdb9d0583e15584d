package hostabi_test

import (
	"fmt"

	"oriel.dev/oriel/hostabi"
)

func ExampleParse() {
	args, err := hostabi.Parse(`{"rows": [3, 5], "text": "caf\u00e9"}`)
	if err != nil {
		fmt.Println(err)
	}
	fmt.Println(args.Get("text").Str())
	for row := range args.Get("rows").Elements() {
		fmt.Println(row.Int())
	}
	fmt.Println(args.Get("missing").Bool())
	// Output:
	// café
	// 3
	// 5
	// false
}

func ExampleAppend() {
	fmt.Printf("%s\n", hostabi.Append(nil, &hostabi.ClickRequest{X: 10, Y: 20, Modifiers: []string{"ctrl"}}))
	// Output: {"x":10,"y":20,"modifiers":["ctrl"]}
}
