package tree

// The layout of an encoded tree, version 1. docs/tree-format.md describes it
// byte by byte; the numbers here and there must agree. Everything is little
// endian, and every section starts at a multiple of eight so that a guest in
// any language may read its records in place.

// Magic is how an encoded tree begins.
const Magic = "ORT1"

// Extension is the file name extension of a recorded tree.
const Extension = ".ort"

const (
	headerSize       = 16 // magic, header size, total length, section count
	sectionEntrySize = 16 // id, offset, record size, count
	alignment        = 8
)

// sectionID names a section. Numbers are never reused; a reader skips those it
// does not know.
type sectionID uint32

const (
	secObservation sectionID = iota + 1
	secWindow
	secSurfaces
	secFrame
	secNodes
	secAttributes
	secActions
	secRelations
	secValues
	secTexts
	secTables
	secCells
	secStrings
	secEnd // one past the last
)

// recordSizes are the sizes that this version writes and the least that it
// reads. A record may be longer: what follows belongs to a newer version.
var recordSizes = [secEnd]uint32{
	secObservation: 16,
	secWindow:      104,
	secSurfaces:    16,
	secFrame:       16,
	secNodes:       96,
	secAttributes:  20,
	secActions:     28,
	secRelations:   16,
	secValues:      40,
	secTexts:       32,
	secTables:      24,
	secCells:       40,
	secStrings:     1,
}

// Offsets of the fields of a node record, which are read one at a time.
const (
	nodeID          = 0
	nodeStates      = 8
	nodeTotal       = 16
	nodeFirst       = 24
	nodeParent      = 32
	nodeSubtree     = 36
	nodeIfaces      = 40
	nodeSurface     = 44
	nodeBounds      = 48
	nodeName        = 64
	nodeDescription = 72
	nodeText        = 80
	nodeCount       = 88
	nodeRole        = 92
	nodeEnd         = 94
	nodeFlags       = 95
)

const (
	flagHasBounds = 1 << iota // of a node
	flagSensitive
)

const (
	flagPartial = 1 // of the observation
	flagModal   = 1 // of the window
)
