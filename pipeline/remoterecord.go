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
func (r *runRecords) writeRemote(ctx context.Context, name string) error {
	report := r.res.report
	text, err := json.Marshal(struct {
		Rows     int64            `json:"rows"`
		Released int64            `json:"released"`
		Sets     []cutfile.Set    `json:"quasi_identifiers"`
		Steps    int              `json:"steps"`
		Applied  *cutfile.Applied `json:"applied,omitempty"`
		Bytes    int64            `json:"released_bytes"`
		Files    int              `json:"released_files"`
		Digests  *Digests         `json:"digests"`
	}{report.Rows, report.Released, report.Sets, report.Steps, report.Applied, report.Bytes,
		report.Files, report.Digests})
	if err != nil {
		return err
	}
	return storage.UploadText(ctx, append(text, '\n'), storage.Join(r.remoteFolder, name), false)
}

// announceBeside lets runs of other machines know what will stand. One that may not write beside
// its output does without.
func (r *runRecords) announceRemote(ctx context.Context) error {
	if r.remoteFolder == "" {
		return nil
	}
	r.announced = true // whatever comes of it
	err := r.writeRemote(ctx, pendingFile)
	if errors.Is(err, storage.ErrDenied) {
		r.res.Noted(fmt.Sprintf("going on without a record beside the output, which runs of "+
			"other machines would need: %v", err))
		r.announced = false
		return nil
	}
	return err
}

// completeBeside writes down beside the output that what was announced stands now, although the
// run may have been stopped. It is of no matter when it fails: what was announced is known for
// what stands.
func (r *runRecords) confirmRemote(ctx context.Context) {
	if !r.announced {
		return
	}
	ctx, cancel := output.Afterwards(ctx)
	defer cancel()
	err := r.writeRemote(ctx, recordFile)
	if err == nil {
		err = r.revokeRemote(ctx)
	}
	if err != nil {
		r.res.Noted(fmt.Sprintf("the record beside the output stays as it was announced: %v", err))
	}
}

// revokeBeside removes what was announced.
func (r *runRecords) revokeRemote(ctx context.Context) error {
	if !r.announced {
		return nil
	}
	r.announced = false
	ctx, cancel := output.Afterwards(ctx)
	defer cancel()
	return storage.Remove(ctx, storage.Join(r.remoteFolder, pendingFile))
}
