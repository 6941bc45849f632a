package pipeline

import (
	"context"
	"slices"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/jobfile"
	"github.com/kcut/kcut/spill"
)

// surveyed is a masked column after its census: its domain, the (code, class) pairs in its
// codes and the class's provisional ones, and how values are coded.
type surveyed struct {
	domain
	pairs partition.Pairs
	coder coder
}

// bind makes the column's domain from the values in order. The pruning is that of the
// column, rows the number of records.
func (c *census) bind(ctx context.Context, spec *jobfile.Column, taxonomy jobfile.Taxonomy, pruning engine.Pruning, rows int64) (*surveyed, error) {
	s := &surveyed{}
	for class, n := range c.nulls() {
		if n > 0 {
			s.nulls += n
			s.pairs = append(s.pairs, partition.Pair{Class: uint32(class), Count: n})
		}
	}
	nulls := len(s.pairs)
	s.attribute = engine.Attribute{Name: spec.Name, HasNull: s.nulls > 0}
	var err error
	switch spec.Mask {
	case jobfile.MaskDiscretize:
		err = c.discretize(ctx, s, spec, uint64(rows)-s.nulls)
	case jobfile.MaskGeneralize:
		err = c.generalize(ctx, s, spec, taxonomy, pruning)
	default:
		err = c.suppress(ctx, s, spec, pruning.K)
	}
	if err != nil {
		return nil, err
	}
	for i := range s.pairs[:nulls] {
		s.pairs[i].Code = s.coder.null()
	}
	s.pairs = s.pairs.Merge()
	return s, nil
}

// entry appends the value to values.
func (v *counted) entry(values *formats.Values) {
	if values.Type.InWords() {
		values.Words = append(values.Words, v.word)
	} else {
		values.AppendBytes(v.value)
	}
}

// addPairs notes the value's records under a code.
func (s *surveyed) addPairs(code uint32, v *counted) {
	for _, k := range v.classes {
		s.pairs = append(s.pairs, partition.Pair{Code: code, Class: k.Class, Count: k.Count})
	}
}

// binner cuts values that come in order into quantile bins, as binStarts does, and keeps
// every value apart as long as there are not too many.
type binner struct {
	limit        int
	values       int    // so far
	total        uint64 // records with a value
	below, edge  uint64
	exact, bins  formats.Values // the values; the smallest value of every bin
	exactly, cut surveyed       // the pairs of either
	merged       int            // pairs of the bins when they were last merged
	drawn        int64
}

// usualPairs of value and class, four of each bin, count as overhead; what exceeds them,
// because classes are many, is drawn.
const usualPairs = 4 * maxSplitValues

// draw draws what the pairs have grown by.
func (b *binner) draw(column string, budget *spill.Budget) error {
	pairs := max(0, len(b.exactly.pairs)-usualPairs) + max(0, len(b.cut.pairs)-usualPairs)
	need := int64(pairs)*engine.FrequencyBytes - b.drawn
	if need < drawnPairs*engine.FrequencyBytes {
		return nil
	}
	b.drawn += need
	return budget.Draw("the classes of column "+column, need)
}

// drawnPairs are drawn at one time.
const drawnPairs = 1024

func (b *binner) add(v *counted) {
	records := v.records()
	if b.values++; b.values <= b.limit {
		b.exactly.addPairs(uint32(b.exact.Len()), v)
		v.entry(&b.exact)
	} else { // they are of no use any more
		b.exact, b.exactly.pairs = formats.Values{Type: b.exact.Type}, nil
	}
	if b.below*uint64(b.limit) >= b.edge*b.total {
		b.edge = b.below*uint64(b.limit)/b.total + 1
		v.entry(&b.bins)
	}
	b.cut.addPairs(uint32(b.bins.Len()-1), v)
	if len(b.cut.pairs) > max(4*b.limit, 2*b.merged) {
		b.cut.pairs = b.cut.pairs.Merge()
		b.merged = len(b.cut.pairs)
	}
	b.below += records
}

// discretize makes one code of every value, or of every quantile bin when there are too many.
func (c *census) discretize(ctx context.Context, s *surveyed, spec *jobfile.Column, total uint64) error {
	b := &binner{limit: maxSplitValues, total: total}
	b.exact.Type, b.bins.Type = c.typ, c.typ
	first, last := &formats.Values{Type: c.typ}, &formats.Values{Type: c.typ}
	bounds, err := newDeclaredBounds(spec, c.typ)
	if err != nil {
		return err
	}
	err = c.each(ctx, func(v *counted) error {
		if b.values == 0 {
			v.entry(first)
		}
		last.Words, last.Ends, last.Data = last.Words[:0], last.Ends[:0], last.Data[:0]
		v.entry(last)
		bounds.check(last, 0, v.records())
		b.add(v)
		return b.draw(c.column, c.budget)
	})
	if err != nil {
		return err
	}
	edges, pairs := b.exact, b.exactly.pairs
	if b.values > b.limit {
		edges, pairs, s.binned = b.bins, b.cut.pairs, b.values
	}
	s.pairs = append(s.pairs, pairs...)
	coder := &edgeCoder{edges: edges, nullCode: uint32(edges.Len())}
	if s.nulls > 0 {
		coder.nanCode = coder.nullCode
	}
	s.coder = coder
	a := &s.attribute
	a.Mask = engine.Discretize
	for i := range edges.Len() {
		a.Texts = append(a.Texts, edges.Text(i))
		a.Positions = append(a.Positions, edges.Float(i))
	}
	if b.values > 0 {
		a.Lower, a.Upper = first.Float(0), last.Float(0)
	}
	return bounds.place(a)
}

// suppress lists the values that some release could disclose: those with at least k
// records. All others share one code.
func (c *census) suppress(ctx context.Context, s *surveyed, spec *jobfile.Column, k uint64) error {
	listed := formats.Values{Type: c.typ}
	var found []occurrence
	var classes [][]engine.Frequency
	var rest counted
	err := c.each(ctx, func(v *counted) error {
		if c.typ.Kind == formats.String && string(v.value) == engine.Suppressed { // no other type has that text
			return marked(spec.Name, v.records())
		}
		if v.records() < k {
			rest.classes = engine.AddFrequencies(rest.classes, v.classes)
			return nil
		}
		if err := c.budget.Draw("the values of column "+c.column, int64(len(v.value))+100+int64(len(v.classes))*engine.FrequencyBytes); err != nil {
			return err
		}
		v.entry(&listed)
		classes = append(classes, slices.Clone(v.classes))
		found = append(found, occurrence{provisional: uint32(listed.Len()), text: listed.Text(listed.Len() - 1)})
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(found, func(a, b occurrence) int { return strings.Compare(a.text, b.text) })
	coder := newListCoder(c.typ)
	a := &s.attribute
	a.Mask = engine.Suppress
	for code, o := range found {
		a.Texts = append(a.Texts, o.text)
		s.addPairs(uint32(code), &counted{classes: classes[o.provisional-1]})
		if err := coder.list(&listed, int(o.provisional)-1, uint32(code), c.budget); err != nil {
			return err
		}
	}
	coder.nullCode = uint32(len(found))
	if len(rest.classes) > 0 {
		a.HasRest = true
		coder.rest = coder.nullCode
		s.addPairs(coder.rest, &rest)
		coder.nullCode++
	}
	s.coder = coder
	return nil
}
