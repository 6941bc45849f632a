package cutfile

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/pipeline/job"
)

// flaws are the errors of a cut that has the form that Parse checks, but says something that no cut
// of kcut says. Every rule of the form is here, or in the schema, except those for which rows must
// be counted.
type flaws struct {
	*File
	found []string
}

// Flaws returns descriptions, without labels, of properties that no cut written by kcut has.
func (c *File) Flaws() []string {
	f := &flaws{File: c}
	f.checkAlgorithm()
	f.checkCounts()
	f.checkSteps()
	f.checkSets()
	f.checkUnion()
	f.checkNames()
	for i := range c.Columns {
		f.checkColumn(&c.Columns[i])
	}
	f.checkRegions()
	return f.found
}

func (f *flaws) find(format string, args ...any) {
	f.found = append(f.found, fmt.Sprintf(format, args...))
}

func (f *flaws) hasRegions() bool { return f.Kind == KindRegions }

func (f *flaws) checkAlgorithm() {
	regions := job.MakesRegions(f.Algorithm)
	switch {
	case !job.MakesCuts(f.Algorithm):
		f.find("its cut is of no algorithm of kcut")
	case regions && !f.hasRegions():
		f.find("its cut has no regions, which algorithm %s makes", f.Algorithm)
	case f.hasRegions() && !regions:
		f.find("its cut has regions, which algorithm %s does not make", f.Algorithm)
	}
}

// checkCounts checks the kinds of records that the cut says were taken away. A recount checks their
// numbers.
func (f *flaws) checkCounts() {
	switch {
	case f.Applied != nil && f.Suppressed > 0:
		f.find("its cut claims records that a search suppressed, and is applied")
	case f.Suppressed > 0 && f.Dropped > 0 && !f.hasRegions():
		f.find("its cut claims both suppressed and dropped records")
	}
}

// checkSteps compares the number of steps with their results.
func (f *flaws) checkSteps() {
	least, most := f.stepsOf()
	undone := 0
	if f.Applied != nil {
		undone = f.Applied.Undone
	}
	switch {
	case f.hasRegions() && (f.Steps != 0 || undone != 0):
		f.find("its cut has regions and claims steps")
	case f.Steps < 0 || undone < 0:
		f.find("its cut claims fewer steps than none")
	case float64(f.Steps) < least:
		f.find("its cut claims fewer steps than its labels take")
	case float64(f.Steps) > most, float64(undone) > anySteps:
		f.find("its cut claims more steps than there can be")
	}
}

const (
	// mostLevels is the largest number of nodes on a path of a taxonomy.
	mostLevels = 1 << 16
	// anySteps is the largest number of steps for records that are not in the release.
	anySteps = 1 << 48
)

// stepsOf returns the smallest and the largest number of steps for the labels. Top-down each step
// adds an interval or a value, but a node may have only one child, and so be on a long path.
func (f *flaws) stepsOf() (least, most float64) {
	if f.hasRegions() || f.Applied != nil {
		return 0, anySteps
	}
	if f.Algorithm == job.AlgorithmBottomUp {
		return 0, max(1, float64(f.Rows)+float64(f.Dropped)) * float64(len(f.Columns)) * mostLevels
	}
	for i := range f.Columns {
		c := &f.Columns[i]
		labels := float64(len(withoutNull(c.Cut)))
		switch {
		case c.Is(engine.Suppress):
			labels = float64(len(c.Cut))
			least, most = least+labels, most+labels
		case c.Is(engine.Discretize):
			least, most = least+max(0, labels-1), most+max(0, labels-1)
		case labels > 1:
			least++
			fallthrough
		default:
			most += max(1, labels) * mostLevels
		}
	}
	if f.Suppressed > 0 || f.Dropped > 0 { // steps may have made labels that are not in the cut
		most = anySteps
	}
	return least, most
}

