package cutfile

import (
	"context"
	"fmt"
	"slices"

	"github.com/kcut/kcut/pipeline/job"
)

// Relation says what a cut is compared with another one.
type Relation string

// The relations. Of cuts that differ, each finer label is covered by one of the coarser cut.
const (
	Equal        Relation = "equal"
	Coarser      Relation = "coarser"
	Finer        Relation = "finer"
	Incomparable Relation = "incomparable"
	Different    Relation = "different" // not equal; what else cannot be told without the taxonomies, or where labels cover each other
	Added        Relation = "added"     // a column that only the second cut has
	Removed      Relation = "removed"   // a column that only the first cut has
)

// Difference compares two cuts, column by column: what the second one is, seen from the first.
type Difference struct {
	From     string             `json:"from"`
	To       string             `json:"to"`
	Relation Relation           `json:"relation"` // of all columns together
	Columns  []ColumnDifference `json:"columns"`  // in the order of the first cut, then of the second
}

// ColumnDifference compares the cuts of one column.
type ColumnDifference struct {
	Column   string   `json:"column"`
	Relation Relation `json:"relation"`
	From     int      `json:"from_labels"` // labels, marks not among them
	To       int      `json:"to_labels"`
	Gone     []Label  `json:"gone"` // labels that only the first cut has
	New      []Label  `json:"new"`  // labels that only the second cut has
	// Inferred says that the order of labels alone tells the relation. It is right when both
	// cuts are of one taxonomy, and every value of it occurred both times.
	Inferred bool `json:"inferred,omitempty"`
}

// Diff compares the cuts of two releases, or of files with their JSON. A job tells, when it
// is not nil, which nodes of taxonomies are above each other: names alone do not.
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
	comparisons := make(map[string]*comparison)
	for i := range a.Columns {
		of := &a.Columns[i]
		j := b.Columns.position(of.Name)
		if j < 0 {
			d.Columns = append(d.Columns, ColumnDifference{Column: of.Name, Relation: Removed, From: len(of.Cut), Gone: of.Cut, New: []Label{}})
			continue
		}
		c, err := newComparison(of, &b.Columns[j], taxonomies[of.Name])
		if err != nil {
			return nil, err
		}
		c.regions, comparisons[of.Name] = regions, c
		d.Columns = append(d.Columns, c.difference())
	}
	for _, of := range b.Columns {
		if comparisons[of.Name] == nil {
			d.Columns = append(d.Columns, ColumnDifference{Column: of.Name, Relation: Added, To: len(of.Cut), Gone: []Label{}, New: of.Cut})
		}
	}
	d.Relation = d.overall()
	if len(comparisons) == len(d.Columns) && regions {
		d.Relation = compareRegions(a, b, comparisons)
	}
	return d, nil
}

// overall joins the relations of all columns.
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

// difference compares the labels. Those that have nothing to do with any of the other cut,
// as new values of a generated taxonomy, are left aside.
func (c *comparison) difference() ColumnDifference {
	d := ColumnDifference{
		Column: c.from.Name, From: len(c.from.Cut), To: len(c.to.Cut),
		Gone: missing(c.from.Cut, c.to.Cut), New: missing(c.to.Cut, c.from.Cut),
	}
	switch {
	case c.from.Mask != c.to.Mask:
		d.Relation = Incomparable
	case len(d.Gone)+len(d.New) == 0:
		d.Relation = Equal
	case c.isOrdered():
		d.Relation = relationOf(c.within(c.from, c.to), c.within(c.to, c.from))
		if c.regions && d.Relation == Equal { // wide labels stand beside those within them: either cut covers the other
			d.Relation = Different
		}
	case c.regions:
		d.Relation = Different
	default:
		d.Relation = relationInOrder(c.from.Cut, c.to.Cut)
		d.Inferred = d.Relation != Different
	}
	return d
}

// isOrdered reports whether it is known which labels cover others.
func (c *comparison) isOrdered() bool {
	return c.from.Mask != job.MaskGeneralize || c.taxonomy != nil
}

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

// relationInOrder compares cuts of a taxonomy that is not known. Their labels are in its
// preorder, so that what one cut has between two labels that both have stands for the same
// values as what the other has there: one label against several is above them.
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

// runOf returns how many labels come before the first one that others have, too.
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

// missing returns the labels that others lack.
func missing(labels, others []Label) []Label {
	has := make(map[string]bool, len(others))
	for _, l := range others {
		has[l.key()] = true
	}
	lacking := []Label{}
	for _, l := range labels {
		if !has[l.key()] {
			lacking = append(lacking, l)
		}
	}
	return lacking
}

// key tells labels apart, whatever the ends of intervals are.
func (l Label) key() string { return fmt.Sprintf("%q %t", l.Label, l.Null) }
