package spill

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"unsafe"
)

// The heap grows into advised addresses: the kernel shows the advice for the range.
func TestHugePagesArePreferred(t *testing.T) {
	setting, err := os.ReadFile(hugeSetting)
	if err != nil || !bytes.Contains(setting, []byte("[madvise]")) {
		t.Skip("the system does not leave the choice of pages to programs")
	}
	const expected = 512 << 20
	if !mayAllocate(expected) {
		t.Skip("the system does not grant a heap of that size")
	}
	preferHugePages(expected)
	memory := make([]byte, 256<<20)
	if !isAdvised(t, memory) {
		t.Error("the heap grew into memory that is not advised")
	}
	runtime.KeepAlive(memory)
}

func TestMayAllocate(t *testing.T) {
	if !mayAllocate(1 << 20) {
		t.Error("a mebibyte of addresses may not be allocated")
	}
	if mayAllocate(1 << 60) {
		t.Error("more addresses may be allocated than there are")
	}
}

// isAdvised reports whether the middle of some memory lies in a range with advice for huge pages.
func isAdvised(t *testing.T, memory []byte) bool {
	middle := uintptr(unsafe.Pointer(&memory[len(memory)/2]))
	file, err := os.Open("/proc/self/smaps")
	must(t, err)
	defer file.Close()
	within := false
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var lo, hi uintptr
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &lo, &hi); n == 2 {
			within = lo <= middle && middle < hi
		}
		if flags, found := strings.CutPrefix(lines.Text(), "VmFlags:"); found && within {
			return strings.Contains(flags+" ", " hg ")
		}
	}
	t.Fatal("the memory is in no range")
	return false
}
