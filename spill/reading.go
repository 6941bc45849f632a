package spill

import (
	"runtime"
	"runtime/metrics"
)

// HoldRead draws what readers of the input hold beyond what is usual, or returns it where bytes are
// negative. It is what formats.ReadOptions.Hold asks for.
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
		return b.shortage(err, max(0, b.rest()-bytes), bytes, enough, "write the input with smaller pages, dictionaries or record batches, or fewer row groups")
	}
	raise(&b.reads, b.read.Add(bytes))
	makeRoom(b.limit, bytes)
	return nil
}

// Reads returns how many bytes readers hold, which are free when they are done.
func (b *Budget) Reads() int64 { return b.root().read.Load() }

// rest returns by how much readers that are at work hold less than they did once, and may again.
func (b *Budget) rest() int64 {
	b = b.root()
	if held := b.read.Load(); held > 0 {
		return b.reads.Load() - held
	}
	return 0
}

// enoughToRead returns how many MiB a budget has whose part for readers has room for so many bytes. The other parts are for what
// a later part of the run holds meanwhile.
func enoughToRead(held int64) int64 { return held/Reading.Num*Reading.Den>>20 + 1 }

// makeRoom collects garbage when what is to be allocated would not fit beside it: Go lets one
// large allocation after the other outrun a collection that has begun.
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
