package pipeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/fault"
	"github.com/kcut/kcut/pipeline/jobfile"
)

// maxSplitValues is the most distinct values of a discretized column that a search may
// split at; columns with more are cut into that many quantile bins first.
const maxSplitValues = 65_536

// domain is a masked column's attribute, and the way from provisional codes to its codes.
type domain struct {
	attribute engine.Attribute
	codes     []uint32 // code of every provisional code that occurs
	merges    bool     // several values share a code
	nulls     uint64   // records without a value
	binned    int      // number of distinct values when there were too many, else 0
}

// occurrence is a distinct value that some record has.
type occurrence struct {
	provisional uint32
	first       uint32 // its first pair
	records     uint64
	text        string
}

// binding makes the domain of one masked column whose values were interned.
type binding struct {
	domain
	spec      *jobfile.Column
	in        *interner
	found     []occurrence
	counted   partition.Pairs // in provisional codes and classes
	nullPairs int             // of these, the first are the null's
	pairs     partition.Pairs // in the domain's codes, and provisional classes
}

// newBinding orders the values of a masked column that occur in the records (a source's
// dictionary may hold others) and binds them to the column's mask. Values that the pruning
// says no search tells apart share a code. Those of a kept column are in the order of their
// texts. The pairs are consumed.
func newBinding(spec *jobfile.Column, in *interner, pairs partition.Pairs, taxonomy jobfile.Taxonomy, pruning engine.Pruning) (*binding, error) {
	b := &binding{spec: spec, in: in, counted: pairs}
	b.codes = make([]uint32, in.len())
	b.find()
	b.attribute = engine.Attribute{Name: spec.Name, HasNull: b.nulls > 0}
	var err error
	switch spec.Mask {
	case jobfile.MaskGeneralize:
		err = b.generalize(taxonomy, pruning)
	case jobfile.MaskDiscretize:
		err = b.discretize()
	case jobfile.MaskKeep:
		b.list()
	default:
		err = b.suppress(pruning.K)
	}
	if err != nil {
		return nil, err
	}
	b.translate()
	return b, nil
}

// find lists the values that occur.
func (b *binding) find() {
	for i, pair := range b.counted {
		switch n := len(b.found); {
		case pair.Code == nullCode:
			b.nulls += pair.Count
			b.nullPairs++
		case n > 0 && b.found[n-1].provisional == pair.Code:
			b.found[n-1].records += pair.Count
		default:
			b.found = append(b.found, occurrence{provisional: pair.Code, first: uint32(i), records: pair.Count})
		}
	}
}

// translate brings the pairs into the codes of the domain. A taxonomy has counted all but
// those of the null.
func (b *binding) translate() {
	b.codes[nullCode] = b.attribute.NullCode()
	if b.spec.Mask == jobfile.MaskGeneralize {
		b.counted = b.counted[:b.nullPairs]
	}
	b.pairs = append(b.pairs, b.counted.Translate(b.codes, nil)...).Merge()
	b.found, b.counted = nil, nil
}

func withTexts(in *interner, found []occurrence) []occurrence {
	for i := range found {
		found[i].text = in.values.Text(int(found[i].provisional) - 1)
	}
	slices.SortFunc(found, func(a, b occurrence) int { return strings.Compare(a.text, b.text) })
	return found
}

// suppress orders the values by their text, bytewise. Those of fewer than k records, which
// no release discloses, share one code.
func (b *binding) suppress(k uint64) error {
	a := &b.attribute
	a.Mask = engine.Suppress
	var rest []uint32
	for _, o := range withTexts(b.in, b.found) {
		switch {
		case o.text == engine.Suppressed:
			return marked(a.Name, o.records)
		case o.records < k:
			rest = append(rest, o.provisional)
		default:
			b.codes[o.provisional] = uint32(len(a.Texts))
			a.Texts = append(a.Texts, o.text)
		}
	}
	for _, provisional := range rest {
		b.codes[provisional] = uint32(len(a.Texts))
	}
	a.HasRest, b.merges = len(rest) > 0, len(rest) > 1
	return nil
}

// list numbers all values by their text, bytewise.
func (b *binding) list() {
	a := &b.attribute
	a.Mask = engine.Suppress
	for code, o := range withTexts(b.in, b.found) {
		b.codes[o.provisional] = uint32(code)
		a.Texts = append(a.Texts, o.text)
	}
}

