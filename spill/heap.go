package spill

import (
	"math"
	"runtime"
	"runtime/debug"
	"slices"
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

// heapLimits are the limits that were asked for and not undone, and how the process was without one.
var heapLimits struct {
	sync.Mutex
	asked         []int64
	usual         int64
	usualPercents int
}

// LimitHeap makes Go collect garbage before its heap outgrows a budget of so many bytes, and
// seldom otherwise. It returns a function that undoes it, once. The lowest limit counts: of budgets
// that are in use at a time, and of the one that the process has. A growth that is not the
// usual one stays.
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
