// Package search finds the cut of a bound job: it counts the input, has an engine search the counts
// or check an earlier cut on them, and writes the text of the cut.
//
//	Bound ──Count──▶ Counts ──Find──▶ Found: the cut's JSON, and the map from values to its labels
//
// Contract: the result meets every set and protection of the job, or there is an error of class
// Privacy. It does not depend on threads, memory or spilling. Outcome is its part of a run's
// report; for a search that failed, as far as it came.
//
// Limits: there may be better cuts.
package search

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"runtime/debug"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/choose"
	"github.com/kcut/kcut/engine/judge"
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
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/spill"
)

// Search finds the cut of a bound job: an engine finds one in the counts of the input, possibly in
// the labels of an earlier cut, or checks an earlier cut on these counts.
type Search struct {
	*binding.Bound
	*resources.Run
	Out *Outcome

	algorithm   string // the job's, and later the one that algorithm auto has chosen
	engine      engine.Engine
	verdict     *choose.Verdict    // of algorithm auto, once it exists
	requirement engine.Requirement // with the parts that depend on values, once these are known
	quota       job.Quota          // of records that may be taken away
	// the cut of an earlier release, in whose labels records are counted; nil: in their own values
	given *domain.Cut
	// the action if that cut is applied and does not hold; empty: the search looks for a cut
	applied OnBreak
}

// New returns the search of a job's algorithm. Its outcome goes to out.
func New(b *binding.Bound, r *resources.Run, out *Outcome) *Search {
	return &Search{
		Bound:       b,
		Run:         r,
		Out:         out,
		algorithm:   b.Job.Algorithm.Name,
		engine:      algorithm.Engine(b.Job),
		requirement: b.Requirement, quota: b.Job.MaxSuppressed,
	}
}

// Open opens a job's input, binds the job to it, and returns the search. It lowers the number of
// threads to those whose readers fit the memory. If the only fault is that some k cannot be met, it
// returns both the result and the error. The caller must close every result.
func Open(
	ctx context.Context, job *job.Job, t *binding.Taxonomies, r *resources.Run, out *Outcome,
) (*Search, error) {
	b, err := binding.Open(ctx, job, t, r)
	if b == nil {
		return nil, err
	}
	r.Threads = binding.ThreadsWithin(r.Budget.Limit(), r.Threads, b.Reads())
	spill.ExpectHeap(b.Dataset.Rows()*int64(len(b.Masked))*cellBytes, r.Budget.Limit())
	return New(b, r, out), err
}

// cellBytes is the most heap that was measured for a value of a masked column, in bytes, in a run
// without spilling: near-unique rows, all columns in one set.
const cellBytes = 16

// Close closes the input. It accepts nil.
func (s *Search) Close() error {
	if s == nil {
		return nil
	}
	return s.Bound.Close()
}

// Populate says that every combination of the input's values has at least some people of the
// population for each of its records. Where k implies the limits on the people of a set, the search
// needs no people, unless another set would then imply the set.
func (s *Search) Populate(people uint64) {
	s.requirement.PeopleOfRecord = people
	implied := s.requirement
	implied.Sets = slices.Clone(implied.Sets)
	for i := range implied.Sets {
		if set := &implied.Sets[i]; set.Population.MetBy(set.K.Size(), people) {
			set.Population = engine.Population{}
		}
	}
	if _, dropped := implied.Reduce(); len(dropped) == 0 {
		s.requirement = implied
	}
}

// Plan returns the counts that the engine needs.
func (s *Search) Plan() engine.Plan { return s.engine.Plan(s.requirement) }

// Options are a run's options of a search.
type Options struct {
	Tuning    count.Tuning
	Held      int64     // bytes that others have drawn meanwhile
	Trace     io.Writer // one JSON line for each specialization; may be nil
	KeepTrace bool      // also in the result
}

// Found is the result of a search, or of an earlier run.
type Found struct {
	Cut          *cutfile.File      // with its text, as it is embedded in the release
	Trace        bytes.Buffer       // as it was written, if a run that continues from here needs it
	Dictionaries guard.Dictionaries // values of kept columns

	// If labels depend on more than their own column: the search with the recoding, and the counts
	// whose codes it uses. Otherwise nil: the cut suffices.
	search   *Search
	recoding engine.Recoding
	counts   *count.Counts
}

// IsCut reports whether the cut is all that masking needs.
func (f *Found) IsCut() bool { return f.search == nil }

