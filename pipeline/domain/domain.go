package domain

import (
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/job"
)

// MaxSplitValues is the most distinct values of a discretized column that a search may
// split at; columns with more are cut into that many quantile bins first.
const MaxSplitValues = 65_536

// Domain is a masked column's attribute, and the way from provisional codes to its codes.
type Domain struct {
	Attribute engine.Attribute
	Codes     []uint32 // code of every provisional code that occurs
	Merges    bool     // several values share a code
	Nulls     uint64   // records without a value
	Binned    int      // number of distinct values when there were too many, else 0
}

// binding makes the domain of one masked column whose values were interned.
type binding struct {
	Domain
	spec      *job.Column
	in        *Interner
	found     []occurrence
	counted   partition.Pairs // in provisional codes and classes
	nullPairs int             // of these, the first are the null's
	pairs     partition.Pairs // in the domain's codes, and provisional classes
}

// Bind orders the values of a masked column that occur in the records (a source's
// dictionary may hold others) and binds them to the column's mask. Values that the pruning
// says no search tells apart share a code. Those of a kept column are in the order of their
// texts. The pairs are consumed, and come back in the domain's codes.
func Bind(spec *job.Column, in *Interner, pairs partition.Pairs, taxonomy job.Taxonomy, pruning engine.Pruning) (*Domain, partition.Pairs, error) {
	b := &binding{spec: spec, in: in, counted: pairs}
	b.Codes = make([]uint32, in.Len())
	b.find()
	b.Attribute = engine.Attribute{Name: spec.Name, HasNull: b.Nulls > 0}
	var err error
	switch spec.Mask {
	case job.MaskGeneralize:
		err = b.generalize(taxonomy, pruning)
	case job.MaskDiscretize:
		err = b.discretize()
	case job.MaskKeep:
		b.list()
	default:
		err = b.suppress(pruning.K)
	}
	if err != nil {
		return nil, nil, err
	}
	b.translate()
	d := b.Domain // without what it was made of
	return &d, b.pairs, nil
}

// find lists the values that occur.
func (b *binding) find() {
	b.found = make([]occurrence, 0, min(b.in.values.Len(), len(b.counted)))
	for i, pair := range b.counted {
		switch n := len(b.found); {
		case pair.Code == nullCode:
			b.Nulls += pair.Count
			b.nullPairs++
		case n > 0 && b.found[n-1].provisional == pair.Code:
			b.found[n-1].records += pair.Count
		default:
			b.found = append(b.found, occurrence{provisional: pair.Code, first: uint32(i), records: pair.Count})
		}
	}
}

// pairsOf returns the pairs of a value.
func (b *binding) pairsOf(o occurrence) partition.Pairs {
	from := b.counted[o.first:]
	n := 0
	for n < len(from) && from[n].Code == o.provisional {
		n++
	}
	return from[:n]
}

// translate brings the pairs into the codes of the domain. A taxonomy has counted all but
// those of the null.
func (b *binding) translate() {
	b.Codes[nullCode] = b.Attribute.NullCode()
	if b.spec.Mask != job.MaskGeneralize {
		b.pairs = make(partition.Pairs, 0, len(b.counted))
		for _, o := range b.found {
			b.add(b.pairsOf(o))
		}
	}
	b.add(b.counted[:b.nullPairs])
	b.pairs = b.pairs.Merge()
	b.found, b.counted = nil, nil
}

// add appends pairs of a provisional code in the domain's.
func (b *binding) add(counted partition.Pairs) {
	for _, pair := range counted {
		pair.Code = b.Codes[pair.Code]
		b.pairs = append(b.pairs, pair)
	}
}

// withTexts returns found values with their texts, in the order of these.
func withTexts(in *Interner, found []occurrence) []occurrence {
	for i := range found {
		found[i].text = in.values.Text(int(found[i].provisional) - 1)
	}
	sortOccurrences(found,
		func(o *occurrence) uint64 { return prefix(o.text) },
		func(a, b occurrence) int { return strings.Compare(a.text, b.text) })
	return found
}

// suppress orders the values by their text, bytewise. Those of fewer than k records, which
// no release discloses, share one code; so does the null.
func (b *binding) suppress(k uint64) error {
	a := &b.Attribute
	a.Mask = engine.Suppress
	var rest []uint32
	for _, o := range withTexts(b.in, b.found) {
		switch {
		case o.text == engine.Suppressed:
			return Marked(a.Name, o.records)
		case o.records < k:
			rest = append(rest, o.provisional)
		default:
			b.Codes[o.provisional] = uint32(len(a.Texts))
			a.Texts = append(a.Texts, o.text)
		}
	}
	for _, provisional := range rest {
		b.Codes[provisional] = uint32(len(a.Texts))
	}
	if b.Nulls > 0 && b.Nulls < k {
		a.HasNull = false
		rest = append(rest, nullCode)
	}
	a.HasRest, b.Merges = len(rest) > 0, len(rest) > 1
	return nil
}

