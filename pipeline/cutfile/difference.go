package cutfile

import (
	"cmp"
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/recheck"
	"github.com/kcut/kcut/pipeline/job"
)

// Relation is the result of comparing a cut with another one.
type Relation string

// The relations. In cuts that differ, each finer label is covered by one of the coarser cut.
const (
	Equal        Relation = "equal"
	Coarser      Relation = "coarser"
	Finer        Relation = "finer"
	Incomparable Relation = "incomparable"
	// not equal, and the relation is unknown without the taxonomies, or where labels cover each
	// other
	Different Relation = "different"
	Added     Relation = "added"   // a column that only the second cut has
	Removed   Relation = "removed" // a column that only the first cut has
)

// Difference compares two cuts, column by column: it describes the second one relative to the
// first.
type Difference struct {
	From     string   `json:"from"`
	To       string   `json:"to"`
	Relation Relation `json:"relation"` // of all columns together
	// in the order of the first cut, followed by the other columns of the second
	Columns []ColumnDifference `json:"columns"`
}

// ColumnDifference compares the cuts of one column.
type ColumnDifference struct {
	Column   string   `json:"column"`
	Relation Relation `json:"relation"`
	From     int      `json:"from_labels"` // number of labels without marks
	To       int      `json:"to_labels"`
	Gone     []Label  `json:"gone"` // labels that only the first cut has
	New      []Label  `json:"new"`  // labels that only the second cut has
	// Inferred means that only the order of labels gives the relation. It is right if both cuts use
	// one taxonomy, and every value of it occurred both times.
	Inferred bool `json:"inferred,omitempty"`
}

// Diff compares the cuts of two releases, or of files with their JSON. A job, which may be nil, has
// the taxonomies, which decide which nodes are above each other: names do not show that.
func Diff(ctx context.Context, from, to string, by *job.Job) (*Difference, error) {
	a, err := Read(ctx, from)
	if err != nil {
		return nil, err
	}
	b, err := Read(ctx, to)
	if err != nil {
		return nil, err
	}
	var taxonomies map[string]job.Taxonomy
	if by != nil {
		if taxonomies, err = by.LoadTaxonomies(); err != nil {
			return nil, err
		}
	}
	d := &Difference{From: from, To: to, Columns: []ColumnDifference{}}
	regions := a.Kind == KindRegions || b.Kind == KindRegions
	inA, inB := make(map[string]*coverer), make(map[string]*coverer)
	ofA, ofB := a.columns(), b.columns()
	for _, of := range slices.Concat(ofA, ofB) {
		name := of.Name
		if inA[name] != nil {
			continue
		}
		if inA[name], err = ofA.coverer(name, taxonomies[name]); err == nil {
			inB[name], err = ofB.coverer(name, taxonomies[name])
		}
		if err != nil {
			return nil, fmt.Errorf("make the taxonomy of column %s: %w", name, err)
		}
		d.Columns = append(d.Columns, difference(name, inA[name], inB[name], regions))
	}
	d.Relation = d.overall()
	if regions && len(ofA) == len(d.Columns) && len(ofB) == len(d.Columns) &&
		slices.Equal(a.Pseudonyms, b.Pseudonyms) &&
		maps.Equal(a.Replacements, b.Replacements) {
		d.Relation = compareRegions(a, b, d.Columns, inA, inB)
	}
	return d, nil
}

// coverer returns the coverer of the column with a name, or of one without a mask if there is none.
func (c Columns) coverer(name string, t job.Taxonomy) (*coverer, error) {
	column := &Column{}
	if i := c.Position(name); i >= 0 {
		column = &c[i]
	}
	return newCoverer(column, t)
}

// columns returns the masked columns, and those of pseudonyms, which have no labels. Replacements
// have a mask of their own, since no others equal them.
func (c *File) columns() Columns {
	columns := slices.Clip(c.Columns)
	for _, name := range c.Pseudonyms {
		columns = append(columns, Column{
			Name: name, Mask: cmp.Or(c.Replacements[name], job.MaskPseudonym),
		})
	}
	return columns
}

// overall combines the relations of all columns.
func (d *Difference) overall() Relation {
	has := make(map[Relation]bool)
	for _, c := range d.Columns {
		has[c.Relation] = true
	}
	switch {
	case has[Incomparable], has[Added], has[Removed], has[Coarser] && has[Finer]:
		return Incomparable
	case has[Different]:
		return Different
	case has[Coarser]:
		return Coarser
	case has[Finer]:
		return Finer
	}
	return Equal
}

// difference compares the labels of a column in two cuts. It ignores those that are unrelated to
// all labels of the other cut, such as new values of a generated taxonomy. In cuts of regions
// labels of several levels exist together.
func difference(column string, from, to *coverer, regions bool) ColumnDifference {
	d := ColumnDifference{
		Column: column, From: len(from.Cut), To: len(to.Cut),
		Gone: missing(from.Cut, to.Cut), New: missing(to.Cut, from.Cut),
	}
	switch {
	case from.Mask == "":
		d.Relation = Added
	case to.Mask == "":
		d.Relation = Removed
	case from.Mask != to.Mask:
		d.Relation = Incomparable
	case len(d.Gone)+len(d.New) == 0:
		d.Relation = Equal
	case from.isOrdered():
		d.Relation = relationOf(from.within(to), to.within(from))
		// wide labels exist together with those within them: either cut covers the other
		if regions && d.Relation == Equal {
			d.Relation = Different
		}
	case regions:
		d.Relation = Different
	default:
		d.Relation = relationInOrder(from.Cut, to.Cut)
		d.Inferred = d.Relation != Different
	}
	return d
}