// Find searches counts, and writes the text of the cut. A search that needs more memory starts
// again with counts in the store.
func (s *Search) Find(ctx context.Context, counts *count.Counts, opt Options) (*Found, error) {
	f := &Found{}
	trace := &tracer{attributes: counts.Table.Attributes, out: opt.Trace}
	if opt.Trace != nil && opt.KeepTrace {
		trace.out = io.MultiWriter(opt.Trace, &f.Trace)
	}
	asked := *s
	recoding, err := s.once(ctx, counts, trace)
	for {
		beyond := errors.Is(err, spill.ErrBudget) && s.Scratch.Opened() == nil
		if !beyond && !s.next(err) {
			break
		}
		s.algorithm, s.requirement = asked.algorithm, asked.requirement
		s.Budget.Return(s.Budget.Used() - opt.Held)
		debug.FreeOSMemory()
		if beyond {
			if _, err := s.Scratch.Open("the leaf partitions"); err != nil {
				return nil, err
			}
		}
		tuning := opt.Tuning
		tuning.Spill = tuning.Spill || s.Scratch.Opened() != nil
		if counts, err = s.Count(ctx, tuning, nil); err != nil {
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

// once searches the counts, and reports its result.
func (s *Search) once(ctx context.Context, counts *count.Counts, trace *tracer) (engine.Recoding,
	error) {
	table, out := counts.Table, s.Out
	out.Steps, out.Live, out.Sets, out.Masked = 0, nil, nil, nil
	leaves := s.Plan().Leaves
	space := partition.Space{Budget: s.Budget, Store: s.Scratch.Opened(), Threads: s.Threads}
	observed, err := judge.Observe(ctx, s.engine, table, space)
	if err != nil {
		return nil, fmt.Errorf("sample records with their classes: %w", err)
	}
	options := algorithm.Options(s.Job, table.Attributes)
	options.Space = space
	options.OnStep = func(step engine.Step) {
		out.Steps = step.Number
		trace.step(step)
		if leaves {
			out.Live = append(out.Live, step.Live)
		}
		s.Advanced(resources.StageSearch,
			resources.Progress{Done: int64(step.Number), Live: int64(step.Live)})
	}
	recoding, err := judge.Search(ctx, s.searcher(), table, s.requirement, options)
	s.adopt()
	if err := errors.Join(err, trace.err); err != nil {
		return nil, err
	}
	recoding = s.tidy(table, recoding)
	if err := s.setBounds(ctx, counts, recoding); err != nil {
		return nil, err
	}
	for a, column := range s.CutColumns() {
		if s.Job.Labels == job.LabelsPlain || s.applied != "" && s.given.Column(a).HasPlain() {
			column.MakePlain(recoding, a)
		}
	}
	if cut, ok := recoding.(*engine.Cut); ok {
		out.Stopped = stopped(cut, table.Attributes, s.MaskedSpecs())
	}
	if err := s.drawRecoding(recoding); err != nil {
		return nil, err
	}
	suppressed, dropped := recoding.Lost()
	if s.applied == "" {
		if err := CheckLost(s.quota, s.algorithm, table, suppressed+dropped); err != nil {
			return nil, err
		}
	}
	if err := checkReached(s.Bound, table, recoding); err != nil {
		return nil, err
	}
	out.Suppressed, out.Released = suppressed, s.Dataset.Rows()-int64(dropped)
	if out.Released == 0 { // a release without rows would have no file
		return nil, fault.Errorf(fault.Privacy,
			"make a new cut with kcut run, or coarsen this one with --on-break coarsen",
			"mask by the cut: all %s are in classes that do not meet the sets, and to be dropped",
			text.Count(s.Dataset.Rows(), "row"))
	}
	if s.given == nil { // otherwise the domains are its labels
		out.Information = new(1 - labels.Penalty(table, recoding))
		out.Masked = maskedColumns(table, recoding, s.requirement.Sets)
		s.noteUtility(observed.Utility(recoding))
	}
	s.reportApplied(recoding)
	if err := s.checkFlat(counts, recoding); err != nil {
		return nil, err
	}
	out.Sets = s.reached(recoding)
	return recoding, nil
}

// reached returns the quasi-identifier sets with their anonymity.
func (s *Search) reached(recoding engine.Recoding) (sets []cutfile.Set) {
	anonymity := recoding.Anonymity(s.requirement)
	for i, asked := range s.requirement.Sets {
		of := s.Bound.Requirement.Sets[i].Population
		set := cutfile.Set{K: int(asked.K), KMap: of.KMap, MinPresence: of.MinPresence,
			MaxPresence: of.MaxPresence, Anonymity: anonymity[i]}
		if set.K == 0 { // not asked for: the k that was reached holds
			set.K = int(set.Anonymity)
		}
		for _, a := range asked.Columns {
			set.Columns = append(set.Columns, s.Specs[s.Masked[a]].Name)
		}
		sets = append(sets, set)
	}
	return sets
}

// searcher returns the engine that searches. It keeps the choice of algorithm auto, so that a
// search that starts again need not judge again.
func (s *Search) searcher() engine.Engine {
	e, ok := s.engine.(choose.Engine)
	if !ok {
		return s.engine
	}
	e.Known, e.OnVerdict = s.verdict, func(v *choose.Verdict) error {
		s.verdict = v
		return nil
	}
	return e
}

// adopt makes the chosen algorithm that of the job, and notes that. The counts of the engine stay
// the same.
func (s *Search) adopt() {
	e, ok := s.engine.(choose.Engine)
	if !ok || s.verdict == nil || s.verdict.Chosen < 0 {
		return
	}
	c := algorithm.ChoiceOf(s.Job, e, s.verdict)
	s.Out.Auto = c
	s.Noted(c.String())
	s.algorithm = c.Algorithm
	if !c.Suppresses {
		s.requirement.MaxSuppressed, s.requirement.Drop = 0, false
	}
	s.noteUnion()
	s.noteSuppressible()
}

// next reports whether to search with another algorithm, since the chosen one has failed.
func (s *Search) next(err error) bool {
	return s.verdict != nil && fault.ClassOf(err) == fault.Privacy && s.verdict.Reject(err)
}
