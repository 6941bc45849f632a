package bottomup

import (
	"context"

	"github.com/kcut/kcut/partition"
)

// probe counts, in one scan, what a generalization merges some witnesses with.
type probe struct {
	generalization
	field partition.Field
	under []bool // by code: a child of the node
	index *partition.Index
	vids  []vid // by number of the index
	sums  []uint64
	key   []uint64 // scratch
}

// probe blocks those candidates that merge a witness with nothing.
func (q *qid) probe(ctx context.Context, space partition.Space, candidates []generalization) error {
	if len(candidates) == 0 {
		return nil
	}
	probes := make([]*probe, len(candidates))
	for i, g := range candidates {
		probes[i] = q.newProbe(g)
	}
	err := q.table.Scan(ctx, space, func(t *partition.Table) error {
		for _, p := range probes {
			p.count(t)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, p := range probes {
		for i, sum := range p.sums {
			if sum == q.anonymity {
				q.block(p.generalization, p.vids[i])
				break
			}
		}
	}
	return nil
}

// newProbe returns the probe of a generalization that all witnesses have in common.
func (q *qid) newProbe(g generalization) *probe {
	layout := q.table.Layout
	n := min(len(q.witnesses), maxProbed)
	p := &probe{
		generalization: g, field: layout.Fields[g.column], under: q.under(g),
		index: partition.NewIndex(layout, n), key: make([]uint64, layout.Words),
	}
	for _, v := range q.witnesses[:n] {
		if number := p.index.Add(p.masked(q.key(v))); number == len(p.vids) {
			p.vids = append(p.vids, append(vid(nil), v...))
		}
	}
	p.sums = make([]uint64, len(p.vids))
	return p
}

// masked returns a key without the generalization's column, valid until the next call.
func (p *probe) masked(key []uint64) []uint64 {
	copy(p.key, key)
	p.key[p.field.Word] &^= p.field.Mask << p.field.Shift
	return p.key
}

func (p *probe) count(t *partition.Table) {
	w := t.Layout.Words
	for i, n := range t.Counts {
		key := t.Keys[i*w : (i+1)*w]
		if !p.under[p.field.Code(key)] {
			continue
		}
		if number := p.index.Find(p.masked(key)); number >= 0 {
			p.sums[number] += uint64(n)
		}
	}
}

// key returns the table's key of a vid.
func (q *qid) key(v vid) []uint64 {
	key := make([]uint64, q.table.Layout.Words)
	for i, f := range q.table.Layout.Fields {
		for code, node := range q.nodes[i] {
			if node == v[i] {
				key[f.Word] |= uint64(code) << f.Shift
				break
			}
		}
	}
	return key
}
