package pipeline

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"runtime/debug"
	"time"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/output"
	"github.com/kcut/kcut/spill"
)

// cutState is what a run keeps for the next one: what the search has found.
const cutState = "cut"

// states is where that is kept: it may be the work folder.
type states struct {
	*checkpoint.Folder
	key   checkpoint.Key
	began time.Time // the first stage that a kept cut saves
}

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
		states = &checkpoint.Folder{FS: l.work.FS, Path: filepath.Join(l.job.Limits.SpillDir, name)}
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
	files := b.Dataset.Files()
	for i, file := range b.inputs {
		fmt.Fprintf(hash, "%q %s\n", files[i], file)
	}
	if build, ok := debug.ReadBuildInfo(); ok {
		fmt.Fprintln(hash, build.Main, build.Settings)
	}
	return checkpoint.Key(hash.Sum(nil))
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
func (l *ledger) keepCut(ctx context.Context, f *Found) {
	if l.opt.Checkpoint <= 0 || time.Since(l.states.began) < l.opt.Checkpoint || f.recoding != nil {
		return
	}
	report, err := json.Marshal(l.res.report)
	if err == nil {
		err = l.states.Save(cutState, l.states.key, func(w *checkpoint.Writer) {
			w.Bytes(report)
			w.Bytes(f.Cut)
			w.Bytes(f.trace.Bytes())
		})
	}
	if err != nil && ctx.Err() == nil { // it is missing later, and that is all
		l.res.events.Noted(fmt.Sprintf("going on without a checkpoint: %v", err))
	}
}

// resume loads what an earlier run has found, or returns nil. Whatever is wrong with it, the run
// starts afresh then.
func (l *ledger) resume(b *Bound) *Found {
	l.states.began, l.states.key = time.Now(), l.stateKey(b)
	if !l.opt.Resume {
		return nil
	}
	var was Report
	found := &Found{}
	err := l.states.Load(cutState, l.states.key, func(in *checkpoint.Reader) error {
		if text := in.Bytes(); json.Unmarshal(text, &was) != nil {
			return checkpoint.ErrNone
		}
		found.Cut = in.Bytes()
		found.trace.Write(in.Bytes())
		return in.Err()
	})
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err == nil && l.opt.Trace != nil {
		_, err = l.opt.Trace.Write(found.trace.Bytes())
	}
	if err != nil {
		l.res.events.Noted(fmt.Sprintf("starting afresh: %v", errors.Join(err, l.states.Remove(cutState))))
		return nil
	}
	report := l.res.report
	was.Output, was.Stages = report.Output, report.Stages
	notices := was.Notices
	was.Notices = report.Notices
	*report = was
	for _, text := range notices {
		l.res.events.Noted(text)
	}
	l.res.events.Noted("going on from what an earlier run has found")
	return found
}

// announce completes the report and writes down what will stand once it is published. A run that
// cannot do that publishes nothing: the next one would not know whose the output is.
func (l *ledger) announce(ctx context.Context, b *Bound) error {
	path, report := l.target.Path(), l.res.report
	err := report.weigh(ctx, path)
	if err == nil {
		report.Digests.Output, err = fileset.Digest(ctx, path, l.res.threads)
	}
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(&record{report, b.placements()}, "", "  ")
	if err == nil {
		err = l.work.Put(pendingFile, append(text, '\n'))
	}
	if err == nil {
		err = l.announceBeside(ctx)
	}
	if err != nil {
		return fmt.Errorf("write the output's record: %w", err)
	}
	report.PeakDraw, report.PeakRSS = l.res.budget.Peak(), spill.PeakResident()
	return report.save(l.opt.RunJSON)
}

// withdraw removes an output that is not published, and what announced it.
func (l *ledger) withdraw(ctx context.Context) error {
	err := l.target.Discard()
	if !l.target.Done() {
		err = errors.Join(err, l.work.Remove(pendingFile), l.revokeBeside(ctx))
	}
	return err
}
