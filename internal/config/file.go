package config

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/BurntSushi/toml"
)

// file reads a TOML text.
func (l *loader) file(source, text string) {
	var values map[string]any
	if _, err := toml.Decode(text, &values); err != nil {
		where := Problem{Source: source}
		if e, ok := errors.AsType[toml.ParseError](err); ok {
			// The parser counts a line break that it stumbles over as the next line.
			where.Line, where.Key = 1+strings.Count(text[:min(e.Position.Start, len(text))], "\n"), e.LastKey
			l.at(where, "%s", e.Message)
			return
		}
		l.at(where, "%v", err)
		return
	}
	l.table(source, "", values, lines(text))
}

// table sets what stands in one table; prefix is its name with a dot at the end.
func (l *loader) table(source, prefix string, values map[string]any, at map[string]int) {
	for _, name := range slices.Sorted(maps.Keys(values)) {
		key, v := prefix+name, values[name]
		where := Problem{Source: source, Line: lineOf(at, key), Key: key}
		if key == grantKey {
			l.grants(where, v, at)
			continue
		}
		if n, ok := v.(int64); ok && key == PortKey {
			l.text(where, strconv.FormatInt(n, 10))
			continue
		}
		if f, ok := lookup(key); ok {
			if err := f.set(l.config, v); err != nil {
				l.at(where, "%v", err)
			}
			l.origin[key] = where
			continue
		}
		isTable := slices.ContainsFunc(fields, func(f field) bool { return strings.HasPrefix(f.key, key+".") })
		inner, ok := v.(map[string]any)
		switch {
		case isTable && ok:
			l.table(source, key+".", inner, at)
		case isTable:
			l.at(where, "is a table; write [%s] and its keys below", key)
		default:
			l.at(where, "is not known; %s", suggest("remove it", key, slices.Concat(keys(), tables(), []string{PortKey})))
		}
	}
}

// grants reads the [[adapters.grant]] tables of one file.
func (l *loader) grants(where Problem, v any, at map[string]int) {
	list, ok := v.([]map[string]any)
	if !ok {
		l.at(where, "is a list of tables; write [[%s]] and its keys below", grantKey)
		return
	}
	var grants []Grant
	for i, table := range list {
		entry := fmt.Sprintf("%s[%d]", grantKey, i)
		g := readGrant(table, func(key, message string) {
			p := where
			p.Key, p.Message = entry+"."+key, message
			p.Line = lineOf(at, p.Key)
			l.problem(p)
		})
		grants = append(grants, g)
	}
	l.config.Adapters.Grants = mergeGrants(l.config.Adapters.Grants, grants)
}

var (
	headerLine = regexp.MustCompile(`^\s*(\[\[?)\s*([A-Za-z0-9_.\-" ]+?)\s*\]`)
	keyLine    = regexp.MustCompile(`^\s*([A-Za-z0-9_.\-" ]+?)\s*=`)
)

// lines finds the line of every table and key of a TOML text that has been
// parsed: the parser keeps the lines of faulty syntax only.
func lines(text string) map[string]int {
	at := map[string]int{}
	count := map[string]int{}
	prefix := ""
	for i, line := range strings.Split(text, "\n") {
		if m := headerLine.FindStringSubmatch(line); m != nil {
			name := plainKey(m[2])
			if m[1] == "[[" {
				count[name]++
				name = fmt.Sprintf("%s[%d]", name, count[name]-1)
			}
			prefix = name + "."
			note(at, name, i+1)
		} else if m := keyLine.FindStringSubmatch(line); m != nil {
			note(at, prefix+plainKey(m[1]), i+1)
		}
	}
	return at
}

// note keeps the first line of a key and of every table above it.
func note(at map[string]int, key string, line int) {
	for {
		if _, ok := at[key]; !ok {
			at[key] = line
		}
		i := strings.LastIndexAny(key, ".[")
		if i < 0 {
			return
		}
		key = key[:i]
	}
}

// lineOf is the line of a key, or of the nearest table above it that has one.
func lineOf(at map[string]int, key string) int {
	for at[key] == 0 {
		i := strings.LastIndexByte(key, '.')
		if i < 0 {
			return 0
		}
		key = key[:i]
	}
	return at[key]
}

func plainKey(s string) string {
	return strings.NewReplacer(`"`, "", " ", "").Replace(s)
}
