package pipeline

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime/debug"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/spill"
)

// scores are the selection criteria by the job file's names.
var scores = map[string]engine.Score{
	"tdr": engine.ScoreTDR, "tds": engine.ScoreTDS, "infogain": engine.ScoreInfoGain,
}

// maxSteps is a job's limit in the engine's form.
func maxSteps(job *job.Job) int {
	if job.MaxSteps == nil {
		return -1
	}
	return *job.MaxSteps
}

// Found is what a search has found, or an earlier run.
type Found struct {
	Cut   []byte       // as it is embedded in the release
	trace bytes.Buffer // as it was written, if it is kept for a run that goes on from here

	// Of labels that depend on more than their own column: the recoding, and the counts in whose
	// codes it is. Else nil: the cut says all.
	recoding engine.Recoding
	counts   *count.Counts
}

// search finds the recoding and writes down what is released. A search that outgrows the
// memory is started again with counts in the store.
func search(ctx context.Context, b *Bound, counts *count.Counts, res *resources, opt *RunOptions) (*Found, error) {
	f := &Found{}
	trace := &tracer{attributes: counts.Table.Attributes, out: opt.Trace}
	if opt.Trace != nil && opt.Checkpoint > 0 {
		trace.out = io.MultiWriter(opt.Trace, &f.trace)
	}
	recoding, err := searchOnce(ctx, b, counts, res, trace)
	if errors.Is(err, spill.ErrBudget) && res.scratch.opened() == nil {
		res.budget.Return(res.budget.Used() - b.Taxonomies.bytes)
		debug.FreeOSMemory()
		if _, err := res.scratch.open("the leaf partitions"); err != nil {
			return nil, err
		}
		if counts, err = countInput(ctx, b, res, opt.System.tuning(), true); err != nil {
			return nil, err
		}
		recoding, err = searchOnce(ctx, b, counts, res, trace)
	}
	if err != nil {
		return nil, err
	}
	if f.Cut, err = describe(b, recoding, res); err != nil {
		return nil, err
	}
	if masking.Columnwise(recoding, len(b.masked)) {
		counts.Table = nil
		res.budget.Return(res.budget.Used() - b.Taxonomies.bytes)
	} else {
		f.recoding, f.counts = recoding, counts
	}
	return f, nil
}

// searchOnce searches the counts, and reports what it finds.
func searchOnce(ctx context.Context, b *Bound, counts *count.Counts, res *resources, trace *tracer) (engine.Recoding, error) {
	table, report := counts.Table, res.report
	report.Steps, report.Live, report.Sets = 0, nil, nil
	share := res.budget.Grant(&spill.Search) // all that nobody else has drawn
	for _, grouping := range table.Groupings {
		share += grouping.Bytes()
	}
	recoding, err := b.engine.Search(ctx, table, b.requirement, engine.Options{
		Score:    scores[b.Job.Score],
		MaxSteps: maxSteps(b.Job),
		Space:    partition.Space{Budget: res.budget, Store: res.scratch.opened(), Share: share, Threads: res.threads},
		OnStep: func(s engine.Step) {
			report.Steps = s.Number
			trace.step(s)
			if b.plan().Leaves {
				report.Live = append(report.Live, s.Live)
			}
			res.events.Advanced(StageSearch, Progress{Done: int64(s.Number), Live: int64(s.Live)})
		},
	})
	if err := errors.Join(err, trace.err); err != nil {
		return nil, err
	}
	if cut, ok := recoding.(*engine.Cut); ok {
		report.Stopped = stopped(cut, table.Attributes)
	}
	if err := drawRecoding(recoding, len(b.masked), res); err != nil {
		return nil, err
	}
	suppressed, dropped := recoding.Lost()
	report.Suppressed, report.Released = suppressed, report.Rows-int64(dropped)
	report.reused(b, recoding, res)
	report.Sets = setsOf(b, recoding)
	return recoding, nil
}

// setsOf returns the quasi-identifier sets with the anonymity that they have.
func setsOf(b *Bound, recoding engine.Recoding) (sets []cutfile.Set) {
	anonymity := recoding.Anonymity(b.requirement)
	for i, set := range b.requirement.Sets {
		s := cutfile.Set{K: int(set.K), Anonymity: anonymity[i]}
		if s.K == 0 { // not asked for: what was reached is what holds
			s.K = int(s.Anonymity)
		}
		for _, a := range set.Columns {
			s.Columns = append(s.Columns, b.specs[b.masked[a]].Name)
		}
		sets = append(sets, s)
	}
	return sets
}
