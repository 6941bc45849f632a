package tips

import (
	"slices"

	"github.com/kcut/kcut/partition"
)

const (
	// batchesTogether is how many batches of records make partitions that are refined at once.
	batchesTogether = 4
	// assembledTogether is how many partitions are put together of subpartitions at once.
	assembledTogether = 128
	// shareOfSpreads is the part of a pool's share that the counts of subpartitions may take.
	shareOfSpreads = 4
)

// subdivisionPays is how many codes a table must have to be divided in subpartitions although it
// fits the memory: it is several times as large as a cache then, and the more columns there are
// the more often records would be moved in place.
const subdivisionPays = 64 << 20

// moveOut makes every partition in the table a subpartition, whose records are added some at a time,
// in memory or in the store, and frees the table. What was known of partitions is forgotten: most will be counted anew
// before it is of use.
func (t *TIPS) moveOut(add func(p *partition.ChunkList, b partition.Block) error) error {
	table := t.table
	defer func() { t.pool.Release(table.Bytes()) }()
	t.table, t.subdivided = &partition.Table{Layout: table.Layout}, true
	made := make([]partition.Block, t.pool.parallel.Threads)
	for p := range t.partitions {
		l := &t.partitions[p]
		if l.Records() == 0 {
			continue
		}
		to := &subpartition{}
		for lo := l.Lo; lo < l.Hi; lo += len(made) * t.chunkRecords {
			n := min(len(made), (l.Hi-lo+t.chunkRecords-1)/t.chunkRecords)
			t.pool.parallel.Each(n, n*t.chunkRecords, func(_, i int) {
				lo := lo + i*t.chunkRecords
				made[i] = table.Block(table.Rows(lo, min(lo+t.chunkRecords, l.Hi)))
			})
			for _, b := range made[:n] {
				if err := add(&to.ChunkList, b); err != nil {
					return err
				}
			}
		}
		t.sums -= l.sums
		t.forgetRest(l)
		*l = leafPartition{Rows: partition.Rows{Hi: l.Records(), Size: l.Size}, subs: []*subpartition{to}}
		t.schedule(int32(p))
		t.subs++
	}
	return nil
}

// divideSubpartitions divides those subpartitions of partitions that are not known to lie in one child
// of the refinement. The others go there as they are.
func (t *TIPS) divideSubpartitions(visits []int32) []*split {
	x := dividing{TIPS: t}
	for _, p := range visits {
		l := &t.partitions[p]
		l.subs = slices.DeleteFunc(l.subs, func(sub *subpartition) bool {
			if t.isWhole(sub) {
				return false
			}
			x.splits = append(x.splits, &split{of: p, whole: sub})
			return true
		})
	}
	x.run()
	for _, w := range x.splits {
		t.subs--
		t.sums -= w.whole.known()
		l := &t.partitions[w.of]
		for _, sub := range w.subs {
			if sub != nil {
				t.subs++
				t.sums += sub.known()
				l.subs = append(l.subs, sub)
			}
		}
	}
	return x.splits
}

// isWhole reports whether the records of a subpartition are known to agree in the child that the
// refinement sends them to, and how they are spread over what may become of that.
func (t *TIPS) isWhole(p *subpartition) bool {
	o := t.lookahead
	if o.by.Children == 1 {
		if t.fields = t.listActive(t.fields[:0], p.Sample, false); position(t.fields, o.field) < 0 {
			return true
		}
	}
	s, counts := p.spread(o.field)
	return s != nil && o.agree(s, counts)
}

// thin forgets what is known of fresh subpartitions when that takes too much memory.
func (t *TIPS) thin(splits []*split) {
	if t.spreadsRoom() >= 0 {
		return
	}
	for _, w := range splits {
		for _, p := range w.subs {
			if p != nil {
				t.sums -= p.known()
				p.forget()
			}
		}
	}
}

// spare gives back memory that the search can do without, if there is any: lastly what is known of
// subpartitions.
func (t *TIPS) spare() bool {
	switch {
	case t.pool.spareVisitors():
	case cap(t.partitions) > len(t.partitions):
		t.partitions = append(make([]leafPartition, 0, len(t.partitions)), t.partitions...)
	case t.indexed > 0:
		for p := range t.partitions {
			t.forgetRest(&t.partitions[p])
		}
	case !t.subdivided:
		return false
	case t.pool.spareBatches():
	case t.sums > 0:
		for _, l := range t.partitions {
			for _, p := range l.subs {
				p.forget()
			}
		}
		t.sums = 0
	default:
		return false
	}
	return true
}

// subpartitionsVary reports whether the records of subpartitions differ in the bits of the mask.
func (t *TIPS) subpartitionsVary(subs []*subpartition) bool {
	first := subs[0].Sample
	for _, p := range subs {
		for k, mask := range t.mask {
			if (p.Varying[k]|(p.Sample[k]^first[k]))&mask != 0 {
				return true
			}
		}
	}
	return false
}

// schedule notes when the subpartitions of a partition, if it has any, will be read.
func (t *TIPS) schedule(p int32) {
	for _, sub := range t.partitions[p].subs {
		sub.Order = t.readOrder(p)
	}
}

// readOrder tells when the lists of a partition are read, compared with those of others.
func (t *TIPS) readOrder(p int32) uint64 {
	return uint64(t.number)<<32 | uint64(uint32(p))
}
