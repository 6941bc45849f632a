package topdown_test

import (
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"

	"github.com/kcut/kcut/spill"
)

// longRecords is the number of records of the long tests: KCUT_LONG millions.
func longRecords(t *testing.T) int {
	t.Helper()
	millions, err := strconv.Atoi(os.Getenv("KCUT_LONG"))
	if err != nil {
		t.Skip("KCUT_LONG is not set")
	}
	return millions * 1_000_000
}

// limitHeap makes the collector keep to a budget, as a run does, and forgets what the process
// held before: where the system cannot, the peak of the resident set says nothing.
func limitHeap(t *testing.T, limit int64) (forgot bool) {
	debug.FreeOSMemory()
	err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
	before := debug.SetMemoryLimit(limit + longOverhead/4)
	t.Cleanup(func() { debug.SetMemoryLimit(before) })
	return err == nil
}

// longOverhead is what the process takes beside the budget.
const longOverhead = 64 << 20

// TestLong searches nearly unique records in 128 MiB, or in less if they are few, and
// compares with the search in memory. KCUT_LONG is the number of records, in millions; 20
// take about a minute.
func TestLong(t *testing.T) {
	records := longRecords(t)
	p := newPeople(records)
	limit := min(int64(records)*8, 128<<20)
	forgot := limitHeap(t, limit)
	got := p.searchIn(t, limit)
	t.Log("spilled:", got)
	if peak := spill.PeakResident(); forgot && peak > limit+longOverhead {
		t.Errorf("%d MiB resident with a budget of %d MiB", peak>>20, limit>>20)
	}
	debug.SetMemoryLimit(1 << 40)
	runtime.GC()
	want := p.searchInMemory(t)
	t.Log("in memory:", want)
	if !reflect.DeepEqual(got.steps, want.steps) {
		t.Errorf("spilled %+v\nin memory %+v", got.steps, want.steps)
	}
}

// TestLongScale searches a tenth, half and all of KCUT_LONG million records in the same
// memory, 256 MiB for 100 million. Time and touches a record say what grows.
func TestLongScale(t *testing.T) {
	records := longRecords(t)
	limit := max(int64(records)*268/100, 4<<20)
	limitHeap(t, limit)
	for _, n := range []int{records / 10, records / 2, records} {
		s := newPeople(n).searchIn(t, limit)
		t.Log(s)
		if disk := s.ofTable(s.peak); n == records && records > 10_000_000 && disk > 1.5 {
			t.Errorf("%.2f times the table on disk", disk)
		}
	}
}
