package spill

import (
	"math"
	"runtime"
	"runtime/debug"
	"sync"
)

// HeapOverhead is what Go's heap may take beyond a budget, in bytes: what is not drawn from it
// because it does not grow with the input, and garbage.
const HeapOverhead = 32 << 20

// UsualPages is what all readers together hold of usual pages and do not draw, in bytes.
const UsualPages = 24 << 20

// Overhead is what the resident set of a process may be beyond its budget, in bytes: what its heap may be, usual pages, the program itself,
// its stacks, what of files the system counts in, and what Go takes before it collects garbage. It is the promise of docs/memory.md.
const Overhead = 128 << 20

// heapGrowth is by how many percent the heap may grow between two collections while the
// budget allows it. The usual 100 collects dozens of times in a run that holds little.
const heapGrowth = 400

const (
	hugeBudget = 1 << 30  // smallest budget with huge pages: one is resident whole once a byte of it is in use
	hugeLeast  = 32 << 20 // smallest heap that is asked for in them: asking takes longer than faults of less
	hugeMost   = 2 << 30  // largest one: what Go notes of it takes 1/1000
)

// hugePages are preferred once a process: addresses stay as they were advised.
var hugePages sync.Once

// LimitHeap makes Go collect garbage before its heap outgrows a budget of so many bytes, and
// seldom otherwise. It returns a function that undoes it. A limit that is lower already stays,
// and a growth that is not the usual one.
func LimitHeap(memory int64) (undo func()) {
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

// Reuse makes room in the heap of what nothing needs any more, as between two stages: what comes next takes memory that the
// process has, where it would else be given more, page by page, which takes longer than to collect what is left.
func Reuse() { runtime.GC() }

// ExpectHeap prepares the heap for so many bytes that a process with such a budget is going to
// fill, if it does at all. It takes some milliseconds and no memory. Only the first call of a
// process for which that pays has an effect.
func ExpectHeap(size, memory int64) {
	if size = min(size, memory, hugeMost); memory >= hugeBudget && size >= hugeLeast {
		hugePages.Do(func() { preferHugePages(size) })
	}
}
