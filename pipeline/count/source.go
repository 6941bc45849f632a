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
		return listed{&domain.Shortlist{Interner: in, Longest: c.Most}, c, budget}
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
	b := &binding{Column: *s.column, typ: s.Type(), budget: s.budget}
	b.nulls, b.walk = s.Walk(pairs, s.column.Spec.Mask == job.MaskGeneralize)
	rows := uint64(0)
	for _, pair := range pairs {
		rows += pair.Count
	}
	bound, err := b.bind(int64(rows))
	if err != nil {
		return nil, err
	}
	coder, err := domain.NewCoder(&bound.Attribute, b.typ, b.Taxonomy, s.budget)
	if err != nil {
		return nil, err
	}
	bound.Codes, bound.Merges, err = s.Codes(coder, pairs)
	return bound, err
}

// listed numbers the values of a column that is left out when it has too many.
type listed struct {
	*domain.Shortlist
	column *Column
	budget *spill.Budget
}

func (s listed) bind(pairs partition.Pairs) (*Bound, error) {
	if s.Exceeded() {
		left := domain.Domain{Codes: make([]uint32, s.Len()), Merges: true}
		left.Attribute = engine.Attribute{Name: s.column.Spec.Name, Mask: engine.Suppress, HasNull: true}
		return &Bound{Domain: left, LeftOut: true}, nil
	}
	return interned{s.Interner, s.column, s.budget}.bind(pairs)
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
	return &Bound{Domain: d, Pairs: pairs.Translate(d.Codes, nil), labels: domain.Renumbered{Coder: s.Labeler, Codes: d.Codes, Domain: d.Attribute.Len()}}, nil
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

// classes numbers the classes in label order, by their provisional codes, and makes the histograms of
// the masked columns.
func (r *Request) classes(t *engine.Table, class *domain.Interner, columns []*Bound) (numbers []uint32) {
	classes := 1
	if class != nil {
		numbers, t.ClassNames = domain.ClassOrder(class, columns[0].Pairs)
		classes = len(t.ClassNames)
		t.Classes = classes
	}
	for _, c := range columns[:r.Masked] {
		t.Attributes = append(t.Attributes, c.Attribute)
		t.Histograms = append(t.Histograms, c.Pairs.Translate(nil, numbers).Histogram(c.Attribute.Len(), classes))
	}
	return numbers
}
