package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// mostUnique is the share of the rows that may be unique on kept columns that nobody has accepted.
const mostUnique = 0.01

// kept returns the fields of the columns that are kept, but for nested ones. Of a job that keeps
// nothing but the class there are none: it has few values.
func (b *Bound) kept() (fields []int) {
	for i, field := range b.Dataset.Schema().Fields {
		if b.specs[i].Mask == job.MaskKeep && field.Type.Kind != formats.Nested {
			fields = append(fields, i)
		}
	}
	if len(fields) == 1 && fields[0] == b.class {
		return nil
	}
	return fields
}

// largestK returns the largest k of the sets.
func (b *Bound) largestK() (k int) {
	for _, set := range b.requirement.Sets {
		k = max(k, int(set.K))
	}
	return k
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

// exposing is what of the resources counting rows by their hashes may take.
func (r *resources) exposing(stage Stage, rows int64) *risk.Resources {
	return &risk.Resources{Budget: r.budget, Threads: r.threads, Advanced: func(done int64) {
		r.events.Advanced(stage, Progress{Done: done, Total: rows})
	}}
}

// expose tells what the kept columns tell before anything is searched or written, and refuses a
// release in which more rows than mostUnique are unique on columns that nobody has accepted.
func (b *Bound) expose(ctx context.Context, res *resources) error {
	kept := b.kept()
	if len(kept) == 0 {
		return nil
	}
	n, all := len(kept), slices.Concat(kept, b.masked)
	r := &risk.Request{Dataset: b.Dataset, Columns: all, Kept: positions(0, n), Masked: positions(n, len(all))}
	r.Groupings = [][]int{r.Kept, r.Masked}
	counts, err := risk.Count(ctx, r, res.exposing(StageCompress, b.Dataset.Rows()))
	if err != nil {
		return err
	}
	k := b.largestK()
	report := &risk.Report{K: k, Columns: b.names(kept), Kept: counts.Figures(0, k), Raw: counts.Figures(1, k)}
	for _, pair := range counts.Determines {
		names := b.names([]int{all[pair[0]], all[pair[1]]})
		report.Determines = append(report.Determines, risk.Determined{Kept: names[0], Masked: names[1]})
	}
	counts.Close()
	res.report.Risk = report
	noteDetermined(report, res)
	if report.Kept.Unique <= mostUnique {
		return nil
	}
	return b.checkAccepted(ctx, kept, report.Kept.Unique, res)
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
	counts, err := risk.Count(ctx, &risk.Request{Dataset: b.Dataset, Columns: fields, Groupings: groupings}, res.exposing(StageCompress, b.Dataset.Rows()))
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
	isAccepted := func(field int) bool { return b.specs[field].Identifying == job.IdentifyingAccepted }
	names := strings.Join(b.names(fields), ", ")
	told := fmt.Sprintf("%s of the rows are unique on %s %s", text.Percent(unique), what, names)
	first := slices.IndexFunc(fields, func(field int) bool { return !isAccepted(field) })
	if first < 0 {
		if len(fields) > 0 {
			res.events.Noted(told + ": accepted")
		}
		return nil
	}
	name := b.specs[fields[first]].Name
	return &fault.Error{
		Class: fault.Privacy,
		Hint:  fmt.Sprintf("drop or mask %s, or accept it in the entry of each, as in %s: {keep: {identifying: accepted}}", names, job.Quoted(name)),
		Err:   b.Job.Located(name, "mask", fmt.Errorf("%s, more than %s", told, text.Percent(mostUnique))),
	}
}

// exposeRelease tells what the rows of the written release tell, labels and kept columns together.
func (b *Bound) exposeRelease(ctx context.Context, path string, res *resources) error {
	report := res.report.Risk
	if len(b.kept()) == 0 {
		return nil
	}
	options := readOptions(b.Job, res.budget, res.threads)
	as := func(int) int { return res.threads } // it has the columns that the input is read with
	after, err := risk.OfRelease(ctx, path, options, res.exposing(StageVerify, res.report.Released), as)
	if err != nil {
		return err
	}
	if report == nil { // of a run that goes on from an earlier one's cut
		report = after
	}
	report.Kept, report.Labels, report.Both = after.Kept, after.Labels, after.Both
	res.report.Risk = report
	if report.Kept != nil {
		res.events.Noted(fmt.Sprintf("of the rows, %s are unique on kept columns, %s on the labels of all sets, %s on both; %s, %s and %s are in classes of fewer than %d",
			text.Percent(report.Kept.Unique), text.Percent(report.Labels.Unique), text.Percent(report.Both.Unique),
			text.Percent(report.Kept.Below), text.Percent(report.Labels.Below), text.Percent(report.Both.Below), report.K))
	}
	if report.Raw != nil && report.Labels != nil {
		before, after := report.Raw.Prosecutor, report.Labels.Prosecutor
		res.events.Noted(fmt.Sprintf("risk of a row, for who knows the quasi-identifiers of all sets: %s on average and %s at most before masking, %s and %s after",
			text.Percent(before.Average), text.Percent(before.Highest), text.Percent(after.Average), text.Percent(after.Highest)))
	}
	return nil
}

// RiskOf tells how well the rows of a released file or directory hide each other, from its files alone. It
// keeps to the limits; absent ones are the machine's.
func RiskOf(ctx context.Context, path string, limits job.Limits) (*risk.Report, error) {
	j := &job.Job{Limits: limits}
	res, err := newResources(j, &Report{}, Events{}, spill.Options{})
	if err != nil {
		return nil, err
	}
	defer spill.LimitHeap(res.budget.Limit())()
	within := func(columns int) int { return threadsWithin(res.budget.Limit(), res.threads, columns) }
	if path, err = fileset.Resolve(path); err != nil {
		return nil, err
	}
	report, err := risk.OfRelease(ctx, path, readOptions(j, res.budget, res.threads), res.exposing(StageVerify, 0), within)
	return report, fileset.Advise(err)
}

// noteDetermined tells of masked columns that kept ones tell.
func noteDetermined(report *risk.Report, res *resources) {
	for _, d := range report.Determines {
		res.events.Noted(fmt.Sprintf("column %s is kept, and its values tell those of masked column %s", d.Kept, d.Masked))
	}
}
