//go:build !wasip1

package pluginsdk

import (
	"unsafe"

	"oriel.dev/oriel/hostabi"
)

// The twins of the imports: the same names, so that an adapter compiles and is
// tested natively. Each goes to the host that [SetHost] put there.

func hostTake(p unsafe.Pointer, n uint32) { copy(unsafe.Slice((*byte)(p), n), pending) }

func treeObserve(p unsafe.Pointer, n uint32) uint32 { return ask(hostabi.CapTree, "observe", p, n) }

func treeChildren(p unsafe.Pointer, n uint32) uint32 { return ask(hostabi.CapTree, "children", p, n) }

func treeCells(p unsafe.Pointer, n uint32) uint32 { return ask(hostabi.CapTree, "cells", p, n) }

func treeText(p unsafe.Pointer, n uint32) uint32 { return ask(hostabi.CapTree, "text", p, n) }

func a11yAction(p unsafe.Pointer, n uint32) uint32 { return ask(hostabi.CapA11y, "action", p, n) }

func a11ySetText(p unsafe.Pointer, n uint32) uint32 { return ask(hostabi.CapA11y, "set_text", p, n) }

func a11ySetValue(p unsafe.Pointer, n uint32) uint32 { return ask(hostabi.CapA11y, "set_value", p, n) }

func a11ySelect(p unsafe.Pointer, n uint32) uint32 { return ask(hostabi.CapA11y, "select", p, n) }

func a11ySelectText(p unsafe.Pointer, n uint32) uint32 {
	return ask(hostabi.CapA11y, "select_text", p, n)
}

func a11yFocus(p unsafe.Pointer, n uint32) uint32 { return ask(hostabi.CapA11y, "focus", p, n) }

func a11yScrollTo(p unsafe.Pointer, n uint32) uint32 { return ask(hostabi.CapA11y, "scroll_to", p, n) }

func windowClose(p unsafe.Pointer, n uint32) uint32 { return ask(hostabi.CapWindow, "close", p, n) }

func windowActivate(p unsafe.Pointer, n uint32) uint32 {
	return ask(hostabi.CapWindow, "activate", p, n)
}

func inputMove(p unsafe.Pointer, n uint32) uint32 { return ask(hostabi.CapInput, "move", p, n) }

func inputClick(p unsafe.Pointer, n uint32) uint32 { return ask(hostabi.CapInput, "click", p, n) }

func inputDrag(p unsafe.Pointer, n uint32) uint32 { return ask(hostabi.CapInput, "drag", p, n) }

func inputScroll(p unsafe.Pointer, n uint32) uint32 { return ask(hostabi.CapInput, "scroll", p, n) }

func inputKeys(p unsafe.Pointer, n uint32) uint32 { return ask(hostabi.CapInput, "keys", p, n) }

func inputText(p unsafe.Pointer, n uint32) uint32 { return ask(hostabi.CapInput, "text", p, n) }

func captureWindow(p unsafe.Pointer, n uint32) uint32 { return ask(hostabi.CapCapture, "window", p, n) }

func captureFind(p unsafe.Pointer, n uint32) uint32 { return ask(hostabi.CapCapture, "find", p, n) }

func ocrText(p unsafe.Pointer, n uint32) uint32 { return ask(hostabi.CapOCR, "text", p, n) }

func clipboardTypes(p unsafe.Pointer, n uint32) uint32 {
	return ask(hostabi.CapClipboard, "types", p, n)
}

func clipboardRead(p unsafe.Pointer, n uint32) uint32 { return ask(hostabi.CapClipboard, "read", p, n) }

func clipboardWrite(p unsafe.Pointer, n uint32) uint32 {
	return ask(hostabi.CapClipboard, "write", p, n)
}

func kvGet(p unsafe.Pointer, n uint32) uint32 { return ask(hostabi.CapKV, "get", p, n) }

func kvSet(p unsafe.Pointer, n uint32) uint32 { return ask(hostabi.CapKV, "set", p, n) }

func kvDelete(p unsafe.Pointer, n uint32) uint32 { return ask(hostabi.CapKV, "delete", p, n) }

func waitChange(p unsafe.Pointer, n uint32) uint32 { return ask(hostabi.CapWait, "change", p, n) }

func logWrite(p unsafe.Pointer, n uint32) uint32 { return ask(hostabi.CapLog, "write", p, n) }
