package output

import (
	"crypto/sha256"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/fileset"
	"github.com/kcut/kcut/pipeline/job"
)

// Shown is an output's path or URL as messages have it, without the slash that ends a
// directory's.
func Shown(output string) string {
	if storage.IsRemote(output) {
		return strings.TrimSuffix(output, "/")
	}
	return filepath.Clean(output)
}

// Absolute is the one spelling of a location, without the slash that ends a directory's.
func Absolute(path string) (string, error) {
	if storage.IsRemote(path) {
		return strings.TrimSuffix(path, "/"), nil
	}
	return filepath.Abs(path)
}

// Local returns where the release of a job is made and recounted: in its own place, as far as
// the file system lets it hide there, or, of an output in an object store, in a folder of this
// machine. Of one output it is always the same, so that runs that would disturb each other
// meet there, and find what is left of each other.
func Local(job *job.Job) (string, error) {
	output, folder := job.Output.Path, job.Limits.SpillDir
	if !storage.IsRemote(output) {
		return output, nil
	}
	if folder == "" {
		cache, err := os.UserCacheDir()
		if err != nil {
			return "", &fault.Error{
				Class: fault.Usage,
				Hint:  "name a folder of this machine with limits.spill_dir",
				Err:   fmt.Errorf("find a place to make the release in: %w", err),
			}
		}
		folder = filepath.Join(cache, "kcut")
	}
	shown := Shown(output)
	_, key := storage.Split(shown)
	local := filepath.Join(folder, fmt.Sprintf("%s-%.8x", path.Base(key), sha256.Sum256([]byte(shown))))
	if fileset.IsDirectory(output) {
		local += "/"
	}
	return local, nil
}
