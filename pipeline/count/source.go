package count

import (
	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// source codes the values of a column while they are counted, and then knows its domain.
type source interface {
	domain.Coder
	// bind makes the domain of the values that the pairs count. The pairs are consumed.
	bind(pairs partition.Pairs) (*Bound, error)
}

// newSource returns the source of a column. What it holds is drawn from a budget.
func (r *Request) newSource(c *Column, budget *spill.Budget) source {
	if c.Labeler != nil {
		return labeled{c.Labeler}
	}
	in := domain.NewInterner(r.field(c), c.Spec.Mask == job.MaskDiscretize, budget)
	if c.Most > 0 {
		return listed{domain.NewShortlist(in, c.Most), c}
	}
	in.Most = r.most(manyValues)
	return interned{in, c, budget}
}

// interned numbers values as it finds them.
type interned struct {
	*domain.Interner
	column *Column
	budget *spill.Budget
}

func (s interned) bind(pairs partition.Pairs) (*Bound, error) {
	spec, pruning := s.column.Spec, s.column.Pruning
	pruning.Hold = domain.HoldFrequent(spec.Name, s.budget)
	d, pairs, err := domain.Bind(spec, s.Interner, pairs, s.column.Taxonomy, pruning)
	if err != nil {
		return nil, err
	}
	return &Bound{Domain: *d, Pairs: pairs, Coder: domain.NewOrdered(s.Interner, d)}, nil
}

// listed numbers the values of a column that is left out when it has too many.
type listed struct {
	*domain.Shortlist
	column *Column
}

func (s listed) bind(pairs partition.Pairs) (*Bound, error) {
	if s.Exceeded() {
		codes := make([]uint32, s.Len())
		left := domain.Domain{Codes: codes, Merges: true}
		left.Attribute.Name, left.Attribute.HasNull = s.column.Spec.Name, true
		return &Bound{Domain: left, Coder: domain.Renumbered{Coder: s.Shortlist, Codes: codes, Domain: 1}, LeftOut: true}, nil
	}
	return interned{s.Interner, s.column, nil}.bind(pairs)
}

// labeled codes values by the labels of a cut.
type labeled struct{ domain.Labeler }

func (s labeled) bind(pairs partition.Pairs) (*Bound, error) {
	records := make([]uint64, s.Size())
	for _, pair := range pairs {
		records[pair.Code] += pair.Count
	}
	if n := records[s.Unmapped()]; n > 0 {
		return nil, &unmapped{s.Labeler, n}
	}
	d, err := s.Domain(records)
	if err != nil {
		return nil, err
	}
	return &Bound{Domain: d, Pairs: pairs.Translate(d.Codes, nil), Coder: domain.NewLabelCoder(s.Labeler, &d)}, nil
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

// classes numbers the classes in label order and makes the histograms of the masked columns.
func (r *Request) classes(t *engine.Table, class *domain.Interner, columns []*Bound) (coder domain.ClassCoder) {
	classes := 1
	if class != nil {
		coder, t.ClassNames = domain.NewClassCoder(class, columns[0].Pairs)
		classes = coder.Classes
		t.Classes = classes
	}
	for _, c := range columns[:r.Masked] {
		t.Attributes = append(t.Attributes, c.Attribute)
		t.Histograms = append(t.Histograms, c.Pairs.Translate(nil, coder.Numbers).Histogram(c.Attribute.Len(), classes))
	}
	return coder
}
