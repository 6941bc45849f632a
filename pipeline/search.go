package pipeline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/choose"
	"github.com/kcut/kcut/engine/labels"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/algorithm"
	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/guard"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/spill"
)

// search is how a bound job comes to its cut: an engine finds one in the counts of the input, perhaps
// in the labels of an earlier cut, or holds an earlier cut against these counts.
type search struct {
	*binding.Bound
	res *resources

	algorithm   string // the job's, and once algorithm auto has chosen, that one
	engine      engine.Engine
	verdict     *choose.Verdict    // of algorithm auto, once there is one
	requirement engine.Requirement // with what depends on values, once they are known
	quota       Quota              // of records that may be taken away
	given       *domain.Cut        // the cut of an earlier release, in whose labels records are counted; nil: in their own values
	applied     *ApplyOptions      // how that cut is applied; nil: one is searched for
}

// newSearch returns the search of a job's algorithm.
func newSearch(b *binding.Bound, res *resources) *search {
	return &search{
		Bound: b, res: res, algorithm: b.Job.Algorithm.Name, engine: algorithm.Engine(b.Job),
		requirement: b.Requirement, quota: b.Job.MaxSuppressed,
	}
}

// close closes the input; that of nil is none.
func (s *search) close() error {
	if s == nil {
		return nil
	}
	return s.Bound.Close()
}

// plan returns what the engine wants to be counted.
func (s *search) plan() engine.Plan { return s.engine.Plan(s.requirement) }

// Found is what a search has found, or an earlier run.
type Found struct {
	Cut   []byte       // as it is embedded in the release
	trace bytes.Buffer // as it was written, if it is kept for a run that goes on from here

	// Where labels depend on more than their own column: the search with the recoding, and the counts in
	// whose codes it is. Else nil: the cut says all.
	search   *search
	recoding engine.Recoding
	counts   *count.Counts

	listed guard.Listed // values of kept columns
}

// unlist forgets the values of kept columns.
func (f *Found) unlist(budget *spill.Budget) {
	budget.Return(f.listed.Bytes)
	f.listed = guard.Listed{}
}

// find searches counts, in which held bytes are drawn for others, and writes down what is released. A
// search that outgrows the memory is started again with counts in the store.
func (s *search) find(ctx context.Context, counts *count.Counts, held int64, opt *RunOptions) (*Found, error) {
	f := &Found{}
	trace := &tracer{attributes: counts.Table.Attributes, out: opt.Trace}
	if opt.Trace != nil && opt.Checkpoint > 0 {
		trace.out = io.MultiWriter(opt.Trace, &f.trace)
	}
	asked, res := *s, s.res
	recoding, err := s.once(ctx, counts, trace)
	for {
		beyond := errors.Is(err, spill.ErrBudget) && res.scratch.opened() == nil
		if !beyond && !s.next(err) {
			break
		}
		s.algorithm, s.requirement = asked.algorithm, asked.requirement
		res.budget.Return(res.budget.Used() - held)
		debug.FreeOSMemory()
		if beyond {
			if _, err := res.scratch.open("the leaf partitions"); err != nil {
				return nil, err
			}
		}
		tuning := opt.System.tuning()
		tuning.Spill = tuning.Spill || res.scratch.opened() != nil
		if counts, err = s.count(ctx, tuning, nil); err != nil {
			return nil, err
		}
		recoding, err = s.once(ctx, counts, trace)
	}
	if err != nil {
		return nil, err
	}
	if f.Cut, err = s.describe(recoding); err != nil {
		return nil, err
	}
	if !masking.Columnwise(recoding, len(s.Masked)) {
		f.search, f.recoding, f.counts = s, recoding, counts
	}
	return f, nil
}

