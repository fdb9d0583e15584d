package x11

import (
	"bytes"
	"context"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// address is a parsed display name.
type address struct {
	network string // "unix" or "tcp"
	path    string // the socket, or host and port
	host    string // "" for this machine
	number  int
	screen  int
}

// parseDisplay understands [[protocol/]host]:number[.screen] and a socket path
// followed by :number.
func parseDisplay(name string) (address, error) {
	host, rest, ok := cutLast(name, ":")
	num, scr, _ := strings.Cut(rest, ".")
	number, err := strconv.Atoi(num)
	if !ok || err != nil || number < 0 {
		return address{}, fmt.Errorf("%q is not a display name such as \":0\"", name)
	}
	a := address{number: number}
	if scr != "" {
		if a.screen, err = strconv.Atoi(scr); err != nil || a.screen < 0 {
			return address{}, fmt.Errorf("%q is not a display name such as \":0.0\"", name)
		}
	}
	if strings.HasPrefix(host, "/") {
		a.network, a.path = "unix", host+":"+num
		return a, nil
	}
	if _, h, ok := strings.Cut(host, "/"); ok {
		host = h
	}
	if host == "" || host == "unix" {
		a.network, a.path = "unix", fmt.Sprintf("/tmp/.X11-unix/X%d", number)
		return a, nil
	}
	a.network, a.host = "tcp", host
	a.path = net.JoinHostPort(strings.Trim(host, "[]"), strconv.Itoa(6000+number))
	return a, nil
}

func cutLast(s, sep string) (before, after string, found bool) {
	if i := strings.LastIndex(s, sep); i >= 0 {
		return s[:i], s[i+len(sep):], true
	}
	return "", s, false
}

// dial connects. A local server listens on a socket file, in the abstract
// namespace, or both.
func (a address) dial(ctx context.Context) (net.Conn, error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	var d net.Dialer
	c, err := d.DialContext(ctx, a.network, a.path)
	if err == nil || a.network != "unix" {
		return c, err
	}
	if c, abstract := d.DialContext(ctx, "unix", "@"+a.path); abstract == nil {
		return c, nil
	}
	return nil, err
}

// The address families of an authority file.
const (
	familyInternet  = 0
	familyInternet6 = 6
	familyLocal     = 256
	familyWild      = 65535
)

// cookie returns the MIT-MAGIC-COOKIE-1 for the display in hexadecimal, or "".
func (a address) cookie() string {
	file := os.Getenv("XAUTHORITY")
	if file == "" {
		home, err := os.UserHomeDir()
		if err != nil {
			return ""
		}
		file = filepath.Join(home, ".Xauthority")
	}
	b, err := os.ReadFile(file)
	if err != nil {
		return ""
	}
	host, _ := os.Hostname()
	return findCookie(b, a, host)
}

// findCookie searches the bytes of an authority file.
func findCookie(b []byte, a address, hostname string) string {
	for len(b) >= 2 {
		family := binary.BigEndian.Uint16(b)
		fields := [4][]byte{} // address, number, name, data
		b = b[2:]
		for i := range fields {
			if len(b) < 2 {
				return ""
			}
			n := int(binary.BigEndian.Uint16(b))
			if b = b[2:]; len(b) < n {
				return ""
			}
			fields[i], b = b[:n], b[n:]
		}
		number := string(fields[1])
		if number != "" && number != strconv.Itoa(a.number) || string(fields[2]) != "MIT-MAGIC-COOKIE-1" || len(fields[3]) != 16 {
			continue
		}
		if a.owns(family, fields[0], hostname) {
			return hex.EncodeToString(fields[3])
		}
	}
	return ""
}

func (a address) owns(family uint16, addr []byte, hostname string) bool {
	switch family {
	case familyWild:
		return true
	case familyLocal:
		return string(addr) == hostname && (a.network == "unix" || a.host == "localhost" || a.host == hostname)
	case familyInternet, familyInternet6:
		ip := net.ParseIP(strings.Trim(a.host, "[]"))
		return ip != nil && (bytes.Equal(ip.To4(), addr) || bytes.Equal(ip.To16(), addr))
	}
	return false
}
