package pluginsdk

import "unsafe"

// The imports, one per row of hostabi.Functions. The linker keeps those that
// the adapter's code reaches and no other, so a module asks for what it uses.

//go:wasmimport oriel:host take
func hostTake(p unsafe.Pointer, n uint32)

//go:wasmimport oriel:tree observe
func treeObserve(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:tree children
func treeChildren(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:tree cells
func treeCells(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:tree text
func treeText(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:a11y action
func a11yAction(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:a11y set_text
func a11ySetText(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:a11y set_value
func a11ySetValue(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:a11y select
func a11ySelect(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:a11y select_text
func a11ySelectText(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:a11y focus
func a11yFocus(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:a11y scroll_to
func a11yScrollTo(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:window close
func windowClose(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:window activate
func windowActivate(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:input move
func inputMove(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:input click
func inputClick(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:input drag
func inputDrag(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:input scroll
func inputScroll(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:input keys
func inputKeys(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:input text
func inputText(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:capture window
func captureWindow(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:capture find
func captureFind(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:ocr text
func ocrText(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:clipboard types
func clipboardTypes(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:clipboard read
func clipboardRead(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:clipboard write
func clipboardWrite(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:kv get
func kvGet(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:kv set
func kvSet(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:kv delete
func kvDelete(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:wait change
func waitChange(p unsafe.Pointer, n uint32) uint32

//go:wasmimport oriel:log write
func logWrite(p unsafe.Pointer, n uint32) uint32
