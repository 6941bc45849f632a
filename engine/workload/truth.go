package workload

import (
	"slices"
)

// Truth is the answers of the original records to the queries.
type Truth struct {
	Answers []uint64 // by query
	Records uint64   // number of all records
}

// Counter counts the answers to the queries.
type Counter struct {
	Truth
	workload *Workload
	// by attribute that a query asks, and code: codes of one segment are in the same ranges
	segments [][]uint32
	counted  [][]querySet // by attribute and segment
	tuple    []uint32     // scratch
}

// Counter returns a counter before the first tuple.
func (w *Workload) Counter() *Counter {
	n := len(w.attributes)
	c := &Counter{
		workload: w,
		segments: make([][]uint32, n),
		counted:  make([][]querySet, n),
		tuple:    make([]uint32, n),
	}
	c.Answers = make([]uint64, len(w.Queries))
	for a, asked := range w.asked {
		if !asked {
			continue
		}
		starts := w.starts(a)
		c.segments[a] = make([]uint32, w.attributes[a].Len())
		for segment, from := range starts {
			for code := int(from); code < len(c.segments[a]); code++ {
				c.segments[a][code] = uint32(segment)
			}
		}
		c.counted[a] = w.counted(a, len(starts), func(segment int, r Range) bool {
			return r.Lo <= starts[segment] && starts[segment] < r.Hi
		})
	}
	return c
}

// starts returns 0 and the codes at which ranges of an attribute begin or end, ascending.
func (w *Workload) starts(attribute int) []uint32 {
	starts := []uint32{0}
	for _, q := range w.Queries {
		for _, r := range q {
			if r.Attribute == attribute {
				starts = append(starts, r.Lo, r.Hi)
			}
		}
	}
	slices.Sort(starts)
	return slices.Compact(starts)
}

// Add adds tuples, given as one slice of codes for each attribute, with their counts.
func (c *Counter) Add(counts []uint64, codes [][]uint32) {
	for i, n := range counts {
		c.Records += n
		for a, segments := range c.segments {
			if segments != nil {
				c.tuple[a] = segments[codes[a][i]]
			}
		}
		c.workload.each(c.counted, c.tuple, func(query int) { c.Answers[query] += n })
	}
}
