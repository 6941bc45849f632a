package count

import (
	"context"
	"math"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// newColumn returns a column whose domain is not known yet: values are numbered as they are found, or
// counted in order.
func (r *Request) newColumn(i int, res *Resources, budget *spill.Budget, inOrder bool) column {
	c := &r.Columns[i]
	switch {
	case i == r.Class:
		return column{coder: domain.NewInterner(r.field(c), false, budget)}
	case c.Match != nil:
		return column{coder: match{*c.Match}}
	case c.Labeler != nil:
		return column{coder: c.Labeler, bind: func(_ context.Context, pairs partition.Pairs, _ int64) (*Bound, error) {
			return bindLabels(c.Labeler, pairs)
		}}
	}
	values := NewValues(r.field(c), c.Spec.Mask, res.Open, budget)
	if inOrder && c.Most == 0 {
		return column{values: values, bind: func(ctx context.Context, _ partition.Pairs, rows int64) (*Bound, error) {
			return values.bind(ctx, c, rows)
		}}
	}
	in := domain.NewInterner(r.field(c), c.Spec.Mask == job.MaskDiscretize, budget)
	numbered := column{coder: in, bind: func(ctx context.Context, pairs partition.Pairs, rows int64) (*Bound, error) {
		return values.bindNumbered(ctx, in, c, pairs, rows)
	}}
	if c.Most == 0 {
		in.Most = r.most(manyValues)
		return numbered
	}
	in.Longest = c.Most
	return column{coder: in, bind: func(ctx context.Context, pairs partition.Pairs, rows int64) (*Bound, error) {
		if !in.Exceeded() {
			return numbered.bind(ctx, pairs, rows)
		}
		left := domain.Domain{Codes: make([]uint32, in.Len()), Merges: true}
		left.Attribute = engine.Attribute{Name: c.Spec.Name, Mask: engine.Suppress, HasNull: true}
		return &Bound{Domain: left, LeftOut: true}, nil
	}}
}

// bindNumbered makes the domain of values that an interner has numbered.
func (c *Values) bindNumbered(ctx context.Context, in *domain.Interner, column *Column, pairs partition.Pairs, rows int64) (*Bound, error) {
	if err := c.newPart(math.MaxInt).addPairs(in.Values(), pairs); err != nil {
		return nil, err
	}
	bound, err := c.bind(ctx, column, rows)
	if err != nil {
		return nil, err
	}
	coder, err := domain.NewCoder(&bound.Attribute, c.typ, column.Taxonomy, c.budget)
	if err != nil {
		return nil, err
	}
	bound.Codes, bound.Merges, err = in.Codes(coder, pairs)
	return bound, err
}

// bindLabels makes the domain of a column whose values a cut has coded.
func bindLabels(l domain.Labeler, pairs partition.Pairs) (*Bound, error) {
	records := make([]uint64, l.Size())
	for _, pair := range pairs {
		records[pair.Code] += pair.Count
	}
	if n := records[l.Unmapped()]; n > 0 {
		return nil, &unmapped{l, n}
	}
	d, err := l.Domain(records)
	if err != nil {
		return nil, err
	}
	return &Bound{Domain: d, Pairs: pairs.Translate(d.Codes, nil), labels: domain.Renumbered{Coder: l, Codes: d.Codes, Domain: d.Attribute.Len()}}, nil
}

// match codes values by whether they have a text.
type match struct{ text string }

func (m match) Null() uint32 { return 1 }

func (m match) Encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error) {
	for i := from; i < values.Len(); i++ {
		code := uint32(1)
		if values.Text(i) == m.text {
			code = 0
		}
		codes = append(codes, code)
	}
	return codes, 2, nil
}
