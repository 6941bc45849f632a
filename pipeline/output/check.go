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

// Check reports whether an output exists. It refuses an output that a run could not write, with an
// error of class Usage or Exists: the folder of the output is missing, or the existing output is a
// directory instead of a file, or the other way round.
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
		return true, fault.Errorf(fault.Exists,
			"remove it first; a file never replaces a directory, nor the other way round",
			"replace output %s: one is a directory, the other a file", path)
	}
	return true, nil
}

// checkRemote is Check for an output in an object store. A directory without _SUCCESS was not
// finished, and so it does not exist as an output. checkRemote refuses a directory with objects
// that are no part of a release.
func checkRemote(ctx context.Context, output string) (exists bool, err error) {
	objects, err := storage.List(ctx, output)
	if err != nil {
		return false, classified(output, err)
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

// classified returns an error of the output's store with its class and a hint. If the bucket is
// missing or closed, the user must act.
func classified(output string, err error) error {
	wrapped := fmt.Errorf("write output %s: %w", output, err)
	switch {
	case errors.Is(err, storage.ErrExists):
		hint := "name another output, or replace it with --overwrite"
		return &fault.Error{Class: fault.Exists, Hint: hint, Err: wrapped}
	case errors.Is(err, storage.ErrDenied), errors.Is(err, fs.ErrNotExist):
		hint := "make the bucket first, or look at the credentials in the environment and what " +
			"they may do"
		return &fault.Error{Class: fault.Usage, Hint: hint, Err: wrapped}
	}
	return wrapped
}

// CheckReplaced refuses to replace a directory with files that are no part of a release. They would
// be removed together with the old release. checkRemote does the same for an object store.
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
				"replace output %s: it holds %s, which is no part of a release",
				Shown(output), name)
		}
	}
	return nil
}

// CheckDistinct refuses an output that is also a file of the job or of a table that the job reads
// by some patterns, and an output that the next run would read there.
func CheckDistinct(job *job.Job, what string, patterns []string, in *dataset.Dataset) error {
	place := fileset.Place{What: "output", Path: job.Output.Path}
	if err := fileset.CheckApart([]fileset.Place{place}, filesOf(job)...); err != nil {
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
			return fmt.Errorf("find %s %s: %w", what, file, err)
		}
		input = fileset.Real(input)
		overlaps = overlaps || input == real || strings.HasPrefix(input, storage.Join(real, ""))
	}
	written := output
	if fileset.IsDirectory(job.Output.Path) {
		written = storage.Join(output, fileset.PartName(0))
	}
	for _, pattern := range patterns {
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
		"write output %s: it is among the job's own %s", job.Output.Path, what)
}

// CheckSideFiles checks the files that a caller writes in addition to a job's output. It refuses a
// file that would replace a file that the job reads or makes, or one of the files in read. It also
// refuses a file that the next run would read as input or as population.
func CheckSideFiles(job *job.Job, written []fileset.Place, read ...fileset.Place) error {
	others := append(filesOf(job),
		fileset.Place{What: "output", Path: job.Output.Path},
		fileset.Place{What: "previous release", Path: job.Previous},
	)
	others = append(others, read...)
	for _, w := range written {
		if w.Path == "" {
			continue
		}
		for _, path := range []string{w.Path, fileset.Real(w.Path)} {
			what, err := readsAs(job, path)
			if err != nil {
				return err
			}
			if what != "" {
				others = append(others, fileset.Place{What: what, Path: w.Path})
			}
		}
	}
	return fileset.CheckApart(written, others...)
}

// readsAs returns what a job would read the file of a path as, if there were one; empty: it would
// not.
func readsAs(job *job.Job, path string) (what string, err error) {
	for _, table := range []struct {
		what     string
		patterns []string
	}{{"input", job.Reads()}, {"population", job.Population.Input}} {
		for _, pattern := range table.patterns {
			if found, err := dataset.Finds(pattern, path); found || err != nil {
				return table.what, err
			}
		}
	}
	return "", nil
}

// filesOf returns the files that define a job: the job file, the taxonomy files, and those with
// keys of pseudonyms.
func filesOf(job *job.Job) []fileset.Place {
	var files []fileset.Place
	if job.File != "" {
		files = append(files, fileset.Place{What: "job file", Path: job.File})
	}
	for _, path := range job.TaxonomyFiles() {
		files = append(files, fileset.Place{What: "taxonomy file", Path: path})
	}
	for _, c := range job.Columns {
		if c.KeyFile != "" {
			files = append(files, fileset.Place{What: "key file", Path: c.KeyFile})
		}
	}
	return files
}