// generalize binds every value to the leaf of its text, or to the pruned node above it.
func (b *binding) generalize(taxonomy jobfile.Taxonomy, pruning engine.Pruning) error {
	found := withTexts(b.in, b.found)
	bound, err := bindTree(b.spec, taxonomy, pruning, b.each)
	if err != nil {
		return err
	}
	b.attribute.Mask, b.attribute.Tree, b.attribute.Texts = engine.Generalize, bound.tree, bound.tree.Leaves()
	b.pairs = bound.pairs
	finder := engine.NewFinder(bound.tree, bound.generator)
	for _, o := range found {
		b.codes[o.provisional], _ = finder.Code(o.text)
	}
	b.merges = bound.tree.Values(0) > len(bound.tree.Leaves())
	return nil
}

// each calls f with every text and its records.
func (b *binding) each(f func(*counted) error) error {
	var v counted
	for _, o := range b.found {
		v.value, v.classes = append(v.value[:0], o.text...), v.classes[:0]
		for _, pair := range b.counted[o.first:] {
			if pair.Code != o.provisional {
				break
			}
			v.classes = append(v.classes, engine.Frequency{Class: pair.Class, Count: pair.Count})
		}
		if err := f(&v); err != nil {
			return err
		}
	}
	return nil
}

// uncovered is the error of values that a taxonomy lacks. The run adds where the first one is.
type uncovered struct {
	column  string
	tree    *engine.Tree
	values  int
	records uint64
	first   string // "file F, row N", once it was looked for
}

func (u *uncovered) Error() string {
	text := fmt.Sprintf("mask column %s: its taxonomy lacks %d distinct values of %d rows", u.column, u.values, u.records)
	if u.first != "" {
		text += ", first in " + u.first
	}
	return text
}

// unadmitted is the error of unknown values that cannot stand under the root.
func (u *uncovered) unadmitted(err error) error {
	return &fault.Error{Class: fault.Input, Err: fmt.Errorf("add %d unknown values of column %s under the root of its taxonomy: %w", u.values, u.column, err)}
}

// marked is the error of a column that holds the mark of suppressed values itself.
func marked(column string, records uint64) error {
	return &fault.Error{
		Class: fault.Input,
		Hint:  "replace that value in the source, or give the column another mask",
		Err:   fmt.Errorf("mask column %s: it holds the mark of a suppressed value itself (%d rows)", column, records),
	}
}

// discretize orders the values and, when there are too many, cuts them into quantile bins.
func (b *binding) discretize() error {
	values, found := &b.in.values, b.found
	slices.SortFunc(found, func(x, y occurrence) int {
		return compareValues(values, int(x.provisional)-1, values, int(y.provisional)-1)
	})
	a := &b.attribute
	a.Mask = engine.Discretize
	bounds, err := newDeclaredBounds(b.spec, values.Type)
	if err != nil {
		return err
	}
	for _, o := range found {
		bounds.check(values, int(o.provisional)-1, o.records)
	}
	if len(found) > 0 {
		a.Lower = values.Float(int(found[0].provisional) - 1)
		a.Upper = values.Float(int(found[len(found)-1].provisional) - 1)
	}
	if err := bounds.place(a); err != nil {
		return err
	}
	starts := binStarts(found, maxSplitValues)
	if len(starts) < len(found) {
		b.merges, b.binned = true, len(found)
	}
	bin := -1
	for i, o := range found {
		if bin+1 < len(starts) && starts[bin+1] == i {
			bin++
			entry := int(o.provisional) - 1
			a.Texts = append(a.Texts, values.Text(entry))
			a.Positions = append(a.Positions, values.Float(entry))
		}
		b.codes[o.provisional] = uint32(bin)
	}
	return nil
}

// compareValues orders entry i of a and entry j of b, which have the same type.
func compareValues(a *formats.Values, i int, b *formats.Values, j int) int {
	if a.Type.InWords() {
		return cmp.Compare(a.Words[i], b.Words[j])
	}
	return slices.Compare(a.Bytes(i), b.Bytes(j))
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

// classOrder returns the class number of every provisional code of the class column, in
// label order: by text, bytewise, the null last; and the labels of the classes that occur.
func classOrder(in *interner, pairs partition.Pairs) (order []uint32, names []engine.Label) {
	occurs := make([]bool, in.len())
	for _, pair := range pairs {
		occurs[pair.Class] = true
	}
	var found []occurrence
	for code := 1; code < len(occurs); code++ {
		if occurs[code] {
			found = append(found, occurrence{provisional: uint32(code)})
		}
	}
	order = make([]uint32, in.len())
	for _, o := range withTexts(in, found) {
		order[o.provisional] = uint32(len(names))
		names = append(names, engine.Label{Text: o.text})
	}
	if occurs[nullCode] {
		order[nullCode] = uint32(len(names))
		names = append(names, engine.Label{Null: true})
	}
	return order, names
}
