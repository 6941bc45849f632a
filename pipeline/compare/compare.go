package compare

import (
	"fmt"
	"maps"
	"math/big"
	"slices"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/reuse"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/jobfile"
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
	From     string   `json:"from"`
	To       string   `json:"to"`
	Relation Relation `json:"relation"` // of all columns together
	Columns  []Column `json:"columns"`  // in the order of the first cut, then of the second
}

// Column compares the cuts of one column.
type Column struct {
	Column   string          `json:"column"`
	Relation Relation        `json:"relation"`
	From     int             `json:"from_labels"` // labels, marks not among them
	To       int             `json:"to_labels"`
	Gone     []cutfile.Label `json:"gone"` // labels that only the first cut has
	New      []cutfile.Label `json:"new"`  // labels that only the second cut has
	// Inferred says that the order of labels alone tells the relation. It is right when both
	// cuts are of one taxonomy, and every value of it occurred both times.
	Inferred bool `json:"inferred,omitempty"`
}

// Cuts compares the cuts of two releases, or of files with their JSON. A job tells, when it
// is not nil, which nodes of taxonomies are above each other: names alone do not.
func Cuts(from, to string, job *jobfile.Job) (*Difference, error) {
	a, err := cutfile.Read(from)
	if err != nil {
		return nil, err
	}
	b, err := cutfile.Read(to)
	if err != nil {
		return nil, err
	}
	var taxonomies map[string]jobfile.Taxonomy
	if job != nil {
		if taxonomies, err = job.LoadTaxonomies(); err != nil {
			return nil, err
		}
	}
	d := &Difference{From: from, To: to, Columns: []Column{}}
	regions := a.Kind == cutfile.KindRegions || b.Kind == cutfile.KindRegions
	var comparisons []*comparison
	for i := range a.Columns {
		j := slices.IndexFunc(b.Columns, func(c cutfile.Column) bool { return c.Name == a.Columns[i].Name })
		if j < 0 {
			d.Columns = append(d.Columns, lonely(&a.Columns[i], Removed))
			continue
		}
		c, err := newComparison(&a.Columns[i], &b.Columns[j], taxonomies[a.Columns[i].Name])
		if err != nil {
			return nil, err
		}
		c.regions = regions
		comparisons = append(comparisons, c)
		d.Columns = append(d.Columns, c.difference())
	}
	for i := range b.Columns {
		if !slices.ContainsFunc(a.Columns, func(c cutfile.Column) bool { return c.Name == b.Columns[i].Name }) {
			d.Columns = append(d.Columns, lonely(&b.Columns[i], Added))
		}
	}
	d.Relation = d.overall()
	if len(comparisons) == len(d.Columns) && regions {
		d.Relation = compareRegions(a, b, comparisons)
	}
	return d, nil
}

