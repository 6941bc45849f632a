package spill

import (
	"bytes"
	"os"
	"runtime/debug"
	"unsafe"

	"golang.org/x/sys/unix"
)

const (
	hugePage    = 2 << 20 // bytes, and a whole number of the huge pages of smaller kinds
	hugeHeap    = 2 << 30 // most of the heap that is asked for in huge pages: what Go notes of it takes 1/1000
	hugeLeast   = 1 << 30 // smallest budget with them: a huge page is resident whole once a byte of it is in use
	hugeSetting = "/sys/kernel/mm/transparent_hugepage/enabled"
)

// preferHugePages asks the system to back the addresses that the heap grows into next with
// huge pages, where it leaves that to programs. A table is touched all over as it grows: by
// usual pages that is a fault for every 4 KiB, each of which makes the other threads wait, and
// as many pages to give back when the process ends.
//
// Go has no setting for it. So the addresses are allocated, advised, and given back untouched:
// the heap takes the lowest free addresses first, and these stay advised.
func preferHugePages(memory int64) {
	setting, err := os.ReadFile(hugeSetting)
	if err != nil || !bytes.Contains(setting, []byte("[madvise]")) || memory < hugeLeast {
		return
	}
	size := min(int(memory), hugeHeap)
	if !mayAllocate(size) {
		return
	}
	heap := make([]byte, size)
	start := -uintptr(unsafe.Pointer(unsafe.SliceData(heap))) % hugePage
	// Advice that is not taken costs time, nothing else.
	_ = unix.Madvise(heap[start:start+(uintptr(size)-start)/hugePage*hugePage], unix.MADV_HUGEPAGE)
	heap = nil
	debug.FreeOSMemory()
}

// mayAllocate says whether the system grants so many bytes of addresses. Go's own request
// would end the process where it does not, under a limit of the shell's or strict accounting.
func mayAllocate(size int) bool {
	addresses, err := unix.Mmap(-1, 0, size, unix.PROT_READ|unix.PROT_WRITE, unix.MAP_ANON|unix.MAP_PRIVATE)
	if err != nil {
		return false
	}
	return unix.Munmap(addresses) == nil
}
