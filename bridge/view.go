package bridge

import (
	"bytes"
	"slices"
	"strconv"
	"strings"

	"oriel.dev/oriel/audit"
	"oriel.dev/oriel/hostabi"
)

// masked stands for every sensitive value.
const masked = audit.Masked

// content is what a view becomes in a window: masked and with ids.
type content struct {
	title, summary string
	blocks         []Block
	actions        []Action
	appActions     []Action
}

// blockIDs gives ids to the keys of one window's blocks. An id is never used
// again, not even for a key that comes back under another type.
type blockIDs struct {
	next  int
	byKey map[string]string
}

func (b *blockIDs) id(key string, typ hostabi.BlockType) string {
	key = string(typ) + "\x00" + key
	if id, ok := b.byKey[key]; ok {
		return id
	}
	if b.byKey == nil {
		b.byKey = map[string]string{}
	}
	b.next++
	id := "b" + strconv.Itoa(b.next)
	b.byKey[key] = id
	return id
}

// newContent makes the content of window id out of a checked view.
func newContent(id string, v *hostabi.View, ids *blockIDs, media func(hostabi.Region) (mime, url string)) (content, error) {
	c := content{title: v.Title, summary: v.Summary, blocks: make([]Block, 0, len(v.Blocks))}
	for _, b := range v.Blocks {
		out := Block{ID: ids.id(b.Key, b.Type), Block: maskBlock(b)}
		if b.Type == hostabi.Media && b.Sensitive {
			continue // nothing of it may be seen
		}
		if b.Type == hostabi.Media {
			if out.MimeType, out.URL = media(b.Region); out.URL == "" {
				continue // no picture was taken: better no block than a broken one
			}
		}
		c.blocks = append(c.blocks, out)
	}
	var err error
	if c.actions, err = newActions(id, v.Actions); err != nil {
		return content{}, err
	}
	c.appActions, err = newActions("", v.AppActions)
	return c, err
}

// maskBlock returns b without the clear value of anything sensitive.
func maskBlock(b hostabi.Block) hostabi.Block {
	if b.Type == hostabi.Fields {
		items := make([]hostabi.Field, len(b.Items))
		for i, f := range b.Items {
			if b.Sensitive || f.Sensitive {
				f.Sensitive = true
				if !empty(f.Value) {
					f.Value = masked
				}
			}
			items[i] = f
		}
		b.Items = items
		return b
	}
	if !b.Sensitive {
		return b
	}
	if b.Text != "" {
		b.Text = masked
	}
	b.List = maskAll(b.List)
	for i, r := range b.Rows {
		if i == 0 {
			b.Rows = slices.Clone(b.Rows)
		}
		b.Rows[i] = maskAll(r)
	}
	if b.Payload != "" {
		b.Payload = `"` + masked + `"`
	}
	return b
}

func maskAll(values []hostabi.Scalar) []hostabi.Scalar {
	if values == nil {
		return nil
	}
	return slices.Repeat([]hostabi.Scalar{masked}, len(values))
}

func empty(v hostabi.Scalar) bool { return v == nil || v == "" }

// sensitiveLabels are the labels of the fields whose values are masked; an
// argument that names one of them makes the other arguments secret.
func (w *Window) sensitiveLabels() map[string]bool {
	out := map[string]bool{}
	for _, b := range w.Blocks {
		for _, f := range b.Items {
			if f.Sensitive {
				out[strings.ToLower(f.Label)] = true
			}
		}
	}
	return out
}

// changedBlocks are the ids of the blocks that differ between two versions of a
// window, those that came and went included, in the order of after and then before.
func changedBlocks(before, after *Window) []string {
	old := map[string][]byte{}
	if before != nil {
		for _, b := range before.Blocks {
			old[b.ID] = appendBlock(nil, b)
		}
	}
	var out []string
	for _, b := range after.Blocks {
		was, ok := old[b.ID]
		if !ok || !bytes.Equal(was, appendBlock(nil, b)) {
			out = append(out, b.ID)
		}
		delete(old, b.ID)
	}
	if before != nil {
		for _, b := range before.Blocks {
			if _, gone := old[b.ID]; gone {
				out = append(out, b.ID)
			}
		}
	}
	return out
}
