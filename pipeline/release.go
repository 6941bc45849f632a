package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/kcut/kcut/formats/digest"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/output"
	"github.com/kcut/kcut/spill"
)

// pendingRelease is what is written beside the output, until it is published or withdrawn.
type pendingRelease struct {
	*ledger
	target   *output.Target
	finished []output.Part // that a state says are finished
	key      checkpoint.Key
}

// announce completes the report and writes down what will stand once it is published. A run that
// cannot do that publishes nothing: the next one would not know whose the output is.
func (r *pendingRelease) announce(ctx context.Context) error {
	path, report := r.target.Path(), r.res.report
	err := report.weigh(ctx, path)
	if err == nil {
		report.Digests.Output, err = fileset.Digest(ctx, path, r.res.threads)
	}
	if err != nil {
		return err
	}
	text, err := report.text()
	if err == nil {
		err = r.work.Put(pendingFile, text)
	}
	if err == nil {
		err = r.announceBeside(ctx)
	}
	if err != nil {
		return fmt.Errorf("write the output's record: %w", err)
	}
	report.PeakDraw, report.PeakRSS = r.res.budget.Peak(), spill.PeakResident()
	return report.save(r.opt.RunJSON)
}

// withdraw removes an output that is not published, but for the parts that a later try may go
// on from, and what announced it.
func (r *pendingRelease) withdraw(ctx context.Context, failure error) error {
	var err error
	if worthwhile(failure) && len(r.finished) > 0 {
		err = r.target.Suspend(func(path string) bool { return r.number(path) >= 0 })
	} else {
		err = r.target.Discard()
	}
	if !r.target.Done() {
		err = errors.Join(err, r.work.Remove(pendingFile), r.revokeBeside(ctx))
	}
	return err
}

// keepParts saves which files of the release are finished, if a state is due.
func (r *pendingRelease) keepParts(ctx context.Context, p *output.Parts) {
	if !r.due() {
		return
	}
	err := p.MakeDurable(ctx)
	var text []byte
	if err == nil {
		text, err = json.Marshal(p.Finished)
	}
	if err == nil {
		err = r.states.Save(partsState, r.key, func(w *checkpoint.Writer) { w.Bytes(text) })
	}
	if err == nil {
		r.finished = slices.Clone(p.Finished)
	}
	r.tried(ctx, err)
}

// openRelease begins the release, or goes on with one whose first parts an earlier run has
// finished and kept.
func (l *ledger) openRelease(ctx context.Context, b *Bound) (_ *pendingRelease, err error) {
	r := &pendingRelease{ledger: l, key: l.stateKey(b)}
	if r.opt.Resume {
		// Without a state, or with one that is of no use, there are no parts.
		_ = r.states.Load(partsState, r.key, func(in *checkpoint.Reader) error {
			return json.Unmarshal(in.Bytes(), &r.finished)
		})
	}
	whole := 0
	r.target, err = output.Open(r.work.FS, r.local, r.job.Output.Path, r.exists, func(path string) bool {
		if r.number(path) != whole { // parts come in their order
			return false
		}
		sum, err := digest.File(ctx, path, 1)
		if err != nil || sum.String() != r.finished[whole].Digest {
			return false
		}
		whole++
		return true
	})
	if err != nil {
		return nil, err
	}
	if r.finished = r.finished[:whole]; whole > 0 {
		r.res.events.Noted("going on from what an earlier run has masked")
	}
	return r, nil
}

// number returns which part a file of the release is that the next run goes on from, or -1.
func (r *pendingRelease) number(path string) int {
	return slices.IndexFunc(r.finished, func(p output.Part) bool { return p.Name == filepath.Base(path) })
}
