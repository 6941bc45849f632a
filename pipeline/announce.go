package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/kcut/kcut/pipeline/binding"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/spill"
)

// announce completes the report and writes the record of the release that will be published. If
// that fails, nothing is published: the next run would not know which job made the output.
func (r *runRecords) announce(ctx context.Context, b *binding.Bound) error {
	path, report := r.target.Path(), r.res.report
	err := report.measureSize(ctx, path)
	if err == nil {
		report.Digests.Output, err = fileset.Digest(ctx, path, r.res.Threads)
	}
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(&runRecord{report, placements(b)}, "", "  ")
	if err == nil {
		err = r.work.Put(pendingFile, append(text, '\n'))
	}
	if err == nil {
		err = r.announceRemote(ctx)
	}
	if err != nil {
		return fmt.Errorf("write the output's record: %w", err)
	}
	report.PeakDraw, report.PeakRSS = r.res.Budget.Peak(), spill.PeakResident()
	return report.save(r.opt.RunJSON)
}

// withdraw removes an unpublished release and its announced records.
func (r *runRecords) withdraw(ctx context.Context) error {
	err := r.target.Discard()
	if !r.target.Done() {
		err = errors.Join(err, r.work.Remove(pendingFile), r.revokeRemote(ctx))
	}
	return err
}
