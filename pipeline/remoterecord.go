package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	paths "path"

	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/output"
)

// remoteRecord is where the record of a release in an object store lies for runs of other machines:
// beside the output, under the names that it has beside one on a disk, and no part of the release.
// Nil: there is no such place.
type remoteRecord struct {
	folder    string // location
	announced bool
}

// remoteRecordOf returns the place of an output's record. Beside a directory that is all of a bucket
// there is none.
func remoteRecordOf(path string) *remoteRecord {
	if !storage.IsRemote(path) {
		return nil
	}
	bucket, key := storage.Split(output.Shown(path))
	if key == "" {
		return nil
	}
	above, name := paths.Split(key)
	return &remoteRecord{folder: bucket + "/" + above + "." + name + ".kcut"}
}

// outline is what of a report lies beside a release: beyond its digests only what the release
// tells as well.
type outline struct {
	Rows     int64            `json:"rows"`
	Released int64            `json:"released"`
	Sets     []cutfile.Set    `json:"quasi_identifiers"`
	Steps    int              `json:"steps"`
	Applied  *cutfile.Applied `json:"applied,omitempty"`
	Bytes    int64            `json:"released_bytes"`
	Files    int              `json:"released_files"`
	Digests  *Digests         `json:"digests"`
}

func (r *Report) outline() ([]byte, error) {
	text, err := json.Marshal(outline{r.Rows, r.Released, r.Sets, r.Steps, r.Applied, r.Bytes, r.Files, r.Digests})
	return append(text, '\n'), err
}

// get returns a record, nil when there is none, or none that one may read.
func (c *remoteRecord) get(ctx context.Context, name string) ([]byte, error) {
	if c == nil {
		return nil, nil
	}
	text, err := storage.ReadText(ctx, storage.Join(c.folder, name), maxRecord)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, storage.ErrDenied) {
		return nil, nil
	}
	return text, err
}

// announce writes down what will stand once it is published.
func (c *remoteRecord) announce(ctx context.Context, report *Report) error {
	if c == nil {
		return nil
	}
	text, err := report.outline()
	if err != nil {
		return err
	}
	c.announced = true // whatever comes of it
	return storage.UploadText(ctx, text, storage.Join(c.folder, pendingFile), false)
}

// complete writes down that what was announced stands now, although the run may have been stopped.
func (c *remoteRecord) complete(ctx context.Context, report *Report) error {
	if c == nil || !c.announced {
		return nil
	}
	ctx, cancel := output.Afterwards(ctx)
	defer cancel()
	text, err := report.outline()
	if err == nil {
		err = storage.UploadText(ctx, text, storage.Join(c.folder, recordFile), false)
	}
	if err == nil {
		err = c.revoke(ctx)
	}
	return err
}

// revoke removes what was announced.
func (c *remoteRecord) revoke(ctx context.Context) error {
	if c == nil || !c.announced {
		return nil
	}
	c.announced = false
	ctx, cancel := output.Afterwards(ctx)
	defer cancel()
	return storage.Remove(ctx, storage.Join(c.folder, pendingFile))
}

// announceBeside lets runs of other machines know what will stand. One that may not write beside its
// output does without.
func (l *ledger) announceBeside(ctx context.Context) error {
	err := l.beside.announce(ctx, l.res.report)
	if errors.Is(err, storage.ErrDenied) {
		l.res.events.Noted(fmt.Sprintf("going on without a record beside the output, which runs of other machines would need: %v", err))
		l.beside = nil
		return nil
	}
	return err
}

// completeBeside is of no matter when it fails: what was announced is known for what stands.
func (l *ledger) completeBeside(ctx context.Context) {
	if err := l.beside.complete(ctx, l.res.report); err != nil {
		l.res.events.Noted(fmt.Sprintf("the record beside the output stays as it was announced: %v", err))
	}
}
