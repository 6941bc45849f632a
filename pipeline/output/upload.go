package output

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/pipeline/fileset"
)

// patience is how long a run that was stopped goes on with what it owes, within the time that a
// stopped process is given.
const patience = 8 * time.Second

// Afterwards returns a context for what a run owes an object store although it may have been
// stopped: it is not cancelled with ctx, and ends soon.
func Afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), patience)
}

// upload puts a release into an object store, where nothing can be renamed: a file appears as
// one object, whole; of a directory _SUCCESS comes last, and goes first when it is replaced.
// After a failure nothing of it is left there.
type upload struct {
	from, to string
	fresh    bool
	sent     []string // locations
}

func (u *upload) run(ctx context.Context) error {
	var err error
	switch {
	case fileset.IsDirectory(u.to):
		err = u.directory(ctx)
	case u.fresh:
		err = u.note(u.to, storage.UploadFile(ctx, u.from, u.to, true))
	default: // the old one stays when this fails
		err = storage.UploadFile(ctx, u.from, u.to, false)
	}
	if err != nil {
		return errors.Join(refused(u.to, err), u.withdraw(ctx))
	}
	return nil
}

// note remembers an object that there was none of, whatever came of its upload. One that exists is
// somebody else's.
func (u *upload) note(to string, err error) error {
	if !errors.Is(err, storage.ErrExists) {
		u.sent = append(u.sent, to)
	}
	return err
}

func (u *upload) directory(ctx context.Context) error {
	if err := u.clear(ctx); err != nil {
		return err
	}
	files, err := fileset.Parts(ctx, u.from)
	if err != nil {
		return err
	}
	for _, file := range files {
		to := storage.Join(u.to, fileset.NameIn(u.from, file))
		if err := u.note(to, storage.UploadFile(ctx, file, to, true)); err != nil {
			return err
		}
	}
	manifest, err := os.ReadFile(filepath.Join(u.from, fileset.ManifestFile))
	if err == nil {
		err = u.text(ctx, fileset.ManifestFile, manifest)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // there is none beside partitions
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
	success := storage.Join(u.to, publish.SuccessFile)
	if err := storage.Remove(ctx, success); err != nil {
		return err
	}
	for _, object := range objects {
		if name := object.Location[len(u.to):]; name != publish.SuccessFile && fileset.Belongs(name) {
			if err := storage.Remove(ctx, object.Location); err != nil {
				return err
			}
		}
	}
	return nil
}

func (u *upload) text(ctx context.Context, name string, text []byte) error {
	to := storage.Join(u.to, name)
	return u.note(to, storage.UploadText(ctx, text, to, true))
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
	ctx, cancel := Afterwards(ctx)
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
