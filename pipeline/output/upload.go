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

// cleanupTime limits the work of a run after the run was stopped. It is less than the time that a
// stopped process gets before it is killed.
const cleanupTime = 8 * time.Second

// Afterwards returns a context for the work that a run must do in an object store even after the
// run was stopped. The context is not cancelled with ctx. It ends after a few seconds.
func Afterwards(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.WithoutCancel(ctx), cleanupTime)
}

// upload puts a release into an object store, in which nothing can be renamed. A file appears as
// one whole object. For a directory, _SUCCESS is uploaded last. If the directory replaces another
// one, the old _SUCCESS is removed first. After a failure upload removes everything that it has
// uploaded.
type upload struct {
	from, to string
	fresh    bool     // the output does not exist yet
	sent     []string // the locations of the new objects
}

// run uploads the release.
func (u *upload) run(ctx context.Context) error {
	var err error
	switch {
	case fileset.IsDirectory(u.to):
		err = u.directory(ctx)
	case u.fresh:
		err = u.record(u.to, storage.UploadFile(ctx, u.from, u.to, true))
	default: // the old object stays if this fails
		err = storage.UploadFile(ctx, u.from, u.to, false)
	}
	if err != nil {
		return errors.Join(classified(u.to, err), u.removeSent(ctx))
	}
	return nil
}

// record adds an object that did not exist before to sent, even if its upload has failed. If the
// object existed, it belongs to somebody else.
func (u *upload) record(to string, err error) error {
	if !errors.Is(err, storage.ErrExists) {
		u.sent = append(u.sent, to)
	}
	return err
}

// directory uploads a directory.
func (u *upload) directory(ctx context.Context) error {
	if err := u.removeOld(ctx); err != nil {
		return err
	}
	files, err := fileset.Parts(ctx, u.from)
	if err != nil {
		return err
	}
	for _, file := range files {
		to := storage.Join(u.to, fileset.NameIn(u.from, file))
		if err := u.record(to, storage.UploadFile(ctx, file, to, true)); err != nil {
			return err
		}
	}
	manifest, err := os.ReadFile(filepath.Join(u.from, fileset.ManifestFile))
	if err == nil {
		err = u.putText(ctx, fileset.ManifestFile, manifest)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) { // a directory of partitions has no manifest
		return err
	}
	if err := u.checkAlone(ctx); err != nil {
		return err
	}
	return u.putText(ctx, publish.SuccessFile, nil)
}

// removeOld removes the old release, or a release that was not finished. It removes _SUCCESS first,
// so that a reader that waits for _SUCCESS never sees a part of a release.
func (u *upload) removeOld(ctx context.Context) error {
	objects, err := storage.List(ctx, u.to)
	if err != nil {
		return err
	}
	success := storage.Join(u.to, publish.SuccessFile)
	if err := storage.Remove(ctx, success); err != nil {
		return err
	}
	for _, object := range objects {
		name := object.Location[len(u.to):]
		if name != publish.SuccessFile && fileset.Belongs(name) {
			if err := storage.Remove(ctx, object.Location); err != nil {
				return err
			}
		}
	}
	return nil
}

// putText uploads an object with a text.
func (u *upload) putText(ctx context.Context, name string, text []byte) error {
	to := storage.Join(u.to, name)
	return u.record(to, storage.UploadText(ctx, text, to, true))
}

// checkAlone checks that nobody else writes to the directory. A run on another machine can notice
// this run only by its objects.
func (u *upload) checkAlone(ctx context.Context) error {
	objects, err := storage.List(ctx, u.to)
	if err != nil {
		return err
	}
	for _, object := range objects {
		if !slices.Contains(u.sent, object.Location) {
			return fmt.Errorf("%w: %s was written meanwhile",
				storage.ErrUnavailable, object.Location)
		}
	}
	return nil
}

// removeSent removes the uploaded objects, with _SUCCESS first, even if the run was stopped.
func (u *upload) removeSent(ctx context.Context) error {
	ctx, cancel := Afterwards(ctx)
	defer cancel()
	var errs []error
	for _, sent := range slices.Backward(u.sent) {
		errs = append(errs, storage.Remove(ctx, sent))
	}
	if err := errors.Join(errs...); err != nil {
		return fmt.Errorf("remove the uploaded objects: %w", err)
	}
	return nil
}
