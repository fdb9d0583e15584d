// Cgorunner is a runner that links the C library.
package main

// #include <stdlib.h>
import "C"

import (
	"os"

	"oriel.dev/oriel/sandbox"
)

func main() {
	C.free(C.malloc(1)) // links it
	os.Exit(sandbox.RunnerMain(os.Args[2:]))
}
