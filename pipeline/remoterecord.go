package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/output"
)

// writeBeside writes what of the report lies beside a release: beyond its digests only what the
// release tells as well.
func (l *ledger) writeBeside(ctx context.Context, name string) error {
	r := l.res.report
	text, err := json.Marshal(struct {
		Rows     int64            `json:"rows"`
		Released int64            `json:"released"`
		Sets     []cutfile.Set    `json:"quasi_identifiers"`
		Steps    int              `json:"steps"`
		Applied  *cutfile.Applied `json:"applied,omitempty"`
		Bytes    int64            `json:"released_bytes"`
		Files    int              `json:"released_files"`
		Digests  *Digests         `json:"digests"`
	}{r.Rows, r.Released, r.Sets, r.Steps, r.Applied, r.Bytes, r.Files, r.Digests})
	if err != nil {
		return err
	}
	return storage.UploadText(ctx, append(text, '\n'), storage.Join(l.beside, name), false)
}

// announceBeside lets runs of other machines know what will stand. One that may not write beside its
// output does without.
func (l *ledger) announceBeside(ctx context.Context) error {
	if l.beside == "" {
		return nil
	}
	l.announced = true // whatever comes of it
	err := l.writeBeside(ctx, pendingFile)
	if errors.Is(err, storage.ErrDenied) {
		l.res.Noted(fmt.Sprintf("going on without a record beside the output, which runs of other machines would need: %v", err))
		l.announced = false
		return nil
	}
	return err
}

// completeBeside writes down beside the output that what was announced stands now, although the run
// may have been stopped. It is of no matter when it fails: what was announced is known for what stands.
func (l *ledger) completeBeside(ctx context.Context) {
	if !l.announced {
		return
	}
	ctx, cancel := output.Afterwards(ctx)
	defer cancel()
	err := l.writeBeside(ctx, recordFile)
	if err == nil {
		err = l.revokeBeside(ctx)
	}
	if err != nil {
		l.res.Noted(fmt.Sprintf("the record beside the output stays as it was announced: %v", err))
	}
}

// revokeBeside removes what was announced.
func (l *ledger) revokeBeside(ctx context.Context) error {
	if !l.announced {
		return nil
	}
	l.announced = false
	ctx, cancel := output.Afterwards(ctx)
	defer cancel()
	return storage.Remove(ctx, storage.Join(l.beside, pendingFile))
}
