package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"path/filepath"
	"slices"

	"github.com/kcut/kcut/formats/digest"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/output"
	"github.com/kcut/kcut/pipeline/verify"
)

// pendingRelease is what is written beside the output, until it is published or withdrawn.
type pendingRelease struct {
	*ledger
	target   *output.Target
	finished []output.Part // that a state says are finished
	key      checkpoint.Key
}

// recount reads back what was written, with none of the code that wrote it.
func (r *pendingRelease) recount(ctx context.Context) error {
	return verify.Unpublished(ctx, r.target.Path(), r.res.threads, r.res.budget.Left(), r.res.events.Verifying())
}

// announce completes the report and writes down what will stand once it is published.
func (r *pendingRelease) announce(ctx context.Context) error {
	path := r.target.Path()
	if err := r.res.report.weigh(ctx, path); err != nil {
		return err
	}
	if err := r.ledger.announce(ctx, path); err != nil {
		return err
	}
	return r.res.writeReport(r.opt.RunJSON)
}

// publish gives the release its name, and writes down what made it.
func (r *pendingRelease) publish(ctx context.Context) error {
	return r.target.Publish(ctx, r.res.threads)
}

// withdraw removes an output that is not published, but for the parts that a later try may go
// on from, and what announced it.
func (r *pendingRelease) withdraw(ctx context.Context, failure error) error {
	var err error
	if worthwhile(failure) && len(r.finished) > 0 {
		err = r.target.Suspend(r.keeps)
	} else {
		err = r.target.Discard()
	}
	if !r.target.Done() {
		err = errors.Join(err, r.work.Remove(pendingFile), r.beside.revoke(ctx))
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
		err = r.states.Save(ctx, partsState, r.key, func(w *checkpoint.Writer) { w.Bytes(text) })
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
			return json.Unmarshal(in.Bytes(nil), &r.finished)
		})
	}
	whole := 0
	r.target, err = output.Open(r.files(), r.local, r.job.Output.Path, r.exists, func(path string) bool {
		n := slices.IndexFunc(r.finished, func(p output.Part) bool { return p.Name == filepath.Base(path) })
		if n != whole { // parts come in their order
			return false
		}
		sum, err := digest.File(ctx, path, 1)
		if err != nil || sum.String() != r.finished[n].Digest {
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

// keeps reports whether a file of the release is a part that the next run goes on from.
func (r *pendingRelease) keeps(path string) bool {
	return slices.ContainsFunc(r.finished, func(p output.Part) bool { return p.Name == filepath.Base(path) })
}
