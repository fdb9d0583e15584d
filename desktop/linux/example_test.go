package linux_test

import (
	"context"
	"fmt"
	"time"

	"oriel.dev/oriel/desktop/linux"
)

func ExampleOpen() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	d, err := linux.Open(ctx, linux.Config{Display: ":0"})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer d.Close()
	windows, err := d.Windows.List(ctx)
	if err != nil {
		fmt.Println(err)
		return
	}
	for _, w := range windows {
		o, err := d.Tree.Observe(ctx, w.ID)
		fmt.Println(w.Title, o.Tree, err)
	}
}
