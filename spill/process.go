package spill

import (
	"os"
	"runtime/metrics"
	"strconv"
	"strings"
)

// PeakResident returns the largest resident set that the process has had, in bytes, or 0
// where the system does not tell.
func PeakResident() int64 { return memoryField("VmHWM:") }

// Resident returns the resident set of the process, in bytes, or 0 where the system does
// not tell.
func Resident() int64 { return memoryField("VmRSS:") }

func memoryField(name string) int64 {
	kib, _ := procField("/proc/self/status", name)
	return kib << 10
}

// HeapGaps returns how many bytes there are between the objects of the heap, in pages that
// it cannot give back because of these.
func HeapGaps() int64 {
	gaps := []metrics.Sample{{Name: "/memory/classes/heap/unused:bytes"}}
	metrics.Read(gaps)
	return int64(gaps[0].Value.Uint64())
}

// Transferred returns how many bytes the process has read and written so far, wherever
// they came from and went to, or 0 where the system does not tell.
func Transferred() (read, written int64) {
	read, _ = procField("/proc/self/io", "rchar:")
	written, _ = procField("/proc/self/io", "wchar:")
	return read, written
}

// procField returns the number after a name in a file of "name number" lines, whatever its unit.
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
