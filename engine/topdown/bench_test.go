package topdown_test

import (
	"fmt"
	"testing"
)

// BenchmarkSearchSpilled searches nearly unique records of 14 attributes in the same memory,
// whatever their number: what grows of time a record is what does not scale.
func BenchmarkSearchSpilled(b *testing.B) {
	const limit = 8 << 20
	for _, records := range []int{1_000_000, 4_000_000} {
		b.Run(fmt.Sprintf("records=%d", records), func(b *testing.B) {
			p := newPeople(records)
			var s searched
			for b.Loop() {
				s = p.searchIn(b, limit)
			}
			b.ReportMetric(s.each(s.took), "ns/record")
			b.ReportMetric(s.each(s.cpu), "cpu-ns/record")
			b.ReportMetric(s.touched(), "touched/record")
			b.ReportMetric(s.ofTable(s.written), "written/table")
			b.ReportMetric(s.ofTable(s.read), "read/table")
			b.ReportMetric(s.ofTable(s.peak), "peak/table")
		})
	}
}

// BenchmarkSearchInMemory searches nearly unique records of 14 attributes in memory.
func BenchmarkSearchInMemory(b *testing.B) {
	for _, records := range []int{250_000, 500_000, 1_000_000, 2_000_000, 4_000_000} {
		b.Run(fmt.Sprintf("records=%d", records), func(b *testing.B) {
			p := newPeople(records)
			var s searched
			for b.Loop() {
				s = p.searchInMemory(b)
			}
			b.ReportMetric(s.each(s.took), "ns/record")
			b.ReportMetric(s.each(s.cpu), "cpu-ns/record")
			b.ReportMetric(s.touched(), "touched/record")
		})
	}
}
