package x11

import (
	"bytes"
	"encoding/binary"
	"errors"
	"net"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"oriel.dev/oriel/desktop"
)

func TestParseDisplay(t *testing.T) {
	for name, want := range map[string]address{
		":0":                    {"unix", "/tmp/.X11-unix/X0", "", 0, 0},
		":12.1":                 {"unix", "/tmp/.X11-unix/X12", "", 12, 1},
		"unix:3":                {"unix", "/tmp/.X11-unix/X3", "", 3, 0},
		"localhost:10.0":        {"tcp", "localhost:6010", "localhost", 10, 0},
		"tcp/far.example:2":     {"tcp", "far.example:6002", "far.example", 2, 0},
		"[::1]:1":               {"tcp", "[::1]:6001", "[::1]", 1, 0},
		"/tmp/launch/org.x:0":   {"unix", "/tmp/launch/org.x:0", "", 0, 0},
		"/tmp/launch/org.x:0.2": {"unix", "/tmp/launch/org.x:0", "", 0, 2},
	} {
		if got, err := parseDisplay(name); err != nil || got != want {
			t.Errorf("%q gives %+v, %v, want %+v", name, got, err, want)
		}
	}
	for _, name := range []string{"", "0", ":", ":x", ":-1", ":0.x", ":0.-1", "host"} {
		if got, err := parseDisplay(name); err == nil {
			t.Errorf("%q gives %+v", name, got)
		}
	}
}

// authority builds an entry of an authority file.
func authority(family uint16, fields ...string) []byte {
	b := binary.BigEndian.AppendUint16(nil, family)
	for _, f := range fields {
		b = binary.BigEndian.AppendUint16(b, uint16(len(f)))
		b = append(b, f...)
	}
	return b
}

func TestFindCookie(t *testing.T) {
	const magic, secret = "MIT-MAGIC-COOKIE-1", "0123456789abcdef"
	hex := "30313233343536373839616263646566"
	local, far := address{network: "unix", number: 3}, address{network: "tcp", host: "10.0.0.7", number: 3}
	for name, c := range map[string]struct {
		file []byte
		a    address
		want string
	}{
		"local":            {authority(familyLocal, "here", "3", magic, secret), local, hex},
		"any display":      {authority(familyLocal, "here", "", magic, secret), local, hex},
		"wild":             {authority(familyWild, "", "3", magic, secret), local, hex},
		"another host":     {authority(familyLocal, "there", "3", magic, secret), local, ""},
		"another display":  {authority(familyLocal, "here", "4", magic, secret), local, ""},
		"another protocol": {authority(familyLocal, "here", "3", "XDM-AUTHORIZATION-1", secret), local, ""},
		"by address":       {authority(familyInternet, "\x0a\x00\x00\x07", "3", magic, secret), far, hex},
		"wrong address":    {authority(familyInternet, "\x0a\x00\x00\x08", "3", magic, secret), far, ""},
		"no address":       {authority(familyInternet, "", "3", magic, secret), local, ""},
		"the second": {append(authority(familyLocal, "there", "3", magic, secret),
			authority(familyLocal, "here", "3", magic, secret)...), local, hex},
		"cut short": {authority(familyLocal, "here", "3", magic, secret)[:20], local, ""},
		"empty":     {nil, local, ""},
	} {
		if got := findCookie(c.file, c.a, "here"); got != c.want {
			t.Errorf("%s gives %q, want %q", name, got, c.want)
		}
	}
}

func FuzzFindCookie(f *testing.F) {
	f.Add(authority(familyLocal, "here", "3", "MIT-MAGIC-COOKIE-1", "0123456789abcdef"))
	f.Fuzz(func(t *testing.T, b []byte) {
		if c := findCookie(b, address{network: "unix", number: 3}, "here"); c != "" && len(c) != 32 {
			t.Errorf("a cookie of %d digits", len(c))
		}
	})
}

// listen serves one connection with a made-up X server.
func listen(t *testing.T, serve func(net.Conn)) (display string) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "x")
	l, err := net.Listen("unix", path+":0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	go func() {
		defer close(done)
		c, err := l.Accept()
		if err != nil {
			return
		}
		defer c.Close()
		serve(c)
	}()
	t.Cleanup(func() {
		l.Close()
		<-done
	})
	return path + ":0"
}

func TestServersThatDoNotLetIn(t *testing.T) {
	t.Setenv("XAUTHORITY", filepath.Join(t.TempDir(), "none"))
	for name, c := range map[string]struct {
		serve func(net.Conn)
		says  string
	}{
		"refusing": {func(c net.Conn) {
			_, _ = c.Read(make([]byte, 64))
			reason := "No protocol specified\n\x00\x00"
			_, _ = c.Write(append([]byte{0, 22, 11, 0, 0, 0, byte(len(reason) / 4), 0}, reason...))
		}, "No protocol specified"},
		"hanging up": {func(net.Conn) {}, "EOF"},
		"silent":     {func(c net.Conn) { _, _ = c.Read(make([]byte, 64)); _, _ = c.Read(make([]byte, 64)) }, "timeout"},
	} {
		t.Run(name, func(t *testing.T) {
			begin := time.Now()
			_, err := Open(t.Context(), Config{Display: listen(t, c.serve)})
			if !errors.Is(err, desktop.ErrDisconnected) || time.Since(begin) > 3*time.Second {
				t.Fatalf("gives %v after %v", err, time.Since(begin))
			}
			if !strings.Contains(err.Error(), c.says) && c.says != "EOF" {
				t.Errorf("says %q, want %q in it", err, c.says)
			}
		})
	}
}

func TestWireHoldsBackWhatBelongsTogether(t *testing.T) {
	a, b := net.Pipe()
	defer a.Close()
	defer b.Close()
	w := &wire{Conn: a}
	got := make(chan []byte, 8)
	go func() {
		for {
			buf := make([]byte, 64)
			n, err := b.Read(buf)
			if err != nil {
				close(got)
				return
			}
			got <- buf[:n]
		}
	}()
	write := func(p ...byte) {
		t.Helper()
		if n, err := w.Write(p); n != len(p) || err != nil {
			t.Fatal(n, err)
		}
	}
	expect := func(want ...byte) {
		t.Helper()
		if p := <-got; !bytes.Equal(p, want) {
			t.Errorf("%v was sent, want %v", p, want)
		}
	}
	write(1)
	expect(1)
	w.cork()
	w.cork()
	write(2)
	w.uncork()
	write(3)
	w.uncork()
	expect(2, 3)
	// xgb waits for the answer to this one while it sends.
	w.cork()
	write(4)
	write(getInputFocus, 0, 1, 0)
	expect(4, getInputFocus, 0, 1, 0)
	w.uncork()
	a.Close()
	if _, ok := <-got; ok {
		t.Error("something was sent twice")
	}
	w.cork()
	write(5)
	w.uncork()
	if _, err := w.Write([]byte{6}); err == nil {
		t.Error("a closed connection takes requests")
	}
}
