package pipeline

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/kcut/kcut/formats/location"
	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/pipeline/fileset"
)

// manifest is the contents of a manifest.
type manifest struct {
	Version int            `json:"version"`
	Rows    int64          `json:"rows"`
	Parts   []manifestPart `json:"parts"`
}

type manifestPart struct {
	Name   string `json:"name"`
	Bytes  int64  `json:"bytes"`
	Rows   int64  `json:"rows"`
	SHA256 string `json:"sha256"`
}

// patience is how long a run that fails takes to remove what it has uploaded, within the time
// that a stopped process is given.
const patience = 8 * time.Second

// upload puts a release into an object store, where nothing can be renamed: a file appears as
// one object, whole; of a directory _SUCCESS comes last, and goes first when it is replaced.
// After a failure nothing of it is left there.
type upload struct {
	from, to string
	fresh    bool
	sent     []string // locations
}

func (u *upload) run(ctx context.Context) error {
	send := u.directory
	if !fileset.IsDirectory(u.to) {
		send = u.file
	}
	if err := send(ctx); err != nil {
		return errors.Join(refusedOutput(u.to, err), u.withdraw(ctx))
	}
	return nil
}

func (u *upload) file(ctx context.Context) error {
	if !u.fresh { // the old one stays when this fails
		_, err := storage.UploadFile(ctx, u.from, u.to, false)
		return err
	}
	return u.send(u.to, func() (err error) {
		_, err = storage.UploadFile(ctx, u.from, u.to, true)
		return err
	})
}

// send uploads an object that there is none of, and remembers it, whatever comes of it. One
// that exists is somebody else's.
func (u *upload) send(to string, do func() error) error {
	err := do()
	if !errors.Is(err, storage.ErrExists) {
		u.sent = append(u.sent, to)
	}
	return err
}

func (u *upload) directory(ctx context.Context) error {
	if err := u.clear(ctx); err != nil {
		return err
	}
	m, err := u.parts(ctx)
	if err != nil {
		return err
	}
	text, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if err := u.text(ctx, fileset.Manifest, append(text, '\n')); err != nil {
		return err
	}
	if err := u.alone(ctx); err != nil {
		return err
	}
	return u.text(ctx, publish.SuccessFile, nil)
}

// clear removes the release that is replaced, or one that was not written to its end. Whoever
// waits for _SUCCESS sees neither half of it.
func (u *upload) clear(ctx context.Context) error {
	objects, err := storage.List(ctx, u.to)
	if err != nil {
		return err
	}
	success := location.Join(u.to, publish.SuccessFile)
	if err := storage.Remove(ctx, success); err != nil {
		return err
	}
	for _, object := range objects {
		if name := object.Location[len(u.to):]; fileset.IsPart(name) || name == fileset.Manifest {
			if err := storage.Remove(ctx, object.Location); err != nil {
				return err
			}
		}
	}
	return nil
}

// parts uploads the part files.
func (u *upload) parts(ctx context.Context) (*manifest, error) {
	files, err := fileset.Parts(ctx, u.from)
	if err != nil {
		return nil, err
	}
	m := &manifest{Version: 1}
	for _, file := range files {
		rows, bytes, err := measure(ctx, file)
		if err != nil {
			return nil, err
		}
		part := manifestPart{Name: filepath.Base(file), Bytes: bytes, Rows: rows}
		to := location.Join(u.to, part.Name)
		err = u.send(to, func() (err error) {
			part.SHA256, err = storage.UploadFile(ctx, file, to, true)
			return err
		})
		if err != nil {
			return nil, err
		}
		m.Parts = append(m.Parts, part)
		m.Rows += rows
	}
	return m, nil
}

// measure returns the number of rows and the size of a part.
func measure(ctx context.Context, file string) (rows, bytes int64, err error) {
	info, err := storage.Stat(ctx, file)
	if err != nil {
		return 0, 0, err
	}
	part, err := release.Open(ctx, file)
	if err != nil {
		return 0, 0, err
	}
	return part.Rows(), info.Size(), part.Close()
}

func (u *upload) text(ctx context.Context, name string, text []byte) error {
	to := location.Join(u.to, name)
	return u.send(to, func() error { return storage.UploadText(ctx, text, to, true) })
}

// alone makes sure that nobody else writes there: another machine's run knows nothing of this
// one until it sees its objects.
func (u *upload) alone(ctx context.Context) error {
	objects, err := storage.List(ctx, u.to)
	if err != nil {
		return err
	}
	for _, object := range objects {
		if !slices.Contains(u.sent, object.Location) {
			return fmt.Errorf("%w: %s was written meanwhile", storage.ErrUnavailable, object.Location)
		}
	}
	return nil
}

// withdraw removes what was uploaded, _SUCCESS first, although the run may have been stopped.
func (u *upload) withdraw(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), patience)
	defer cancel()
	var errs []error
	for _, sent := range slices.Backward(u.sent) {
		errs = append(errs, storage.Remove(ctx, sent))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("remove what was uploaded: %w", err)
	}
	return nil
}
