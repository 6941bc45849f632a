package partition

import (
	"math/rand/v2"
	"runtime"
	"sync/atomic"
	"testing"
	"time"

	"github.com/kcut/kcut/partition/linger"
)

// TestCrewDoesEveryTaskOnce gives crews jobs at once, while helpers linger, and after they ended.
func TestCrewDoesEveryTaskOnce(t *testing.T) {
	for _, processors := range []int{1, runtime.NumCPU(), 4} {
		defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(processors))
		for _, members := range []int{1, 2, 5} {
			c := newCrew(members)
			for job := range 300 {
				done, busy := make([]atomic.Int32, rand.IntN(12)), make([]atomic.Bool, members)
				c.each(len(done), func(member, i int) {
					if !busy[member].CompareAndSwap(false, true) {
						t.Errorf("member %d does two tasks at a time", member)
					}
					done[i].Add(1)
					if rand.IntN(50) == 0 {
						time.Sleep(2 * linger.Moment)
					}
					busy[member].Store(false)
				})
				for i := range done {
					if n := done[i].Load(); n != 1 {
						t.Fatalf("%d processors, %d members, job %d: task %d was done %d times", processors, members, job, i, n)
					}
				}
				if job%40 == 0 {
					time.Sleep(2 * linger.Moment)
				}
			}
		}
	}
}

func TestCrewHelpersEnd(t *testing.T) {
	before := runtime.NumGoroutine()
	newCrew(4).each(100, func(_, _ int) { time.Sleep(10 * time.Microsecond) })
	for began := time.Now(); runtime.NumGoroutine() > before; time.Sleep(linger.Moment) {
		if time.Since(began) > time.Minute {
			t.Fatalf("%d goroutines, %d before", runtime.NumGoroutine(), before)
		}
	}
}

// TestLargePartitionsComeFirst also has the small ones in the order they came in.
func TestLargePartitionsComeFirst(t *testing.T) {
	sizes := []int{3, 50, 1, 400, 0, 90, 400, 2}
	tips, partitions := &TIPS{}, []int32{}
	for p, n := range sizes {
		tips.leaves = append(tips.leaves, leaf{lo: 7, hi: 7 + n})
		partitions = append(partitions, int32(p))
	}
	tips.largestFirst(partitions)
	want := []int32{3, 6, 5, 1, 0, 2, 4, 7} // from 946/64 records on
	for i, turn := range tips.turns {
		if turn != want[i] {
			t.Fatalf("turns %v, want %v", tips.turns, want)
		}
	}
}
