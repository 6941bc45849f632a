package judge

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/labels"
	"github.com/kcut/kcut/partition"
)

// Utility is how much columns explain of the class: the share of its entropy that the column that
// explains most takes away. Columns count one by one, so a classifier that looks at several may do
// better.
type Utility struct {
	Raw, Released float64
	Column        int // attribute that explains most before masking
}

// A column explains something of the class if it takes away a share of the class's entropy that
// chance does not explain, of at least leastExplained. A release is useless where no column does,
// and the raw values of some column take away at least twice as much. With leastExplained a
// classifier that knows the column alone ranks records little better than chance: the area under
// its curve is about 0.55, from which on kcut evaluate calls a release useful.
const leastExplained = 0.005

// Share returns the share of what the raw columns explain that the released ones explain.
func (u *Utility) Share() float64 { return max(0, min(1, u.Released/u.Raw)) }

// IsUseless reports whether no released column explains anything of the class, but a raw one does.
func (u *Utility) IsUseless() bool {
	return u.Raw >= 2*leastExplained && u.Released < leastExplained
}

// Observed is a table before its search, which consumes the groupings. If labels depend on more
// than one column, records are necessary to find the labels of each class: so it has a sample of
// them, of bounded size.
type Observed struct {
	*engine.Table
	sample Block   // empty: there is none
	spread float64 // mean number of records in the tuple of a record of a sample; 1: all are there
}

// The number of tuples in a sample, and the number of their codes, are bounded.
const (
	mostObserved = 1 << 14
	mostCodes    = 1 << 18
)

// Observe observes the table of an engine's search. It samples tuples with their classes by their
// hashes if a table of all columns has classes, and k counts records; but not for a Merger, whose
// tuples in a store lack codes. The sample takes a few MiB at most, whatever the table is, and
// nothing of the budget: the utility of a release must not depend on that.
func Observe(
	ctx context.Context, e engine.Engine, table *engine.Table, space partition.Space,
) (*Observed, error) {
	o := &Observed{Table: table, spread: 1}
	if _, merges := e.(engine.Merger); merges || table.Classes < 2 ||
		len(table.Groupings) == 0 || table.Sizes != nil ||
		len(table.Groupings[0].Layout.Fields) != len(table.Attributes)+1 {
		return o, nil
	}
	tuples := table.Groupings[0]
	all, most := tuples.Len(), min(mostObserved, mostCodes/(len(table.Attributes)+1))
	take := func(key []uint64, n uint64) uint64 {
		if engine.IsSampled(engine.HashOf(tuples.Layout.Fields, key), all, most) {
			return n
		}
		return 0
	}
	o.sample = *newBlock(len(table.Attributes), 0)
	source := (&Records{Table: table, Counts: tuples, Space: space}).Part(func() Take {
		return take
	})
	err := source(ctx, func(b *Block) error {
		for i, n := range b.Counts {
			o.sample.copy(b, i, n)
		}
		return nil
	})
	o.sample = *o.sample.ordered()
	if all > most && len(o.sample.Counts) > 0 {
		records, squares := 0.0, 0.0
		for _, n := range o.sample.Counts {
			records, squares = records+float64(n), squares+float64(n)*float64(n)
		}
		o.spread = squares / records
	}
	return o, err
}

// ordered returns the block with its tuples in the order of their codes. A table in a store has
// another order, and records of divided cells get their labels in this one.
func (b *Block) ordered() *Block {
	order, ordered := make([]int, len(b.Counts)), newBlock(b.attributes, 0)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(i, o int) (sign int) {
		for c := 0; c < len(b.Columns) && sign == 0; c++ {
			sign = cmp.Compare(b.Columns[c][i], b.Columns[c][o])
		}
		return sign
	})
	ordered.grow(len(order))
	for _, i := range order {
		ordered.copy(b, i, b.Counts[i])
	}
	return ordered
}

// Utility returns how much the columns of a recoding explain of the class, and nil if no raw column
// explains anything or that is not known.
func (o *Observed) Utility(recoding engine.Recoding) *Utility {
	u := &Utility{}
	masked := o.masked(recoding)
	for a := range o.Attributes {
		attribute, label := &o.Attributes[a], labels.Of(&o.Attributes[a], recoding, a)
		released := label.Feature(false)
		raw := column{domain: attribute.Len(), ordered: attribute.Mask == engine.Discretize}
		shown := column{domain: released.Domain, ordered: released.Numeric}
		visit := o.records(recoding, masked, a)
		if visit == nil {
			return nil
		}
		explained := o.explained(raw, func(add adder) {
			visit(func(code, _, class uint32, n uint64) { add(code, class, n) })
		})
		if explained > u.Raw {
			u.Raw, u.Column = explained, a
		}
		u.Released = max(u.Released, o.explained(shown, func(add adder) {
			visit(func(_, label, class uint32, n uint64) { add(released.Code(label), class, n) })
		}))
	}
	if u.Raw < leastExplained {
		return nil
	}
	return u
}

