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

// Outcome says what a search has found, in the report of a run.
type Outcome struct {
	Released int64 `json:"released"` // rows that are not dropped
	// Suppressed is how many of them are released with nothing but the widest labels, since
	// too few records were like them.
	Suppressed uint64        `json:"suppressed,omitempty"`
	Sets       []cutfile.Set `json:"quasi_identifiers"`
	Steps      int           `json:"steps"`
	// Information is how much of the masked columns is left, from 0, nothing, to 1: 1 less the normalized
	// certainty penalty, the mean over the input's rows and those columns. Nil where an earlier cut was given.
	Information *float64 `json:"information_kept,omitempty"`
	// Masked says how much of every masked column is left, and what it was; nil as Information.
	Masked []MaskedColumn `json:"masked,omitempty"`
	// Auto is what algorithm auto has chosen; nil where the job names another one.
	Auto    *algorithm.Choice `json:"auto,omitempty"`
	Applied *cutfile.Applied  `json:"applied,omitempty"` // of kcut apply: what became of the cut
	Live    []uint64          `json:"live,omitempty"`    // top-down, after each step: records that later steps may still tell apart, summed over the sets
	Tuples  []int             `json:"distinct_tuples"`   // of every grouping, before the search
	// Stopped says of every label of the cut why it is no finer; top-down only.
	Stopped []StoppedColumn `json:"stopped,omitempty"`
	Nulls   []NullCount     `json:"nulls,omitempty"`
}

// StoppedColumn says why labels are no finer, in the order of the cut, the mark of a suppressed
// value last: "finest", nothing is or may be below; "empty", no record has it; "class", its records have
// one class; "records", a part would have fewer records than k; "set N", as many records as k
// would not be alike any more in quasi-identifier set N; "sensitive N", a class of set N would not have what is asked
// of sensitive values; "steps", the steps were used up; "suppressed", more records than may be would have to be
// suppressed; "few", the mark's records were too few for others.
type StoppedColumn struct {
	Column string   `json:"column"`
	Why    []string `json:"why"`
}

// MaskedColumn says of a masked column how much of it is left, as Report.Information says it of all, and how the input's values were
// spread, without naming one.
type MaskedColumn struct {
	Column      string   `json:"column"`
	Information float64  `json:"information_kept"`
	Values      int      `json:"values"`             // of the input that the search could tell apart, the null among them
	Frequent    []uint64 `json:"frequent,omitempty"` // records of the most frequent of these, as far as they have the largest k of the column's sets
}

// MostFrequent is how many values are told of in MaskedColumn.Frequent.
const MostFrequent = 12

// maskedColumns tells what is left of masked columns.
func maskedColumns(table *engine.Table, recoding engine.Recoding, sets []engine.Set) (columns []MaskedColumn) {
	for a := range table.Attributes {
		attribute := &table.Attributes[a]
		column := MaskedColumn{Column: attribute.Name, Information: 1 - labels.PenaltyOf(table, recoding, a), Values: attribute.Len()}
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

// whys are the reasons of labels that are no finer.
var whys = [...]string{
	engine.WhyFinest: "finest", engine.WhyEmpty: "empty", engine.WhyClass: "class",
	engine.WhyRecords: "records", engine.WhySet: "set", engine.WhySteps: "steps",
	engine.WhyOutliers: "suppressed", engine.WhyProtection: "sensitive",
}

// stopped describes why a cut is no finer. No label is in it: a report has no values.
func stopped(cut *engine.Cut, attributes []engine.Attribute, specs []*job.Column) (columns []StoppedColumn) {
	for a, stops := range cut.Stops {
		column := StoppedColumn{Column: attributes[a].Name}
		for i, stop := range stops {
			if stop.Why != engine.WhyEmpty && isFinest(&attributes[a], specs[a], cut.Labels(a)[i]) {
				stop.Why = engine.WhyFinest
			}
			why := whys[stop.Why]
			if stop.Why == engine.WhySet || stop.Why == engine.WhyProtection {
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

// isFinest reports whether a label is as fine as the job lets the column be.
func isFinest(a *engine.Attribute, spec *job.Column, label engine.Label) bool {
	level := spec.FinestLevel()
	if level == 0 || label.Null {
		return false
	}
	n, ok := a.Tree.Node(label.Text)
	return ok && a.Tree.Depth(n) == level
}
