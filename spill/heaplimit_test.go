package spill

import (
	"runtime/debug"
	"testing"
)

// Limits that are in force at one time may be undone in any order: the lowest counts while it is in
// force, and in the end the process has its own settings again.
func TestLimitHeap(t *testing.T) {
	before := debug.SetMemoryLimit(-1)
	percents := debug.SetGCPercent(100)
	defer debug.SetGCPercent(percents)
	undoLarge := LimitHeap(64 << 20)
	undoSmall := LimitHeap(16 << 20)
	undoOther := LimitHeap(32 << 20)
	for _, step := range []struct {
		undo func()
		want int64
	}{
		{func() {}, 16<<20 + HeapOverhead},
		{undoLarge, 16<<20 + HeapOverhead},
		{undoLarge, 16<<20 + HeapOverhead},
		{undoSmall, 32<<20 + HeapOverhead},
		{undoOther, before},
	} {
		if step.undo(); debug.SetMemoryLimit(-1) != step.want {
			t.Fatalf("the heap is limited to %d bytes, not %d", debug.SetMemoryLimit(-1), step.want)
		}
	}
	if got := debug.SetGCPercent(100); got != 100 {
		t.Errorf("it grows by %d percent", got)
	}
}
