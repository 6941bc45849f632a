package count

import (
	"context"
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// newColumn returns a column whose domain is not known yet. Its values get numbers in the order in
// which they are found, or they are counted in the order of values.
func (r *Request) newColumn(i int, res *Resources, budget *spill.Budget, inOrder bool) column {
	c := &r.Columns[i]
	switch {
	case r.isEntity(i):
		return column{coder: r.entities}
	case i == r.Class, i >= r.bound() && c.IsBound():
		return column{coder: domain.NewInterner(r.field(c), false, budget)}
	case c.Groups > 0:
		return column{coder: entityGroups{r.entities, c.Groups}}
	case c.Match != nil:
		return column{coder: predicateCoder(c.matches)}
	case c.Labeler != nil:
		return column{coder: c.Labeler}
	}
	nanIsNull := domain.NaNIsNull(c.Spec, c.Taxonomy)
	if inOrder && c.Most == 0 {
		return column{values: NewValues(r.field(c), c.Spec.Mask, nanIsNull, res.Open, budget)}
	}
	in := domain.NewInterner(r.field(c), nanIsNull, budget)
	if in.Longest = c.Most; c.Most == 0 {
		in.Most = r.most(manyValues)
	}
	return column{coder: in, values: NewValues(r.field(c), c.Spec.Mask, nanIsNull, nil, budget)}
}

// bindColumn makes the domain of column i, which has the given number of rows.
func (s *reading) bindColumn(
	ctx context.Context, i int, rows int64, profiles *boundProfiles,
) (*Bound, error) {
	c, of := &s.columns[i], s.Columns[i]
	column := &of
	column.Pruning = profiles.pruning(column.Pruning)
	if c.coder == nil {
		return c.values.bind(ctx, column, rows)
	}
	pairs, err := s.joinPairs(ctx, i)
	if err != nil {
		return nil, err
	}
	if c.values == nil {
		return bindLabels(column.Labeler, pairs)
	}
	in := c.coder.(*domain.Interner)
	if in.Exceeded() {
		left := domain.Domain{Codes: make([]uint32, in.Len()), Merges: true}
		left.Attribute = engine.Attribute{
			Name: column.Spec.Name, Mask: engine.Suppress, HasNull: true,
		}
		return &Bound{Domain: left, LeftOut: true}, nil
	}
	return c.values.bindNumbered(ctx, in, column, pairs, rows)
}

// bindNumbered makes the domain of values that an interner has numbered.
func (c *Values) bindNumbered(
	ctx context.Context, in *domain.Interner, column *Column, pairs partition.Pairs, rows int64,
) (*Bound, error) {
	if err := c.part(0, math.MaxInt64).addPairs(in.Values(), pairs); err != nil {
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

// bindLabels makes the domain of a column whose values are coded by an earlier cut.
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
	coder := domain.Renumbered{Coder: l, Codes: d.Codes, Domain: d.Attribute.Len()}
	return &Bound{Domain: d, Pairs: pairs.Translate(d.Codes, nil), labels: coder}, nil
}

// binding makes the domain of a column from its values in order.
type binding struct {
	Bound
	*Column
	of       *Values
	walk     domain.Walk // in the order of values, or of texts for a generalized column
	rareNull bool        // fewer than k records have no value
	peopled  bool        // only people of the population have some value, or no value
}

// bind makes the domain of a column, which has the given number of rows. The values cannot be read
// again afterwards.
func (c *Values) bind(ctx context.Context, column *Column, rows int64) (*Bound, error) {
	classes, emptied := c.nulls()
	nulls := &domain.Counted{Classes: classes}
	b := &binding{Column: column, of: c}
	b.walk = func(f func(*domain.Counted) error) error {
		return c.each(ctx, func(v *domain.Counted) error {
			b.peopled = b.peopled || len(v.Classes) == 0
			return f(v)
		})
	}
	b.Nulls = nulls.Records()
	b.peopled = emptied && b.Nulls == 0
	b.rareNull = b.Nulls > 0 && b.Pruning.Size(nulls.Classes) < b.Pruning.K
	b.Attribute = engine.Attribute{Name: b.Spec.Name, HasNull: b.Nulls > 0 || emptied}
	var err error
	switch {
	case b.Spec.Is(engine.Discretize):
		err = b.discretize(max(1, uint64(rows)-b.Nulls))
	case b.Spec.Is(engine.Generalize):
		a := &b.Attribute
		a.Tree, b.Pairs, err = domain.BindTree(b.Spec, b.Taxonomy, b.Pruning, c.budget, b.walk)
		if err == nil {
			a.Mask, a.Texts = engine.Generalize, a.Tree.Leaves()
		}
	default:
		err = b.suppress(b.Pruning.K)
	}
	if err != nil {
		return nil, err
	}
	b.addPairs(b.Attribute.NullCode(), nulls)
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

// appendFirst appends the first value of others to values.
func appendFirst(values, others *formats.Values) {
	if values.Type.InWords() {
		values.Words = append(values.Words, others.Words[0])
	} else {
		values.AppendBytes(others.Bytes(0))
	}
}

// addPairs adds the pairs of a code and the classes of a value's records.
func (s *Bound) addPairs(code uint32, v *domain.Counted) {
	for _, k := range v.Classes {
		s.Pairs = append(s.Pairs, partition.Pair{Code: code, Class: k.Class, Count: k.Count})
	}
}

// discretize makes one code for every value or, if there are too many values, for every quantile
// bin.
func (b *binding) discretize(total uint64) error {
	typ := b.of.typ
	bounds, err := domain.NewBounds(b.Spec, typ)
	if err != nil {
		return err
	}
	rounding, err := domain.NewRounding(b.Spec, typ)
	if err != nil {
		return err
	}
	a := &b.Attribute
	a.EndsOnly = b.Spec.Render != job.RenderLabel
	if a.MinWidth, err = domain.NewMinWidth(b.Spec, typ); err != nil {
		return err
	}
	bins := newBinner(typ, rounding, total)
	err = b.walk(func(v *domain.Counted) error {
		bins.add(v)
		bounds.Check(&bins.value, 0, b.Pruning.Size(v.Classes))
		return bins.draw(b.Spec.Name, b.of.budget)
	})
	if err != nil {
		return err
	}
	edges := &bins.exact
	if bins.values > bins.limit {
		edges, b.Binned = &bins.bins, bins.values
	}
	b.Pairs = edges.pairs.Pairs
	a.Mask, a.Spacing = engine.Discretize, typ.Spacing()
	for i := range edges.first.Len() {
		a.Texts = append(a.Texts, edges.first.Text(i))
		a.Positions = append(a.Positions, edges.first.Float(i))
		bound := engine.Bound{Text: edges.bounds.Text(i), Position: edges.bounds.Float(i)}
		a.Bounds = append(a.Bounds, bound)
	}
	if bins.values > 0 {
		a.Lower, a.Upper = a.Positions[0], bins.value.Float(0)
	}
	b.AtBounds = bounds.At
	return bounds.Place(a)
}

// suppress lists the values that some release could disclose: the values with at least k records,
// in the order of their texts. All other values share one code. The null shares it, too, if the
// null is rare. For a kept column k is 0.
func (b *binding) suppress(k uint64) error {
	var found []domain.Counted // the Value of each is its text
	var rest domain.Counted
	err := b.walk(func(v *domain.Counted) error {
		value := formats.Values{Type: b.of.typ}
		appendValue(&value, v)
		text := value.Text(0)
		if b.Spec.Is(engine.Suppress) && text == engine.Suppressed {
			return domain.Marked(b.Spec.Name, v.Records())
		}
		if b.Pruning.Size(v.Classes) < k {
			rest.Classes = engine.AddFrequencies(rest.Classes, v.Classes)
			return nil
		}
		size := int64(len(v.Value)) + 100 + int64(len(v.Classes))*engine.FrequencyBytes
		if err := b.of.budget.Draw("the values of column "+b.Spec.Name, size); err != nil {
			return err
		}
		found = append(found, domain.Counted{Value: []byte(text), Classes: slices.Clone(v.Classes)})
		return nil
	})
	if err != nil {
		return err
	}
	compare := job.InOrder(b.Spec.Order)
	slices.SortFunc(found, func(a, b domain.Counted) int {
		return compare(string(a.Value), string(b.Value))
	})
	a, texts := &b.Attribute, make([]string, len(found))
	a.Mask = engine.Suppress
	a.HasRest = len(rest.Classes) > 0 || b.rareNull || b.peopled
	a.HasNull = b.Nulls > 0 && !b.rareNull
	for code, f := range found {
		texts[code] = string(f.Value)
		b.addPairs(uint32(code), &f)
	}
	a.SetTexts(texts)
	b.addPairs(uint32(len(found)), &rest)
	return nil
}

// binner gets values in order. If there are more values than a limit, it makes quantile bins: bin i
// starts at the first value with at least i/limit of the records below the value, and there are no
// empty bins. If there are not more values, each value has a code of its own. Values between which
// the rounding has no bound count as one value.
type binner struct {
	rounding    *formats.Rounding
	limit       int
	values      int    // the number of values so far
	total       uint64 // the number of records with a value
	below, edge uint64 // the number of records so far; the number of the next bin
	exact, bins edges
	last, value formats.Values // each has one value: the value before, and the current value
	drawn       int64
}

// edges has a code for every value or bin, in ascending order: the smallest value of the code, the
// bound below this value, and the pairs.
type edges struct {
	first, bounds formats.Values
	pairs         Bound
	merged        int // the number of pairs after the last merge
}

// newBinner returns a binner for values of a type. total is the number of records with a value.
func newBinner(t formats.Type, rounding *formats.Rounding, total uint64) *binner {
	b := &binner{rounding: rounding, limit: domain.MaxSplitValues, total: total}
	for _, e := range []*edges{&b.exact, &b.bins} {
		e.first.Type, e.bounds.Type = t, t
	}
	b.last.Type, b.value.Type = t, t
	return b
}

// usualPairs is the number of pairs of value and class that count as overhead: four for each bin.
// If there are more pairs, because there are many classes, their memory is drawn.
const usualPairs = 4 * domain.MaxSplitValues

// draw draws memory for the pairs that have been added since the last draw.
func (b *binner) draw(column string, budget *spill.Budget) error {
	pairs := max(0, len(b.exact.pairs.Pairs)-usualPairs) +
		max(0, len(b.bins.pairs.Pairs)-usualPairs)
	need := int64(pairs)*engine.FrequencyBytes - b.drawn
	if need < drawnPairs*engine.FrequencyBytes {
		return nil
	}
	b.drawn += need
	return budget.Draw("the classes of column "+column, need)
}

// drawnPairs is the smallest number of pairs in one draw.
const drawnPairs = 1024

// add adds the next value.
func (b *binner) add(v *domain.Counted) {
	b.last, b.value = b.value, b.last
	b.value.Clear()
	appendValue(&b.value, v)
	bound, apart := &b.value, true // no interval starts at the bound of the smallest value
	edge := b.below*uint64(b.limit) >= b.edge*b.total
	if b.values > 0 && (b.rounding.HasStep() || edge || b.values < b.limit) {
		bound, apart = b.rounding.Between(&b.last, &b.value)
	}
	if apart {
		b.values++
	}
	if b.values <= b.limit {
		b.exact.add(apart, &b.value, bound, v, b.limit)
	} else { // there are too many values for exact codes
		b.exact = edges{}
	}
	if edge = edge && apart; edge {
		b.edge = b.below*uint64(b.limit)/b.total + 1
	}
	b.bins.add(edge, &b.value, bound, v, b.limit)
	b.below += v.Records()
}

// add adds a value to the last code. If the value begins a code, add makes a new last code first.
func (e *edges) add(begins bool, value, bound *formats.Values, v *domain.Counted, limit int) {
	if begins {
		appendFirst(&e.first, value)
		appendFirst(&e.bounds, bound)
	}
	e.pairs.addPairs(uint32(e.first.Len()-1), v)
	if len(e.pairs.Pairs) > max(4*limit, 2*e.merged) {
		e.pairs.Pairs = e.pairs.Pairs.Merge()
		e.merged = len(e.pairs.Pairs)
	}
}