// once searches the counts, and reports what it finds.
func (s *search) once(ctx context.Context, counts *count.Counts, trace *tracer) (engine.Recoding, error) {
	table, res, report := counts.Table, s.res, s.res.report
	report.Steps, report.Live, report.Sets, report.Masked = 0, nil, nil, nil
	leaves := s.plan().Leaves
	share := res.budget.Grant(&spill.Search) // all that nobody else has drawn
	for _, grouping := range table.Groupings {
		share += grouping.Bytes()
	}
	options := algorithm.Options(s.Job, table.Attributes)
	options.Space = partition.Space{Budget: res.budget, Store: res.scratch.opened(), Share: share, Threads: res.threads}
	options.OnStep = func(step engine.Step) {
		report.Steps = step.Number
		trace.step(step)
		if leaves {
			report.Live = append(report.Live, step.Live)
		}
		res.events.Advanced(StageSearch, Progress{Done: int64(step.Number), Live: int64(step.Live)})
	}
	recoding, err := s.searcher().Search(ctx, table, s.requirement, options)
	s.adopt()
	if err := errors.Join(err, trace.err); err != nil {
		return nil, err
	}
	recoding = s.tidy(table, recoding)
	if err := s.setBounds(ctx, counts, recoding); err != nil {
		return nil, err
	}
	if cut, ok := recoding.(*engine.Cut); ok {
		report.Stopped = stopped(cut, table.Attributes, s.MaskedSpecs())
	}
	if err := drawRecoding(recoding, len(s.Masked), res); err != nil {
		return nil, err
	}
	suppressed, dropped := recoding.Lost()
	if err := s.checkLost(table, suppressed+dropped); err != nil {
		return nil, err
	}
	if err := checkReached(s.Bound, table, recoding); err != nil {
		return nil, err
	}
	report.Suppressed, report.Released = suppressed, report.Rows-int64(dropped)
	if s.given == nil { // else the domains are the labels of that
		report.Information = new(1 - labels.Penalty(table, recoding))
		report.Masked = maskedColumns(table, recoding, s.requirement.Sets)
	}
	s.reportApplied(recoding)
	if err := s.checkFlat(counts, recoding); err != nil {
		return nil, err
	}
	report.Sets = s.reached(recoding)
	return recoding, nil
}

// reached returns the quasi-identifier sets with the anonymity that they have.
func (s *search) reached(recoding engine.Recoding) (sets []cutfile.Set) {
	anonymity := recoding.Anonymity(s.requirement)
	for i, asked := range s.requirement.Sets {
		set := cutfile.Set{K: int(asked.K), Anonymity: anonymity[i]}
		if set.K == 0 { // not asked for: what was reached is what holds
			set.K = int(set.Anonymity)
		}
		for _, a := range asked.Columns {
			set.Columns = append(set.Columns, s.Specs[s.Masked[a]].Name)
		}
		sets = append(sets, set)
	}
	return sets
}

// noteUnion tells that several sets are treated as one.
func (s *search) noteUnion() {
	if len(s.requirement.Sets) < 2 || !algorithm.Unites(s.algorithm) {
		return
	}
	all := s.requirement.United()
	text := fmt.Sprintf("algorithm %s: the quasi-identifier sets are treated as one set of %d columns", s.algorithm, len(all.Columns))
	if all.K > 1 {
		text += fmt.Sprintf(" with k = %d", all.K)
	}
	s.res.events.Noted(text)
}

// noteSuppressible tells how many records may be taken away.
func (s *search) noteSuppressible() {
	switch most, able := s.requirement.MaxSuppressed, s.requirement.Suppressible(); {
	case most == 0, s.algorithm == job.AlgorithmAuto: // it is not known yet
	case able == 0:
		s.res.events.Noted(fmt.Sprintf("max_suppressed of %s is too small for any to be suppressed: those that are must be as many as the largest k", text.Count(most, "record")))
	default:
		s.res.events.Noted(fmt.Sprintf("%s may be taken away so that all others meet the quasi-identifier sets", text.Count(most, "record")))
	}
}

// searcher returns the engine that searches. What algorithm auto chooses is kept: a search that starts again
// need not judge again.
func (s *search) searcher() engine.Engine {
	e, ok := s.engine.(choose.Engine)
	if !ok {
		return s.engine
	}
	e.Known, e.OnVerdict = s.verdict, func(v *choose.Verdict) { s.verdict = v }
	return e
}

// adopt takes the algorithm that was chosen for the job, and notes that. What the engine has counted stays
// what it is.
func (s *search) adopt() {
	e, ok := s.engine.(choose.Engine)
	if !ok || s.verdict == nil || s.verdict.Chosen < 0 {
		return
	}
	c := algorithm.ChoiceOf(s.Job, e, s.verdict)
	s.res.report.Auto = c
	s.res.events.Noted(c.String())
	s.algorithm = c.Algorithm
	if !c.Suppresses {
		s.requirement.MaxSuppressed, s.requirement.Drop = 0, false
	}
	s.noteUnion()
	s.noteSuppressible()
}

// next reports whether a search is to be tried with another algorithm, since the one that was chosen has failed.
func (s *search) next(err error) bool {
	return s.verdict != nil && fault.ClassOf(err) == fault.Privacy && s.verdict.Reject(err)
}
