package main

import "unsafe"

//go:wasmimport oriel:host take
func take(p unsafe.Pointer, n uint32)

//go:wasmimport oriel:tree observe
func rawTreeObserve(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:tree children
func rawTreeChildren(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:tree cells
func rawTreeCells(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:tree text
func rawTreeText(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:a11y action
func rawA11yAction(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:a11y set_text
func rawA11ySetText(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:a11y set_value
func rawA11ySetValue(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:a11y select
func rawA11ySelect(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:a11y select_text
func rawA11ySelectText(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:a11y focus
func rawA11yFocus(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:a11y scroll_to
func rawA11yScrollTo(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:window close
func rawWindowClose(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:window activate
func rawWindowActivate(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:input move
func rawInputMove(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:input click
func rawInputClick(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:input drag
func rawInputDrag(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:input scroll
func rawInputScroll(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:input keys
func rawInputKeys(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:input text
func rawInputText(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:capture window
func rawCaptureWindow(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:capture find
func rawCaptureFind(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:ocr text
func rawOCRText(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:clipboard types
func rawClipboardTypes(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:clipboard read
func rawClipboardRead(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:clipboard write
func rawClipboardWrite(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:kv get
func rawKVGet(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:kv set
func rawKVSet(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:kv delete
func rawKVDelete(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:wait change
func rawWaitChange(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:log write
func rawLogWrite(p unsafe.Pointer, n uint32) uint32

// table has every host function, in the order of hostabi.Functions.
var table = []func(unsafe.Pointer, uint32) uint32{
	rawTreeObserve,
	rawTreeChildren,
	rawTreeCells,
	rawTreeText,
	rawA11yAction,
	rawA11ySetText,
	rawA11ySetValue,
	rawA11ySelect,
	rawA11ySelectText,
	rawA11yFocus,
	rawA11yScrollTo,
	rawWindowClose,
	rawWindowActivate,
	rawInputMove,
	rawInputClick,
	rawInputDrag,
	rawInputScroll,
	rawInputKeys,
	rawInputText,
	rawCaptureWindow,
	rawCaptureFind,
	rawOCRText,
	rawClipboardTypes,
	rawClipboardRead,
	rawClipboardWrite,
	rawKVGet,
	rawKVSet,
	rawKVDelete,
	rawWaitChange,
	rawLogWrite,
}
