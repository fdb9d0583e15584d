//go:build wasip1

// Extism is the hello adapter under extism/1, made with Extism's Go PDK.
package main

import (
	"errors"

	pdk "github.com/extism/go-pdk"

	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/sandbox/testdata/hello"
	"oriel.dev/oriel/tree"
)

//go:wasmimport oriel:a11y set_text
func a11ySetText(request uint64) uint64

//go:wasmimport oriel:tree observe
func treeObserve(request uint64) uint64

//go:wasmimport oriel:kv get
func kvGet(request uint64) uint64

//go:wasmimport oriel:kv set
func kvSet(request uint64) uint64

// ask calls a host function and takes its reply.
func ask(function func(uint64) uint64, request hostabi.Message) ([]byte, error) {
	in := pdk.AllocateBytes(hostabi.Append(nil, request))
	defer in.Free()
	out := pdk.FindMemory(function(in.Offset()))
	defer out.Free()
	reply := out.ReadBytes()
	if len(reply) > 0 && reply[0] == 0 {
		return reply[1:], nil
	}
	fault, err := hostabi.ParseFault(reply[1:])
	if err != nil {
		return nil, err
	}
	return nil, fault
}

var host = &hello.Host{
	Log: func(_, text string) { pdk.Log(pdk.LogInfo, text) },
	SetText: func(id tree.NodeID, text string) error {
		_, err := ask(a11ySetText, &hostabi.SetTextRequest{ID: id, Text: text})
		return err
	},
	Observe: func() (*tree.Reader, error) {
		b, err := ask(treeObserve, &hostabi.Nothing{})
		if err != nil {
			return nil, err
		}
		return tree.NewReader(b)
	},
	Load: func(key string) ([]byte, bool, error) {
		b, err := ask(kvGet, &hostabi.KVRequest{Key: key})
		if f, ok := errors.AsType[*hostabi.Fault](err); ok && f.Code == hostabi.CodeGone {
			return nil, false, nil
		}
		return b, err == nil, err
	},
	Store: func(key string, value []byte) error {
		_, err := ask(kvSet, &hostabi.KVSetRequest{Key: key, Data: value})
		return err
	},
}

//go:wasmexport oriel_translate
func exportTranslate() int32 {
	view, err := translate(pdk.Input())
	if err != nil {
		return refuse(err)
	}
	pdk.Output(hostabi.AppendView(nil, view))
	return 0
}

//go:wasmexport oriel_invoke
func exportInvoke() int32 {
	outcome, err := invoke(pdk.Input())
	if err != nil {
		return refuse(err)
	}
	pdk.Output(hostabi.AppendOutcome(nil, outcome))
	return 0
}

func translate(observation []byte) (*hostabi.View, error) {
	r, err := tree.NewReader(observation)
	if err != nil {
		return nil, err
	}
	return hello.Translate(host, r)
}

func invoke(input []byte) (*hostabi.Outcome, error) {
	call, err := hostabi.ParseCall(input)
	if err != nil {
		return nil, err
	}
	args, err := hostabi.Parse(call.Args)
	if err != nil {
		return nil, err
	}
	window, err := tree.NewReader(call.Observation)
	if err != nil {
		return nil, err
	}
	return hello.Invoke(host, args, window)
}

// refuse puts a fault into the output.
func refuse(err error) int32 {
	f, ok := errors.AsType[*hostabi.Fault](err)
	if !ok {
		f = &hostabi.Fault{Code: hostabi.CodeInternal, Message: err.Error()}
	}
	pdk.Output(hostabi.AppendOutcome(nil, &hostabi.Outcome{Fault: f}))
	return 0
}

func main() {}
