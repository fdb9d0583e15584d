package config

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// field is one setting: a leaf of [Config].
type field struct {
	key   string // "http.listen"
	env   string // a second name in the environment, or ""
	index []int  // of the struct field, for reflect
	tag   reflect.StructTag
}

// grantKey is the one setting that is a list of tables; grants.go reads it.
const grantKey = "adapters.grant"

// fields are all settings but the grants, in the order of the struct.
var fields = collect(reflect.TypeFor[Config](), "", nil)

func collect(t reflect.Type, prefix string, index []int) []field {
	var out []field
	for i := range t.NumField() {
		f := t.Field(i)
		key, at := prefix+f.Tag.Get("toml"), append(slices.Clone(index), i)
		switch {
		case f.Type.Kind() == reflect.Struct:
			out = append(out, collect(f.Type, key+".", at)...)
		case key != grantKey:
			out = append(out, field{key: key, env: f.Tag.Get("env"), index: at, tag: f.Tag})
		}
	}
	return out
}

func lookup(key string) (field, bool) {
	i := slices.IndexFunc(fields, func(f field) bool { return f.key == key })
	if i < 0 {
		return field{}, false
	}
	return fields[i], true
}

// envName is the setting's name in the environment.
func (f field) envName() string {
	return "ORIEL_" + strings.ToUpper(strings.ReplaceAll(f.key, ".", "_"))
}

func (f field) value(c *Config) reflect.Value { return reflect.ValueOf(c).Elem().FieldByIndex(f.index) }

// set puts a value of a TOML file into the setting.
func (f field) set(c *Config, v any) error {
	dst := f.value(c)
	switch v := v.(type) {
	case string:
		if dst.Kind() == reflect.String {
			dst.SetString(v)
			return nil
		}
	case bool:
		if dst.Kind() == reflect.Bool {
			dst.SetBool(v)
			return nil
		}
	case int64:
		if dst.Kind() == reflect.Int {
			dst.SetInt(v)
			return nil
		}
	case []any:
		if dst.Kind() == reflect.Slice {
			list, err := stringList(v)
			dst.Set(reflect.ValueOf(list))
			return err
		}
	}
	return fmt.Errorf("wants %s, not %s", kindName(dst.Kind()), valueName(v))
}

// parse puts a text from the environment, a flag or the store into the setting.
func (f field) parse(c *Config, text string) error {
	switch kind := f.value(c).Kind(); kind {
	case reflect.Bool:
		b, err := strconv.ParseBool(text)
		if err != nil {
			return fmt.Errorf("%q is not true or false", text)
		}
		return f.set(c, b)
	case reflect.Int:
		n, err := strconv.ParseInt(strings.TrimSpace(text), 10, 64)
		if err != nil {
			return fmt.Errorf("%q is not a whole number", text)
		}
		return f.set(c, n)
	case reflect.Slice:
		list := []any{}
		for s := range strings.SplitSeq(text, ",") {
			if s = strings.TrimSpace(s); s != "" {
				list = append(list, s)
			}
		}
		return f.set(c, list)
	default:
		return f.set(c, text)
	}
}

func stringList(v []any) ([]string, error) {
	out := make([]string, 0, len(v))
	for i, e := range v {
		s, ok := e.(string)
		if !ok {
			return nil, fmt.Errorf("element %d: wants a text, not %s", i+1, valueName(e))
		}
		out = append(out, s)
	}
	return out, nil
}

func kindName(k reflect.Kind) string {
	switch k {
	case reflect.Bool:
		return "true or false"
	case reflect.Int:
		return "a whole number"
	case reflect.Slice:
		return "a list of texts"
	default:
		return "a text in quotes"
	}
}

func valueName(v any) string {
	switch v := v.(type) {
	case string:
		return fmt.Sprintf("the text %q", v)
	case bool, int64, float64:
		return fmt.Sprint(v)
	case []any, []map[string]any:
		return "a list"
	case map[string]any:
		return "a table"
	default:
		return "a date"
	}
}
