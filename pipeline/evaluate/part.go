package evaluate

import (
	"context"

	"github.com/kcut/kcut/partition"
)

// side is what a round takes rows for.
type side uint8

// The sides.
const (
	training side = iota
	test
	both
)

// part is the rows that a round takes for one side, or for both.
type part struct {
	*evaluation
	round round
	side  side
	rows  uint64 // how many there are
}

// block is some records of a part, in the records' order.
type block struct {
	columns    [][]uint32 // codes of the attributes, of the kept columns and of the class
	attributes int
	counts     []uint32 // the rows that each stands for
	tested     []uint32 // of these: how many are for testing
}

func newBlock(e *evaluation) *block {
	n := len(e.Attributes)
	return &block{columns: make([][]uint32, n+len(e.Kept)+1), attributes: n}
}

func (b *block) masked() [][]uint32 { return b.columns[:b.attributes] }

func (b *block) class() []uint32 { return b.columns[len(b.columns)-1] }

// blockRecords is how many records a block has at most.
const blockRecords = 1 << 12

// each hands out the part's records; singly, then each stands for one row. A block is valid
// until visit returns, which may change it.
func (p *part) each(ctx context.Context, singly bool, visit func(*block) error) error {
	b, deal := newBlock(p.evaluation), p.dealer(p.round)
	err := p.Table.Scan(ctx, partition.Space{Budget: p.Budget, Store: p.Store}, func(records *partition.Table) error {
		words := records.Layout.Words
		for i, n := range records.Counts {
			key := records.Keys[i*words : (i+1)*words]
			step := n
			if singly {
				step = 1
			}
			for ; n > 0; n -= step {
				tested := deal.next(key, step)
				if rows := p.side.of(step, tested); rows > 0 {
					for i, f := range records.Layout.Fields[:len(b.columns)] {
						b.columns[i] = append(b.columns[i], f.Code(key))
					}
					b.counts, b.tested = append(b.counts, rows), append(b.tested, tested)
				}
				if len(b.counts) < blockRecords {
					continue
				}
				if err := visit(b); err != nil {
					return err
				}
				for i := range b.columns {
					b.columns[i] = b.columns[i][:0]
				}
				b.counts, b.tested = b.counts[:0], b.tested[:0]
			}
		}
		return nil
	})
	if err != nil || len(b.counts) == 0 {
		return err
	}
	return visit(b)
}

// of returns how many rows of a record are for the side, when so many of all are for testing.
func (s side) of(all, tested uint32) uint32 {
	switch s {
	case training:
		return all - tested
	case test:
		return tested
	}
	return all
}

// histograms counts the classes of every code of every attribute. What they take is drawn.
func (p *part) histograms(ctx context.Context) (all []*partition.Histogram, err error) {
	classes, sums, bytes := len(p.ClassNames), make([][]uint64, len(p.Attributes)), int64(0)
	for a := range sums {
		bytes += 8 * int64(p.Attributes[a].Len()*classes)
	}
	if err := p.Budget.Draw("counts of classes", bytes); err != nil {
		return nil, err
	}
	defer p.Budget.Return(bytes)
	for a := range sums {
		sums[a] = make([]uint64, p.Attributes[a].Len()*classes)
	}
	err = p.each(ctx, false, func(b *block) error {
		class := b.class()
		for a, codes := range b.masked() {
			for i, code := range codes {
				sums[a][int(code)*classes+int(class[i])] += uint64(b.counts[i])
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	for a := range sums {
		h := histogram(sums[a], classes)
		if err := p.Budget.Draw("histograms", 8*int64(len(h.Start))+12*int64(len(h.Count))); err != nil {
			return nil, err
		}
		all = append(all, h)
	}
	return all, nil
}

// histogram leaves out what does not occur.
func histogram(sums []uint64, classes int) *partition.Histogram {
	h := &partition.Histogram{Classes: classes, Start: []int{0}}
	for at, n := range sums {
		if n > 0 {
			h.Class, h.Count = append(h.Class, uint32(at%classes)), append(h.Count, n)
		}
		if at%classes == classes-1 {
			h.Start = append(h.Start, len(h.Count))
		}
	}
	return h
}
