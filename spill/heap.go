package spill

import (
	"math"
	"runtime/debug"
	"sync"
)

// HeapOverhead is what Go's heap may take beyond a budget, in bytes: what is not drawn from it
// because it does not grow with the input, and garbage.
const HeapOverhead = 32 << 20

// heapGrowth is by how many percent the heap may grow between two collections while the
// budget allows it. The usual 100 collects dozens of times in a run that holds little.
const heapGrowth = 400

// hugePages are preferred once a process: addresses stay as they were advised.
var hugePages sync.Once

// LimitHeap makes Go collect garbage before its heap outgrows a budget of so many bytes, and
// seldom otherwise. It returns a function that undoes it. A limit that is lower already stays,
// and a growth that is not the usual one.
func LimitHeap(memory int64) (undo func()) {
	hugePages.Do(func() { preferHugePages(memory) })
	limit, growth := debug.SetMemoryLimit(-1), debug.SetGCPercent(heapGrowth)
	if growth != 100 {
		debug.SetGCPercent(growth)
	}
	if memory <= math.MaxInt64-HeapOverhead && memory+HeapOverhead < limit {
		debug.SetMemoryLimit(memory + HeapOverhead)
	}
	return func() {
		debug.SetMemoryLimit(limit)
		debug.SetGCPercent(growth)
	}
}
