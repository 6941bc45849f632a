package pipeline

import (
	"context"
	"fmt"
	"iter"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/risk"
)

// mostUnique is the share of the rows that may be unique on kept columns that nobody has accepted.
const mostUnique = 0.01

// kept returns the fields of the columns that are kept, as they are or as pseudonyms, but for nested ones. Of a job that keeps
// nothing but the class there are none: it has few values. Nor are there any in tables of counts.
func (b *Bound) kept() (fields []int) {
	if len(b.Job.InputCounts) > 0 {
		return nil // the counts do not have them
	}
	for i, field := range b.Dataset.Schema().Fields {
		if b.specs[i].Keeps() && field.Type.Kind != formats.Nested {
			fields = append(fields, i)
		}
	}
	if len(fields) == 1 && fields[0] == b.class {
		return nil
	}
	return fields
}

// smallestK returns the smallest k of the sets.
func (b *Bound) smallestK() int {
	k := b.requirement.Sets[0].K
	for _, set := range b.requirement.Sets {
		k = min(k, set.K)
	}
	return int(k)
}

// names returns the names of fields.
func (b *Bound) names(fields []int) []string {
	names := make([]string, len(fields))
	for i, field := range fields {
		names[i] = b.Dataset.Schema().Fields[field].Name
	}
	return names
}

// positions returns the numbers from from to to−1.
func positions(from, to int) (all []int) {
	for i := from; i < to; i++ {
		all = append(all, i)
	}
	return all
}

// isAccepted reports whether the entry of a kept column says that it may tell rows apart.
func (b *Bound) isAccepted(field int) bool {
	return b.specs[field].Identifying == job.IdentifyingAccepted
}

// exposing counts before the search, beside the values of the input, what its kept columns tell: what may refuse the
// release, and what the release does not tell.
type exposing struct {
	*Bound
	refuses bool         // somebody has not accepted a kept column other than the class
	kept    []int        // kept columns that are read: all of them, or those that may tell masked ones
	counts  *risk.Counts // nil: nothing is kept, or nothing was read yet
}

func (b *Bound) exposing(ctx context.Context, res *resources) (e *exposing, err error) {
	e = &exposing{Bound: b, kept: b.kept()}
	e.refuses = !b.accepts(e.kept)
	if !e.refuses && len(e.kept) > 0 {
		var may []int
		may, err = risk.MayTell(ctx, b.Dataset, e.request(), slices.Concat(e.kept, b.masked), res.budget)
		for i, at := range may {
			may[i] = e.kept[at]
		}
		e.kept = may
	}
	return e, err
}

// accepts reports whether all of some kept columns are accepted, but for the class.
func (b *Bound) accepts(kept []int) bool {
	return !slices.ContainsFunc(kept, func(field int) bool { return field != b.class && !b.isAccepted(field) })
}

// request says what is counted of the kept columns that are read and the masked ones, in this order. The last grouping
// is of the masked ones.
func (e *exposing) request() *risk.Request {
	n := len(e.kept)
	r := &risk.Request{Kept: positions(0, n), Masked: positions(n, n+len(e.masked))}
	if e.refuses {
		r.Groupings = append(r.Groupings, r.Kept)
	}
	r.Groupings = append(r.Groupings, r.Masked)
	return r
}

// counted reports whether anything is counted.
func (e *exposing) counted() bool { return e != nil && len(e.Bound.kept()) > 0 }

// beside returns what is counted, or nil if nothing is.
func (e *exposing) beside(res *resources) *count.Beside {
	if !e.counted() {
		return nil
	}
	r := e.request()
	return &count.Beside{Fields: slices.Concat(e.kept, e.masked), Begin: func(workers int) func(int, *formats.Batch, int, int) error {
		e.close()
		e.counts = risk.NewCounts(r, e.Dataset.Rows(), workers, res.budget)
		return func(worker int, b *formats.Batch, from, to int) error {
			return e.counts.Scanner(worker).Block(b, from, to)
		}
	}}
}

