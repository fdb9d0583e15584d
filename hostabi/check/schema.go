package check

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"

	"oriel.dev/oriel/hostabi"
)

// maxSchemas is how many compiled schemas are kept. A view is checked at every
// change of a window and its schemas are nearly always those of before.
const maxSchemas = 1000

// schemas keeps what compile answered, errors too. It is emptied when full.
var schemas struct {
	sync.Mutex // guards byText
	byText     map[string]compiled
}

type compiled struct {
	schema *jsonschema.Resolved
	err    error
}

// compile makes an object schema ready for use.
func compile(text string) (*jsonschema.Resolved, error) {
	schemas.Lock()
	c, ok := schemas.byText[text]
	schemas.Unlock()
	if ok {
		return c.schema, c.err
	}
	c.schema, c.err = newSchema(text)
	schemas.Lock()
	defer schemas.Unlock()
	if schemas.byText == nil || len(schemas.byText) >= maxSchemas {
		schemas.byText = map[string]compiled{}
	}
	schemas.byText[text] = c
	return c.schema, c.err
}

func newSchema(text string) (*jsonschema.Resolved, error) {
	v, err := hostabi.Parse(text)
	if err != nil {
		return nil, err
	}
	if v.Get("type").Str() != "object" {
		return nil, errors.New(`is no object schema; begin it with {"type": "object"`)
	}
	var s jsonschema.Schema
	if err := json.Unmarshal([]byte(text), &s); err != nil {
		return nil, err
	}
	if err := selfContained(&s, ""); err != nil {
		return nil, err
	}
	resolved, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		return nil, err
	}
	return resolved, nil
}

// selfContained refuses what is of no use in a tool's arguments and of harm in a
// validator: references, with which a schema can send it round in circles, and
// keywords that do not exist, which are mistakes that pass everything.
func selfContained(s *jsonschema.Schema, place string) error {
	if s == nil {
		return fmt.Errorf("%s is null; write a schema", orRoot(place))
	}
	if s.Ref != "" || s.DynamicRef != "" || s.ID != "" || s.Anchor != "" || s.DynamicAnchor != "" {
		return fmt.Errorf("%s uses a reference; write out what it refers to", orRoot(place))
	}
	for key := range s.Extra {
		if !strings.HasPrefix(key, "x-") {
			return fmt.Errorf("%s has the keyword %q, which JSON Schema does not have; correct it", orRoot(place), key)
		}
	}
	for name, sub := range subschemas(s) {
		if err := selfContained(sub, place+"/"+name); err != nil {
			return err
		}
	}
	return nil
}

func orRoot(place string) string {
	if place == "" {
		return "the schema"
	}
	return place
}

// subschemas returns the schemas within s by where they are.
func subschemas(s *jsonschema.Schema) map[string]*jsonschema.Schema {
	out := map[string]*jsonschema.Schema{}
	for name, m := range map[string]map[string]*jsonschema.Schema{
		"$defs": s.Defs, "definitions": s.Definitions, "properties": s.Properties, "patternProperties": s.PatternProperties,
		"dependentSchemas": s.DependentSchemas, "dependencies": s.DependencySchemas,
	} {
		for key, sub := range m {
			out[name+"/"+key] = sub
		}
	}
	for name, list := range map[string][]*jsonschema.Schema{
		"allOf": s.AllOf, "anyOf": s.AnyOf, "oneOf": s.OneOf, "prefixItems": s.PrefixItems, "items": s.ItemsArray,
	} {
		for i, sub := range list {
			out[fmt.Sprintf("%s/%d", name, i)] = sub
		}
	}
	for name, sub := range map[string]*jsonschema.Schema{
		"items": s.Items, "additionalItems": s.AdditionalItems, "contains": s.Contains, "unevaluatedItems": s.UnevaluatedItems,
		"additionalProperties": s.AdditionalProperties, "propertyNames": s.PropertyNames,
		"unevaluatedProperties": s.UnevaluatedProperties, "not": s.Not, "if": s.If, "then": s.Then, "else": s.Else,
		"contentSchema": s.ContentSchema,
	} {
		if sub != nil {
			out[name] = sub
		}
	}
	return out
}

// Args checks an action's arguments against its input schema, "" for none, and
// says for each argument what is wrong with it; nothing if all is well. A fault
// that belongs to no single argument has an empty field. Arguments that are
// empty or null are the empty object.
func Args(schema string, args []byte) []hostabi.FieldFault {
	object, fault := object(args)
	if fault != "" {
		return []hostabi.FieldFault{{Error: fault}}
	}
	if schema == "" {
		var out []hostabi.FieldFault
		for _, name := range slices.Sorted(maps.Keys(object)) {
			out = append(out, hostabi.FieldFault{Field: hostabi.Cut(name, maxLabel), Error: "this action takes no arguments"})
		}
		return out
	}
	s, err := compile(schema)
	if err != nil {
		return []hostabi.FieldFault{{Error: "the adapter's schema cannot be used: " + err.Error()}}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		if text, ok := object[name].(string); ok && strings.ContainsRune(text, 0) {
			return []hostabi.FieldFault{{Field: hostabi.Cut(name, maxLabel), Error: "has a NUL character, which no text field takes; leave it out"}}
		}
	}
	err = s.Validate(object)
	if err == nil {
		return nil
	}
	if out := byField(s.Schema(), object); len(out) > 0 {
		return out
	}
	return []hostabi.FieldFault{{Error: reason(err)}}
}

