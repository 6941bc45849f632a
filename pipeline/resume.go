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

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/pipeline/output"
	"github.com/kcut/kcut/pipeline/state"
)

// The states that a run keeps for the next one.
const (
	cutState   = "cut"   // what the search has found
	partsState = "parts" // the files that are masked
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

// tried notes when a state could not be saved: it is missing later, and that is all.
func (r *run) tried(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		r.events.Noted(fmt.Sprintf("going on without a checkpoint: %v", err))
	}
	r.kept = time.Now()
}

// keepCut saves what the search has found.
func (r *run) keepCut(ctx context.Context) {
	if r.opt.Checkpoint <= 0 || time.Since(r.began) < r.opt.Checkpoint || !r.isColumnwise() && !state.IsSavable(r.recoding) {
		return
	}
	report, err := json.Marshal(r.report)
	if err == nil {
		err = r.states.Save(ctx, cutState, r.stateKey(), func(w *checkpoint.Writer) {
			w.Bytes(report)
			r.saveCut(w)
		})
	}
	r.tried(ctx, err)
}

// isColumnwise reports whether the cut's text says all that there is to say of the recoding.
func (r *run) isColumnwise() bool { return masking.Columnwise(r.recoding, len(r.prepared.masked)) }

// resume loads the cut that an earlier run has kept, and reports whether there is one. Whatever is
// wrong with it, the run starts afresh then.
func (r *run) resume() bool {
	r.began = time.Now()
	r.kept = r.began
	if !r.opt.Resume {
		return false
	}
	names, err := r.states.Names()
	if err != nil {
		r.startAfresh(err)
	}
	if !slices.Contains(names, cutState) || !r.resumeCut() {
		return false
	}
	r.events.Noted("going on from what an earlier run has found")
	return true
}

// startAfresh tells why an earlier run's state is of no use.
func (r *run) startAfresh(why error) { r.events.Noted(fmt.Sprintf("starting afresh: %v", why)) }

// resumeCut loads the cut of an earlier run.
func (r *run) resumeCut() bool {
	budget := r.budget.Part(r.budget.Limit())
	var was Report
	err := r.states.Load(cutState, r.stateKey(), func(in *checkpoint.Reader) error {
		if text := in.Bytes(nil); json.Unmarshal(text, &was) != nil {
			return checkpoint.ErrNone
		}
		return r.loadCut(in, budget)
	})
	if err == nil {
		r.restore(&was)
		return true
	}
	r.startAfresh(errors.Join(err, r.states.Remove(cutState)))
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
