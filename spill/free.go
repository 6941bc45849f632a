package spill

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// Free returns how many bytes the process may still write to the file system of a folder, or,
// if there is none yet, of the one that it will be made in.
func Free(folder string) (int64, error) {
	path, err := filepath.Abs(folder)
	if err != nil {
		return 0, fmt.Errorf("look for free space: %w", err)
	}
	for {
		usage, err := vfs.Default.GetDiskUsage(path)
		if above := filepath.Dir(path); errors.Is(err, fs.ErrNotExist) && above != path {
			path = above
			continue
		}
		if err != nil {
			return 0, fmt.Errorf("look for free space in %s: %w", folder, err)
		}
		return int64(min(usage.AvailBytes, math.MaxInt64)), nil
	}
}
