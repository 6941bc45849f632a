package spill

import (
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/cockroachdb/pebble/v2/vfs"
)

// PeakResident returns the largest resident set that the process has had, in bytes, or 0 where the
// system does not report it.
func PeakResident() int64 { return memoryField("VmHWM:") }

// Resident returns the resident set of the process, in bytes, or 0 where the system does not report
// it.
func Resident() int64 { return memoryField("VmRSS:") }

func memoryField(name string) int64 {
	kib, _ := procField("/proc/self/status", name)
	return kib << 10
}

// Transferred returns the number of bytes that the process has read and written until now, from and
// to any place, or 0 where the system does not report it.
func Transferred() (read, written int64) {
	read, _ = procField("/proc/self/io", "rchar:")
	written, _ = procField("/proc/self/io", "wchar:")
	return read, written
}

// procField returns the number that follows a name in a file of "name number" lines, in the file's
// unit.
func procField(file, name string) (int64, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	for line := range strings.Lines(string(text)) {
		if fields := strings.Fields(line); len(fields) >= 2 && fields[0] == name {
			n, err := strconv.ParseInt(fields[1], 10, 64)
			return n, err == nil
		}
	}
	return 0, false
}

// defaultShare is the fraction of the memory that a run takes by default: the machine or container
// needs the rest for other work.
const defaultShare = 0.6

// fallbackMemory is the assumed memory of a machine whose system does not report it.
const fallbackMemory = 4 << 30

// DefaultLimit returns the budget, in bytes, of a run that declares none: 60 % of the cgroup's
// limit or of the machine's memory, whichever is smaller.
func DefaultLimit() int64 {
	memory := int64(fallbackMemory)
	if kib, ok := procField("/proc/meminfo", "MemTotal:"); ok {
		memory = kib << 10
	}
	for _, file := range []string{"/sys/fs/cgroup/memory.max",
		"/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		if limit, ok := readNumber(file); ok && limit < memory {
			memory = limit
		}
	}
	return int64(float64(memory) * defaultShare)
}

func readNumber(file string) (int64, bool) {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0, false
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	return n, err == nil && n > 0
}

// Free returns the number of bytes that the process may still write to the file system of a folder.
// If the folder does not exist yet, it looks at the folder that will contain it.
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
