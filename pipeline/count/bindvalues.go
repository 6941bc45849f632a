package count

import (
	"context"
	"slices"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
)

// Bind makes the column's domain from the values in order. The pruning is that of the
// column, rows the number of records.
func (c *Values) Bind(ctx context.Context, spec *job.Column, taxonomy job.Taxonomy, pruning engine.Pruning, rows int64) (*Bound, error) {
	s := &Bound{}
	for class, n := range c.nulls() {
		if n > 0 {
			s.Nulls += n
			s.Pairs = append(s.Pairs, partition.Pair{Class: uint32(class), Count: n})
		}
	}
	nulls := len(s.Pairs)
	s.Attribute = engine.Attribute{Name: spec.Name, HasNull: s.Nulls > 0}
	var err error
	switch spec.Mask {
	case job.MaskDiscretize:
		err = c.discretize(ctx, s, spec, uint64(rows)-s.Nulls)
	case job.MaskGeneralize:
		err = c.generalize(ctx, s, spec, taxonomy, pruning)
	default:
		err = c.suppress(ctx, s, spec, pruning.K)
	}
	if err != nil {
		return nil, err
	}
	for i := range s.Pairs[:nulls] {
		s.Pairs[i].Code = s.Coder.Null()
	}
	s.Pairs = s.Pairs.Merge()
	return s, nil
}

// appendValue appends a counted value to values.
func appendValue(values *formats.Values, v *domain.Counted) {
	if values.Type.InWords() {
		values.Words = append(values.Words, v.Word)
	} else {
		values.AppendBytes(v.Value)
	}
}

// addPairs notes the value's records under a code.
func (s *Bound) addPairs(code uint32, v *domain.Counted) {
	for _, k := range v.Classes {
		s.Pairs = append(s.Pairs, partition.Pair{Code: code, Class: k.Class, Count: k.Count})
	}
}

// discretize makes one code of every value, or of every quantile bin when there are too many.
func (c *Values) discretize(ctx context.Context, s *Bound, spec *job.Column, total uint64) error {
	b := &binner{limit: domain.MaxSplitValues, total: total}
	b.exact.Type, b.bins.Type = c.typ, c.typ
	first, last := &formats.Values{Type: c.typ}, &formats.Values{Type: c.typ}
	bounds, err := domain.NewBounds(spec, c.typ)
	if err != nil {
		return err
	}
	err = c.each(ctx, func(v *domain.Counted) error {
		if b.values == 0 {
			appendValue(first, v)
		}
		last.Words, last.Ends, last.Data = last.Words[:0], last.Ends[:0], last.Data[:0]
		appendValue(last, v)
		bounds.Check(last, 0, v.Records())
		b.add(v)
		return b.draw(c.column, c.budget)
	})
	if err != nil {
		return err
	}
	edges, pairs := b.exact, b.exactly.Pairs
	if b.values > b.limit {
		edges, pairs, s.Binned = b.bins, b.cut.Pairs, b.values
	}
	s.Pairs = append(s.Pairs, pairs...)
	s.Coder = domain.NewEdgeCoder(edges, s.Nulls > 0)
	a := &s.Attribute
	a.Mask = engine.Discretize
	for i := range edges.Len() {
		a.Texts = append(a.Texts, edges.Text(i))
		a.Positions = append(a.Positions, edges.Float(i))
	}
	if b.values > 0 {
		a.Lower, a.Upper = first.Float(0), last.Float(0)
	}
	return bounds.Place(a)
}

// generalize binds the column's values to its taxonomy.
func (c *Values) generalize(ctx context.Context, s *Bound, spec *job.Column, taxonomy job.Taxonomy, pruning engine.Pruning) error {
	bound, err := domain.BindTree(spec, taxonomy, pruning, func(f func(*domain.Counted) error) error { return c.each(ctx, f) })
	if err != nil {
		return err
	}
	s.Pairs = append(s.Pairs, bound.Pairs...)
	a := &s.Attribute
	a.Mask, a.Tree, a.Texts = engine.Generalize, bound.Tree, bound.Tree.Leaves()
	s.Coder = bound.Coder()
	return nil
}

// frequent is a listed value that some release could disclose.
type frequent struct {
	at      int // in the list
	text    string
	classes []engine.Frequency
}

// suppress lists the values that some release could disclose: those with at least k
// records. All others share one code, the null among them.
func (c *Values) suppress(ctx context.Context, s *Bound, spec *job.Column, k uint64) error {
	listed := formats.Values{Type: c.typ}
	var found []frequent
	var rest domain.Counted
	err := c.each(ctx, func(v *domain.Counted) error {
		if c.typ.Kind == formats.String && string(v.Value) == engine.Suppressed { // no other type has that text
			return domain.Marked(spec.Name, v.Records())
		}
		if v.Records() < k {
			rest.Classes = engine.AddFrequencies(rest.Classes, v.Classes)
			return nil
		}
		if err := c.budget.Draw("the values of column "+c.column, int64(len(v.Value))+100+int64(len(v.Classes))*engine.FrequencyBytes); err != nil {
			return err
		}
		appendValue(&listed, v)
		found = append(found, frequent{at: listed.Len() - 1, text: listed.Text(listed.Len() - 1), classes: slices.Clone(v.Classes)})
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(found, func(a, b frequent) int { return strings.Compare(a.text, b.text) })
	a := &s.Attribute
	a.Mask = engine.Suppress
	rareNull := s.Nulls > 0 && s.Nulls < k
	a.HasRest, a.HasNull = len(rest.Classes) > 0 || rareNull, s.Nulls > 0 && !rareNull
	coder := domain.NewListCoder(c.typ, uint32(len(found)), a.HasRest, a.HasNull)
	for code, f := range found {
		a.Texts = append(a.Texts, f.text)
		s.addPairs(uint32(code), &domain.Counted{Classes: f.classes})
		if err := coder.List(&listed, f.at, uint32(code), c.budget); err != nil {
			return err
		}
	}
	s.addPairs(uint32(len(found)), &rest)
	s.Coder = coder
	return nil
}
