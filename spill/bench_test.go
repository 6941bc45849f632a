package spill

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"strings"
	"testing"
	"time"
)

// interleaved appends size bytes to 64 sequences in turn, in chunks of 256 KiB, as a scan that
// partitions its rows does.
func interleaved(s *Store, size int64) (seqs []Sequence, err error) {
	const sequences, chunk = 64, 256 << 10
	for range sequences {
		seqs = append(seqs, s.NewSequence())
	}
	bytes := chunkOf(1, 2, chunk)
	for n := range size / chunk {
		bytes[n%chunk]++
		if err := s.Append(seqs[n%sequences], bytes); err != nil {
			return nil, err
		}
	}
	return seqs, nil
}

// consume reads a sequence to its end and returns the number of its bytes.
func consume(s *Store, seq Sequence) (size int64, err error) {
	err = s.Scan(context.Background(), func(chunk []byte) error {
		size += int64(len(chunk))
		return nil
	}, seq)
	return size, err
}

// passes measures writing, reading and freeing size bytes.
func passes(tb testing.TB, budget *Budget, size int64) (write, read, free time.Duration,
	written int64) {
	s, err := Open(tb.TempDir(), Options{Budget: budget})
	must(tb, err)
	start := time.Now()
	seqs, err := interleaved(s, size)
	must(tb, err)
	write = time.Since(start)
	var total int64
	for _, seq := range seqs {
		start = time.Now()
		n, err := consume(s, seq)
		must(tb, err)
		read += time.Since(start)
		total += n
		start = time.Now()
		must(tb, s.Free(seq))
		free += time.Since(start)
	}
	if total != size {
		tb.Fatalf("%d bytes came back of %d", total, size)
	}
	written = s.Stats().BytesWritten
	must(tb, s.Close())
	return write, read, free, written
}

func BenchmarkInterleaved(b *testing.B) {
	const size = 512 << 20
	for _, limit := range []int64{64 << 20, 1 << 30} {
		b.Run(fmt.Sprintf("budget=%dMiB", limit>>20), func(b *testing.B) {
			var write, read, free time.Duration
			for b.Loop() {
				w, r, f, _ := passes(b, NewBudget(limit), size)
				write, read, free = write+w, read+r, free+f
			}
			megabytes := float64(size) * float64(b.N) / 1e6
			b.ReportMetric(megabytes/write.Seconds(), "write-MB/s")
			b.ReportMetric(megabytes/read.Seconds(), "read-MB/s")
			b.ReportMetric(free.Seconds()*1e3/float64(b.N), "free-ms")
		})
	}
}

// overhead is the memory of the process in addition to this test's budget: the program, the
// runtime's spare memory and Pebble's own.
const overhead = 48 << 20

// The process stays small while two gigabytes go through a store with a budget of 64 MiB.
func TestResidentMemory(t *testing.T) {
	if os.Getenv("KCUT_LONG") == "" {
		t.Skip("set KCUT_LONG to run it")
	}
	const size, limit = 2 << 30, 64 << 20
	peak, stop := sampleResident()
	write, read, free, written := passes(t, NewBudget(limit), size)
	stop()
	t.Logf("wrote %.0f MB/s, read %.0f MB/s, freed in %v; %.4f bytes written per byte; peak "+
		"resident set %d MiB",
		size/1e6/write.Seconds(), size/1e6/read.Seconds(), free, float64(written)/size, *peak>>20)
	if *peak > limit+overhead {
		t.Errorf("peak resident set of %d bytes, budget %d", *peak, limit)
	}
	if float64(written)/size > 1.02 {
		t.Errorf("%d bytes written for %d", written, size)
	}
}

// sampleResident measures the resident set until stop is called.
func sampleResident() (peak *int64, stop func()) {
	peak = new(int64)
	quit, done := make(chan struct{}), make(chan struct{})
	runtime.GC()
	go func() {
		defer close(done)
		for tick := time.NewTicker(5 * time.Millisecond); ; {
			select {
			case <-tick.C:
				*peak = max(*peak, resident())
			case <-quit:
				tick.Stop()
				return
			}
		}
	}()
	return peak, func() { close(quit); <-done }
}

// resident returns the present resident set, in bytes.
func resident() int64 {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return 0
	}
	pages, _ := strconv.ParseInt(strings.Fields(string(text))[1], 10, 64)
	return pages * int64(os.Getpagesize())
}
