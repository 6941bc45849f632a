package evaluate

import (
	"context"
	"math/bits"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/workload"
	"github.com/kcut/kcut/partition"
)

// round tests on one fold of a repeat, or on one side of a split, and trains on all others.
type round struct {
	repeat int
	test   uint64
}

// plan returns the rounds.
func (o *Options) plan() (rounds []round) {
	if o.SplitColumn != "" {
		return []round{{}}
	}
	for repeat := range o.Repeats {
		for test := range o.Folds {
			rounds = append(rounds, round{repeat, uint64(test)})
		}
	}
	return rounds
}

// sampler takes about sample of all rows: those with the least hashes of their positions. Of n rows
// that are alike, from a position on, it takes their share, rounded up or down by the hash of the
// first one.
func sampler(sample uint64) func(row, n, all uint64) (taken uint64) {
	return func(row, n, all uint64) uint64 {
		if sample >= all {
			return n
		}
		hash, _ := bits.Mul64(engine.Mix(row), all)
		high, low := bits.Mul64(n, sample)
		low, carry := bits.Add64(low, all-1-hash, 0)
		taken, _ := bits.Div64(high+carry, low, all)
		return taken
	}
}

// assigner assigns the rows of a round to sides, record after record: by the side of a split, or to
// folds, the rows of every class one after the other. As many go to each fold, but for one row,
// of every class and in all.
type assigner struct {
	side  *partition.Field // of a split
	folds uint64
	test  uint64 // the fold

	class   partition.Field
	classes []assigned

	tested uint64 // how many of all rows are for testing
}

// assigned is what is assigned of a class.
type assigned struct {
	shuffle
	first uint64 // rows of the classes before
	next  uint64
}

// assigner returns what assigns the rows of a round.
func (e *evaluation) assigner(r round) *assigner {
	fields := e.Table.Layout.Fields
	if e.SplitColumn != "" {
		return &assigner{side: &fields[len(fields)-1], tested: e.split}
	}
	d := &assigner{folds: uint64(e.Folds), test: r.test, class: fields[len(e.Attributes)+len(e.Kept)]}
	first := uint64(0)
	for c, n := range e.classes {
		d.classes = append(d.classes, assigned{shuffle: newShuffle(n, engine.Mix(uint64(r.repeat)<<32|uint64(c))), first: first})
		first += n
	}
	d.tested = (first + d.folds - 1 - d.test) / d.folds
	return d
}

// next assigns so many rows of a record, and returns how many of them are for testing.
func (d *assigner) next(key []uint64, rows uint64) (tested uint64) {
	if d.side != nil {
		return rows * uint64(d.side.Code(key))
	}
	c := &d.classes[d.class.Code(key)]
	for range rows {
		if (c.first+c.at(c.next))%d.folds == d.test {
			tested++
		}
		c.next++
	}
	return tested
}

// kinds is the number of classes; 1 without a class, which all records are of then.
func (e *evaluation) kinds() int { return max(1, len(e.ClassNames)) }

// count counts the rows of the classes, and those of the second side of a split.
func (e *evaluation) count(ctx context.Context) error {
	fields, words := e.Table.Layout.Fields, e.Table.Layout.Words
	class, last := fields[len(e.Attributes)+len(e.Kept)], fields[len(fields)-1]
	e.classes, e.rows, e.split = make([]uint64, e.kinds()), 0, 0
	return e.Table.Scan(ctx, partition.Space{Budget: e.Budget, Store: e.Store}, func(records *partition.Table) error {
		for i, n := range records.Counts {
			key := records.Keys[i*words : (i+1)*words]
			e.rows += n
			e.classes[class.Code(key)] += n
			if e.SplitColumn != "" {
				e.split += n * uint64(last.Code(key))
			}
		}
		return nil
	})
}

// shuffle is a permutation of the numbers below n that a key chooses: a Feistel network on
// as many bits as they need, and as often as the result is none of them (Black and Rogaway,
// 2002).
type shuffle struct {
	n, key uint64
	half   int // bits
}

func newShuffle(n, key uint64) shuffle {
	return shuffle{n: n, key: key, half: (bits.Len64(n) + 1) / 2}
}

func (s *shuffle) at(i uint64) uint64 {
	for mask := uint64(1)<<s.half - 1; ; {
		left, right := i>>s.half, i&mask
		for round := range uint64(4) {
			left, right = right, left^engine.Mix(s.key+round<<60+right)&mask
		}
		if i = left<<s.half | right; i < s.n {
			return i
		}
	}
}

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
	counts     []uint64 // the rows that each stands for
	tested     []uint64 // of these: how many are for testing
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
	b, assign := newBlock(p.evaluation), p.assigner(p.round)
	err := p.Table.Scan(ctx, partition.Space{Budget: p.Budget, Store: p.Store}, func(records *partition.Table) error {
		words := records.Layout.Words
		for i, n := range records.Counts {
			key := records.Keys[i*words : (i+1)*words]
			step := n
			if singly {
				step = 1
			}
			for ; n > 0; n -= step {
				tested := assign.next(key, step)
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
func (s side) of(all, tested uint64) uint64 {
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
	classes, sums, bytes := p.kinds(), make([][]uint64, len(p.Attributes)), int64(0)
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
		var pairs partition.Pairs
		for at, n := range sums[a] {
			if n > 0 {
				pairs = append(pairs, partition.Pair{Code: uint32(at / classes), Class: uint32(at % classes), Count: n})
			}
		}
		h := pairs.Histogram(p.Attributes[a].Len(), classes)
		if err := p.Budget.Draw("histograms", 8*int64(len(h.Start))+12*int64(len(h.Count))); err != nil {
			return nil, err
		}
		all = append(all, h)
	}
	return all, nil
}

// ask asks the rows a workload of their own. What that takes is drawn while it lasts.
func (p *part) ask(ctx context.Context, histograms []*partition.Histogram) (*workload.Workload, *workload.Truth, error) {
	bytes := int64(0)
	for _, h := range histograms {
		bytes += 8 * int64(h.Len())
	}
	if err := p.Budget.Draw("queries", bytes); err != nil {
		return nil, nil, err
	}
	defer p.Budget.Return(bytes)
	var sizes [][]uint64
	for _, h := range histograms {
		sizes = append(sizes, h.Sizes())
	}
	w := workload.New(p.Attributes, sizes)
	if err := p.Budget.Draw("queries", w.Bytes()); err != nil {
		return nil, nil, err
	}
	defer p.Budget.Return(w.Bytes())
	counter := w.Counter()
	err := p.each(ctx, false, func(b *block) error {
		counter.Add(b.counts, b.masked())
		return nil
	})
	return w, &workload.Truth{Answers: counter.Answers, Records: counter.Records}, err
}
