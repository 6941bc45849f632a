package spill

import (
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"sync"
)

// HeapOverhead is the number of bytes that Go's heap may take beyond a budget: memory that is not
// drawn because it does not grow with the input, and garbage.
const HeapOverhead = 32 << 20

// UsualPages is the number of bytes that all readers together hold in pages of usual size, which
// they do not draw.
const UsualPages = 24 << 20

// Overhead is the number of bytes by which the resident set of a process may exceed its budget: the
// heap's overhead, pages of usual size, the program itself, its stacks, the part of files that the
// system counts in, and the memory that Go takes before it collects garbage. docs/memory.md
// promises it.
const Overhead = 128 << 20

// heapGrowth is the percentage by which the heap may grow between two collections while the budget
// allows it. With the usual 100 a run that holds little collects dozens of times.
const heapGrowth = 400

const (
	// smallest budget with huge pages: a huge page is resident whole once one of its bytes is in
	// use
	hugeBudget = 1 << 30
	// smallest heap for which huge pages are requested: for less, the request costs more than the
	// page faults
	hugeLeast = 32 << 20
	hugeMost  = 2 << 30 // largest such heap: Go's notes about it take 1/1000 of its size
)

// hugePages makes a process ask for huge pages once: the system keeps the advice for the addresses.
var hugePages sync.Once

// heapLimits holds the limits in force, and the settings of the process without them.
var heapLimits struct {
	sync.Mutex
	asked         []int64
	usual         int64
	usualPercents int
}

// LimitHeap makes Go collect garbage before its heap outgrows a budget of memory bytes, and seldom
// otherwise. It returns a function that undoes this once. The lowest limit counts, among those of
// the budgets in use and that of the process. It keeps a growth setting that differs from Go's
// default.
func LimitHeap(memory int64) (undo func()) {
	limit := int64(math.MaxInt64)
	if memory <= math.MaxInt64-HeapOverhead {
		limit = memory + HeapOverhead
	}
	l := &heapLimits
	l.Lock()
	defer l.Unlock()
	if len(l.asked) == 0 {
		l.usual, l.usualPercents = debug.SetMemoryLimit(-1), debug.SetGCPercent(heapGrowth)
		if l.usualPercents != 100 {
			debug.SetGCPercent(l.usualPercents)
		}
	}
	l.asked = append(l.asked, limit)
	debug.SetMemoryLimit(min(l.usual, slices.Min(l.asked)))
	return sync.OnceFunc(func() {
		l.Lock()
		defer l.Unlock()
		at := slices.Index(l.asked, limit)
		if l.asked = slices.Delete(l.asked, at, at+1); len(l.asked) > 0 {
			debug.SetMemoryLimit(min(l.usual, slices.Min(l.asked)))
			return
		}
		debug.SetMemoryLimit(l.usual)
		debug.SetGCPercent(l.usualPercents)
	})
}

// Reuse collects garbage, as between two stages, so that the next stage uses memory that the
// process already has. Otherwise the system would have to give the process more, page by page,
// which takes longer than the collection.
func Reuse() { runtime.GC() }

// ExpectHeap prepares the heap for size bytes that a process with this budget may soon fill. It
// takes some milliseconds and no memory. Only the first call of a process that is worth its cost
// has an effect.
func ExpectHeap(size, memory int64) {
	if size = min(size, memory, hugeMost); memory >= hugeBudget && size >= hugeLeast {
		hugePages.Do(func() { preferHugePages(size) })
	}
}
