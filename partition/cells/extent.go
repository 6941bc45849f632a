package cells

import (
	"context"
	"fmt"

	"github.com/kcut/kcut/partition"
)

// Extent says which codes of a column occur in a part: the smallest and the largest below
// a top, and whether there are others. Lo > Hi when there are none below.
type Extent struct {
	Lo, Hi uint32
	Above  bool
}

// join makes e the extent of its records and others.
func (e *Extent) join(o Extent) {
	*e = Extent{Lo: min(e.Lo, o.Lo), Hi: max(e.Hi, o.Hi), Above: e.Above || o.Above}
}

// none is the extent of no records.
var none = Extent{Lo: 1<<32 - 1}

// Extents returns the extents of the first len(tops) columns, whose tops are given. They
// are valid until the next call.
func (c *Cells) Extents(ctx context.Context, tops []uint32) ([]Extent, error) {
	c.extents = c.extents[:0]
	for range tops {
		c.extents = append(c.extents, none)
	}
	err := c.Visit(ctx, func(t *partition.Table) error {
		for i, top := range tops {
			c.extents[i].join(extentOf(t, t.Layout.Fields[i], uint64(top)))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("measure: %w", err)
	}
	return c.extents, nil
}

// extentOf returns the extent of a column of a table.
func extentOf(t *partition.Table, f partition.Field, top uint64) Extent {
	lo, hi := span(t.Keys[f.Word:], t.Layout.Words, f)
	if hi < top {
		return Extent{Lo: uint32(lo), Hi: uint32(hi)}
	}
	e := none
	for at := f.Word; at < len(t.Keys); at += t.Layout.Words {
		if code := t.Keys[at] >> f.Shift & f.Mask; code < top {
			e.join(Extent{Lo: uint32(code), Hi: uint32(code)})
		} else {
			e.Above = true
		}
	}
	return e
}
