//go:build linux

package sandbox

import "testing"

func TestTranslateAndInvokeInARunner(t *testing.T) {
	e := newEnv(t, grantAll(probeID), map[string][]byte{"probe": probe(t, probeManifest())})
	if got := e.must("probe", "hello").Title; got != "hello" {
		t.Errorf("title = %q, want hello", got)
	}
	if got := e.must("probe", "again").Summary; got != "call 2" {
		t.Errorf("summary = %q, want call 2: the warm instance", got)
	}
	out, err := e.act("probe", "anything", nil)
	if err != nil {
		t.Fatal(err)
	}
	if out.Message != "call 1" {
		t.Errorf("message = %q, want call 1: invoke has an instance of its own", out.Message)
	}
	i := e.info(probeID)
	if i.State != StateRunning || i.Message != "" || len(i.Granted) != len(i.Asked) {
		t.Errorf("info = %+v", i)
	}
	t.Log(i.Confined)
}
