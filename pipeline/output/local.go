package output

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path"
	"path/filepath"

	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/job"
)

// Local returns where the release of a job is made and recounted: in its own place, as far as
// the file system lets it hide there, or, of an output in an object store, in a folder of this
// machine. Of one output it is always the same, so that runs that would disturb each other
// meet there, and find what is left of each other.
func Local(job *job.Job) (string, error) {
	output := job.Output.Path
	if !storage.IsRemote(output) {
		return output, nil
	}
	folder, err := scratchFolder(job)
	if err != nil {
		return "", err
	}
	cleaned, err := Absolute(output)
	_, key := storage.Split(cleaned)
	name := fmt.Sprintf("%s-%.8x", path.Base(key), sha256.Sum256([]byte(cleaned)))
	local := filepath.Join(folder, name)
	if fileset.IsDirectory(output) {
		local += "/"
	}
	return local, err
}

// scratchFolder returns the folder that the release for an object store is made in.
func scratchFolder(job *job.Job) (folder string, err error) {
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