// isOrdered reports whether it is known which labels cover others.
func (c *coverer) isOrdered() bool { return !c.Is(engine.Generalize) || c.taxonomy != nil }

func relationOf(fromWithinTo, toWithinFrom bool) Relation {
	switch {
	case fromWithinTo && toWithinFrom:
		return Equal
	case fromWithinTo:
		return Coarser
	case toWithinFrom:
		return Finer
	}
	return Incomparable
}

// relationInOrder compares cuts of an unknown taxonomy. Their labels are in its preorder, so that
// between two common labels the labels of one cut represent the same values as those of the other:
// one label against several is above them.
func relationInOrder(from, to []Label) Relation {
	from, to = withoutNull(from), withoutNull(to)
	toWithin, fromWithin := true, true
	for len(from)+len(to) > 0 {
		gone, added := runOf(from, to), runOf(to, from)
		switch {
		case gone+added == 0 && from[0].Label == to[0].Label:
			from, to = from[1:], to[1:]
		case gone == 1 && added > 1:
			fromWithin = false
		case gone > 1 && added == 1:
			toWithin = false
		default: // other values, or several nodes on both sides
			return Different
		}
		from, to = from[gone:], to[added:]
	}
	return relationOf(fromWithin, toWithin)
}

// runOf returns the number of labels before the first one that others also have.
func runOf(labels, others []Label) int {
	lacking := missing(labels, others)
	for i, l := range labels {
		if i == len(lacking) || l.Label != lacking[i].Label {
			return i
		}
	}
	return len(labels)
}

func withoutNull(labels []Label) []Label {
	return slices.DeleteFunc(slices.Clone(labels), func(l Label) bool { return l.Null })
}

// missing returns the labels that others do not have.
func missing(labels, others []Label) []Label {
	has := make(map[engine.Label]bool, len(others))
	for _, l := range others {
		has[l.meaning()] = true
	}
	lacking := []Label{}
	for _, l := range labels {
		if !has[l.meaning()] {
			lacking = append(lacking, l)
		}
	}
	return lacking
}

// compareRegions compares cuts of regions, given the coverers of their columns by name: every
// region of the finer one is within one of the other.
func compareRegions(a, b *File, columns []ColumnDifference,
	inA, inB map[string]*coverer) Relation {
	for _, d := range columns {
		if d.Relation == Different && !inA[d.Column].isOrdered() {
			return Different
		}
	}
	relation := relationOf(regionsWithin(a, b, inB), regionsWithin(b, a, inA))
	if relation == Equal && !(a.HasRegions(b) && b.HasRegions(a)) {
		return Different
	}
	return relation
}

// regionsWithin reports whether every region of a cut is within one of another cut, whose columns
// are given.
func regionsWithin(fine, coarse *File, columns map[string]*coverer) bool {
	if fine.Kind != KindRegions || coarse.Kind != KindRegions {
		return false
	}
	var order []int                 // positions of the columns in the other cut
	var codes [][]uint32            // of the labels of regions, by column
	var coverage []recheck.Coverage // of the codes by the labels of the other cut
	for a := range fine.Columns {
		f := &fine.Columns[a]
		for _, d := range columns[f.Name].dimensions(f) {
			order = append(order, coarse.Columns.Position(f.Name))
			coverage = append(coverage, d.Coverage)
			of := make([]uint32, len(fine.Regions))
			for i, region := range fine.Regions {
				of[i] = d.codes[region[a]]
			}
			codes = append(codes, of)
		}
	}
	var released []uint32
	for _, region := range coarse.Regions {
		for _, at := range order {
			released = append(released, region[at])
		}
	}
	within := make([]int32, len(fine.Regions))
	recheck.NewRegionIndex(released, coverage).Locate(len(within), codes, within)
	return !slices.Contains(within, engine.Dropped)
}

// HasRegions reports whether the cut has every region of another one, except that of suppressed
// records: the same labels of the same columns, masked in the same way.
func (c *File) HasRegions(of *File) bool {
	if c.Kind != KindRegions || of.Kind != KindRegions || len(c.Columns) != len(of.Columns) {
		return false
	}
	var here, there []int // the columns of both, in the order of the other cut
	for i := range of.Columns {
		at := c.Columns.Position(of.Columns[i].Name)
		if at < 0 || c.Columns[at].Mask != of.Columns[i].Mask {
			return false
		}
		here, there = append(here, at), append(there, i)
	}
	known := map[string]bool{"": true}
	for _, region := range c.Regions {
		known[c.keyOf(region, here)] = true
	}
	return !slices.ContainsFunc(of.Regions, func(region Region) bool {
		return !known[of.keyOf(region, there)]
	})
}

// keyOf returns a key of a region's labels in some columns. It is empty if all are marks.
func (c *File) keyOf(region Region, columns []int) string {
	var key []byte
	marks := true
	for _, at := range columns {
		label := Label{Label: "*"}
		if cut := c.Columns[at].Cut; int(region[at]) < len(cut) {
			label, marks = cut[region[at]], false
			label.Label = "=" + label.meaning().Text
		}
		if label.Null {
			label.Label = ""
		}
		key = append(binary.AppendUvarint(key, uint64(len(label.Label))), label.Label...)
	}
	if marks {
		return ""
	}
	return string(key)
}
