package pipeline

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// advise gives an error of a disk, or of limits that are too tight, the next thing to do, unless it has one. It names the
// folder that is meant: the user's, not the private one in it.
func advise(err error, res *resources, job *job.Job) error {
	var advised *fault.Error
	if errors.As(err, &advised) {
		return err
	}
	full := filepath.Dir(filepath.Clean(cmp.Or(res.scratch.beside, job.Output.Path))) // of the file that an operation failed on, if it has one
	var path *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &path):
		full = filepath.Dir(path.Path)
	case errors.As(err, &link):
		full = filepath.Dir(link.New)
	}
	hint := ""
	switch folder := res.scratch.path(); {
	case errors.Is(err, engine.ErrUnreached):
		hint = "raise algorithm.max_divergence or algorithm.max_information_change, leave k out to take what is reached, or use iack"
	case errors.Is(err, storage.ErrDenied):
		hint = "look at the credentials in the environment and at what they may read; docs/storage.md names the variables"
	case errors.Is(err, storage.ErrUnavailable):
		hint = "run again; if that does not help, look at the endpoint and the credentials in the environment"
	case errors.Is(err, spill.ErrCorrupt):
		hint = fmt.Sprintf("check the disk of %s, or name a folder on another one with limits.spill_dir, and run again", folder)
	case errors.Is(err, spill.ErrFailed):
		hint = fmt.Sprintf("run again; when it fails again, check the disk of %s, or name a folder on another one with limits.spill_dir", folder)
	case errors.Is(err, spill.ErrDisk) && fault.IsFull(err):
		hint = fmt.Sprintf("free space in %s, name a folder on a larger disk with limits.spill_dir, or give more memory with --memory", folder)
	case errors.Is(err, spill.ErrDisk):
		hint = fmt.Sprintf("let kcut write to %s, and nobody remove it while a run goes on, or name another folder with limits.spill_dir", folder)
	case fault.IsFull(err):
		hint = fmt.Sprintf("free space in %s, or write to a larger disk", full)
	default:
		return err
	}
	return &fault.Error{Class: fault.ClassOf(err), Hint: hint, Err: err}
}
