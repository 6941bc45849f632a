package search

import (
	"fmt"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/judge"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
)

// flatColumns are the names of columns about which a release has little or no information.
type flatColumns struct {
	single  []string // all rows have one label
	rest    []string // all rows without a null have one label, and others have the null
	outside []string // the applied cut does not cover the values of more than half of the rows
	lost    []string // one of the above, although the applied cut has more labels
}

// checkFlat notes the flat columns. If a cut is applied, the options may refuse them.
func (s *Search) checkFlat(counts *count.Counts, recoding engine.Recoding) error {
	var flat flatColumns
	of := s.requirement.ByAttribute(len(s.Masked))
	for a := range s.Masked {
		d, spec := &counts.Columns[a].Domain, s.Specs[s.Masked[a]]
		name, sizes := d.Attribute.Name, counts.Table.Histograms[a].Sizes()
		labels, nulls := labelsOf(recoding, a, sizes)
		single, outside := labels+nulls == 1, 2*d.Outside > partition.Sum(sizes)
		if outside {
			flat.outside = append(flat.outside, name)
		}
		if single {
			flat.single = append(flat.single, name)
		} else if labels == 1 {
			flat.rest = append(flat.rest, name)
		}
		if s.applied != "" && (outside || single && s.given.Column(a).Tells()) {
			flat.lost = append(flat.lost, name)
		}
		if single {
			NoteFewNulls(spec, s.algorithm, d.Nulls, partition.Sum(sizes), of[a].K, s.Noted)
		}
	}
	flat.note(s.Noted)
	kept := len(s.Masked) - len(flat.single) - len(flat.rest)
	s.Out.ColumnsKept = &kept
	if cutfile.IsFlat(kept, len(s.Masked)) {
		s.Noted(fmt.Sprintf("hardly anything is left: %s of %d keep more than one label; a "+
			"smaller k, smaller sets, max_suppressed or algorithm auto may keep more",
			text.Count(uint64(kept), "masked column"), len(s.Masked)))
	}
	if s.applied == BreakRefuse && len(flat.lost) > 0 {
		return fault.Errorf(fault.Privacy, "write these values as the earlier input does, as 1 "+
			"instead of 01; or run the job anew; --on-break fail publishes it as it is",
			"hold the cut against the table: more than half of the rows are outside the cut, or "+
				"all get one label, in %s", strings.Join(flat.lost, ", "))
	}
	return nil
}

// NoteFewNulls notes a column whose nulls, among a number of records, are too few for a class of
// their own: they bar all cuts of the column, but not those of a guided search, nor those of a
// discretized column by Mondrian, nor that single values are disclosed.
func NoteFewNulls(
	spec *job.Column, algorithm string, nulls, records uint64, k engine.KAnonymity,
	noted func(text string),
) {
	inSpite := algorithm == job.AlgorithmGuided ||
		spec.Is(engine.Discretize) && algorithm == job.AlgorithmMondrian
	if spec.Is(engine.Suppress) || inSpite || nulls == 0 ||
		k.Holds(engine.Stats{Size: nulls}) || nulls == records {
		return
	}
	noted(fmt.Sprintf("column %s: %s, fewer than k = %d, may keep it at its widest label: "+
		"max_suppressed lets them go, and algorithm guided cuts in spite of them", spec.Name,
		text.Count(nulls, "null"), k))
}

// noteUtility reports which share of the class that the masked columns explain is left, and notes a
// release that explains nothing.
func (s *Search) noteUtility(u *judge.Utility) {
	s.Out.Utility, s.Out.Useless = nil, false
	if u == nil {
		return
	}
	share := u.Share()
	if s.Out.Utility = &share; !u.IsUseless() {
		return
	}
	s.Out.Useless = true
	s.Noted(fmt.Sprintf("no masked column tells anything about class %s any more, before masking "+
		"%s did; a smaller k, smaller sets, max_suppressed or algorithm auto may keep more",
		s.Job.Class, s.Specs[s.Masked[u.Column]].Name))
}

// note notes the flat columns.
func (f *flatColumns) note(noted func(text string)) {
	if len(f.outside) > 0 {
		noted("the cut has no place for the values of more than half of the rows in " +
			strings.Join(f.outside, ", "))
	}
	if len(f.single) > 0 {
		noted("all rows have one label in " + strings.Join(f.single, ", "))
	}
	if len(f.rest) > 0 {
		noted("all rows without a null have one label in " + strings.Join(f.rest, ", "))
	}
}

// labelsOf returns how many labels the records of an attribute's codes get, without suppressed
// ones, apart from nulls, and how many of these: 0 or 1.
func labelsOf(recoding engine.Recoding, a int, records []uint64) (labels, nulls int) {
	codes, all, got := recoding.Codes(a), recoding.Labels(a), make(map[uint32]bool)
	if cut, ok := recoding.(*engine.Cut); ok { // even if some records are suppressed
		codes = cut.Columns[a].Code
	}
	if codes == nil { // labels depend on more than the code, and each has records
		for label, of := range all {
			if !of.Mark {
				got[uint32(label)] = true
			}
		}
	}
	for code, label := range codes {
		if code < len(records) && records[code] > 0 {
			got[label] = true
		}
	}
	for label := range got {
		if all[label].Null {
			nulls++
		}
	}
	return len(got) - nulls, nulls
}
