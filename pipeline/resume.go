package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/fault"
	"github.com/kcut/kcut/pipeline/output"
	"github.com/kcut/kcut/pipeline/state"
	"github.com/kcut/kcut/spill"
)

// The states that a run keeps for the next one.
const (
	countsState = "counts" // the problem
	cutState    = "cut"    // the recoding, which makes the problem useless
	partsState  = "parts"  // the files that are masked
)

// openStates returns where states are kept: in the work folder, or where the job spills to.
// A run that starts afresh removes what is there.
func (r *run) openStates() (*checkpoint.Folder, error) {
	states := r.work
	if r.job.Limits.SpillDir != "" {
		path, err := output.Absolute(r.job.Output.Path)
		if err != nil {
			return nil, fmt.Errorf("find output %s: %w", r.job.Output.Path, err)
		}
		name := fmt.Sprintf("kcut-work-%.8x", sha256.Sum256([]byte(path)))
		states = checkpoint.In(r.files(), filepath.Join(r.job.Limits.SpillDir, name))
	}
	if r.opt.Resume {
		return states, nil
	}
	return states, states.Sweep(recordFile, pendingFile)
}

// stateKey says what states are of: the same job and input, whose files nobody has touched,
// and the same kcut, since another one may number values or take steps otherwise.
func (r *run) stateKey() checkpoint.Key {
	hash := sha256.New()
	fmt.Fprintln(hash, r.report.Digests.Job, r.report.Digests.Input, r.opt.Trace != nil)
	for i, file := range r.inputs {
		fmt.Fprintf(hash, "%q %s\n", r.report.Inputs[i], file)
	}
	if build, ok := debug.ReadBuildInfo(); ok {
		fmt.Fprintln(hash, build.Main, build.Settings)
	}
	return checkpoint.Key(hash.Sum(nil))
}

// due reports whether the options' time has passed since the last state. Within a stage, what
// took less is done again.
func (r *run) due() bool {
	return r.opt.Checkpoint > 0 && time.Since(r.kept) >= r.opt.Checkpoint
}

// keep saves the state at the end of a stage with the report so far, once the options' time has
// passed since the run began: without it, all that was done so far is done again.
func (r *run) keep(ctx context.Context, name string, fill func(*checkpoint.Writer)) (kept bool) {
	if r.opt.Checkpoint <= 0 || time.Since(r.began) < r.opt.Checkpoint {
		return false
	}
	report, err := json.Marshal(r.report)
	if err == nil {
		err = r.states.Save(ctx, name, r.stateKey(), func(w *checkpoint.Writer) {
			w.Bytes(report)
			fill(w)
		})
	}
	r.tried(ctx, err)
	return err == nil
}

// tried notes when a state could not be saved: it is missing later, and that is all.
func (r *run) tried(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		r.events.Noted(fmt.Sprintf("going on without a checkpoint: %v", err))
	}
	r.kept = time.Now()
}

// keepCounts saves what compress has made. What kcut apply counts for a cut of regions, it counts
// again: which of them cover a value is not written down.
func (r *run) keepCounts(ctx context.Context) {
	if r.opt.reuse == nil || r.given.Kind != cutfile.KindRegions {
		r.keep(ctx, countsState, func(w *checkpoint.Writer) { r.saveCounts(ctx, w) })
	}
}

// keepCut saves what the search has found.
func (r *run) keepCut(ctx context.Context) {
	if state.IsSavable(r.recoding) && r.keep(ctx, cutState, r.saveCut) {
		r.tried(ctx, r.states.Remove(countsState))
	}
}

// resume loads the last state that an earlier run has kept, and returns how many of the stages
// from compress on are done. Whatever is wrong with a state, the run starts afresh then.
func (r *run) resume(ctx context.Context) (done int) {
	r.began = time.Now()
	r.kept = r.began
	if !r.opt.Resume {
		return 0
	}
	names, err := r.states.Names()
	if err != nil {
		r.startAfresh(err)
	}
	if slices.Contains(names, cutState) && r.resumeFrom(cutState, r.budget.Limit(), r.loadCut) {
		r.events.Noted("going on from what an earlier run has found")
		return 2
	}
	if slices.Contains(names, countsState) && r.resumeFrom(countsState, r.budget.Limit()/2, r.loadCounts) {
		r.events.Noted("going on from what an earlier run has counted")
		return 1
	}
	return 0
}

// startAfresh tells why an earlier run's state is of no use.
func (r *run) startAfresh(why error) { r.events.Noted(fmt.Sprintf("starting afresh: %v", why)) }

// resumeFrom loads a state. What it holds may take so much of the memory: half of it while there
// is still something to search.
func (r *run) resumeFrom(name string, most int64, load func(*checkpoint.Reader, *spill.Budget) error) bool {
	budget := r.budget.Part(most)
	var was Report
	err := r.states.Load(name, r.stateKey(), func(in *checkpoint.Reader) error {
		if text := in.Bytes(nil); json.Unmarshal(text, &was) != nil {
			return checkpoint.ErrNone
		}
		return load(in, budget)
	})
	if err == nil {
		r.restore(&was)
		return true
	}
	r.startAfresh(errors.Join(err, r.closeStore(), r.states.Remove(name)))
	budget.Return(budget.Used())
	r.problem, r.recoding, r.cut = nil, nil, nil
	return false
}

// restore takes over what an earlier run has reported of the stages that are not repeated.
func (r *run) restore(was *Report) {
	for _, text := range was.Notices {
		r.events.Noted(text)
	}
	r.report.Nulls, r.report.Tuples = was.Nulls, was.Tuples
	r.report.Steps, r.report.Live, r.report.Sets = was.Steps, was.Live, was.Sets
	r.report.Suppressed, r.report.Released = was.Suppressed, was.Released
	r.report.Stopped, r.report.Applied = was.Stopped, was.Applied
}

// worthwhile reports whether another try may come further than one that failed, or did not.
func worthwhile(failure error) bool {
	switch fault.ClassOf(failure) {
	case fault.Cancelled, fault.Transient, fault.Resources:
		return true
	}
	return false
}

// settle lets go of the work folder. States stay only where another try is worthwhile: they
// hold personal data.
func (r *run) settle(failure error) (err error) {
	if !worthwhile(failure) {
		err = r.states.Sweep(recordFile, pendingFile)
	}
	return errors.Join(err, r.states.Discard(), r.work.Release())
}
