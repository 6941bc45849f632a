package pipeline

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"

	"github.com/kcut/kcut/formats/digest"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/pipeline/output"
)

// keepParts saves which files of the release are finished, if a state is due.
func (r *run) keepParts(ctx context.Context, p *output.Parts) {
	if !r.due() {
		return
	}
	err := p.Settle(ctx)
	var text []byte
	if err == nil {
		text, err = json.Marshal(p.Finished)
	}
	if err == nil {
		err = r.states.Save(ctx, partsState, r.stateKey(), func(w *checkpoint.Writer) { w.Bytes(text) })
	}
	if err == nil {
		r.masked = slices.Clone(p.Finished)
	}
	r.tried(ctx, err)
}

// openRelease begins the release, or goes on with one whose first parts an earlier run has
// finished and kept.
func (r *run) openRelease(ctx context.Context) (*output.Target, error) {
	if r.opt.Resume {
		// Without a state, or with one that is of no use, there are no parts.
		_ = r.states.Load(partsState, r.stateKey(), func(in *checkpoint.Reader) error {
			return json.Unmarshal(in.Bytes(nil), &r.masked)
		})
	}
	whole := 0
	target, err := output.Open(r.files(), r.local, r.job.Output.Path, r.exists, func(path string) bool {
		n := slices.IndexFunc(r.masked, func(p output.Part) bool { return p.Name == filepath.Base(path) })
		if n != whole { // parts come in their order
			return false
		}
		sum, err := digest.File(ctx, path, 1)
		if err != nil || sum.String() != r.masked[n].Digest {
			return false
		}
		whole++
		return true
	})
	if err != nil {
		return nil, err
	}
	if r.masked = r.masked[:whole]; whole > 0 {
		r.events.Noted("going on from what an earlier run has masked")
	}
	return target, nil
}

// keeps reports whether a file of the release is a part that the next run goes on from.
func (r *run) keeps(path string) bool {
	return slices.ContainsFunc(r.masked, func(p output.Part) bool { return p.Name == filepath.Base(path) })
}
