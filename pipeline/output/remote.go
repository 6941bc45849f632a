package output

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/fileset"
)

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
			return true, &fault.Error{
				Class: fault.Exists,
				Hint:  "name a directory of its own for the output",
				Err:   fmt.Errorf("write output %s: it has objects that are no part of a release", output),
			}
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
