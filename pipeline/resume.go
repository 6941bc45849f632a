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

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/output"
)

// The states that a run keeps for the next one.
const (
	cutState   = "cut"   // what the search has found
	partsState = "parts" // the files that are masked
)

// openStates returns where states are kept: in the work folder, or where the job spills to.
// A run that starts afresh removes what is there.
func (l *ledger) openStates() (*checkpoint.Folder, error) {
	states := l.work
	if l.job.Limits.SpillDir != "" {
		path, err := output.Absolute(l.job.Output.Path)
		if err != nil {
			return nil, fmt.Errorf("find output %s: %w", l.job.Output.Path, err)
		}
		name := fmt.Sprintf("kcut-work-%.8x", sha256.Sum256([]byte(path)))
		states = checkpoint.In(l.files(), filepath.Join(l.job.Limits.SpillDir, name))
	}
	if l.opt.Resume {
		return states, nil
	}
	return states, states.Sweep(recordFile, pendingFile)
}

// stateKey says what states are of: the same job and input, whose files nobody has touched,
// and the same kcut, since another one may number values or take steps otherwise.
func (l *ledger) stateKey(b *Bound) checkpoint.Key {
	hash := sha256.New()
	fmt.Fprintln(hash, l.res.report.Digests.Job, l.res.report.Digests.Input, l.opt.Trace != nil)
	for i, file := range b.inputs {
		fmt.Fprintf(hash, "%q %s\n", l.res.report.Inputs[i], file)
	}
	if build, ok := debug.ReadBuildInfo(); ok {
		fmt.Fprintln(hash, build.Main, build.Settings)
	}
	return checkpoint.Key(hash.Sum(nil))
}

// due reports whether the options' time has passed since the last state. Within a stage, what
// took less is done again.
func (l *ledger) due() bool {
	return l.opt.Checkpoint > 0 && l.opt.System.since(l.kept) >= l.opt.Checkpoint
}

// tried notes when a state could not be saved: it is missing later, and that is all.
func (l *ledger) tried(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		l.res.events.Noted(fmt.Sprintf("going on without a checkpoint: %v", err))
	}
	l.kept = l.opt.System.now()
}

// startAfresh tells why an earlier run's state is of no use.
func (l *ledger) startAfresh(why error) { l.res.events.Noted(fmt.Sprintf("starting afresh: %v", why)) }

// restore takes over what an earlier run has reported of the stages that are not repeated.
func (l *ledger) restore(was *Report) {
	for _, text := range was.Notices {
		l.res.events.Noted(text)
	}
	l.res.report.Nulls, l.res.report.Tuples = was.Nulls, was.Tuples
	l.res.report.Steps, l.res.report.Live, l.res.report.Sets = was.Steps, was.Live, was.Sets
	l.res.report.Suppressed, l.res.report.Released = was.Suppressed, was.Released
	l.res.report.Stopped, l.res.report.Applied = was.Stopped, was.Applied
}

// worthwhile reports whether another try may come further than one that failed, or did not.
func worthwhile(failure error) bool {
	switch fault.ClassOf(failure) {
	case fault.Cancelled, fault.Transient, fault.Resources:
		return true
	}
	return false
}

// keepCut saves what the search has found, once the options' time has passed since the run began.
// Where labels depend on more than their own column the cut alone does not mask: a later run searches
// again.
func (l *ledger) keepCut(ctx context.Context, b *Bound, f *Found) {
	if l.opt.Checkpoint <= 0 || l.opt.System.since(l.began) < l.opt.Checkpoint || f.recoding != nil {
		return
	}
	report, err := json.Marshal(l.res.report)
	if err == nil {
		err = l.states.Save(ctx, cutState, l.stateKey(b), func(w *checkpoint.Writer) {
			w.Bytes(report)
			w.Bytes(f.Cut)
			w.Bytes(f.trace.Bytes())
		})
	}
	l.tried(ctx, err)
}

// resume loads what an earlier run has found, or returns nil. Whatever is wrong with it, the run
// starts afresh then.
func (l *ledger) resume(b *Bound) *Found {
	l.began = l.opt.System.now()
	l.kept = l.began
	if !l.opt.Resume {
		return nil
	}
	names, err := l.states.Names()
	if err != nil {
		l.startAfresh(err)
	}
	if !slices.Contains(names, cutState) {
		return nil
	}
	var was Report
	found := &Found{}
	err = l.states.Load(cutState, l.stateKey(b), func(in *checkpoint.Reader) error {
		if text := in.Bytes(nil); json.Unmarshal(text, &was) != nil {
			return checkpoint.ErrNone
		}
		found.Cut = in.Bytes(nil)
		found.trace.Write(in.Bytes(nil))
		return in.Err()
	})
	if err == nil && l.opt.Trace != nil {
		_, err = l.opt.Trace.Write(found.trace.Bytes())
	}
	if err != nil {
		l.startAfresh(errors.Join(err, l.states.Remove(cutState)))
		return nil
	}
	l.restore(&was)
	l.res.events.Noted("going on from what an earlier run has found")
	return found
}
