package pluginsdk

import (
	"errors"

	"oriel.dev/oriel/hostabi"
)

// The functions of oriel:kv keep values with the host, for this adapter alone.
// They outlive the module and the host.

// Load returns the value of a key and whether there is one.
func Load(key string) ([]byte, bool, error) {
	b, err := call(kvGet, &hostabi.KVRequest{Key: key})
	if f, ok := errors.AsType[*hostabi.Fault](err); ok && f.Code == hostabi.CodeGone {
		return nil, false, nil
	}
	return b, err == nil, err
}

// Store keeps a value.
func Store(key string, data []byte) error {
	return do(kvSet, &hostabi.KVSetRequest{Key: key, Data: data})
}

// Delete forgets a value. It is no error if there is none.
func Delete(key string) error { return do(kvDelete, &hostabi.KVRequest{Key: key}) }
