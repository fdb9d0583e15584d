package hostabi

import (
	"encoding/binary"
	"errors"
	"strings"
)

// callHeader holds the lengths of the action's name and of the arguments.
const callHeader = 8

// AppendCall appends the input of invoke: the length of the action's name as
// u32, that of the arguments as u32, both little endian, then the name, the
// arguments and the observation. Blanks after the arguments make the
// observation start at a multiple of eight.
func AppendCall(dst []byte, c *Call) []byte {
	used := callHeader + len(c.Action) + len(c.Args)
	blanks := -used & 7
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(c.Action)))
	dst = binary.LittleEndian.AppendUint32(dst, uint32(len(c.Args)+blanks))
	dst = append(dst, c.Action...)
	dst = append(dst, c.Args...)
	dst = append(dst, "       "[:blanks]...)
	return append(dst, c.Observation...)
}

// ParseCall reads what AppendCall wrote. The observation shares b's memory.
func ParseCall(b []byte) (Call, error) {
	if len(b) < callHeader {
		return Call{}, errors.New("reading call: shorter than its header")
	}
	action, args := uint64(binary.LittleEndian.Uint32(b)), uint64(binary.LittleEndian.Uint32(b[4:]))
	rest := b[callHeader:]
	if action+args > uint64(len(rest)) {
		return Call{}, errors.New("reading call: the name and the arguments are longer than the call")
	}
	return Call{
		Action:      string(rest[:action]),
		Args:        strings.TrimRight(string(rest[action:action+args]), " "),
		Observation: rest[action+args:],
	}, nil
}
