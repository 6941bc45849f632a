package bottomup

import (
	"context"

	"github.com/kcut/kcut/partition"
)

// probe counts, in one scan, what a generalization merges the witnesses with.
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
func (s *census) probe(ctx context.Context, space partition.Space, candidates []generalization) error {
	if len(candidates) == 0 {
		return nil
	}
	var keys [][]uint64
	codes := s.codes()
	for _, v := range s.witnesses {
		keys = append(keys, s.key(v, codes))
	}
	probes := make([]*probe, len(candidates))
	for i, g := range candidates {
		probes[i] = s.newProbe(g, keys)
	}
	err := s.table.Scan(ctx, space, func(t *partition.Table) error {
		for _, p := range probes {
			p.count(t)
		}
		return nil
	})
	if err != nil {
		return err
	}
	for _, p := range probes {
		s.blocked[p.column] = block{node: p.node, vids: p.alone(s.anonymity)}
	}
	return nil
}

// newProbe returns the probe of a generalization that all witnesses, whose keys are given,
// have in common.
func (s *census) newProbe(g generalization, keys [][]uint64) *probe {
	layout := s.table.Layout
	p := &probe{
		generalization: g, field: layout.Fields[g.column], under: s.under(g),
		index: partition.NewIndex(layout, len(s.witnesses)), key: make([]uint64, layout.Words),
	}
	for i, key := range keys {
		if number := p.index.Add(p.masked(key)); number == len(p.vids) {
			p.vids = append(p.vids, s.witnesses[i])
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

// alone returns the witnesses of so many records that were merged with nothing.
func (p *probe) alone(anonymity uint64) (vids []vid) {
	for i, sum := range p.sums {
		if sum == anonymity {
			vids = append(vids, p.vids[i])
		}
	}
	return vids
}

// codes returns the table's code of every node, by column.
func (s *census) codes() [][]uint32 {
	codes := make([][]uint32, len(s.columns))
	for i, c := range s.columns {
		codes[i] = make([]uint32, c.tree.Len())
		for code, node := range s.nodes[i] {
			if node >= 0 {
				codes[i][node] = uint32(code)
			}
		}
	}
	return codes
}

// key returns the table's key of a vid, given the nodes' codes.
func (s *census) key(v vid, codes [][]uint32) []uint64 {
	key := make([]uint64, s.table.Layout.Words)
	for i, f := range s.table.Layout.Fields {
		key[f.Word] |= uint64(codes[i][v[i]]) << f.Shift
	}
	return key
}