// checkSets checks the demands and the claims of sets. A recount detects claims that are too high,
// but not that there are fewer entities than k: it counts their records.
func (f *flaws) checkSets() {
	inSet := make(map[string]bool)
	for i, set := range f.Sets {
		switch {
		case hasTwice(set.Columns):
			f.find("quasi-identifier set %d has a column twice", i+1)
		case set.Anonymity < uint64(set.K):
			f.find("quasi-identifier set %d claims an anonymity below its k", i+1)
		case f.isRedundant(i):
			f.find("quasi-identifier set %d demands nothing that another set does not", i+1)
		}
		for _, name := range set.Columns {
			inSet[name] = true
		}
	}
	for _, c := range f.Columns {
		if !inSet[c.Name] {
			f.find("column %s has a cut and is in no quasi-identifier set", c.Name)
		}
	}
}

// isRedundant reports whether another set has the columns of a set and demands as much. If no k was
// asked for, the demand is the k reached, which may be equal.
func (f *flaws) isRedundant(i int) bool {
	if f.Algorithm == job.AlgorithmIACc || f.Applied != nil {
		return false
	}
	set := &f.Sets[i]
	for j := range f.Sets {
		if other := &f.Sets[j]; i != j && other.K >= set.K && set.Within(other) &&
			other.OfPopulation().Implies(set.OfPopulation()) {
			return true
		}
	}
	return false
}

// checkNames looks for columns of the release that would share a name.
func (f *flaws) checkNames() {
	names := slices.Clone(f.Pseudonyms)
	for i := range f.Columns {
		names = append(names, f.Columns[i].Released()...)
	}
	if hasTwice(names) {
		f.find("its cut has two columns of one name")
	}
	kept := slices.Clone(f.Sensitive)
	if f.Class != "" {
		kept = append(kept, Sensitive{Column: f.Class})
	}
	for _, c := range kept {
		if slices.Contains(names, c.Column) || f.Columns.Position(c.Column) >= 0 {
			f.find("column %s is to be kept, and is masked", c.Column)
		}
	}
}

func hasTwice(names []string) bool {
	sorted := slices.Sorted(slices.Values(names))
	return len(slices.Compact(sorted)) < len(names)
}

// checkColumn checks the labels of a column, in the order of its mask, and its mark.
func (f *flaws) checkColumn(c *Column) {
	if c.Render != "" && (!c.Is(engine.Discretize) ||
		!slices.Contains([]string{job.RenderBounds, job.RenderInterval}, c.Render)) {
		f.find("column %s is rendered as its mask is not", c.Name)
	}
	if c.Order != nil && !c.Is(engine.Suppress) {
		f.find("column %s has an order, which its mask does not take", c.Name)
	}
	f.checkMark(c)
	known := make(map[engine.Label]bool, len(c.Cut))
	for i, l := range c.Cut {
		switch {
		case known[l.Plain()]:
			f.find("column %s: its cut has a label twice", c.Name)
		case l.Null && i < len(c.Cut)-1:
			f.find("column %s: the null is not the last label of its cut", c.Name)
		case !l.Null && l.Interval != c.Is(engine.Discretize):
			f.find("column %s: its cut has labels of another mask", c.Name)
			return
		}
		known[l.Plain()] = true
	}
	if len(c.Cut) == 0 && c.Suppressed == "" {
		f.find("column %s: its cut has no label", c.Name)
	}
	switch {
	case c.Is(engine.Suppress):
		f.checkOrder(c)
		compare := compareValues(c.Order)
		switch {
		case f.hasRegions():
			f.checkNamed(c, engine.SetLabel)
			f.checkValueSets(c, compare)
		case !ascend(c.Cut, func(a, b Label) int { return compare(a.Plain(), b.Plain()) }):
			f.find("column %s: the values of its cut are out of order", c.Name)
		}
	case c.Is(engine.Discretize):
		f.checkNamed(c, engine.SetLabel)
		f.checkIntervals(c)
	case f.hasRegions():
		f.checkNamed(c, engine.NodeLabel)
	}
}

// checkOrder checks that an order has the values that the labels of a column name, each once, and
// no others: these would be values of the input that the release does not show.
func (f *flaws) checkOrder(c *Column) {
	if c.Order == nil {
		return
	}
	known := Column{Cut: c.Cut}
	known.SetOrder(c.Order, f.hasRegions())
	if !slices.Equal(known.Order, c.Order) {
		f.find("column %s: the order of its values is not one of the values of its cut", c.Name)
	}
}

