// Runner is a program that is nothing but a runner.
package main

import (
	"os"

	"oriel.dev/oriel/sandbox"
)

func main() { os.Exit(sandbox.RunnerMain(os.Args[2:])) }
