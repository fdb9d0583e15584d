package pluginsdk

import (
	"oriel.dev/oriel/hostabi"
	"oriel.dev/oriel/tree"
)

// The functions of oriel:a11y act on an element by accessibility: no pointer
// moves and no focus is needed.

// DoAction has a node carry out its action with the number.
func DoAction(id tree.NodeID, number int) error {
	return do(a11yAction, &hostabi.ActionRequest{ID: id, Number: number})
}

// SetText replaces what is in an editable element.
func SetText(id tree.NodeID, text string) error {
	return do(a11ySetText, &hostabi.SetTextRequest{ID: id, Text: text})
}

// InsertText puts text before the character numbered at.
func InsertText(id tree.NodeID, at int64, text string) error {
	return do(a11ySetText, &hostabi.SetTextRequest{ID: id, Text: text, Insert: true, At: at})
}

// SetValue sets a slider or spin button.
func SetValue(id tree.NodeID, value float64) error {
	return do(a11ySetValue, &hostabi.SetValueRequest{ID: id, Value: value})
}

// Select selects the child with the number of a container.
func Select(container tree.NodeID, child int64) error {
	return do(a11ySelect, &hostabi.SelectRequest{ID: container, Child: child})
}

// Deselect takes the child with the number from the selection.
func Deselect(container tree.NodeID, child int64) error {
	return do(a11ySelect, &hostabi.SelectRequest{ID: container, Child: child, Deselect: true})
}

// SelectText selects the characters from start up to, not including, end. If
// they are equal it places the caret.
func SelectText(id tree.NodeID, start, end int64) error {
	return do(a11ySelectText, &hostabi.SelectTextRequest{ID: id, Start: start, End: end})
}

// Focus gives a node the keyboard focus.
func Focus(id tree.NodeID) error { return do(a11yFocus, &hostabi.NodeRequest{ID: id}) }

// ScrollTo scrolls a node into view.
func ScrollTo(id tree.NodeID) error { return do(a11yScrollTo, &hostabi.NodeRequest{ID: id}) }
