package hostabi

import "strings"

// AppendView appends v as JSON. Zero fields are left out.
func AppendView(dst []byte, v *View) []byte { return write(dst, v.fields) }

// ParseView reads what an adapter returned from translate: a view, or the fault
// that is then the error. It checks the form alone; what a view must hold to be
// published is up to hostabi/check. Bytes that are not UTF-8 are replaced.
func ParseView(b []byte) (*View, error) {
	var v View
	var refusal Outcome
	err := read("view", repair(b), func(c *codec) {
		v.fields(c)
		refusal.faultField(c)
	})
	if err == nil && refusal.Fault != nil {
		err = refusal.Fault
	}
	if err != nil {
		return nil, err
	}
	return &v, nil
}

// AppendOutcome appends o as JSON.
func AppendOutcome(dst []byte, o *Outcome) []byte { return write(dst, o.fields) }

// ParseOutcome reads what an adapter returned from invoke.
func ParseOutcome(b []byte) (*Outcome, error) {
	o := &Outcome{}
	if err := read("outcome", repair(b), o.fields); err != nil {
		return nil, err
	}
	return o, nil
}

// AppendFault appends f as JSON.
func AppendFault(dst []byte, f *Fault) []byte { return write(dst, f.fields) }

// ParseFault reads a fault that crossed the boundary.
func ParseFault(b []byte) (*Fault, error) {
	f := &Fault{}
	if err := read("fault", repair(b), f.fields); err != nil {
		return nil, err
	}
	return f, nil
}

// repair replaces what is not UTF-8, so that one cut character in the text of a
// screen does not cost the whole view.
func repair(b []byte) string { return strings.ToValidUTF8(string(b), "\uFFFD") }

func (v *View) fields(c *codec) {
	text(c, "title", &v.Title)
	text(c, "summary", &v.Summary)
	objects(c, "blocks", &v.Blocks, (*Block).fields)
	objects(c, "actions", &v.Actions, (*Action).fields)
	objects(c, "app_actions", &v.AppActions, (*Action).fields)
}

func (b *Block) fields(c *codec) {
	text(c, "key", &b.Key)
	text(c, "type", &b.Type)
	c.flag("sensitive", &b.Sensitive)
	text(c, "text", &b.Text)
	text(c, "severity", &b.Severity)
	objects(c, "items", &b.Items, (*Field).fields)
	c.strings("columns", &b.Columns)
	c.rows("rows", &b.Rows)
	c.scalars("list", &b.List)
	c.flag("ordered", &b.Ordered)
	c.flag("truncated", &b.Truncated)
	integer(c, "offset", &b.Offset)
	integer(c, "total", &b.Total)
	c.member("region", b.Region != Region{}, b.Region.fields)
	text(c, "alt", &b.Alt)
	c.raw("payload", &b.Payload)
}

func (f *Field) fields(c *codec) {
	text(c, "label", &f.Label)
	c.scalar("value", &f.Value)
	c.flag("sensitive", &f.Sensitive)
}

func (r *Region) fields(c *codec) {
	integer(c, "x", &r.X)
	integer(c, "y", &r.Y)
	integer(c, "w", &r.W)
	integer(c, "h", &r.H)
}

func (a *Action) fields(c *codec) {
	text(c, "name", &a.Name)
	text(c, "title", &a.Title)
	text(c, "description", &a.Description)
	c.raw("input", &a.Input)
	c.raw("output", &a.Output)
	c.flag("read_only", &a.ReadOnly)
	c.flag("destructive", &a.Destructive)
	c.flag("idempotent", &a.Idempotent)
	c.flag("open_world", &a.OpenWorld)
	text(c, "unavailable", &a.Unavailable)
	integer(c, "patience", &a.Patience)
}

func (o *Outcome) fields(c *codec) {
	o.faultField(c)
	text(c, "message", &o.Message)
	c.raw("result", &o.Result)
	text(c, "effect", &o.Effect)
}

// faultField is all of an outcome that a view may have in its place.
func (o *Outcome) faultField(c *codec) {
	c.member("fault", o.Fault != nil, func(c *codec) {
		if o.Fault == nil {
			o.Fault = &Fault{}
		}
		o.Fault.fields(c)
	})
}

func (f *Fault) fields(c *codec) {
	text(c, "code", &f.Code)
	text(c, "message", &f.Message)
	text(c, "capability", &f.Capability)
	objects(c, "fields", &f.Fields, (*FieldFault).fields)
}

func (f *FieldFault) fields(c *codec) {
	text(c, "field", &f.Field)
	text(c, "error", &f.Error)
}