// merge adds up what was counted of several splits.
func (e *exposing) merge(counted iter.Seq2[[]byte, error], res *resources) error {
	e.close()
	e.counts = risk.NewCounts(e.request(), e.Dataset.Rows(), 1, res.budget)
	for encoded, err := range counted {
		if err == nil {
			err = e.counts.Merge(encoded)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// close gives back what the counts have drawn.
func (e *exposing) close() {
	if e.counts != nil {
		e.counts.Close()
	}
}

// expose tells what was counted, and refuses a release in which more rows than mostUnique are unique on columns that
// nobody has accepted.
func (e *exposing) expose(ctx context.Context, res *resources) error {
	if e.counts == nil {
		return nil
	}
	e.counts.Join()
	k, fields := e.smallestK(), slices.Concat(e.kept, e.masked)
	report := &risk.Report{K: k, Columns: e.names(e.Bound.kept())}
	for _, pair := range e.counts.Determines() {
		names := e.names([]int{fields[pair[0]], fields[pair[1]]})
		report.Determines = append(report.Determines, risk.Determined{Kept: names[0], Masked: names[1]})
	}
	res.report.Risk = report
	noteDetermined(report, res)
	if !e.refuses {
		report.Raw = e.counts.Figures(0, k)
		return nil
	}
	report.Kept, report.Raw = e.counts.Figures(0, k), e.counts.Figures(1, k)
	if report.Kept.Unique <= mostUnique {
		return nil
	}
	return e.checkAccepted(ctx, e.kept, report.Kept.Unique, res)
}

// checkAccepted refuses kept columns on which so many rows are unique, unless their entries accept
// that: those that do it alone and, when the others still do together, all of these. The class need
// not be accepted among the others.
func (b *Bound) checkAccepted(ctx context.Context, kept []int, unique float64, res *resources) error {
	var alone, others []int
	highest := 0.0
	for few := range slices.Chunk(kept, 8) { // columns at a time: each has a table
		var each [][]int
		for i := range few {
			each = append(each, []int{i})
		}
		shares, err := b.unique(ctx, few, each, res)
		if err != nil {
			return err
		}
		for i, field := range few {
			if shares[i] <= mostUnique {
				others = append(others, field)
				continue
			}
			alone, highest = append(alone, field), max(highest, shares[i])
		}
	}
	what := "kept column"
	if len(alone) > 1 {
		what = "one or more of the kept columns"
	}
	if err := b.refuse(alone, highest, what, res); err != nil {
		return err
	}
	if len(alone) > 0 && len(others) > 0 {
		shares, err := b.unique(ctx, others, [][]int{positions(0, len(others))}, res)
		if err != nil {
			return err
		}
		unique = shares[0]
	}
	if unique <= mostUnique || len(others) == 0 {
		return nil
	}
	what = "the kept columns"
	if at := slices.Index(others, b.class); at >= 0 {
		others, what = slices.Delete(others, at, at+1), "the class and the kept columns"
	}
	return b.refuse(others, unique, what, res)
}

// unique counts rows by some columns, and returns the share of them that is unique on each grouping.
func (b *Bound) unique(ctx context.Context, fields []int, groupings [][]int, res *resources) ([]float64, error) {
	counts, err := risk.Count(ctx, b.Dataset, &risk.Request{Groupings: groupings}, fields, res.threads, res.budget, func(done int64) {
		res.events.Advanced(StageCompress, Progress{Done: done, Total: b.Dataset.Rows()})
	})
	if err != nil {
		return nil, err
	}
	defer counts.Close()
	shares := make([]float64, len(groupings))
	for i := range shares {
		shares[i] = counts.Figures(i, 0).Unique
	}
	return shares, nil
}

// refuse returns the error of kept columns on which such a share of the rows is unique, unless all of
// them are accepted: that is a notice.
func (b *Bound) refuse(fields []int, unique float64, what string, res *resources) error {
	names := strings.Join(b.names(fields), ", ")
	told := fmt.Sprintf("%s of the rows are unique on %s %s", text.Percent(unique), what, names)
	first := slices.IndexFunc(fields, func(field int) bool { return !b.isAccepted(field) })
	if first < 0 {
		if len(fields) > 0 {
			res.events.Noted(told + ": accepted")
		}
		return nil
	}
	name := b.specs[fields[first]].Name
	entry := "{keep: {identifying: accepted}}"
	if b.specs[fields[first]].Mask == job.MaskPseudonym {
		entry = "{mask: pseudonym, identifying: accepted, ...}"
	}
	return &fault.Error{
		Class: fault.Privacy,
		Hint:  fmt.Sprintf("drop or mask %s, or accept it in the entry of each, as in %s: %s", names, job.Quoted(name), entry),
		Err:   b.Job.Located(name, "mask", fmt.Errorf("%s, more than %s", told, text.Percent(mostUnique))),
	}
}

// keptFigures returns the figures on the kept columns of the release, when they are those of the input and known.
func keptFigures(report *Report) *risk.Figures {
	if report.Risk == nil || report.Released != report.Rows {
		return nil
	}
	return report.Risk.Kept
}

// exposeRelease tells what the rows of the written release tell, labels and kept columns together.
func (b *Bound) exposeRelease(after *risk.Report, res *resources) {
	report := res.report.Risk
	if report == nil { // of a run that goes on from an earlier one's cut
		report = after
	}
	report.Kept, report.Labels, report.Both, report.Pairs = after.Kept, after.Labels, after.Both, after.Pairs
	res.report.Risk = report
	if kept := b.kept(); report.Kept != nil && report.Kept.Unique > mostUnique && b.accepts(kept) {
		what := ""
		if at := slices.Index(kept, b.class); at >= 0 {
			kept, what = slices.Delete(kept, at, at+1), "the class and "
		}
		if what += "kept column"; len(kept) > 1 {
			what += "s"
		}
		res.events.Noted(fmt.Sprintf("%s of the rows are unique on %s %s: accepted", text.Percent(report.Kept.Unique), what, strings.Join(b.names(kept), ", ")))
	}
	if report.Kept != nil {
		res.events.Noted(fmt.Sprintf("%s of the rows are unique on kept columns, %s are in classes of fewer than %d",
			text.Percent(report.Kept.Unique), text.Percent(report.Kept.Below), report.K))
	}
	if report.Raw != nil && report.Labels != nil {
		before, after := report.Raw.Prosecutor, report.Labels.Prosecutor
		res.events.Noted(fmt.Sprintf("risk of a row, for who knows the quasi-identifiers of all sets: %s on average and %s at most before masking, %s and %s after",
			text.Percent(before.Average), text.Percent(before.Highest), text.Percent(after.Average), text.Percent(after.Highest)))
	}
}

// noteDetermined tells of masked columns that kept ones tell.
func noteDetermined(report *risk.Report, res *resources) {
	for _, d := range report.Determines {
		res.events.Noted(fmt.Sprintf("column %s is kept, and its values tell those of masked column %s", d.Kept, d.Masked))
	}
}
