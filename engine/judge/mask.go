package judge

import (
	"context"
	"slices"

	"github.com/kcut/kcut/engine"
)

// Pools map the codes of an attribute to those of a search; nil, for all or for one: they are the
// same.
type Pools [][]uint32

// apply maps the codes of an attribute.
func (p Pools) apply(attribute int, codes []uint32) {
	if p == nil || p[attribute] == nil {
		return
	}
	for i, code := range codes {
		codes[i] = p[attribute][code]
	}
}

// Bytes returns the memory of the pools.
func (p Pools) Bytes() (n int64) {
	for _, codes := range p {
		n += 4 * int64(len(codes))
	}
	return n
}

// Masker computes the labels of records, which come in their order.
type Masker struct {
	engine.Recoding
	pools Pools
	// by divided cell: number of its records that were recoded, and that were divided
	taken, ahead []uint64

	codes, labels [][]uint32 // scratch
	cells         []int32
	parts         *Block
}

// NewMasker returns a masker before the first record.
func NewMasker(recoding engine.Recoding, pools Pools) *Masker {
	cells := recoding.Cells()
	taken, ahead := make([]uint64, cells), make([]uint64, cells)
	return &Masker{Recoding: recoding, pools: pools, taken: taken, ahead: ahead}
}

// Mask returns the records of a block with their labels. Records that are not released have
// engine.DroppedLabel in all attributes.
func (m *Masker) Mask(b *Block) *Block {
	if len(m.taken) > 0 {
		b = m.divide(b)
	}
	m.labels = copied(m.labels, b.Codes())
	rows := m.rows(b)
	rows.Taken = m.taken
	m.Recode(rows, m.labels)
	engine.DropEverywhere(m.labels)
	b.Labels = m.labels
	return b
}

// rows returns the records of a block for recoding.
func (m *Masker) rows(b *Block) engine.Rows {
	m.codes = copied(m.codes, b.Codes())
	for a, codes := range m.codes {
		m.pools.apply(a, codes)
	}
	return engine.Rows{N: len(b.Counts), Codes: m.codes, Classes: b.Classes, Counts: b.Counts}
}

// copied copies columns to others.
func copied(to, from [][]uint32) [][]uint32 {
	for len(to) < len(from) {
		to = append(to, nil)
	}
	for i, codes := range from {
		to[i] = append(to[i][:0], codes...)
	}
	return to
}

// divide returns the records of a block in tuples whose records all get the same labels: it divides
// tuples of divided cells, whose records may get several.
func (m *Masker) divide(b *Block) *Block {
	if m.parts == nil {
		m.parts = newBlock(b.attributes, len(b.Columns)-b.attributes-1)
	}
	m.parts.reset()
	m.cells = slices.Grow(m.cells[:0], len(b.Counts))[:len(b.Counts)]
	m.Divided(m.rows(b), m.cells)
	regions := m.Recoding.(*engine.Regions)
	for i, n := range b.Counts {
		cell := m.cells[i]
		for n > 0 {
			some := n
			if cell != engine.Undivided {
				some = min(n, regions.Together(cell, m.ahead[cell]))
				m.ahead[cell] += some
			}
			m.parts.copy(b, i, some)
			n -= some
		}
	}
	return m.parts
}

// from returns a source of another source's records with labels. They follow the records that were
// masked before.
func (m *Masker) from(source Source) Source {
	return func(ctx context.Context, visit func(*Block) error) error {
		next := NewMasker(m.Recoding, m.pools)
		copy(next.taken, m.taken)
		copy(next.ahead, m.ahead)
		return source(ctx, func(b *Block) error { return visit(next.Mask(b)) })
	}
}
