package output

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/job"
)

// Check reports whether an output exists, and refuses one that could not be written: its folder is
// missing, or what is there is no file or directory, as it should be (class Usage or Exists).
func Check(ctx context.Context, output string) (exists bool, err error) {
	if storage.IsRemote(output) {
		return checkRemote(ctx, output)
	}
	path := filepath.Clean(output)
	if err := publish.CheckTarget(path); err != nil {
		return true, err
	}
	info, err := os.Lstat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return false, fileset.CheckFolder("output", path)
	case err != nil:
		return false, fmt.Errorf("look for output %s: %w", path, err)
	case info.IsDir() != fileset.IsDirectory(output):
		return true, fault.Errorf(fault.Exists, "remove it first; a directory is never replaced by a file, nor the other way round",
			"replace output %s: one is a directory, the other a file", path)
	}
	return true, nil
}

// checkRemote is Check for an output in an object store. A directory that was not
// written to its end does not count; what is no part of a release is nothing to replace.
func checkRemote(ctx context.Context, output string) (exists bool, err error) {
	objects, err := storage.List(ctx, output)
	if err != nil {
		return false, refused(output, err)
	}
	for _, object := range objects {
		switch name := object.Location[len(output):]; {
		case !fileset.IsDirectory(output):
			exists = exists || name == ""
		case name == publish.SuccessFile:
			exists = true
		case !fileset.Belongs(name):
			return true, fault.Errorf(fault.Exists, "name a directory of its own for the output",
				"write output %s: it has objects that are no part of a release", output)
		}
	}
	return exists, nil
}

// refused gives an error of the store that an output is to be in its class: a bucket
// that is missing or closed has to be seen to by somebody.
func refused(output string, err error) error {
	wrapped := fmt.Errorf("write output %s: %w", output, err)
	switch {
	case errors.Is(err, storage.ErrExists):
		return &fault.Error{Class: fault.Exists, Hint: "name another output, or replace it with --overwrite", Err: wrapped}
	case errors.Is(err, storage.ErrDenied), errors.Is(err, fs.ErrNotExist):
		return &fault.Error{Class: fault.Usage, Hint: "make the bucket first, or look at the credentials in the environment and what they may do", Err: wrapped}
	}
	return wrapped
}

// CheckReplaced refuses to replace a directory that holds what no release does: that would be
// removed with the old release. In an object store checkRemote does so.
func CheckReplaced(output string) error {
	if storage.IsRemote(output) || !fileset.IsDirectory(output) {
		return nil
	}
	names, err := fileset.Names(context.Background(), output)
	if err != nil {
		return fmt.Errorf("look into output: %w", err)
	}
	for _, name := range names {
		if !fileset.Belongs(name) && !strings.HasSuffix(name, "/") {
			return fault.Errorf(fault.Exists, "name a directory of its own for the output",
				"replace output %s: it holds %s, which is no part of a release", Shown(output), name)
		}
	}
	return nil
}

// CheckDistinct refuses an output that is one of the inputs or of the job's other files, or lies
// where the next run would read it as input.
func CheckDistinct(job *job.Job, in *dataset.Dataset) error {
	if err := fileset.CheckApart([]fileset.Place{{What: "output", Path: job.Output.Path}}, filesOf(job)...); err != nil {
		return err
	}
	output, err := Absolute(job.Output.Path)
	if err != nil {
		return fmt.Errorf("find output %s: %w", job.Output.Path, err)
	}
	real, overlaps := fileset.Real(output), false
	for _, file := range in.Files() {
		input, err := Absolute(file)
		if err != nil {
			return fmt.Errorf("find input %s: %w", file, err)
		}
		input = fileset.Real(input)
		overlaps = overlaps || input == real || strings.HasPrefix(input, storage.Join(real, ""))
	}
	written := output
	if fileset.IsDirectory(job.Output.Path) {
		written = storage.Join(output, fileset.PartName(0))
	}
	for _, pattern := range job.Reads() {
		found, err := dataset.Finds(pattern, written)
		if err != nil {
			return err
		}
		overlaps = overlaps || found
	}
	if !overlaps {
		return nil
	}
	return fault.Errorf(fault.Usage, "write the release somewhere else",
		"write output %s: it is among the job's own input", job.Output.Path)
}

// CheckBeside refuses files to be written beside a job's output that would replace something that
// the job reads or makes, or what else is read for it, or that the next run would read as input.
func CheckBeside(job *job.Job, written []fileset.Place, read ...fileset.Place) error {
	others := append(filesOf(job), fileset.Place{What: "output", Path: job.Output.Path})
	others = append(append(others, fileset.Place{What: "previous release", Path: job.Previous}), read...)
	for _, pattern := range job.Reads() {
		for _, w := range written {
			if w.Path == "" {
				continue
			}
			for _, path := range []string{w.Path, fileset.Real(w.Path)} {
				found, err := dataset.Finds(pattern, path)
				if err != nil {
					return err
				}
				if found {
					others = append(others, fileset.Place{What: "input", Path: w.Path})
				}
			}
		}
	}
	return fileset.CheckApart(written, others...)
}

// filesOf are the files that say what a job is.
func filesOf(job *job.Job) []fileset.Place {
	var files []fileset.Place
	if job.File != "" {
		files = append(files, fileset.Place{What: "job file", Path: job.File})
	}
	for _, path := range job.TaxonomyFiles() {
		files = append(files, fileset.Place{What: "taxonomy file", Path: path})
	}
	return files
}
