package verify

import (
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/pipeline/cutfile"
)

// releasedColumn is a masked column in the groups of a set: as one column, as several, or as fields
// of structs. Its labels are known by their numbers there.
type releasedColumn struct {
	column string
	digits []int                // digits of the set's key
	known  map[[3]uint32]uint32 // the first label with the numbers that it has there together
	// unseen has labels that some record must have, and no group so far: several labels may look
	// the same.
	unseen map[[3]uint32]int
}

// releasedIn returns the masked columns of a set.
func (r *rules) releasedIn(set int) (all []releasedColumn) {
	for i := range r.cut.Columns {
		column := &r.cut.Columns[i]
		if !slices.Contains(r.sets[set].Columns, column.Name) {
			continue
		}
		c := releasedColumn{column: column.Name, known: make(map[[3]uint32]uint32),
			unseen: make(map[[3]uint32]int)}
		checks := r.first[column.Name]
		for _, check := range checks {
			c.digits = append(c.digits, slices.Index(r.keys[set].columns, check))
		}
		for label := range column.Labels() {
			numbers := c.together(
				func(i int) uint32 { return r.checks[checks[i]].numberOf(uint32(label)) })
			if _, seen := c.known[numbers]; !seen {
				c.known[numbers] = uint32(label)
			}
			if r.isLookedFor(column, label, set) {
				c.unseen[numbers]++
			}
		}
		all = append(all, c)
	}
	return all
}

// together returns the numbers in all columns, or fields.
func (c *releasedColumn) together(number func(i int) uint32) (numbers [3]uint32) {
	for i := range c.digits {
		numbers[i] = number(i)
	}
	return numbers
}

// isLookedFor reports whether some record must have a label of a column, and the set is the first
// one with the column, in which the label is looked for. The labels of an applied cut are those of
// earlier records.
func (r *rules) isLookedFor(column *cutfile.Column, label, set int) bool {
	has := func(s cutfile.Set) bool { return slices.Contains(s.Columns, column.Name) }
	return r.cut.Applied == nil && set == slices.IndexFunc(r.cut.Sets, has) &&
		r.mustHaveRecords(column, label)
}

// mustHaveRecords reports whether a label of a column exists only if some record has it. That is
// not the case for a node that the job declares, the mark of values that are not disclosed, and an
// interval without another one.
func (r *rules) mustHaveRecords(column *cutfile.Column, label int) bool {
	if label == len(column.Cut) {
		return !column.Is(engine.Suppress) || column.Suppressed != engine.Suppressed
	}
	l := &column.Cut[label]
	switch {
	case l.Null, r.hasRegions():
		return true
	case column.Is(engine.Generalize):
		return column.Generated
	case column.Is(engine.Discretize):
		return slices.ContainsFunc(column.Cut,
			func(o cutfile.Label) bool { return !o.Null && o.Label != l.Label })
	}
	return true
}

// see notes the labels of a set's group. Ends that no label of the cut has together are a finding.
func (v *verifier) see(set int, group []uint64) {
	for i := range v.released[set] {
		c := &v.released[set][i]
		if len(c.digits) == 1 && len(c.unseen) == 0 {
			continue
		}
		numbers := c.together(func(i int) uint32 { return v.keys[set].digit(group, c.digits[i]) })
		if _, known := c.known[numbers]; !known && len(c.digits) > 1 {
			v.find("column %s: ends that no label of its cut has together", c.column)
		}
		delete(c.unseen, numbers)
	}
}

// checkSeen finds labels that no record has.
func (v *verifier) checkSeen() {
	for _, c := range slices.Concat(v.released...) {
		labels := 0
		for _, same := range c.unseen {
			labels += same
		}
		if labels > 0 {
			v.find("column %s: no record has %d of the labels of its cut", c.column, labels)
		}
	}
}