// lonely is a column that one cut has alone.
func lonely(c *cutfile.Column, relation Relation) Column {
	d := Column{Column: c.Name, Relation: relation, Gone: []cutfile.Label{}, New: []cutfile.Label{}}
	if relation == Added {
		d.To, d.New = len(c.Cut), c.Cut
	} else {
		d.From, d.Gone = len(c.Cut), c.Cut
	}
	return d
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

// comparison compares the cuts of one column: which labels of either cover which of the other.
type comparison struct {
	from, to *cutfile.Column
	above    func(upper, lower string) bool // of nodes; nil: names do not tell
	root     string                         // of the taxonomy
	regions  bool                           // labels of several levels stand beside each other
}

func newComparison(from, to *cutfile.Column, t jobfile.Taxonomy) (*comparison, error) {
	c := &comparison{from: from, to: to}
	switch {
	case t.Tree != nil:
		tree, err := engine.NewTree(jobfile.TreeOf(t.Tree))
		if err != nil {
			return nil, fmt.Errorf("make the taxonomy of column %s: %w", from.Name, err)
		}
		c.root, c.above = tree.Name(0), func(upper, lower string) bool { return isAbove(tree, upper, lower) }
	case t.Generated():
		generator, err := jobfile.GeneratorOf(t)
		if err != nil {
			return nil, fmt.Errorf("make the taxonomy of column %s: %w", from.Name, err)
		}
		path, _ := engine.Ancestry(generator, "")
		c.root, c.above = path[0], func(upper, lower string) bool {
			path, _ := engine.Ancestry(generator, lower)
			return slices.Contains(path, upper)
		}
	}
	return c, nil
}

// isAbove reports whether a node is another one or above it. One that the tree lacks was
// an unknown value, under the root.
func isAbove(tree *engine.Tree, upper, lower string) bool {
	u, known := tree.Node(upper)
	l, ok := tree.Node(lower)
	switch {
	case upper == lower:
		return true
	case !known || !ok:
		return known && u == 0
	}
	for l = tree.Parent(l); l >= 0; l = tree.Parent(l) {
		if l == u {
			return true
		}
	}
	return false
}

// difference compares the labels. Those that have nothing to do with any of the other cut,
// as new values of a generated taxonomy, are left aside.
func (c *comparison) difference() Column {
	d := Column{
		Column: c.from.Name, From: len(c.from.Cut), To: len(c.to.Cut),
		Gone: missing(c.from.Cut, c.to.Cut), New: missing(c.to.Cut, c.from.Cut),
	}
	switch {
	case c.from.Mask != c.to.Mask:
		d.Relation = Incomparable
	case len(d.Gone)+len(d.New) == 0:
		d.Relation = Equal
	case c.regions:
		d.Relation = c.inRegions()
	case c.from.Mask == jobfile.MaskGeneralize && c.above == nil:
		d.Relation = relationInOrder(c.from.Cut, c.to.Cut)
		d.Inferred = d.Relation != Different
	default:
		d.Relation = relationOf(c.within(c.from, c.to), c.within(c.to, c.from))
	}
	return d
}

// inRegions compares labels that differ. Wide ones may stand beside those within them, so that
// either cut covers the other: which is coarser, only the regions tell.
func (c *comparison) inRegions() Relation {
	if !c.isOrdered() {
		return Different
	}
	relation := relationOf(c.within(c.from, c.to), c.within(c.to, c.from))
	if relation == Equal {
		return Different
	}
	return relation
}

// isOrdered reports whether it is known which labels cover others.
func (c *comparison) isOrdered() bool {
	return c.from.Mask != jobfile.MaskGeneralize || c.above != nil
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
func relationInOrder(from, to []cutfile.Label) Relation {
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
func runOf(labels, others []cutfile.Label) int {
	lacking := missing(labels, others)
	for i, l := range labels {
		if i == len(lacking) || l.Label != lacking[i].Label {
			return i
		}
	}
	return len(labels)
}

func withoutNull(labels []cutfile.Label) []cutfile.Label {
	return slices.DeleteFunc(slices.Clone(labels), func(l cutfile.Label) bool { return l.Null })
}

// missing returns the labels that others lack.
func missing(labels, others []cutfile.Label) []cutfile.Label {
	type key struct {
		text string
		null bool
	}
	has := make(map[key]bool, len(others))
	for _, l := range others {
		has[key{l.Label, l.Null}] = true
	}
	lacking := []cutfile.Label{}
	for _, l := range labels {
		if !has[key{l.Label, l.Null}] {
			lacking = append(lacking, l)
		}
	}
	return lacking
}

// within reports whether every label of one cut is covered by one of the other, but for
// those that have nothing to do with any.
func (c *comparison) within(fine, coarse *cutfile.Column) bool {
	if fine.Mask == jobfile.MaskSuppress { // what is not disclosed is the mark
		return len(missing(coarse.Cut, fine.Cut)) == 0
	}
	for _, label := range missing(fine.Cut, coarse.Cut) {
		covers := func(l cutfile.Label) bool { return c.covers(coarse, l, label) }
		covered := func(l cutfile.Label) bool { return c.covers(fine, label, l) }
		if !slices.ContainsFunc(coarse.Cut, covers) && (slices.ContainsFunc(coarse.Cut, covered) || fine.Mask == jobfile.MaskDiscretize && !label.Null) {
			return false
		}
	}
	return true
}

// covers reports whether a label of a cut covers another label.
func (c *comparison) covers(of *cutfile.Column, label, other cutfile.Label) bool {
	switch {
	case label.Null || other.Null:
		return label.Null && other.Null || other.Null && c.isAll(of, label)
	case of.Mask == jobfile.MaskDiscretize:
		return compareEnds(label.Lower, other.Lower, -1) <= 0 && compareEnds(other.Upper, label.Upper, 1) <= 0
	case of.Mask == jobfile.MaskGeneralize:
		return label.Label == other.Label || c.above != nil && c.above(label.Label, other.Label)
	}
	values := label.Values()
	return !slices.ContainsFunc(other.Values(), func(value string) bool { return !slices.Contains(values, value) })
}

// isAll reports whether a label covers everything, nulls too.
func (c *comparison) isAll(of *cutfile.Column, label cutfile.Label) bool {
	if of.Mask == jobfile.MaskGeneralize {
		return c.above != nil && label.Label == c.root
	}
	return len(of.Cut) == 1 || label.Lower == nil && label.Upper == nil
}

// compareEnds orders two ends of intervals. Open ones are beyond all others, on their side.
func compareEnds(a, b []byte, side int) int {
	x, closed := cutfile.EndText(a)
	y, other := cutfile.EndText(b)
	switch {
	case !closed && !other:
		return 0
	case !closed:
		return side
	case !other:
		return -side
	}
	p, number := new(big.Rat).SetString(x)
	q, both := new(big.Rat).SetString(y)
	if number && both {
		return p.Cmp(q)
	}
	return strings.Compare(x, y)
}

// compareRegions compares cuts of regions: every region of the finer one lies within one of
// the other.
func compareRegions(a, b *cutfile.File, comparisons []*comparison) Relation {
	if slices.ContainsFunc(comparisons, func(c *comparison) bool { return c.difference().Relation == Different && !c.isOrdered() }) {
		return Different
	}
	relation := relationOf(regionsWithin(a, b, comparisons), regionsWithin(b, a, comparisons))
	if relation == Equal && !maps.Equal(regionSet(a, a), regionSet(b, a)) {
		return Different
	}
	return relation
}

// regionSet returns the labels of every region of a cut, in the order of another one's columns.
func regionSet(f, order *cutfile.File) map[string]bool {
	var positions []int
	for i := range order.Columns {
		positions = append(positions, slices.IndexFunc(f.Columns, func(c cutfile.Column) bool { return c.Name == order.Columns[i].Name }))
	}
	set := make(map[string]bool, len(f.Regions))
	for _, region := range f.Regions {
		key := ""
		for _, at := range positions {
			if cut := f.Columns[at].Cut; int(region[at]) < len(cut) {
				key += fmt.Sprintf("%q %t", cut[region[at]].Label, cut[region[at]].Null)
			}
			key += ","
		}
		set[key] = true
	}
	return set
}

// regionsWithin reports whether every region of a cut is within one of another.
func regionsWithin(fine, coarse *cutfile.File, comparisons []*comparison) bool {
	if fine.Kind != cutfile.KindRegions || coarse.Kind != cutfile.KindRegions {
		return false
	}
	var covers [][][]uint32
	order := make([]int, len(fine.Columns)) // positions of the columns in the coarser cut
	for a := range fine.Columns {
		f := &fine.Columns[a]
		order[a] = slices.IndexFunc(coarse.Columns, func(c cutfile.Column) bool { return c.Name == f.Name })
		o := &coarse.Columns[order[a]]
		i := slices.IndexFunc(comparisons, func(c *comparison) bool { return c.from.Name == f.Name })
		var of [][]uint32
		for label := range f.Labels() {
			of = append(of, comparisons[i].covering(o, f, label))
		}
		covers = append(covers, of)
	}
	var released []uint32
	for _, region := range coarse.Regions {
		for _, at := range order {
			released = append(released, region[at])
		}
	}
	index := reuse.NewRegionIndex(len(order), released)
	labels := make([][]uint32, len(order))
	for _, region := range fine.Regions {
		for a, label := range region {
			labels[a] = covers[a][label]
		}
		if index.First(labels) < 0 {
			return false
		}
	}
	return true
}

// covering returns the positions of the labels of a cut that cover a label of another.
func (c *comparison) covering(coarse, fine *cutfile.Column, label int) (positions []uint32) {
	for i, l := range coarse.Cut {
		if label < len(fine.Cut) && c.covers(coarse, l, fine.Cut[label]) {
			positions = append(positions, uint32(i))
		}
	}
	if coarse.Suppressed != "" {
		positions = append(positions, uint32(len(coarse.Cut)))
	}
	return positions
}
