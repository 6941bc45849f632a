package main

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"sync/atomic"
	"syscall"
	"testing"

	"github.com/kcut/kcut"
)

// tupleBytes is about what a tuple of a set takes, with its count.
const tupleBytes = 16

// processor returns the seconds of processors that this process has taken.
func processor(b *testing.B) float64 {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(usage.Utime) + seconds(usage.Stime)
}

// BenchmarkElements takes a million tuples of 16 tasks through Prism to 16 keys, so many in an element: what blocks cost by themselves,
// and what it would cost if each row were an element. Nothing else is done.
func BenchmarkElements(b *testing.B) {
	const tuples, tasks, keys = 1_000_000, 16, 16
	if err := (&settings{runner: "prism"}).prepare(); err != nil {
		b.Fatal(err)
	}
	do, merge := doTask, mergeKey
	open := openWorker
	defer func() { doTask, mergeKey, openWorker = do, merge, open }()
	openWorker = func(context.Context, string) (*kcut.Worker, error) { return nil, nil }
	for _, elements := range []int{0, 256, 1_024, 4_096, 16_384, 65_536, tuples} {
		b.Run(fmt.Sprint(elements), func(b *testing.B) {
			var merged atomic.Int64
			doTask = func(_ *kcut.Worker, _ context.Context, _ kcut.Step, task int, emit func(int, []byte) error) (err error) {
				rng := rand.NewChaCha8([32]byte{byte(task)}) // bytes that nothing makes smaller
				for i := range elements / tasks {
					block := make([]byte, tuples/elements*tupleBytes)
					_, _ = rng.Read(block)
					err = errors.Join(err, emit(i%keys, block))
				}
				return err
			}
			mergeKey = func(_ *kcut.Worker, _ context.Context, _ kcut.Step, _ int, blocks [][]byte) error {
				merged.Add(int64(len(blocks)))
				return nil
			}
			began := processor(b)
			for i := range b.N {
				if err := runner("prism").Do(b.Context(), kcut.Step{Folder: "none", Name: "count", Tasks: tasks, Keys: keys}); err != nil {
					b.Fatal(err)
				}
				if n := merged.Load(); n != int64((i+1)*elements/tasks*tasks) {
					b.Fatalf("%d elements came, want %d", n, elements)
				}
			}
			b.ReportMetric((processor(b)-began)/float64(b.N), "cpu-s/op")
		})
	}
}