// ascend reports whether each item is above the one before it.
func ascend[T any](items []T, compare func(a, b T) int) bool {
	for i := 1; i < len(items); i++ {
		if compare(items[i-1], items[i]) >= 0 {
			return false
		}
	}
	return true
}

// checkMark checks the mark of a column: the label of values that are not disclosed, or of
// suppressed records. In columns of nodes it may be the root, whose name the cut does not contain
// otherwise.
func (f *flaws) checkMark(c *Column) {
	suppresses, own := c.Is(engine.Suppress), c.Suppressed == engine.Suppressed
	is := func(l Label) bool {
		return !l.Null && l.Label == cmp.Or(c.Suppressed, engine.Suppressed)
	}
	switch {
	case suppresses && !own, !suppresses && !own && c.Suppressed != "" && f.hasRegions():
		f.find("column %s: its mark is not %s", c.Name, engine.Suppressed)
	case !suppresses && c.Suppressed != "" && f.Suppressed == 0 && f.Applied == nil:
		f.find("column %s has a mark, and no record is suppressed", c.Name)
	case c.Is(engine.Discretize) && c.Suppressed != "" && !own &&
		!isFullInterval(c.Suppressed, c.Cut):
		f.find("column %s: its mark is no label of all values", c.Name)
	case (suppresses || c.Suppressed != "") && slices.ContainsFunc(c.Cut, is):
		f.find("column %s: its mark is a label, too", c.Name)
	}
}

// checkNamed checks labels that name several values, nodes or an interval and the null: for more of
// them than the largest k of the column's sets, kcut releases the mark or a wider label.
func (f *flaws) checkNamed(c *Column, label func(named []engine.Label) engine.Label) {
	most := 1
	for _, set := range f.Sets {
		if slices.Contains(set.Columns, c.Name) {
			most = max(most, set.K)
		}
	}
	for _, l := range c.Cut {
		switch named := c.Named(l); {
		case len(named) > most:
			f.find("column %s: a label of its cut names more values than k = %d", c.Name, most)
		case label(named) != l.Plain():
			f.find("column %s: a label of its cut is a set without an end, or is written in "+
				"another way", c.Name)
		}
	}
}

// checkValueSets checks the order of labels that name several values: that of their first values,
// the longer ones first.
func (f *flaws) checkValueSets(c *Column, compare func(a, b engine.Label) int) {
	var all [][]engine.Label
	for _, l := range c.Cut {
		values := l.Values()
		all = append(all, values)
		if !ascend(values, compare) {
			f.find("column %s: the values of a label of its cut are out of order", c.Name)
		}
	}
	if !ascend(all, func(a, b []engine.Label) int {
		return cmp.Or(compare(a[0], b[0]), cmp.Compare(len(b), len(a)),
			slices.CompareFunc(a, b, compare))
	}) {
		f.find("column %s: the labels of its cut are out of order", c.Name)
	}
}

// compareValues returns a comparison of values: bytewise, or in an order, the null last.
func compareValues(order []string) func(a, b engine.Label) int {
	compare := job.InOrder(order)
	return func(a, b engine.Label) int {
		if a.Null != b.Null {
			if a.Null {
				return 1
			}
			return -1
		}
		return compare(a.Text, b.Text)
	}
}

// checkRegions looks for duplicate regions, and for labels of no region. An applied cut has the
// regions of an earlier release, and so all their labels, but its marks need not be used.
func (f *flaws) checkRegions() {
	if !f.hasRegions() {
		return
	}
	order := make([]uint32, len(f.Regions))
	used := make([][]bool, len(f.Columns))
	for a := range used {
		used[a] = make([]bool, len(f.Columns[a].Cut)+1)
	}
	for i, region := range f.Regions {
		order[i] = uint32(i)
		for a, label := range region {
			used[a][label] = true
		}
	}
	slices.SortFunc(order, func(i, j uint32) int {
		return slices.Compare(f.Regions[i], f.Regions[j])
	})
	if !ascend(order, func(i, j uint32) int { return slices.Compare(f.Regions[i], f.Regions[j]) }) {
		f.find("its cut has a region twice")
	}
	for a := range used {
		c := &f.Columns[a]
		if n := len(c.Cut); slices.Contains(used[a][:n], false) {
			f.find("column %s: its cut has labels that no region has", c.Name)
		}
	}
}
