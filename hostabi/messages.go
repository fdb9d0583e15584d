package hostabi

// The members of each request and reply; functions.go says what they mean.

// Nothing is the request of functions that need none. What a newer adapter puts
// into it is refused like any unknown member.
type Nothing struct{}

func (*Nothing) fields(*codec) {}

func (r *ChildrenRequest) fields(c *codec) {
	c.id("id", &r.ID)
	integer(c, "offset", &r.Offset)
	integer(c, "n", &r.N)
}

func (r *CellsRequest) fields(c *codec) {
	c.id("id", &r.ID)
	integer(c, "row", &r.Row)
	integer(c, "column", &r.Column)
	integer(c, "rows", &r.Rows)
	integer(c, "columns", &r.Columns)
}

func (r *TextRequest) fields(c *codec) {
	c.id("id", &r.ID)
	integer(c, "from", &r.From)
	integer(c, "n", &r.N)
}

func (r *NodeRequest) fields(c *codec) { c.id("id", &r.ID) }

func (r *ActionRequest) fields(c *codec) {
	c.id("id", &r.ID)
	integer(c, "number", &r.Number)
}

func (r *SetTextRequest) fields(c *codec) {
	c.id("id", &r.ID)
	text(c, "text", &r.Text)
	c.flag("insert", &r.Insert)
	integer(c, "at", &r.At)
}

func (r *SetValueRequest) fields(c *codec) {
	c.id("id", &r.ID)
	c.float("value", &r.Value)
}

func (r *SelectRequest) fields(c *codec) {
	c.id("id", &r.ID)
	integer(c, "child", &r.Child)
	c.flag("deselect", &r.Deselect)
}

func (r *SelectTextRequest) fields(c *codec) {
	c.id("id", &r.ID)
	integer(c, "start", &r.Start)
	integer(c, "end", &r.End)
}

func (r *MoveRequest) fields(c *codec) {
	integer(c, "x", &r.X)
	integer(c, "y", &r.Y)
}

func (r *ClickRequest) fields(c *codec) {
	integer(c, "x", &r.X)
	integer(c, "y", &r.Y)
	text(c, "button", &r.Button)
	integer(c, "count", &r.Count)
	c.strings("modifiers", &r.Modifiers)
}

func (r *DragRequest) fields(c *codec) {
	integer(c, "x", &r.X)
	integer(c, "y", &r.Y)
	integer(c, "to_x", &r.ToX)
	integer(c, "to_y", &r.ToY)
	text(c, "button", &r.Button)
	c.strings("modifiers", &r.Modifiers)
}

func (r *ScrollRequest) fields(c *codec) {
	integer(c, "x", &r.X)
	integer(c, "y", &r.Y)
	integer(c, "dx", &r.DX)
	integer(c, "dy", &r.DY)
}

func (r *KeysRequest) fields(c *codec) { c.strings("chords", &r.Chords) }

func (r *TypeRequest) fields(c *codec) { text(c, "text", &r.Text) }

func (r *CaptureRequest) fields(c *codec) { region(c, &r.Region) }

func (r *FindRequest) fields(c *codec) {
	c.bytes("png", &r.PNG)
	region(c, &r.Region)
	c.float("threshold", &r.Threshold)
}

func (r *FindReply) fields(c *codec) { objects(c, "matches", &r.Matches, (*FoundMatch).fields) }

func (m *FoundMatch) fields(c *codec) {
	integer(c, "x", &m.X)
	integer(c, "y", &m.Y)
	integer(c, "w", &m.W)
	integer(c, "h", &m.H)
	c.float("score", &m.Score)
}

func (r *OCRRequest) fields(c *codec) { region(c, &r.Region) }

func (r *OCRReply) fields(c *codec) { objects(c, "words", &r.Words, (*Word).fields) }

func (w *Word) fields(c *codec) {
	text(c, "text", &w.Text)
	integer(c, "x", &w.X)
	integer(c, "y", &w.Y)
	integer(c, "w", &w.W)
	integer(c, "h", &w.H)
	integer(c, "line", &w.Line)
	c.float("confidence", &w.Confidence)
}

func (r *TypesReply) fields(c *codec) { c.strings("types", &r.Types) }

func (r *ClipRequest) fields(c *codec) { text(c, "type", &r.Type) }

func (r *ClipWriteRequest) fields(c *codec) {
	text(c, "type", &r.Type)
	c.bytes("data", &r.Data)
}

func (r *KVRequest) fields(c *codec) { text(c, "key", &r.Key) }

func (r *KVSetRequest) fields(c *codec) {
	text(c, "key", &r.Key)
	c.bytes("data", &r.Data)
}

func (r *WaitRequest) fields(c *codec) { integer(c, "timeout_ms", &r.TimeoutMS) }

func (r *WaitReply) fields(c *codec) {
	c.flag("changed", &r.Changed)
	integer(c, "waited_ms", &r.WaitedMS)
}

func (r *LogRequest) fields(c *codec) {
	text(c, "level", &r.Level)
	text(c, "text", &r.Text)
}

// region is a member "region" that need not be there.
func region(c *codec, p **Region) {
	c.member("region", *p != nil, func(c *codec) {
		if *p == nil {
			*p = &Region{}
		}
		(*p).fields(c)
	})
}
