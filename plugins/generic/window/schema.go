package window

import "oriel.dev/oriel/hostabi"

// Schema writes the schema of an action's arguments or result, an object. The
// zero value is an object without properties.
type Schema struct {
	props    []byte
	required []byte
}

// String adds a text property, one of enum if there is any.
func (s *Schema) String(name, description string, required bool, enum ...string) *Schema {
	p := append(s.open(name, required), `"type":"string"`...)
	if len(enum) > 0 {
		p = append(p, `,"enum":[`...)
		for i, e := range enum {
			if i > 0 {
				p = append(p, ',')
			}
			p = hostabi.AppendString(p, e)
		}
		p = append(p, ']')
	}
	return s.close(p, description)
}

// Bool adds a property that is true or false.
func (s *Schema) Bool(name, description string, required bool) *Schema {
	return s.close(append(s.open(name, required), `"type":"boolean"`...), description)
}

// Int adds a whole number of at least low.
func (s *Schema) Int(name, description string, required bool, low int64) *Schema {
	p := append(s.open(name, required), `"type":"integer","minimum":`...)
	return s.close(append(p, itoa(low)...), description)
}

// Raw adds a property by the members of its schema.
func (s *Schema) Raw(name, members, description string, required bool) *Schema {
	return s.close(append(s.open(name, required), members...), description)
}

func (s *Schema) open(name string, required bool) []byte {
	if required {
		if len(s.required) > 0 {
			s.required = append(s.required, ',')
		}
		s.required = hostabi.AppendString(s.required, name)
	}
	if len(s.props) > 0 {
		s.props = append(s.props, ',')
	}
	return append(hostabi.AppendString(s.props, name), ":{"...)
}

func (s *Schema) close(p []byte, description string) *Schema {
	if description != "" {
		p = append(p, `,"description":`...)
		p = hostabi.AppendString(p, description)
	}
	s.props = append(p, '}')
	return s
}

// JSON is the schema as text.
func (s *Schema) JSON() string {
	out := append([]byte(`{"type":"object","properties":{`), s.props...)
	out = append(out, '}')
	if len(s.required) > 0 {
		out = append(append(append(out, `,"required":[`...), s.required...), ']')
	}
	return string(append(out, `,"additionalProperties":false}`...))
}

// Object writes a JSON object member by member.
type Object struct{ out []byte }

func (o *Object) key(name string) {
	if len(o.out) == 0 {
		o.out = append(o.out, '{')
	} else {
		o.out = append(o.out, ',')
	}
	o.out = append(hostabi.AppendString(o.out, name), ':')
}

// Set adds a member.
func (o *Object) Set(name string, v hostabi.Scalar) *Object {
	o.key(name)
	o.out = hostabi.AppendScalar(o.out, v)
	return o
}

// List adds a member that is an array of texts.
func (o *Object) List(name string, items []string) *Object {
	o.key(name)
	o.out = append(o.out, '[')
	for i, t := range items {
		if i > 0 {
			o.out = append(o.out, ',')
		}
		o.out = hostabi.AppendString(o.out, t)
	}
	o.out = append(o.out, ']')
	return o
}

// Rows adds a member that is an array of arrays of values.
func (o *Object) Rows(name string, rows []Row) *Object {
	o.key(name)
	o.out = append(o.out, '[')
	for i := range rows {
		if i > 0 {
			o.out = append(o.out, ',')
		}
		o.out = append(o.out, '[')
		for j, c := range rows[i].Cells {
			if j > 0 {
				o.out = append(o.out, ',')
			}
			o.out = hostabi.AppendScalar(o.out, c)
		}
		o.out = append(o.out, ']')
	}
	o.out = append(o.out, ']')
	return o
}

// JSON is the object as text.
func (o *Object) JSON() string {
	if len(o.out) == 0 {
		return "{}"
	}
	return string(o.out) + "}"
}
