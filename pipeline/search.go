package pipeline

import (
	"context"
	"errors"
	"io"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/spill"
)

// scores are the selection criteria by the job file's names.
var scores = map[string]engine.Score{
	"tdr": engine.ScoreTDR, "tds": engine.ScoreTDS, "infogain": engine.ScoreInfoGain,
}

// maxSteps is the job's limit in the engine's form.
func (r *run) maxSteps() int {
	if r.job.MaxSteps == nil {
		return -1
	}
	return *r.job.MaxSteps
}

// search finds the recoding and writes down what is released. A search that outgrows the
// memory is started again out of core.
func (r *run) search(ctx context.Context) error {
	trace := &tracer{attributes: r.problem.table.Attributes, out: r.traceTo()}
	err := r.searchOnce(ctx, trace)
	if errors.Is(err, spill.ErrBudget) && r.store == nil {
		if err := r.leaveMemory(ctx, "the leaf partitions"); err != nil {
			return err
		}
		r.keepCounts(ctx)
		err = r.searchOnce(ctx, trace)
	}
	if err != nil {
		return err
	}
	if err := r.writeCut(); err != nil {
		return err
	}
	r.keepCut(ctx)
	return nil
}

// traceTo returns where the trace goes; what a later run may have to write again is held, too.
func (r *run) traceTo() io.Writer {
	if r.opt.Trace == nil || r.opt.Checkpoint <= 0 {
		return r.opt.Trace
	}
	return io.MultiWriter(r.opt.Trace, &r.trace)
}

func (r *run) searchOnce(ctx context.Context, trace *tracer) error {
	table := r.problem.table
	r.report.Steps, r.report.Live, r.report.Sets = 0, nil, nil
	recoding, err := r.engine.Search(ctx, table, r.prepared.requirement, engine.Options{
		Score:    scores[r.job.Score],
		MaxSteps: r.maxSteps(),
		Space:    r.searchSpace(),
		OnStep: func(s engine.Step) {
			r.report.Steps = s.Number
			trace.step(s)
			if r.wants().Leaves {
				r.report.Live = append(r.report.Live, s.Live)
			}
			r.events.Advanced(StageSearch, Progress{Done: int64(s.Number), Live: int64(s.Live)})
		},
	})
	if err := errors.Join(err, trace.err); err != nil {
		return err
	}
	r.recoding = recoding
	if explained, ok := recoding.(engine.Explained); ok {
		r.report.Stopped = stopped(explained, table.Attributes)
	}
	if err := r.drawRecoding(); err != nil {
		return err
	}
	suppressed, dropped := recoding.Lost()
	r.report.Suppressed, r.report.Released = suppressed, r.report.Rows-int64(dropped)
	r.reused()
	anonymity := recoding.Anonymity(r.prepared.requirement)
	for i, set := range r.prepared.requirement.Sets {
		report := cutfile.Set{K: int(set.K), Anonymity: anonymity[i]}
		if report.K == 0 { // not asked for: what was reached is what holds
			report.K = int(report.Anonymity)
		}
		for _, a := range set.Columns {
			report.Columns = append(report.Columns, table.Attributes[a].Name)
		}
		r.report.Sets = append(r.report.Sets, report)
	}
	return nil
}
