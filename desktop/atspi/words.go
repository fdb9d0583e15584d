package atspi

import "oriel.dev/oriel/tree"

// The roles of AT-SPI that the package decides by.
const (
	atspiFrame  = 23
	atspiWindow = 69
)

// roles maps AT-SPI's role numbers to ours. What is missing is RoleUnknown.
var roles = map[uint32]tree.Role{
	1: tree.RoleLabel, 2: tree.RoleAlert, 3: tree.RoleImage, 4: tree.RoleIcon, 5: tree.RoleCalendar,
	6: tree.RoleCanvas, 7: tree.RoleCheckBox, 8: tree.RoleCheckMenuItem, 9: tree.RoleColorChooser,
	10: tree.RoleColumnHeader, 11: tree.RoleComboBox, 12: tree.RoleEntry, 13: tree.RoleIcon, 14: tree.RoleWindow,
	15: tree.RoleSlider, 16: tree.RoleDialog, 17: tree.RolePanel, 18: tree.RoleCanvas, 19: tree.RoleFileChooser,
	20: tree.RoleFiller, 22: tree.RoleDialog, 23: tree.RoleWindow, 24: tree.RolePanel, 25: tree.RoleDocument,
	26: tree.RoleIcon, 27: tree.RoleImage, 28: tree.RoleGrouping, 29: tree.RoleLabel, 30: tree.RolePanel,
	31: tree.RoleList, 32: tree.RoleListItem, 33: tree.RoleMenu, 34: tree.RoleMenuBar, 35: tree.RoleMenuItem,
	36: tree.RolePanel, 37: tree.RoleTab, 38: tree.RoleTabList, 39: tree.RolePanel, 40: tree.RolePassword,
	41: tree.RolePopupMenu, 42: tree.RoleProgressBar, 43: tree.RoleButton, 44: tree.RoleRadioButton,
	45: tree.RoleRadioMenuItem, 46: tree.RolePanel, 47: tree.RoleRowHeader, 48: tree.RoleScrollBar,
	49: tree.RoleScrollPane, 50: tree.RoleSeparator, 51: tree.RoleSlider, 52: tree.RoleSpinButton,
	53: tree.RoleSplitPane, 54: tree.RoleStatusBar, 55: tree.RoleTable, 56: tree.RoleTableCell,
	57: tree.RoleColumnHeader, 58: tree.RoleRowHeader, 59: tree.RoleMenuItem, 60: tree.RoleTerminal,
	61: tree.RoleEntry, 62: tree.RoleToggleButton, 63: tree.RoleToolBar, 64: tree.RoleToolTip, 65: tree.RoleTree,
	66: tree.RoleTreeTable, 68: tree.RoleViewport, 69: tree.RoleWindow, 71: tree.RoleSection, 72: tree.RoleSection,
	73: tree.RoleParagraph, 75: tree.RoleApplication, 76: tree.RoleEntry, 77: tree.RoleEntry, 78: tree.RoleEmbedded,
	79: tree.RoleEntry, 80: tree.RoleImage, 81: tree.RoleCaption, 82: tree.RoleDocument, 83: tree.RoleHeading,
	84: tree.RoleSection, 85: tree.RoleSection, 86: tree.RoleFiller, 87: tree.RoleForm, 88: tree.RoleLink,
	90: tree.RoleTableRow, 91: tree.RoleTreeItem, 92: tree.RoleDocument, 93: tree.RoleDocument, 94: tree.RoleDocument,
	95: tree.RoleDocument, 96: tree.RoleDocument, 97: tree.RoleSection, 98: tree.RoleListBox, 99: tree.RoleGrouping,
	100: tree.RoleImage, 101: tree.RoleNotification, 102: tree.RoleInfoBar, 103: tree.RoleLevelBar,
	104: tree.RoleTitleBar, 105: tree.RoleBlockQuote, 106: tree.RoleAudio, 107: tree.RoleVideo, 108: tree.RoleSection,
	109: tree.RoleArticle, 110: tree.RoleLandmark, 111: tree.RoleSection, 112: tree.RoleSection, 113: tree.RoleMath,
	114: tree.RoleSlider, 115: tree.RoleLabel, 116: tree.RoleStatic, 121: tree.RoleDescriptionList,
	122: tree.RoleSection, 123: tree.RoleSection, 124: tree.RoleSection, 129: tree.RoleButton, 130: tree.RoleSwitch,
}

