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

// binding makes the domain of a column from its values in order.
type binding struct {
	Bound
	*Column
	of   *Values
	walk domain.Walk // by value, but of a generalized column by text
}

// bind makes the domain of the values of a column of so many rows. They are consumed.
func (c *Values) bind(ctx context.Context, column *Column, rows int64) (*Bound, error) {
	nulls := c.nulls()
	b := &binding{Column: column, of: c, walk: func(f func(*domain.Counted) error) error { return c.each(ctx, f) }}
	for _, pair := range nulls {
		b.Nulls += pair.Count
	}
	b.Attribute = engine.Attribute{Name: b.Spec.Name, HasNull: b.Nulls > 0}
	var err error
	switch b.Spec.Mask {
	case job.MaskDiscretize:
		err = b.discretize(uint64(rows) - b.Nulls)
	case job.MaskGeneralize:
		err = b.generalize()
	default:
		err = b.suppress(b.Pruning.K)
	}
	if err != nil {
		return nil, err
	}
	for _, pair := range nulls {
		b.Pairs = append(b.Pairs, partition.Pair{Code: b.Attribute.NullCode(), Class: pair.Class, Count: pair.Count})
	}
	b.Pairs = b.Pairs.Merge()
	return &b.Bound, nil
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
func (b *binding) discretize(total uint64) error {
	typ := b.of.typ
	bins := &binner{limit: domain.MaxSplitValues, total: total}
	bins.exact.Type, bins.bins.Type = typ, typ
	last := &formats.Values{Type: typ}
	bounds, err := domain.NewBounds(b.Spec, typ)
	if err != nil {
		return err
	}
	err = b.walk(func(v *domain.Counted) error {
		last.Words, last.Ends, last.Data = last.Words[:0], last.Ends[:0], last.Data[:0]
		appendValue(last, v)
		bounds.Check(last, 0, v.Records())
		bins.add(v)
		return bins.draw(b.Spec.Name, b.of.budget)
	})
	if err != nil {
		return err
	}
	edges, pairs := bins.exact, bins.exactly.Pairs
	if bins.values > bins.limit {
		edges, pairs, b.Binned = bins.bins, bins.cut.Pairs, bins.values
	}
	b.Pairs = pairs
	a := &b.Attribute
	a.Mask = engine.Discretize
	for i := range edges.Len() {
		a.Texts = append(a.Texts, edges.Text(i))
		a.Positions = append(a.Positions, edges.Float(i))
	}
	if bins.values > 0 {
		a.Lower, a.Upper = a.Positions[0], last.Float(0)
	}
	return bounds.Place(a)
}

// generalize binds the column's values to its taxonomy.
func (b *binding) generalize() error {
	pruning := b.Pruning
	pruning.Hold = domain.HoldFrequent(b.Spec.Name, b.of.budget)
	bound, err := domain.BindTree(b.Spec, b.Taxonomy, pruning, b.walk)
	if err != nil {
		return err
	}
	b.Pairs = bound.Pairs
	a := &b.Attribute
	a.Mask, a.Tree, a.Texts = engine.Generalize, bound.Tree, bound.Tree.Leaves()
	return nil
}

// frequent is a value that some release could disclose.
type frequent struct {
	text    string
	classes []engine.Frequency
}

// suppress lists the values that some release could disclose: those with at least k records, in the
// order of their texts. All others share one code, the null among them. Of a kept column k is 0.
func (b *binding) suppress(k uint64) error {
	var found []frequent
	var rest domain.Counted
	err := b.walk(func(v *domain.Counted) error {
		value := formats.Values{Type: b.of.typ}
		appendValue(&value, v)
		text := value.Text(0)
		if b.Spec.Mask == job.MaskSuppress && text == engine.Suppressed {
			return domain.Marked(b.Spec.Name, v.Records())
		}
		if v.Records() < k {
			rest.Classes = engine.AddFrequencies(rest.Classes, v.Classes)
			return nil
		}
		if err := b.of.budget.Draw("the values of column "+b.Spec.Name, int64(len(v.Value))+100+int64(len(v.Classes))*engine.FrequencyBytes); err != nil {
			return err
		}
		found = append(found, frequent{text, slices.Clone(v.Classes)})
		return nil
	})
	if err != nil {
		return err
	}
	slices.SortFunc(found, func(a, b frequent) int { return strings.Compare(a.text, b.text) })
	a := &b.Attribute
	a.Mask = engine.Suppress
	rareNull := b.Nulls > 0 && b.Nulls < k
	a.HasRest, a.HasNull = len(rest.Classes) > 0 || rareNull, b.Nulls > 0 && !rareNull
	for code, f := range found {
		a.Texts = append(a.Texts, f.text)
		b.addPairs(uint32(code), &domain.Counted{Classes: f.classes})
	}
	b.addPairs(uint32(len(found)), &rest)
	return nil
}
