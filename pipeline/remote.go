package pipeline

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"github.com/kcut/kcut/formats/location"
	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/pipeline/fault"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/jobfile"
)

// localOf returns where the release of a job is made and recounted: in its own place, as far as
// the file system lets it hide there, or, of an output in an object store, in a folder of this
// machine. Of one output it is always the same, so that runs that would disturb each other
// meet there, and find what is left of each other.
func localOf(job *jobfile.Job) (string, error) {
	output := job.Output.Path
	if !location.IsRemote(output) {
		return output, nil
	}
	folder, err := scratchFolder(job)
	if err != nil {
		return "", err
	}
	cleaned, err := absolute(output)
	_, key := location.Split(cleaned)
	name := fmt.Sprintf("%s-%x", path.Base(key), sha256.Sum256([]byte(cleaned)))
	local := filepath.Join(folder, name[:len(name)-48])
	if fileset.IsDirectory(output) {
		local += "/"
	}
	return local, err
}

// scratchFolder returns the folder that the release for an object store is made in.
func scratchFolder(job *jobfile.Job) (folder string, err error) {
	if folder = job.Limits.SpillDir; folder == "" {
		if folder, err = os.UserCacheDir(); err != nil {
			return "", &fault.Error{
				Class: fault.Usage,
				Hint:  "name a folder of this machine with limits.spill_dir",
				Err:   fmt.Errorf("find a place to make the release in: %w", err),
			}
		}
		folder = filepath.Join(folder, "kcut")
	}
	return folder, nil
}

// makeLocal makes the folder that the release is made in, if it is none of the user's.
func (r *run) makeLocal() (err error) {
	if r.local, err = localOf(r.job); err != nil || !location.IsRemote(r.job.Output.Path) {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(filepath.Clean(r.local)), 0o700); err != nil {
		return fmt.Errorf("make folder for the release: %w", err)
	}
	return nil
}

// checkRemote is checkTarget for an output in an object store. A directory that was not
// written to its end does not count; what is no part of a release is nothing to replace.
func checkRemote(ctx context.Context, output string) (exists bool, err error) {
	objects, err := storage.List(ctx, output)
	if err != nil {
		return false, refusedOutput(output, err)
	}
	for _, object := range objects {
		switch name := object.Location[len(output):]; {
		case !fileset.IsDirectory(output):
			exists = exists || name == ""
		case name == publish.SuccessFile:
			exists = true
		case !fileset.Belongs(name):
			return true, &fault.Error{
				Class: fault.Exists,
				Hint:  "name a directory of its own for the output",
				Err:   fmt.Errorf("write output %s: it has objects that are no part of a release", output),
			}
		}
	}
	return exists, nil
}

// refusedOutput gives an error of the store that an output is to be in its class: a bucket
// that is missing or closed has to be seen to by somebody.
func refusedOutput(output string, err error) error {
	wrapped := fmt.Errorf("write output %s: %w", output, err)
	switch {
	case errors.Is(err, storage.ErrExists):
		return &fault.Error{Class: fault.Exists, Hint: "name another output, or replace it with --overwrite", Err: wrapped}
	case errors.Is(err, storage.ErrDenied), errors.Is(err, fs.ErrNotExist):
		return &fault.Error{Class: fault.Usage, Hint: "make the bucket first, or look at the credentials in the environment and what they may do", Err: wrapped}
	}
	return wrapped
}
