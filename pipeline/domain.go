package pipeline

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/partition"
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
	records     uint64
	text        string
}

// newDomain orders the values of a masked column that occur in the records (a source's
// dictionary may hold others) and binds them to the column's mask. Those of a kept column are
// as if it were suppressed.
func newDomain(spec *jobfile.Column, in *interner, pairs partition.Pairs, taxonomy jobfile.Taxonomy) (*domain, error) {
	d := &domain{codes: make([]uint32, in.len())}
	var found []occurrence
	for _, pair := range pairs {
		switch n := len(found); {
		case pair.Code == nullCode:
			d.nulls += pair.Count
		case n > 0 && found[n-1].provisional == pair.Code:
			found[n-1].records += pair.Count
		default:
			found = append(found, occurrence{provisional: pair.Code, records: pair.Count})
		}
	}
	d.attribute = engine.Attribute{Name: spec.Name, HasNull: d.nulls > 0}
	bind := d.suppress
	switch spec.Mask {
	case jobfile.MaskKeep:
		bind = func(_ *jobfile.Column, in *interner, found []occurrence) error {
			d.list(in, found)
			return nil
		}
	case jobfile.MaskGeneralize:
		bind = func(spec *jobfile.Column, in *interner, found []occurrence) error {
			return d.generalize(spec, in, found, taxonomy)
		}
	case jobfile.MaskDiscretize:
		bind = d.discretize
	}
	if err := bind(spec, in, found); err != nil {
		return nil, err
	}
	d.codes[nullCode] = uint32(len(d.attribute.Texts))
	return d, nil
}

func withTexts(in *interner, found []occurrence) []occurrence {
	for i := range found {
		found[i].text = in.values.Text(int(found[i].provisional) - 1)
	}
	slices.SortFunc(found, func(a, b occurrence) int { return strings.Compare(a.text, b.text) })
	return found
}

// suppress orders the values by their text, bytewise.
func (d *domain) suppress(spec *jobfile.Column, in *interner, found []occurrence) error {
	for _, o := range d.list(in, found) {
		if o.text == engine.Suppressed {
			return marked(spec.Name, o.records)
		}
	}
	return nil
}

// list numbers the values by their text.
func (d *domain) list(in *interner, found []occurrence) []occurrence {
	d.attribute.Mask = engine.Suppress
	found = withTexts(in, found)
	for code, o := range found {
		d.codes[o.provisional] = uint32(code)
		d.attribute.Texts = append(d.attribute.Texts, o.text)
	}
	return found
}

// generalize binds every value to the leaf of its text.
func (d *domain) generalize(spec *jobfile.Column, in *interner, found []occurrence, taxonomy jobfile.Taxonomy) error {
	found = withTexts(in, found)
	texts := make([]string, len(found))
	for i, o := range found {
		texts[i] = o.text
	}
	tree, err := buildTree(taxonomy, texts)
	if err != nil {
		return untreed(spec, err)
	}
	lacking := &uncovered{column: spec.Name, tree: tree}
	var names []string
	for _, o := range found {
		if _, ok := tree.Code(o.text); !ok {
			lacking.values++
			lacking.records += o.records
			names = append(names, o.text)
		}
	}
	if len(names) > 0 {
		if spec.Unknown != jobfile.UnknownRoot {
			return lacking
		}
		if tree, err = tree.WithLeaves(names); err != nil {
			return lacking.unadmitted(err)
		}
	}
	d.attribute.Mask, d.attribute.Tree, d.attribute.Texts = engine.Generalize, tree, tree.Leaves()
	for _, o := range found {
		d.codes[o.provisional], _ = tree.Code(o.text)
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
	return &Error{Class: ClassInput, Err: fmt.Errorf("add %d unknown values of column %s under the root of its taxonomy: %w", u.values, u.column, err)}
}

// marked is the error of a column that holds the mark of suppressed values itself.
func marked(column string, records uint64) error {
	return &Error{
		Class: ClassInput,
		Hint:  "replace that value in the source, or give the column another mask",
		Err:   fmt.Errorf("mask column %s: it holds the mark of a suppressed value itself (%d rows)", column, records),
	}
}

// discretize orders the values and, when there are too many, cuts them into quantile bins.
func (d *domain) discretize(spec *jobfile.Column, in *interner, found []occurrence) error {
	values := &in.values
	slices.SortFunc(found, func(a, b occurrence) int {
		return compareValues(values, int(a.provisional)-1, values, int(b.provisional)-1)
	})
	a := &d.attribute
	a.Mask = engine.Discretize
	bounds, err := newDeclaredBounds(spec, values.Type)
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
		d.merges, d.binned = true, len(found)
	}
	bin := -1
	for i, o := range found {
		if bin+1 < len(starts) && starts[bin+1] == i {
			bin++
			entry := int(o.provisional) - 1
			a.Texts = append(a.Texts, values.Text(entry))
			a.Positions = append(a.Positions, values.Float(entry))
		}
		d.codes[o.provisional] = uint32(bin)
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