// list numbers all values by their text, bytewise.
func (b *binding) list() {
	a := &b.Attribute
	a.Mask = engine.Suppress
	for code, o := range withTexts(b.in, b.found) {
		b.Codes[o.provisional] = uint32(code)
		a.Texts = append(a.Texts, o.text)
	}
}

// generalize binds every value to the leaf of its text, or to the pruned node above it.
func (b *binding) generalize(taxonomy job.Taxonomy, pruning engine.Pruning) error {
	found := withTexts(b.in, b.found)
	bound, err := BindTree(b.spec, taxonomy, pruning, b.each)
	if err != nil {
		return err
	}
	b.Attribute.Mask, b.Attribute.Tree, b.Attribute.Texts = engine.Generalize, bound.Tree, bound.Tree.Leaves()
	b.pairs = bound.Pairs
	finder := engine.NewFinder(bound.Tree, bound.generator)
	for _, o := range found {
		b.Codes[o.provisional], _ = finder.Code(o.text)
	}
	b.Merges = bound.Tree.Values(0) > len(bound.Tree.Leaves())
	return nil
}

// each calls f with every text and its records.
func (b *binding) each(f func(*Counted) error) error {
	var v Counted
	for _, o := range b.found {
		v.Value, v.Classes = append(v.Value[:0], o.text...), v.Classes[:0]
		for _, pair := range b.pairsOf(o) {
			v.Classes = append(v.Classes, engine.Frequency{Class: pair.Class, Count: pair.Count})
		}
		if err := f(&v); err != nil {
			return err
		}
	}
	return nil
}

// sortByValue orders the values that occur.
func (b *binding) sortByValue() {
	values := &b.in.values
	key := func(o *occurrence) uint64 { return values.Words[o.provisional-1] }
	if !values.Type.InWords() {
		key = func(o *occurrence) uint64 { return prefix(values.Bytes(int(o.provisional) - 1)) }
	}
	sortOccurrences(b.found, key, func(x, y occurrence) int {
		return CompareValues(values, int(x.provisional)-1, values, int(y.provisional)-1)
	})
}

// discretize orders the values and, when there are too many, cuts them into quantile bins.
func (b *binding) discretize() error {
	b.sortByValue()
	values, found := &b.in.values, b.found
	a := &b.Attribute
	a.Mask = engine.Discretize
	bounds, err := NewBounds(b.spec, values.Type)
	if err != nil {
		return err
	}
	for _, o := range found {
		bounds.Check(values, int(o.provisional)-1, o.records)
	}
	if len(found) > 0 {
		a.Lower = values.Float(int(found[0].provisional) - 1)
		a.Upper = values.Float(int(found[len(found)-1].provisional) - 1)
	}
	if err := bounds.Place(a); err != nil {
		return err
	}
	starts := binStarts(found, MaxSplitValues)
	if len(starts) < len(found) {
		b.Merges, b.Binned = true, len(found)
	}
	a.Texts, a.Positions = make([]string, 0, len(starts)), make([]float64, 0, len(starts))
	bin := -1
	for i, o := range found {
		if bin+1 < len(starts) && starts[bin+1] == i {
			bin++
			entry := int(o.provisional) - 1
			a.Texts = append(a.Texts, values.Text(entry))
			a.Positions = append(a.Positions, values.Float(entry))
		}
		b.Codes[o.provisional] = uint32(bin)
	}
	return nil
}

// binStarts returns the positions in found, which is ascending, at which quantile bins
// start: every position when there are at most limit; else bin i starts at the first value
// with at least i/limit of the records below it, and bins that would be empty vanish.
func binStarts(found []occurrence, limit int) []int {
	starts := make([]int, 0, min(len(found), limit))
	if len(found) <= limit {
		for i := range found {
			starts = append(starts, i)
		}
		return starts
	}
	var total uint64
	for _, o := range found {
		total += o.records
	}
	below, edge := uint64(0), uint64(0)
	for i, o := range found {
		if below*uint64(limit) >= edge*total {
			starts = append(starts, i)
			edge = below*uint64(limit)/total + 1
		}
		below += o.records
	}
	return starts
}
