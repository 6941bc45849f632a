package spill

import (
	"runtime"
	"runtime/metrics"
)

// HoldRead draws the memory that readers of the input hold beyond the usual, or returns it where
// bytes is negative. formats.ReadOptions.Hold has this signature.
func (b *Budget) HoldRead(bytes int64) error {
	if bytes <= 0 {
		b.read.Add(bytes)
		b.Return(-bytes)
		return nil
	}
	if err := b.Draw("reading", bytes); err != nil {
		held := b.read.Load()
		enough := func(used, missing, limit int64) int64 {
			return max(enough(used, missing, limit), enoughToRead(held+missing))
		}
		return b.shortage(err, max(0, b.rest()-bytes), bytes, enough,
			"write the input with smaller pages, dictionaries or record batches, or fewer row "+
				"groups")
	}
	raise(&b.reads, b.read.Add(bytes))
	makeRoom(b.limit, bytes)
	return nil
}

// Reads returns the number of bytes that readers hold. They become free when reading ends.
func (b *Budget) Reads() int64 { return b.root().read.Load() }

// rest returns the number of bytes by which readers at work hold less than at their peak: they may
// need them again.
func (b *Budget) rest() int64 {
	b = b.root()
	if held := b.read.Load(); held > 0 {
		return b.reads.Load() - held
	}
	return 0
}

// enoughToRead returns the size in MiB of a budget whose reading grant has room for held bytes. The
// other grants belong to holders of the same phase.
func enoughToRead(held int64) int64 { return held/Reading.Num*Reading.Den>>20 + 1 }

// makeRoom collects garbage when the next allocation would not fit with it: Go lets several large
// allocations outrun a collection that has begun.
func makeRoom(memory, bytes int64) {
	if bytes < HeapOverhead/2 {
		return
	}
	heap := []metrics.Sample{{Name: "/memory/classes/heap/objects:bytes"}}
	metrics.Read(heap)
	if int64(heap[0].Value.Uint64())+bytes > memory {
		runtime.GC()
	}
}
