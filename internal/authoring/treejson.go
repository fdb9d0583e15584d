package authoring

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"oriel.dev/oriel/tree"
)

// treeJSON writes an encoded tree as JSON that a person can read and change: zero
// fields are left out, roles and states are named, and each node has a line of
// its own. [parseTree] reads it back to the same bytes.
func treeJSON(encoded []byte) (json.RawMessage, error) {
	t, err := tree.Decode(encoded)
	if err != nil {
		return nil, err
	}
	nodes := t.Nodes
	t.Nodes = nil
	var b bytes.Buffer
	head, err := sparse(t)
	if err != nil {
		return nil, err
	}
	text, err := json.Marshal(head)
	if err != nil {
		return nil, err
	}
	b.Write(bytes.TrimSuffix(text, []byte("}")))
	if len(head) > 0 {
		b.WriteString(",")
	}
	b.WriteString(`"Nodes":[`)
	for i := range nodes {
		m, err := sparse(&nodes[i])
		if err != nil {
			return nil, err
		}
		m["Role"] = nodes[i].Role.String()
		if nodes[i].States != 0 {
			m["States"] = strings.Join(nodes[i].States.Names(), " ")
		}
		if text, err = json.Marshal(m); err != nil {
			return nil, err
		}
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteString("\n  ")
		b.Write(text)
	}
	b.WriteString("]}")
	back, err := parseTree(b.Bytes())
	if err == nil && !bytes.Equal(back, encoded) {
		err = errors.New("the tree holds what JSON cannot carry")
	}
	return b.Bytes(), err
}

// parseTree encodes what treeJSON wrote.
func parseTree(text []byte) ([]byte, error) {
	var head map[string]json.RawMessage
	if err := json.Unmarshal(text, &head); err != nil {
		return nil, err
	}
	var nodes []map[string]json.RawMessage
	if head["Nodes"] != nil {
		if err := json.Unmarshal(head["Nodes"], &nodes); err != nil {
			return nil, err
		}
	}
	delete(head, "Nodes")
	var t tree.Tree
	if err := remarshal(head, &t); err != nil {
		return nil, err
	}
	for i, m := range nodes {
		var role, states string
		var n tree.Node
		err := json.Unmarshal(m["Role"], &role)
		if err == nil && m["States"] != nil {
			err = json.Unmarshal(m["States"], &states)
		}
		delete(m, "Role")
		delete(m, "States")
		if err == nil {
			err = remarshal(m, &n)
		}
		if err == nil {
			n.Role, err = roleOf(role)
		}
		if err == nil {
			n.States, err = statesOf(states)
		}
		if err != nil {
			return nil, fmt.Errorf("node %d: %w", i, err)
		}
		t.Nodes = append(t.Nodes, n)
	}
	return tree.Append(nil, &t), nil
}

func remarshal(m map[string]json.RawMessage, into any) error {
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	return d.Decode(into)
}

func roleOf(name string) (tree.Role, error) {
	for r := tree.RoleUnknown; r == tree.RoleUnknown || r.String() != tree.RoleUnknown.String(); r++ {
		if r.String() == name {
			return r, nil
		}
	}
	return 0, fmt.Errorf("there is no role %q", name)
}

func statesOf(names string) (out tree.States, err error) {
	for name := range strings.FieldsSeq(names) {
		bit := slices.IndexFunc(stateBits, func(s tree.States) bool { return slices.Equal(s.Names(), []string{name}) })
		if bit < 0 {
			return 0, fmt.Errorf("there is no state %q", name)
		}
		out |= stateBits[bit]
	}
	return out, nil
}

var stateBits = func() (out []tree.States) {
	for i := range 64 {
		out = append(out, 1<<i)
	}
	return out
}()

// sparse is a structure as JSON's words, without the fields that are zero.
func sparse(v any) (map[string]any, error) {
	text, err := json.Marshal(v)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber() // ids have 64 bits
	var m map[string]any
	if err := d.Decode(&m); err != nil {
		return nil, err
	}
	prune(m)
	return m, nil
}

// prune removes zero members and reports whether nothing is left of a value.
func prune(v any) (empty bool) {
	switch v := v.(type) {
	case map[string]any:
		for k, member := range v {
			if prune(member) {
				delete(v, k)
			}
		}
		return false
	case []any:
		for _, e := range v { // each stands for something, even if it is zero
			prune(e)
		}
		return len(v) == 0
	case json.Number:
		return v == "0"
	case string:
		return v == ""
	case bool:
		return !v
	}
	return v == nil
}