// roleOf maps a role with what the states add to it: AT-SPI has one word for
// entries of one line and for text areas.
func roleOf(n uint32, raw rawStates) tree.Role {
	r := roles[n]
	if r == tree.RoleEntry && raw.has(rawMultiLine) {
		return tree.RoleTextArea
	}
	return r
}

// rawStates are the states as AT-SPI numbers them.
type rawStates uint64

const (
	rawActive      rawStates = 1 << 1
	rawChecked     rawStates = 1 << 4
	rawDefunct     rawStates = 1 << 6
	rawFocused     rawStates = 1 << 12
	rawMultiLine   rawStates = 1 << 17
	rawSelected    rawStates = 1 << 23
	rawShowing     rawStates = 1 << 25
	rawVisible     rawStates = 1 << 30
	rawDescendants rawStates = 1 << 31
)

func (s rawStates) has(want rawStates) bool { return s&want == want }

// stateBits pairs AT-SPI's state numbers with ours. Toolkits differ in whether
// they say enabled or sensitive of what takes input.
var stateBits = [...]struct {
	bit   uint
	state tree.States
}{
	{1, tree.StateActive},
	{3, tree.StateBusy},
	{4, tree.StateChecked},
	{5, tree.StateCollapsed},
	{7, tree.StateEditable},
	{8, tree.StateEnabled},
	{24, tree.StateEnabled},
	{9, tree.StateExpandable},
	{10, tree.StateExpanded},
	{11, tree.StateFocusable},
	{12, tree.StateFocused},
	{14, tree.StateHorizontal},
	{16, tree.StateModal},
	{17, tree.StateMultiLine},
	{18, tree.StateMultiSelectable},
	{20, tree.StatePressed},
	{22, tree.StateSelectable},
	{23, tree.StateSelected},
	{25, tree.StateShowing},
	{26, tree.StateSingleLine},
	{29, tree.StateVertical},
	{30, tree.StateVisible},
	{31, tree.StateManagesDescendants},
	{32, tree.StateIndeterminate},
	{33, tree.StateRequired},
	{36, tree.StateInvalid},
	{39, tree.StateDefault},
	{40, tree.StateVisited},
	{41, tree.StateCheckable},
	{42, tree.StateHasPopup},
	{43, tree.StateReadOnly},
}

func (s rawStates) states() tree.States {
	var out tree.States
	for _, p := range stateBits {
		if s&(1<<p.bit) != 0 {
			out |= p.state
		}
	}
	return out
}

// ifaceBits maps interface names, without their common prefix, to ours.
var ifaceBits = map[string]tree.Interfaces{
	"Action": tree.IfaceAction, "Component": tree.IfaceComponent, "EditableText": tree.IfaceEditableText,
	"Text": tree.IfaceText, "Value": tree.IfaceValue, "Selection": tree.IfaceSelection, "Table": tree.IfaceTable,
	"TableCell": tree.IfaceTableCell, "Image": tree.IfaceImage, "Hypertext": tree.IfaceHypertext,
	"Document": tree.IfaceDocument, "Collection": tree.IfaceCollection,
}

// relationKinds maps AT-SPI's relation numbers to ours.
var relationKinds = map[uint32]tree.RelationKind{
	1: tree.LabelFor, 2: tree.LabelledBy, 3: tree.ControllerFor, 4: tree.ControlledBy, 5: tree.MemberOf,
	15: tree.PopupFor, 18: tree.DescribedBy, 21: tree.ErrorMessage,
}
