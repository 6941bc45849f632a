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
	masked [][]uint32 // codes of the attributes, by column
	kept   [][]uint32
	class  []uint32
	counts []uint32 // the rows that each stands for
	tested []uint32 // of these: how many are for testing
}

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
					b.add(records.Layout.Fields, key, rows, tested)
				}
				if len(b.counts) < blockRecords {
					continue
				}
				if err := visit(b); err != nil {
					return err
				}
				b.clear()
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

func newBlock(e *evaluation) *block {
	return &block{masked: make([][]uint32, len(e.Attributes)), kept: make([][]uint32, len(e.Kept))}
}

func (b *block) add(fields []partition.Field, key []uint64, rows, tested uint32) {
	for a := range b.masked {
		b.masked[a] = append(b.masked[a], fields[a].Code(key))
	}
	fields = fields[len(b.masked):]
	for i := range b.kept {
		b.kept[i] = append(b.kept[i], fields[i].Code(key))
	}
	b.class = append(b.class, fields[len(b.kept)].Code(key))
	b.counts, b.tested = append(b.counts, rows), append(b.tested, tested)
}

func (b *block) clear() {
	for a := range b.masked {
		b.masked[a] = b.masked[a][:0]
	}
	for i := range b.kept {
		b.kept[i] = b.kept[i][:0]
	}
	b.class, b.counts, b.tested = b.class[:0], b.counts[:0], b.tested[:0]
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
		for a, codes := range b.masked {
			for i, code := range codes {
				sums[a][int(code)*classes+int(b.class[i])] += uint64(b.counts[i])
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
