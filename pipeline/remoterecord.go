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

// writeRemote writes a part of the report next to a remote output: the digests, and figures that
// the release has, too.
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

// announceRemote writes the record of a release that will be published, for runs on other
// machines. A run without the permission to write it goes on without a record.
func (r *runRecords) announceRemote(ctx context.Context) error {
	if r.remoteFolder == "" {
		return nil
	}
	r.announced = true // even after an error: a part of the record may be there
	err := r.writeRemote(ctx, pendingFile)
	if errors.Is(err, storage.ErrDenied) {
		r.res.Noted(fmt.Sprintf("going on without a record next to the output, which runs of "+
			"other machines would need: %v", err))
		r.announced = false
		return nil
	}
	return err
}

// confirmRemote turns the announced remote record into the record of the output, even after the
// run was stopped. An error does no harm: the announced record has the digest of the output, too.
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
		r.res.Noted(fmt.Sprintf("the record next to the output stays as it was announced: %v", err))
	}
}

// revokeRemote removes the announced remote record.
func (r *runRecords) revokeRemote(ctx context.Context) error {
	if !r.announced {
		return nil
	}
	r.announced = false
	ctx, cancel := output.Afterwards(ctx)
	defer cancel()
	return storage.Remove(ctx, storage.Join(r.remoteFolder, pendingFile))
}
