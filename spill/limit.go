package spill

import (
	"os"
	"strconv"
	"strings"
)

// defaultShare is the part of the memory that a run takes when nothing is said: the rest is
// for what else the machine or container has to do.
const defaultShare = 0.6

// fallbackMemory is assumed when the system does not say how much memory it has.
const fallbackMemory = 4 << 30

// DefaultLimit returns the budget of a run that declares none, in bytes: 60 % of the
// cgroup's limit or of the machine's memory, whichever is smaller.
func DefaultLimit() int64 {
	memory := int64(fallbackMemory)
	if kib, ok := procField("/proc/meminfo", "MemTotal:"); ok {
		memory = kib << 10
	}
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
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
