package pluginsdk

import "oriel.dev/oriel/hostabi"

// The functions of oriel:clipboard.

// ClipboardTypes lists the types that the clipboard's content comes in.
func ClipboardTypes() ([]string, error) {
	var reply hostabi.TypesReply
	err := callMessage(clipboardTypes, &hostabi.Nothing{}, &reply)
	return reply.Types, err
}

// ReadClipboard returns the clipboard's content in one type.
func ReadClipboard(mime string) ([]byte, error) {
	return call(clipboardRead, &hostabi.ClipRequest{Type: mime})
}

// WriteClipboard replaces the clipboard's content.
func WriteClipboard(mime string, data []byte) error {
	return do(clipboardWrite, &hostabi.ClipWriteRequest{Type: mime, Data: data})
}
