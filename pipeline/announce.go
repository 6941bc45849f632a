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

// announce completes the report and writes down what will stand once it is published. A run that
// cannot do that publishes nothing: the next one would not know whose the output is.
func (l *ledger) announce(ctx context.Context, b *binding.Bound) error {
	path, report := l.target.Path(), l.res.report
	err := report.weigh(ctx, path)
	if err == nil {
		report.Digests.Output, err = fileset.Digest(ctx, path, l.res.Threads)
	}
	if err != nil {
		return err
	}
	text, err := json.MarshalIndent(&record{report, placements(b)}, "", "  ")
	if err == nil {
		err = l.work.Put(pendingFile, append(text, '\n'))
	}
	if err == nil {
		err = l.announceBeside(ctx)
	}
	if err != nil {
		return fmt.Errorf("write the output's record: %w", err)
	}
	report.PeakDraw, report.PeakRSS = l.res.Budget.Peak(), spill.PeakResident()
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
