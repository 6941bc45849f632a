package verify

import (
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
)

// seen is a masked column whose labels are looked for among the groups of a set.
type seen struct {
	column string
	digits []int               // of the set's key: of what the column is released as
	open   map[[3]uint32][]int // labels that no group so far has, by their numbers there: several may look alike
}

// lookFor returns the columns whose labels some record must have, by a set that has them. Of an
// applied cut there are none: its labels are those of earlier records.
func (r *rules) lookFor() [][]*seen {
	all := make([][]*seen, len(r.cut.Sets))
	for i := range r.cut.Columns {
		column := &r.cut.Columns[i]
		checks := r.first[column.Name]
		set := slices.IndexFunc(r.cut.Sets, func(s cutfile.Set) bool { return slices.Contains(s.Columns, column.Name) })
		if r.cut.Applied != nil || set < 0 {
			continue
		}
		s := &seen{column: column.Name, open: make(map[[3]uint32][]int)}
		for _, check := range checks {
			s.digits = append(s.digits, slices.Index(r.keys[set].columns, check))
		}
		for label := range column.Labels() {
			if r.mustHaveRecords(column, label) {
				var numbers [3]uint32
				for at, check := range checks {
					numbers[at] = r.checks[check].numberOf(uint32(label))
				}
				s.open[numbers] = append(s.open[numbers], label)
			}
		}
		if len(s.open) > 0 {
			all[set] = append(all[set], s)
		}
	}
	return all
}

// mustHaveRecords reports whether a label of a column tells something that only records can: not so
// a node that the job declares, the mark of values that are not disclosed, and an interval without
// another one.
func (r *rules) mustHaveRecords(column *cutfile.Column, label int) bool {
	if label == len(column.Cut) {
		return column.Mask != job.MaskSuppress || column.Suppressed != engine.Suppressed
	}
	l := &column.Cut[label]
	switch {
	case l.Null, r.hasRegions():
		return true
	case column.Mask == job.MaskGeneralize:
		return column.Generated
	case column.Mask == job.MaskDiscretize:
		return slices.ContainsFunc(column.Cut, func(o cutfile.Label) bool { return !o.Null && o.Label != l.Label })
	}
	return true
}

// see takes note of the labels that a group of a set has.
func (j *judge) see(set int, group []uint64) {
	for i := 0; i < len(j.seen[set]); i++ {
		s := j.seen[set][i]
		var numbers [3]uint32
		for at, digit := range s.digits {
			numbers[at] = j.keys[set].digit(group, digit)
		}
		if delete(s.open, numbers); len(s.open) == 0 {
			j.seen[set] = slices.Delete(j.seen[set], i, i+1)
			i--
		}
	}
}

// checkSeen finds the labels that no record has.
func (j *judge) checkSeen() {
	for _, set := range j.seen {
		for _, s := range set {
			labels := 0
			for _, alike := range s.open {
				labels += len(alike)
			}
			j.find("column %s: no record has %d of the labels of its cut", s.column, labels)
		}
	}
}
