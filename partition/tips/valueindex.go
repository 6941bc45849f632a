package tips

import (
	"container/heap"
	"slices"

	"github.com/kcut/kcut/partition"
)

// valueIndex has the records of a partition by their code in a suppressed field. Records are
// identified by their distance from the partition's first one. Those of a code are a run.
type valueIndex struct {
	field  int
	codes  []uint32 // by run, ascending
	starts []int32  // by run: start of the run's records in order
	ends   []int32  // by run
	sizes  []uint64 // by run
	order  []int32  // records, run by run
	slot   []int32  // by record: its place in order
	live   int      // number of runs that have records
	open   int      // the codes of all earlier runs have no records, or are never disclosed
	sized  []sizedRun
	found  int // run of the code of the last search: its records are removed one by one
}

// sizedRun is a run with its number of records, or an earlier number: runs only lose records.
type sizedRun struct {
	size uint64
	run  int32
}

// indexBytes is the largest memory of an index for a record, if all have different codes.
const indexBytes = 4 + 4 + 4 + 8 + 4 + 4 + 16

// newValueIndex returns the index of some records of a table by one of its fields.
func newValueIndex(table *partition.Table, rows partition.Rows, field int) valueIndex {
	f, n := table.Layout.Fields[field], rows.Records()
	x := valueIndex{field: field, slot: make([]int32, n)}
	codes := make([]uint32, n)
	for i := range codes {
		codes[i] = f.Code(table.Keys[(rows.Lo+i)*table.Layout.Words:])
	}
	x.order = sorted(codes)
	for at, record := range x.order {
		code := codes[record]
		if last := len(x.codes) - 1; last < 0 || x.codes[last] != code {
			x.codes, x.starts, x.sizes = append(x.codes, code), append(x.starts, int32(at)),
				append(x.sizes, 0)
		}
		x.slot[record] = int32(at)
		x.sizes[len(x.sizes)-1] += table.Counts[rows.Lo+int(record)]
	}
	x.ends = append(slices.Clone(x.starts[1:]), int32(n))
	x.live = len(x.codes)
	for run, size := range x.sizes {
		x.sized = append(x.sized, sizedRun{size, int32(run)})
	}
	heap.Init(&x)
	return x
}

// sorted returns records in the order of their codes, then of their numbers. It sorts byte by byte
// from the last one on: most fields need few.
func sorted(codes []uint32) (order []int32) {
	order, other := make([]int32, len(codes)), make([]int32, len(codes))
	all := uint32(0) // all bits that occur in codes
	for record, code := range codes {
		order[record], all = int32(record), all|code
	}
	for shift := 0; all>>shift > 0; shift += 8 {
		var next [256]int32
		for _, code := range codes {
			next[byte(code>>shift)]++
		}
		sum := int32(0)
		for digit, n := range next {
			next[digit], sum = sum, sum+n
		}
		for _, record := range order {
			to := &next[byte(codes[record]>>shift)]
			other[*to] = record
			*to++
		}
		order, other = other, order
	}
	return order
}

// run returns the run of a code.
func (x *valueIndex) run(code uint32) (run int, found bool) {
	if x.codes[x.found] == code {
		return x.found, true
	}
	if run, found = slices.BinarySearch(x.codes, code); found {
		x.found = run
	}
	return run, found
}

// records returns the records of a code, valid until one of them is removed.
func (x *valueIndex) records(code uint32) []int32 {
	run, found := x.run(code)
	if !found {
		return nil
	}
	return x.order[x.starts[run]:x.ends[run]]
}

// remove removes a record with a code and a size.
func (x *valueIndex) remove(record int32, code uint32, size uint64) {
	run, _ := x.run(code)
	x.ends[run]--
	at, last := x.slot[record], x.ends[run]
	x.order[at] = x.order[last]
	x.slot[x.order[at]] = at
	x.sizes[run] -= size
	if x.ends[run] == x.starts[run] {
		x.live--
	}
}

// rename changes the place of a record in the partition.
func (x *valueIndex) rename(from, to int32) {
	x.order[x.slot[from]] = to
	x.slot[to] = x.slot[from]
}

// most returns the run with the most records.
func (x *valueIndex) most() int {
	for x.sized[0].size != x.sizes[x.sized[0].run] {
		x.sized[0].size = x.sizes[x.sized[0].run]
		heap.Fix(x, 0)
	}
	return int(x.sized[0].run)
}

// remove removes records from all indexes of a partition that begins at a row.
func (r *rest) remove(table *partition.Table, lo int, records []int32,
	parallel partition.Parallel) {
	parallel.Each(len(r.values), len(records), func(_, i int) {
		x := &r.values[i]
		for _, record := range records {
			row := lo + int(record)
			code := table.Layout.Fields[x.field].Code(table.Keys[row*table.Layout.Words:])
			x.remove(record, code, table.Counts[row])
		}
	})
}

// rename changes the place of a record in the partition.
func (r *rest) rename(from, to int32) {
	for i := range r.values {
		r.values[i].rename(from, to)
	}
}

// bytes returns the memory of an index.
func (x *valueIndex) bytes() int64 {
	return int64(cap(x.codes)+cap(x.starts)+cap(x.ends)+cap(x.order)+cap(x.slot))*4 +
		int64(cap(x.sizes))*8 + int64(cap(x.sized))*16
}

func (x *valueIndex) Len() int           { return len(x.sized) }
func (x *valueIndex) Less(i, j int) bool { return x.sized[i].size > x.sized[j].size }
func (x *valueIndex) Swap(i, j int)      { x.sized[i], x.sized[j] = x.sized[j], x.sized[i] }

// Push and Pop are not used: runs stay.
func (x *valueIndex) Push(any) {}

// Pop is not used.
func (x *valueIndex) Pop() any { return nil }
