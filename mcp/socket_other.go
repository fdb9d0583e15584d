//go:build !linux

package mcp

import (
	"errors"
	"io"
	"net"
	"os"
)

// lockFile says that this system has no lock that ends with its holder.
func lockFile(*os.File) error {
	return errors.New("clients on stdio cannot share one host on this system: use HTTP")
}

func peerPID(net.Conn) int { return 0 }

func hungUp(io.Writer) bool { return false }