// object reads an object by the strict rules of hostabi, so that the validator
// and the adapter cannot understand it in different ways.
func object(text []byte) (map[string]any, string) {
	if s := strings.TrimSpace(string(text)); s == "" || s == "null" {
		return map[string]any{}, ""
	}
	v, err := hostabi.Parse(string(text))
	if err != nil {
		return nil, "the arguments are no valid JSON: " + err.Error()
	}
	if v.Kind() != hostabi.KindObject {
		return nil, "the arguments are " + v.Kind().String() + "; send an object"
	}
	var out map[string]any
	if err := json.Unmarshal(text, &out); err != nil {
		return nil, "the arguments are no valid JSON: " + err.Error()
	}
	return out, ""
}

// byField checks each property by itself, since the validator stops at the first
// fault that it finds.
func byField(s *jsonschema.Schema, object map[string]any) []hostabi.FieldFault {
	var out []hostabi.FieldFault
	for _, name := range s.Required {
		if _, there := object[name]; !there {
			out = append(out, hostabi.FieldFault{Field: name, Error: "is missing"})
		}
	}
	for _, name := range slices.Sorted(maps.Keys(object)) {
		property, known := s.Properties[name]
		if !known {
			if closed(s) {
				out = append(out, hostabi.FieldFault{Field: hostabi.Cut(name, maxLabel), Error: "is no argument of this action; it takes " + names(s)})
			}
			continue
		}
		if why := fieldFault(property, object[name]); why != "" {
			out = append(out, hostabi.FieldFault{Field: name, Error: why})
		}
	}
	return out
}

// closed reports whether s takes no properties but its own.
func closed(s *jsonschema.Schema) bool {
	a := s.AdditionalProperties
	return len(s.PatternProperties) == 0 && a != nil && a.Not != nil
}

func names(s *jsonschema.Schema) string {
	if len(s.Properties) == 0 {
		return "none"
	}
	return strings.Join(slices.Sorted(maps.Keys(s.Properties)), ", ")
}

// fieldFault says what is wrong with one property's value, "" if nothing. The
// common mistakes have words of their own.
func fieldFault(s *jsonschema.Schema, value any) string {
	resolved, err := s.CloneSchemas().Resolve(nil)
	if err != nil {
		return err.Error()
	}
	err = resolved.Validate(value)
	switch {
	case err == nil:
		return ""
	case s.WriteOnly || s.Format == "password":
		return "does not fit the schema; its value is not repeated here"
	case s.Enum != nil && !slices.ContainsFunc(s.Enum, func(e any) bool { return text(e) == text(value) }):
		return "is " + text(value) + "; it must be one of " + list(s.Enum)
	case s.Type != "" && !hasType(s.Type, value):
		return "is " + text(value) + "; it must be of type " + s.Type
	}
	if why := outOfRange(s, value); why != "" {
		return why
	}
	return reason(err)
}

// outOfRange says which bound of the schema a number or string breaks.
func outOfRange(s *jsonschema.Schema, value any) string {
	switch v := value.(type) {
	case float64:
		switch {
		case s.Minimum != nil && v < *s.Minimum:
			return "is " + text(v) + "; it must be at least " + text(*s.Minimum)
		case s.Maximum != nil && v > *s.Maximum:
			return "is " + text(v) + "; it must be at most " + text(*s.Maximum)
		}
	case string:
		n := utf8.RuneCountInString(v)
		switch {
		case s.MinLength != nil && n < *s.MinLength:
			return fmt.Sprintf("has %d characters; it must have at least %d", n, *s.MinLength)
		case s.MaxLength != nil && n > *s.MaxLength:
			return fmt.Sprintf("has %d characters; it must have at most %d", n, *s.MaxLength)
		}
	}
	return ""
}

// hasType asks the validator, which knows that 2.0 is an integer.
func hasType(name string, value any) bool {
	r, err := (&jsonschema.Schema{Type: name}).Resolve(nil)
	return err == nil && r.Validate(value) == nil
}

// reason is the last part of the validator's error: what is wrong, without the
// chain of schemas that led there.
func reason(err error) string {
	s := err.Error()
	if i := strings.LastIndex(s, "validating "); i >= 0 {
		if _, rest, ok := strings.Cut(s[i:], ": "); ok {
			s = rest
		}
	}
	return s
}

// text is a value as JSON, cut to what a message can hold.
func text(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		return "?"
	}
	return hostabi.Cut(string(b), 60)
}

func list(values []any) string {
	out := make([]string, len(values))
	for i, v := range values {
		out[i] = text(v)
	}
	return strings.Join(out, ", ")
}