// masked returns the sample with its labels, or nil if each column has a cut of its own.
func (o *Observed) masked(recoding engine.Recoding) *Block {
	if _, ok := recoding.(*engine.Cut); ok || len(o.sample.Counts) == 0 {
		return nil
	}
	return NewMasker(recoding, nil).Mask(&o.sample)
}

// records returns a function that visits the codes of an attribute with their labels and classes,
// of the whole table or of the sample; nil if neither is known.
func (o *Observed) records(recoding engine.Recoding, masked *Block, a int) func(
	visit func(code, label, class uint32, n uint64)) {
	if masked != nil {
		return func(visit func(code, label, class uint32, n uint64)) {
			for i, n := range masked.Counts {
				visit(masked.Columns[a][i], masked.Labels[a][i], masked.Classes[i], n)
			}
		}
	}
	codes, h := recoding.Codes(a), o.Histograms[a]
	if cut, ok := recoding.(*engine.Cut); ok { // even if some records are suppressed
		codes = cut.Columns[a].Code
	}
	if codes == nil || h == nil || h.Classes != o.Classes || o.Classes < 2 {
		return nil
	}
	return func(visit func(code, label, class uint32, n uint64)) {
		for code := range h.Len() {
			for i := h.Start[code]; i < h.Start[code+1]; i++ {
				visit(uint32(code), codes[code], h.Class[i], h.Count[i])
			}
		}
	}
}

// column is the codes of a column, or of the labels that it gets.
type column struct {
	domain  int
	ordered bool
}

// adder adds a number of records with a code and a class.
type adder func(code, class uint32, n uint64)

// bins is the number of parts to which the codes of a column are joined: so each has enough records
// to compare what it explains with chance.
const bins = 32

// explained returns the share of the class's entropy that a column takes away, less what as many
// codes without relation to the class would take away in the mean (the expectation of Wilks'
// statistic); 0 if that is no more than four standard deviations by chance.
func (o *Observed) explained(c column, each func(add adder)) float64 {
	sizes := make([]uint64, c.domain)
	each(func(code, _ uint32, n uint64) { sizes[code] += n })
	of := c.bins(sizes)
	joined, classes, all := make([][]uint64, bins), make([]uint64, o.Classes), uint64(0)
	for b := range joined {
		joined[b] = make([]uint64, o.Classes)
	}
	each(func(code, class uint32, n uint64) {
		joined[of[code]][class] += n
		classes[class] += n
		all += n
	})
	entropy, present := surprise(classes, all)
	left, parts := 0.0, 0
	for _, counts := range joined {
		if size := partition.Sum(counts); size > 0 {
			loss, _ := surprise(counts, size)
			left, parts = left+loss, parts+1
		}
	}
	freedom := float64((parts - 1) * (present - 1))
	explained := entropy - left - o.spread*freedom/2
	if freedom <= 0 || explained <= 4*o.spread*math.Sqrt(freedom/2) {
		return 0
	}
	return explained / entropy
}

// surprise returns the entropy of some records' classes, times their number, and the number of
// classes that are present.
func surprise(classes []uint64, all uint64) (sum float64, present int) {
	for _, n := range classes {
		if n > 0 {
			sum += float64(float64(n) * math.Log(float64(all)/float64(n)))
			present++
		}
	}
	return sum, present
}

// bins returns the part of every code: neighbours of an order with about as many records, or one
// of the most frequent codes, or all others.
func (c column) bins(sizes []uint64) []uint8 {
	of, all, below := make([]uint8, len(sizes)), partition.Sum(sizes), uint64(0)
	if c.ordered {
		for code, n := range sizes {
			of[code] = uint8(min(bins-1, bins*below/max(1, all)))
			below += n
		}
		return of
	}
	order := engine.Identity(len(sizes)).Codes
	slices.SortStableFunc(order, func(a, b uint32) int { return cmp.Compare(sizes[b], sizes[a]) })
	for rank, code := range order {
		of[code] = uint8(min(bins-1, rank))
	}
	return of
}
