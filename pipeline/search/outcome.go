package search

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/labels"
	"github.com/kcut/kcut/pipeline/algorithm"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
)

// Outcome is the result of a search in the report of a run.
type Outcome struct {
	Released int64 `json:"released"` // number of rows that are not dropped
	// Suppressed is the number of them that are released with only the widest labels, since their
	// class would be too small.
	Suppressed uint64        `json:"suppressed,omitempty"`
	Sets       []cutfile.Set `json:"quasi_identifiers"`
	Steps      int           `json:"steps"`
	// Information is the share of the masked columns' information that is left, from 0, nothing, to
	// 1: 1 minus the normalized certainty penalty, the mean over the input's rows and those
	// columns. Nil if an earlier cut was given.
	Information *float64 `json:"information_kept,omitempty"`
	// Masked has the share for every masked column, and its former values; nil like Information.
	Masked []MaskedColumn `json:"masked,omitempty"`
	// ColumnsKept is the number of masked columns that keep more than one label, without the null.
	ColumnsKept *int `json:"columns_kept,omitempty"`
	// Utility is the share of what the masked columns explain of the class, each by itself, that
	// the released ones explain, from 0 to 1. Nil if the raw ones explain nothing, or that is not
	// known: an earlier cut was given, or the algorithm does not look at the class.
	Utility *float64 `json:"utility,omitempty"`
	// Useless is true when no released column explains anything of the class, and a raw one does.
	Useless bool `json:"useless,omitempty"`
	// Auto is the choice of algorithm auto; nil if the job names another algorithm.
	Auto *algorithm.Choice `json:"auto,omitempty"`
	// for kcut apply: the result of applying the cut
	Applied *cutfile.Applied `json:"applied,omitempty"`
	// top-down, after each step: number of records that later steps may still divide, summed over
	// the sets
	Live   []uint64 `json:"live,omitempty"`
	Tuples []int    `json:"distinct_tuples"` // of every grouping, before the search
	// Stopped has, for every label of the cut, the reason why it is not finer; top-down only.
	Stopped []StoppedColumn `json:"stopped,omitempty"`
	Nulls   []NullCount     `json:"nulls,omitempty"`
}

// StoppedColumn has the reasons why labels are not finer, in the order of the cut, the mark of a
// suppressed value last: "finest", there is nothing finer, or it is not allowed; "empty", no record
// has it; "class", its records have one class; "records", a part would have fewer records than k;
// "set N", a class of quasi-identifier set N would have fewer than k records; "sensitive N", a
// class of set N would break a protection of sensitive values; "population", a class would break a
// limit on the people of a population; "steps", the steps were used up;
// "suppressed", more records than allowed would have to be suppressed; "few", the mark's records
// were too few for others.
type StoppedColumn struct {
	Column string   `json:"column"`
	Why    []string `json:"why"`
}

// MaskedColumn has the share of a masked column's information that is left, like Report.Information
// for all, and the distribution of the input's values, without naming one.
type MaskedColumn struct {
	Column      string  `json:"column"`
	Information float64 `json:"information_kept"`
	// OfValues is the share that is left in the records whose label is no null, which says
	// something next to one value
	OfValues float64 `json:"-"`
	// Single is the share of these records whose label is one value, and no set of several
	Single float64 `json:"-"`
	// number of values of the input that the search could distinguish, with the null
	Values int `json:"values"`
	// records of the most frequent of these, as far as they have the largest k of the column's sets
	Frequent []uint64 `json:"frequent,omitempty"`
}

// MostFrequent is the largest length of MaskedColumn.Frequent.
const MostFrequent = 12

// maskedColumns returns the entries of masked columns.
func maskedColumns(table *engine.Table, recoding engine.Recoding,
	sets []engine.Set) (columns []MaskedColumn) {
	for a := range table.Attributes {
		attribute := &table.Attributes[a]
		column := MaskedColumn{
			Column: attribute.Name,
			Values: attribute.Len(),
		}
		penalty := labels.PenaltyOf(table, recoding, a)
		column.Information = 1 - penalty
		column.OfValues = column.Information
		single, nulls := labels.Kept(table, recoding, a)
		others := float64(max(1, table.Rows-nulls))
		if attribute.Len() > 2 {
			column.OfValues = 1 - penalty*float64(table.Rows)/others
		}
		column.Single = float64(single) / others
		k := uint64(1)
		for _, set := range sets {
			if slices.Contains(set.Columns, a) {
				k = max(k, set.K.Size())
			}
		}
		for code, records := range table.Histograms[a].Sizes() {
			if records >= k && !attribute.IsRest(code) {
				column.Frequent = append(column.Frequent, records)
			}
		}
		slices.SortFunc(column.Frequent, func(a, b uint64) int { return cmp.Compare(b, a) })
		column.Frequent = column.Frequent[:min(MostFrequent, len(column.Frequent))]
		columns = append(columns, column)
	}
	return columns
}

// NullCount is the number of nulls of a masked column.
type NullCount struct {
	Column string `json:"column"`
	Rows   uint64 `json:"rows"`
}

// whys are the reasons why labels are not finer.
var whys = [...]string{
	engine.WhyFinest: "finest", engine.WhyEmpty: "empty", engine.WhyClass: "class",
	engine.WhyRecords: "records", engine.WhySet: "set", engine.WhySteps: "steps",
	engine.WhyOutliers: "suppressed", engine.WhyProtection: "sensitive",
	engine.WhyRisk: "risk", engine.WhyPopulation: "population",
}

// stopped describes why a cut is not finer. It contains no label: a report has no values.
func stopped(cut *engine.Cut, attributes []engine.Attribute,
	specs []*job.Column) (columns []StoppedColumn) {
	for a, stops := range cut.Stops {
		column := StoppedColumn{Column: attributes[a].Name}
		for i, stop := range stops {
			if stop.Why != engine.WhyEmpty && isFinest(&attributes[a], specs[a], cut.Labels(a)[i]) {
				stop.Why = engine.WhyFinest
			}
			why := whys[stop.Why]
			switch stop.Why {
			case engine.WhySet, engine.WhyProtection, engine.WhyRisk:
				why = fmt.Sprintf("%s %d", why, stop.Set+1)
			}
			column.Why = append(column.Why, why)
		}
		if slices.ContainsFunc(cut.Labels(a), func(l engine.Label) bool { return l.Mark }) {
			column.Why = append(column.Why, "few")
		}
		columns = append(columns, column)
	}
	return columns
}

// isFinest reports whether a label is as fine as the job allows in the column.
func isFinest(a *engine.Attribute, spec *job.Column, label engine.Label) bool {
	level := spec.FinestLevel()
	if level == 0 || label.Null {
		return false
	}
	n, ok := a.Tree.Node(label.Text)
	return ok && a.Tree.Depth(n) == level
}
