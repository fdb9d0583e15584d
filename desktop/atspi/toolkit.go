package atspi

import (
	"strings"

	"oriel.dev/oriel/tree"
)

// The names of the toolkits that have a reading strategy of their own.
const (
	toolkitGTK3        = "gtk3"
	toolkitGTK4        = "gtk4"
	toolkitQt5         = "qt5"
	toolkitChromium    = "chromium"
	toolkitLibreOffice = "libreoffice"
)

// strategy is what differs between toolkits in reading. The zero value is the
// careful walk that suits a toolkit which nothing is known of.
type strategy struct {
	// cache: Cache.GetItems gives the basic facts of most objects in one call. What it
	// leaves out is asked for object by object.
	cache bool
	// matches: Collection.GetMatches(SHOWING) gives the objects in view in one
	// call. The walk then leaves out all others without asking.
	matches bool
	// byExtents: SHOWING is set on windows only; an object is in view if it is
	// VISIBLE and its extents are not empty and lie within its window.
	byExtents bool
	// classNames: an object without a name carries the name of its class.
	classNames bool
	// bareText: GetText tells the text of an entry that shows dots instead.
	bareText bool
	// implied: every object has the Action, Text and Document interfaces,
	// whether they mean something or not.
	implied bool
	// attributes: GetAttributes tells more than the toolkit's name.
	attributes bool
	// wholeLists: rows of a short list that are scrolled out of view are read.
	wholeLists bool
	// frugal: every object has to be asked for each fact by itself, and tells by
	// its role which facts it has.
	frugal bool
	// fleeting: an object in a view has a new path each time it is asked for.
	fleeting bool
	// sparse: tables are sheets of mostly empty cells.
	sparse bool
}

var strategies = map[string]strategy{
	toolkitGTK3:        {cache: true, attributes: true, wholeLists: true},
	toolkitGTK4:        {cache: true, byExtents: true, classNames: true, bareText: true, attributes: true, wholeLists: true},
	toolkitQt5:         {wholeLists: true, fleeting: true, frugal: true},
	toolkitChromium:    {matches: true, implied: true, attributes: true},
	toolkitLibreOffice: {wholeLists: true, fleeting: true, sparse: true},
}

// The kinds of coordinates that AT-SPI knows.
const (
	coordScreen = uint32(0)
	coordWindow = uint32(1)
)

// coord is the kind of coordinates to ask the toolkit for. GTK4 answers the same to
// both, and prints a warning for each time it is asked for the screen's.
func (s strategy) coord() uint32 {
	if s.byExtents {
		return coordWindow
	}
	return coordScreen
}

// toolkitOf names the toolkit by what the application says of itself.
func toolkitOf(name, toolkit, version string) string {
	t := strings.ToLower(toolkit)
	switch {
	case strings.HasPrefix(strings.ToLower(name), "soffice"):
		return toolkitLibreOffice
	case t == "gtk":
		// GTK3 has no version of another major number on this bus; GTK4 writes
		// the same name in capitals.
		if strings.HasPrefix(version, "4") {
			return toolkitGTK4
		}
		return toolkitGTK3
	case t == "qt":
		if strings.HasPrefix(version, "5") {
			return toolkitQt5
		}
		return "qt" + majorOf(version)
	case strings.HasPrefix(t, "chrom"):
		return toolkitChromium
	}
	return t
}

func majorOf(version string) string {
	major, _, _ := strings.Cut(version, ".")
	return major
}

// className reports whether a name is that of a class, which GTK4 gives to what has none.
func className(name string) bool {
	if len(name) < 5 || strings.ContainsAny(name, " _-.:") {
		return false
	}
	for _, prefix := range []string{"Gtk", "Adw", "Hdy", "Panel", "Vte"} {
		if rest, ok := strings.CutPrefix(name, prefix); ok && rest != "" && rest[0] >= 'A' && rest[0] <= 'Z' {
			return true
		}
	}
	return camelCase(name)
}

// camelCase reports whether a name is written like a class of an application,
// such as "HistoryView".
func camelCase(name string) bool {
	humps := 0
	for i, c := range name {
		switch {
		case c >= 'A' && c <= 'Z':
			if i == 0 || name[i-1] < 'A' || name[i-1] > 'Z' {
				humps++
			}
		case c >= 'a' && c <= 'z', c >= '0' && c <= '9':
		default:
			return false
		}
	}
	return humps >= 2 && name[0] >= 'A' && name[0] <= 'Z'
}

// longText are the roles whose content is their text; of all others the text
// is read only when it can be edited.
func longText(r tree.Role) bool {
	switch r {
	case tree.RoleTextArea, tree.RoleEntry, tree.RoleTerminal, tree.RoleParagraph, tree.RoleSpinButton, tree.RoleComboBox,
		tree.RoleLabel, tree.RoleStatic, tree.RoleHeading, tree.RoleTableCell, tree.RoleListItem, tree.RoleCaption:
		return true
	}
	return false
}
