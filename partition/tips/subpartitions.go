package tips

import (
	"cmp"
	"slices"

	"github.com/kcut/kcut/partition"
)

const (
	// batchesTogether is how many batches of records make partitions that are refined at once.
	batchesTogether = 4
	// assembledTogether is how many partitions are assembled at once.
	assembledTogether = 128
	// subpartitionsTogether is how many subpartitions one goroutine looks at before others are
	// asked to help.
	subpartitionsTogether = 256
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
			partition.Each(n, t.pool.parallel.ThreadsFor(n*t.chunkRecords), func(_, i int) {
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
		*l = leafPartition{Rows: partition.Rows{Hi: l.Records(), Size: l.Size}, subs: []*subpartition{to}}
		t.schedule(int32(p))
		t.subs++
	}
	return nil
}

// refineSubpartitions refines partitions that have subpartitions. Those that are known to lie
// in one child go there as they are, the others are divided.
func (t *TIPS) refineSubpartitions(visits []int32, field int, r *partition.Refinement) {
	t.lookahead.show(field)
	splits := t.divideAgain(visits, func(v *visitor, p *subpartition) bool { return !v.whole(t, p) })
	if t.err != nil {
		return
	}
	for len(visits) > 0 {
		n := min(len(visits), assembledTogether)
		t.assemble(visits[:n], field, r)
		visits = visits[n:]
	}
	if t.spreadsRoom() < 0 {
		for _, w := range splits {
			for _, p := range w.subs {
				if p != nil {
					t.sums -= p.known()
					p.forget()
				}
			}
		}
	}
}

// divideAgain divides those subpartitions of partitions that need it.
func (t *TIPS) divideAgain(visits []int32, needs func(v *visitor, p *subpartition) bool) []*split {
	x := dividing{TIPS: t, splits: t.choose(visits, needs)}
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

// choose takes the subpartitions that need to be divided from partitions.
func (t *TIPS) choose(visits []int32, needs func(v *visitor, p *subpartition) bool) []*split {
	t.reserveVisitors()
	var all []*subpartition
	for _, p := range visits {
		all = append(all, t.partitions[p].subs...)
	}
	chosen := make([]bool, len(all))
	ranges := partition.Rows{Hi: len(all)}.Cut((len(all) + subpartitionsTogether - 1) / subpartitionsTogether)
	partition.Each(len(ranges), t.pool.parallel.Threads, func(worker, i int) {
		for at := ranges[i].Lo; at < ranges[i].Hi; at++ {
			chosen[at] = needs(t.visitors[worker], all[at])
		}
	})
	var splits []*split
	for _, p := range visits {
		l := &t.partitions[p]
		kept := l.subs[:0]
		for _, sub := range l.subs {
			if chosen[0] {
				splits = append(splits, &split{of: p, whole: sub})
			} else {
				kept = append(kept, sub)
			}
			chosen = chosen[1:]
		}
		clear(l.subs[len(kept):])
		l.subs = kept
	}
	return splits
}

// whole reports whether the records of a subpartition are known to agree in the child that the
// refinement sends them to, and how they are spread over what may become of that. What the
// lookahead shows of its field is there.
func (v *visitor) whole(t *TIPS, p *subpartition) bool {
	o := t.lookahead
	if o.by.Children == 1 {
		if v.fields = t.listActive(v.fields[:0], p.Sample, false); position(v.fields, o.field) < 0 {
			return true
		}
	}
	s, counts := p.spread(o.field)
	if s == nil {
		return false
	}
	return o.agree(s, counts)
}

// assemble makes partitions of the subpartitions of some, each of which lies in one child: first all
// are visited, then every one is replaced by its parts.
func (t *TIPS) assemble(partitions []int32, field int, r *partition.Refinement) {
	t.reserveVisitors()
	t.made = slices.Grow(t.made[:0], len(partitions))[:len(partitions)]
	subs := 0
	for _, p := range partitions {
		subs += len(t.partitions[p].subs)
	}
	ranges := partition.Rows{Hi: len(partitions)}.Cut(max(1, min(len(partitions), subs/subpartitionsTogether)))
	partition.Each(len(ranges), t.pool.parallel.Threads, func(worker, i int) {
		for at := ranges[i].Lo; at < ranges[i].Hi; at++ {
			t.made[at] = t.visitors[worker].assemble(t, partitions[at], field, r)
		}
	})
	t.replaceAll(field)
}

// assemble makes parts of a partition's subpartitions, and counts these.
func (v *visitor) assemble(t *TIPS, p int32, field int, r *partition.Refinement) visit {
	f := t.table.Layout.Fields[field]
	v.children = v.children[:0]
	for _, sub := range t.partitions[p].subs {
		child := r.ChildOf(f.Code(sub.Sample))
		at, found := slices.BinarySearchFunc(v.children, child, func(l childPartition, child uint32) int { return cmp.Compare(l.child, child) })
		if !found {
			v.children = slices.Insert(v.children, at, childPartition{child: child})
		}
		l := &v.children[at]
		l.Hi += sub.Records
		l.Size += sub.Size
		l.subs = append(l.subs, sub)
	}
	from := len(v.parts)
	for _, child := range v.children {
		v.parts = append(v.parts, part{leafPartition: child.leafPartition})
	}
	made := newVisit(p, v.parts[from:len(v.parts):len(v.parts)])
	for i := range made.parts {
		v.fields = t.listActive(v.fields[:0], t.sample(made.parts[i].leafPartition), false)
		fields := v.fields
		if len(made.parts) == 1 {
			fields = only(fields, field)
		}
		made.parts[i].counts = v.gather(t, made.parts[i].subs, fields)
	}
	return made
}

// gather counts the records of subpartitions, from what is known of them.
func (v *visitor) gather(t *TIPS, subs []*subpartition, fields []active) []counted {
	from := len(v.counts)
	for _, a := range fields {
		at := len(v.childCounts)
		v.childCounts = v.tally.gather(subs, a, t.lookahead.column(a.field).Child, v.childCounts)
		v.counts = append(v.counts, counted{field: a.field, children: v.childCounts[at:len(v.childCounts):len(v.childCounts)]})
	}
	return v.counts[from:len(v.counts):len(v.counts)]
}

// childPartition is the part of a partition that is sent to a child.
type childPartition struct {
	leafPartition
	child uint32
}

// spare gives back memory that the search can do without, if there is any: lastly what is known of
// subpartitions.
func (t *TIPS) spare() bool {
	switch {
	case t.pool.spareVisitors():
	case cap(t.partitions) > len(t.partitions):
		t.partitions = append(make([]leafPartition, 0, len(t.partitions)), t.partitions...)
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

// drop frees a subpartition.
func (t *TIPS) drop(p *subpartition) {
	t.subs--
	t.sums -= p.known()
	p.forget()
	t.fail(t.pool.Free(&p.ChunkList))
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
