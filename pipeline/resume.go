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
	"slices"
	"time"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/output"
	"github.com/kcut/kcut/spill"
)

// The states that a run keeps for the next one.
const (
	cutState   = "cut"   // what the search has found
	partsState = "parts" // the files that are masked
)

// states are those of a run, and where they are kept: it may be the work folder.
type states struct {
	*checkpoint.Folder
	key   checkpoint.Key
	began time.Time // the first stage that keeps one
	kept  time.Time // the last one
	parts int       // of the release that one says are finished
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

// due reports whether the options' time has passed since the last state. Within a stage, what
// took less is done again.
func (l *ledger) due() bool {
	return l.opt.Checkpoint > 0 && time.Since(l.states.kept) >= l.opt.Checkpoint
}

// tried notes when a state could not be saved: it is missing later, and that is all.
func (l *ledger) tried(ctx context.Context, err error) {
	if err != nil && ctx.Err() == nil {
		l.res.events.Noted(fmt.Sprintf("going on without a checkpoint: %v", err))
	}
	l.states.kept = time.Now()
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
	l.tried(ctx, err)
}

// resume loads what an earlier run has found, or returns nil. Whatever is wrong with it, the run
// starts afresh then.
func (l *ledger) resume(b *Bound) *Found {
	l.states.began = time.Now()
	l.states.kept, l.states.key = l.states.began, l.stateKey(b)
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

// openRelease begins the release, or goes on with one whose first parts an earlier run has
// finished and kept.
func (l *ledger) openRelease(ctx context.Context) (err error) {
	var finished []output.Part
	if l.opt.Resume {
		// Without a state, or with one that is of no use, there are no parts.
		_ = l.states.Load(partsState, l.states.key, func(in *checkpoint.Reader) error { return json.Unmarshal(in.Bytes(), &finished) })
	}
	l.target, err = output.Open(ctx, l.work.FS, l.local, l.job.Output.Path, l.exists, finished)
	if err != nil {
		return err
	}
	if l.states.parts = len(l.target.Finished); l.states.parts > 0 {
		l.res.events.Noted("going on from what an earlier run has masked")
	}
	return nil
}

// keepParts saves which files of the release are finished, if a state is due.
func (l *ledger) keepParts(ctx context.Context) {
	if !l.due() {
		return
	}
	err := l.target.MakeDurable(ctx)
	var text []byte
	if err == nil {
		text, err = json.Marshal(l.target.Finished)
	}
	if err == nil {
		err = l.states.Save(partsState, l.states.key, func(w *checkpoint.Writer) { w.Bytes(text) })
	}
	if err == nil {
		l.states.parts = len(l.target.Finished)
	}
	l.tried(ctx, err)
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

// withdraw removes an output that is not published, but for the parts that a later try may go
// on from, and what announced it.
func (l *ledger) withdraw(ctx context.Context, failure error) error {
	var err error
	if worthwhile(failure) && l.keepsParts() {
		err = l.target.Suspend(func(path string) bool {
			return slices.ContainsFunc(l.target.Finished[:l.states.parts], func(p output.Part) bool { return p.Name == filepath.Base(path) })
		})
	} else {
		err = l.target.Discard()
	}
	if !l.target.Done() {
		err = errors.Join(err, l.work.Remove(pendingFile), l.revokeBeside(ctx))
	}
	return err
}

// keepsParts reports whether a later try knows of finished parts: somebody may have taken the work folder away.
func (l *ledger) keepsParts() bool {
	if l.states.parts == 0 {
		return false
	}
	_, err := l.states.Get(partsState, maxRecord)
	return err == nil
}
