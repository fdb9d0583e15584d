package tree

// Role says what kind of element a node is.
type Role uint16

// The roles. RoleUnknown is the zero value. New ones are added at the end.
const (
	RoleUnknown Role = iota
	RoleWindow       // a top-level window or frame
	RoleDialog
	RoleAlert
	RoleFileChooser
	RoleColorChooser
	RolePanel // a group without meaning of its own
	RoleFiller
	RoleScrollPane
	RoleSplitPane
	RoleViewport
	RoleGrouping // a group with a label
	RoleToolBar
	RoleMenuBar
	RoleMenu
	RoleMenuItem
	RoleCheckMenuItem
	RoleRadioMenuItem
	RolePopupMenu
	RoleSeparator
	RoleStatusBar
	RoleInfoBar
	RoleTabList // the tab strip
	RoleTab
	RoleButton
	RoleToggleButton
	RoleCheckBox
	RoleRadioButton
	RoleSwitch
	RoleComboBox
	RoleEntry // one line of editable text
	RolePassword
	RoleTextArea // several lines of text
	RoleSpinButton
	RoleSlider
	RoleScrollBar
	RoleProgressBar
	RoleLevelBar
	RoleLabel
	RoleStatic
	RoleHeading
	RoleParagraph
	RoleLink
	RoleImage
	RoleIcon
	RoleCanvas
	RoleList
	RoleListItem
	RoleListBox
	RoleTree
	RoleTreeItem
	RoleTreeTable
	RoleTable
	RoleTableRow
	RoleTableCell
	RoleColumnHeader
	RoleRowHeader
	RoleDocument
	RoleSection
	RoleForm
	RoleArticle
	RoleLandmark
	RoleToolTip
	RoleNotification
	RoleTerminal
	RoleCalendar
	RoleTitleBar
	RoleApplication
	RoleBlockQuote
	RoleCaption
	RoleDescriptionList
	RoleVideo
	RoleAudio
	RoleMath
	RoleEmbedded
	roleCount
)

var roleNames = [roleCount]string{
	"unknown", "window", "dialog", "alert", "file-chooser", "color-chooser", "panel", "filler", "scroll-pane",
	"split-pane", "viewport", "grouping", "tool-bar", "menu-bar", "menu", "menu-item", "check-menu-item",
	"radio-menu-item", "popup-menu", "separator", "status-bar", "info-bar", "tab-list", "tab", "button",
	"toggle-button", "check-box", "radio-button", "switch", "combo-box", "entry", "password", "text-area",
	"spin-button", "slider", "scroll-bar", "progress-bar", "level-bar", "label", "static", "heading", "paragraph",
	"link", "image", "icon", "canvas", "list", "list-item", "list-box", "tree", "tree-item", "tree-table", "table",
	"table-row", "table-cell", "column-header", "row-header", "document", "section", "form", "article", "landmark",
	"tool-tip", "notification", "terminal", "calendar", "title-bar", "application", "block-quote", "caption",
	"description-list", "video", "audio", "math", "embedded",
}

// String returns the role's name; a number of a newer host reads "unknown".
func (r Role) String() string {
	if r < roleCount {
		return roleNames[r]
	}
	return roleNames[RoleUnknown]
}

// States is a set of facts about an element.
type States uint64

// The states, by AT-SPI's names.
const (
	StateActive States = 1 << iota
	StateBusy
	StateCheckable
	StateChecked
	StateCollapsed
	StateDefault // the button that Enter presses
	StateEditable
	StateEnabled // takes input (AT-SPI: sensitive)
	StateExpandable
	StateExpanded
	StateFocusable
	StateFocused
	StateHasPopup
	StateHorizontal
	StateIndeterminate
	StateInvalid // the application says that the entry is wrong
	StateManagesDescendants
	StateModal
	StateMultiLine
	StateMultiSelectable
	StatePressed
	StateReadOnly
	StateRequired
	StateSelectable
	StateSelected
	StateShowing
	StateSingleLine
	StateVertical
	StateVisible
	StateVisited
)

var stateNames = [...]string{
	"active", "busy", "checkable", "checked", "collapsed", "default", "editable", "enabled", "expandable", "expanded",
	"focusable", "focused", "has-popup", "horizontal", "indeterminate", "invalid", "manages-descendants", "modal",
	"multi-line", "multi-selectable", "pressed", "read-only", "required", "selectable", "selected", "showing",
	"single-line", "vertical", "visible", "visited",
}

// Has reports whether all of want are in s.
func (s States) Has(want States) bool { return s&want == want }

// Names returns the names of the states in s, in a fixed order.
func (s States) Names() []string {
	var out []string
	for i, n := range stateNames {
		if s&(1<<i) != 0 {
			out = append(out, n)
		}
	}
	return out
}

// Interfaces is the set of AT-SPI interfaces that an element offers.
type Interfaces uint32

// The interfaces.
const (
	IfaceAction Interfaces = 1 << iota
	IfaceComponent
	IfaceEditableText
	IfaceText
	IfaceValue
	IfaceSelection
	IfaceTable
	IfaceTableCell
	IfaceImage
	IfaceHypertext
	IfaceDocument
	IfaceCollection
)

// Has reports whether all of want are in i.
func (i Interfaces) Has(want Interfaces) bool { return i&want == want }
