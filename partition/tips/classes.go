package tips

import (
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/kcut/kcut/partition"
)

// Classes returns the number of leaf partitions that were made, discarded ones included: one for
// each equivalence class.
func (t *TIPS) Classes() uint64 { return t.classes }

// KeepsWithin reports whether a refinement would leave at most a number of classes. It counts the
// parts that the refinement would make only if they may be too many. After an error the partitions
// must not be used.
func (t *TIPS) KeepsWithin(
	ctx context.Context, r *partition.Refinement, most uint64,
) (within bool, err error) {
	t.ctx = ctx
	field := slices.Index(t.columns, r.Column)
	visits, all := t.linkedTo(r.Value)
	if t.classes+uint64(len(visits))*uint64(r.Children-1) <= most {
		return true, nil
	}
	var after atomic.Uint64
	after.Store(t.classes)
	t.eachInspected(visits, all, func(n *inspector, _ int, p int32) {
		if after.Load() <= most {
			after.Add(n.parts(t, p, field, r) - 1)
		}
	})
	if t.account(); t.err != nil {
		return false, fmt.Errorf("count leaf partitions: %w", t.err)
	}
	return after.Load() <= most, nil
}

// parts returns the number of parts that a refinement would make of a partition.
func (n *inspector) parts(t *TIPS, p int32, field int, r *partition.Refinement) (parts uint64) {
	l, f := t.partitions[p], t.table.Layout.Fields[field]
	if t.view.Columns[r.Column].Suppressed {
		if of, known := l.sizeOf(field, r.First); known && (of == 0 || of == l.Size) {
			return 1
		} else if known {
			return 2
		}
	} else if sums := l.stats.of(field); sums != nil {
		for _, size := range sums {
			if size > 0 {
				parts++
			}
		}
		return parts
	}
	n.begin(r.Children)
	switch {
	case l.lists == nil:
		n.find(t.table, l.Rows, f, r)
	case l.lists.vary(f):
		t.read(l.lists, &n.chunk, func() {
			n.find(&n.chunk, partition.Rows{Hi: n.chunk.Len()}, f, r)
		})
	default:
		return 1
	}
	parts = uint64(len(n.present))
	n.clear()
	return parts
}

// sizeOf returns the size of the records of a partition with a code of a suppressed field, if it is
// known.
func (l *leafPartition) sizeOf(field int, code uint32) (size uint64, known bool) {
	if sums := l.stats.of(field); sums != nil {
		return sums[code], true
	}
	if l.rest == nil || l.rest.of(field) == nil {
		return 0, false
	}
	x := l.rest.of(field)
	if run, found := x.run(code); found {
		size = x.sizes[run]
	}
	return size, true
}

// find lists the children that records of a table belong to.
func (n *inspector) find(t *partition.Table, rows partition.Rows, f partition.Field,
	r *partition.Refinement) {
	w := t.Layout.Words
	for i := rows.Lo; i < rows.Hi && len(n.present) < r.Children; i++ {
		if child := r.ChildOf(f.Code(t.Keys[i*w : (i+1)*w])); n.slot[child] == 0 {
			n.slot[child] = looked
			n.present = append(n.present, child)
		}
	}
}
