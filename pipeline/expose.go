package pipeline

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// kept returns the fields of the columns that are kept, as they are or as pseudonyms. Of a job that keeps nothing but
// the class there are none: that is looked at by itself. Nor are there any in tables of counts.
func (b *Bound) kept() (fields []int) {
	if len(b.Job.InputCounts) > 0 {
		return nil // the counts do not have them
	}
	for i := range b.Dataset.Schema().Fields {
		if b.specs[i].Keeps() {
			fields = append(fields, i)
		}
	}
	if len(fields) == 1 && fields[0] == b.class {
		return nil
	}
	return fields
}

// flat returns those of some fields that are not nested.
func (b *Bound) flat(fields []int) []int {
	return slices.DeleteFunc(slices.Clone(fields), func(field int) bool { return b.Dataset.Schema().Fields[field].Type.Kind == formats.Nested })
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

// fieldsOf returns the fields of columns by their names.
func (b *Bound) fieldsOf(names []string) (fields []int) {
	for _, name := range names {
		fields = append(fields, b.Dataset.Schema().Index(name))
	}
	return fields
}

// positions returns the numbers from from to to−1.
func positions(from, to int) (all []int) {
	for i := from; i < to; i++ {
		all = append(all, i)
	}
	return all
}

// exposing counts before the search, beside the values of the input, what its kept columns tell: what may refuse the
// release, and what the release does not tell.
type exposing struct {
	*Bound
	fields  []int // columns that are read
	request *risk.Request
	kept    int          // number of the guard of all kept columns; −1: nobody would refuse them
	class   int          // number of the one of the class; −1: it is accepted, or not kept
	counts  *risk.Counts // nil: nothing was read yet
}

// exposing says what is counted.
func (b *Bound) exposing() *exposing {
	r := &risk.Request{}
	e := &exposing{Bound: b, kept: -1, class: -1, request: r}
	if len(b.Job.InputCounts) > 0 {
		return e // the counts do not have these columns
	}
	if r.K = b.smallestK(); b.entity >= 0 {
		r.Entity = e.read(b.entity)
	}
	for i := range b.Dataset.Schema().Fields {
		if b.specs[i].Keeps() {
			r.Kept = append(r.Kept, e.read(b.flat([]int{i})...)...)
		}
	}
	r.Masked = e.read(b.masked...)
	for _, set := range b.Job.Sets {
		r.Sets = append(r.Sets, e.read(b.fieldsOf(set.Columns)...))
	}
	if kept := b.kept(); len(kept) > 0 {
		r.Raw = true
		if !b.accepts(kept) {
			e.kept, r.Guards = len(r.Guards), append(r.Guards, risk.Guard{Columns: e.read(kept...)})
		}
	}
	if b.class >= 0 && b.specs[b.class].Keeps() && !b.isAccepted(b.class) {
		e.class, r.Guards = len(r.Guards), append(r.Guards, risk.Guard{Columns: e.read(b.class), Few: true})
	}
	return e
}

// read returns the positions of columns among those that are read.
func (e *exposing) read(fields ...int) (at []int) {
	for _, field := range fields {
		if !slices.Contains(e.fields, field) {
			e.fields = append(e.fields, field)
		}
		at = append(at, slices.Index(e.fields, field))
	}
	return at
}

// list has the values of kept columns listed where they serve to put rows in order.
func (e *exposing) list() { e.request.Lists = e.Job.Order == job.OrderReleased }

// counted reports whether anything is counted.
func (e *exposing) counted() bool {
	return e != nil && len(e.request.Kept)+len(e.request.Guards) > 0
}

// beside returns what is counted, or nil if nothing is.
func (e *exposing) beside(res *resources) *count.Beside {
	if !e.counted() {
		return nil
	}
	return &count.Beside{Fields: e.fields, Begin: func(workers int) func(int, *formats.Batch, int, int) error {
		e.close()
		e.counts = risk.NewCounts(e.request, e.Dataset.Rows(), workers, res.budget)
		return func(worker int, b *formats.Batch, from, to int) error {
			return e.counts.Scanner(worker).Block(b, from, to)
		}
	}}
}

// scan counts by itself what is counted beside values else.
func (e *exposing) scan(ctx context.Context, in *dataset.Dataset, res *resources) (err error) {
	if !e.counted() {
		return nil
	}
	e.counts, err = risk.Count(ctx, in, e.request, e.fields, res.threads, res.budget, func(done int64) {
		res.events.Advanced(StageCompress, Progress{Done: done, Total: in.Rows()})
	})
	return err
}

// guard counts by itself what kept columns tell, and refuses what a search would not be begun for.
func (b *Bound) guard(ctx context.Context, res *resources) error {
	e := b.exposing()
	e.list()
	defer e.close()
	if err := e.scan(ctx, b.Dataset, res); err != nil {
		return err
	}
	return e.expose(ctx, res)
}

// listed are the values of kept columns that have few.
type listed struct {
	of    map[int]*formats.Values // by field, in order
	bytes int64                   // drawn
}

// unlist forgets the values of kept columns.
func (b *Bound) unlist(budget *spill.Budget) {
	budget.Return(b.listed.bytes)
	b.listed = listed{}
}

// listed returns the values that were listed, which are drawn from then on.
func (e *exposing) listed() listed {
	values, bytes := e.counts.Dictionaries()
	l := listed{make(map[int]*formats.Values), bytes}
	for i, at := range e.request.Kept {
		if values[i] != nil {
			l.of[e.fields[at]] = values[i]
		}
	}
	return l
}

// close gives back what the counts have drawn.
func (e *exposing) close() {
	if e.counts != nil {
		e.counts.Close()
	}
}

// report tells what was counted, nil if nothing was but of the class.
func (e *exposing) report(res *resources) *risk.Report {
	e.counts.Join()
	kept := e.Bound.kept()
	told, known := e.counts.Determines()
	if !known {
		res.events.Noted("whether kept columns follow from masked ones is not known: memory has no room for rows that show it")
	}
	report := &risk.Report{K: e.request.K, Columns: e.names(kept), Determines: e.determined(told), Members: e.members(told)}
	if len(kept)+len(told) == 0 {
		return nil
	}
	if e.request.Raw {
		report.Raw = e.counts.Raw(e.request.K)
	}
	if e.kept >= 0 {
		report.Kept = e.counts.Guard(e.kept)
	}
	return report
}

// expose tells what was counted, and refuses a release in which more rows than mostUnique are unique, or in classes
// below the smallest k, on columns that nobody has accepted.
func (e *exposing) expose(ctx context.Context, res *resources) error {
	if e.counts == nil {
		return nil
	}
	if e.request.Lists {
		e.Bound.listed = e.listed()
	}
	if res.report.Risk = e.report(res); res.report.Risk != nil {
		e.noteTold(res.report.Risk, res)
	}
	return e.check(ctx, res.report.Risk, res)
}

// check refuses what was counted, and what is told of it, nil if nothing is.
func (e *exposing) check(ctx context.Context, told *risk.Report, res *resources) error {
	if e.class >= 0 {
		if err := e.checkClass(e.counts.Guard(e.class)); err != nil {
			return err
		}
	}
	if told == nil {
		return nil
	}
	return e.checkKept(ctx, told.Kept, res)
}

// keptFigures returns the figures on the kept columns of the release, when they are those of the input and known, for the
// smallest k of the cut: a job that asks for none has that which was reached.
func keptFigures(report *Report, cut *cutfile.File) *risk.Figures {
	if report.Risk == nil || report.Released != report.Rows || report.Risk.K != cut.SmallestK() {
		return nil
	}
	return report.Risk.Kept
}

// hidesKept reports whether a release shows less of its kept columns than the input: neither whose its rows are,
// nor are nested columns counted there.
func (b *Bound) hidesKept() bool {
	kept := b.kept()
	return b.entity >= 0 || len(b.flat(kept)) < len(kept)
}

// exposeRelease tells what the rows of the written release tell, labels and kept columns together.
func (b *Bound) exposeRelease(after *risk.Report, cut *cutfile.File, res *resources) {
	report := res.report.Risk
	if report == nil { // the class alone is kept
		report = after
	}
	if report.Kept == nil || !b.hidesKept() {
		report.Kept = after.Kept
	}
	report.K, report.Labels, report.Both, report.Pairs = after.K, after.Labels, after.Both, after.Pairs
	report.Members = b.membersOf(report.Members, after.Members, cut)
	res.report.Risk = report
	if kept := b.kept(); report.Kept != nil && report.Kept.Unique > mostUnique && b.accepts(kept) {
		what := ""
		if at := slices.Index(kept, b.class); at >= 0 {
			kept, what = slices.Delete(kept, at, at+1), "the class and "
		}
		if what += "kept column"; len(kept) > 1 {
			what += "s"
		}
		res.events.Noted(fmt.Sprintf("%s %s %s: accepted", b.found(report.Kept), what, strings.Join(b.names(kept), ", ")))
	}
	if report.Kept != nil {
		res.events.Noted(fmt.Sprintf("%s of the %s are unique on kept columns, %s are in classes of fewer than %d",
			text.Percent(report.Kept.Unique), b.who(), text.Percent(report.Kept.Below), report.K))
	}
	if report.Raw != nil && report.Labels != nil {
		before, after := report.Raw.Prosecutor, report.Labels.Prosecutor
		res.events.Noted(fmt.Sprintf("risk of a row, for who knows the quasi-identifiers of all sets: %s on average and %s at most before masking, %s and %s after",
			text.Percent(before.Average), text.Percent(before.Highest), text.Percent(after.Average), text.Percent(after.Highest)))
	}
}
