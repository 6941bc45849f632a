package partition

import (
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/spill"
)

// TestBucketFill fills segments with records, for which they have room. The records stay in order,
// the last segment has room unless all segments are full, and fill returns all unused segments.
func TestBucketFill(t *testing.T) {
	const stride = 3
	for _, all := range []int{0, 1, 2, 5} {
		for records := 0; records <= all*2; records++ {
			s := slabs{budget: plenty(), segment: 2 * stride}
			var segments [][]uint64
			for range all {
				segment, err := s.get()
				if err != nil {
					t.Fatal(err)
				}
				segments = append(segments, segment)
			}
			var want, got []uint64
			for i := range uint64(records * stride) {
				want = append(want, i)
			}
			var b bucket
			spare := b.fill(segments, want)
			if got = b.appendTo(nil); !slices.Equal(got, want) || b.words() != len(want) {
				t.Errorf("%d records in %d segments: got %v of %d words",
					records, all, got, b.words())
			}
			if full := len(b.full); records < 2*all && len(b.last) == cap(b.last) ||
				len(spare) != max(0, all-full-1) {
				t.Errorf("%d records in %d segments: %d full, one with %d of %d words, %d unused",
					records, all, full, len(b.last), cap(b.last), len(spare))
			}
		}
	}
}

// TestSlabsInNeed gets segments until the budget is used up, and puts them back. Then it gets the
// same number of segments again. This draws no more bytes.
func TestSlabsInNeed(t *testing.T) {
	budget := spill.NewBudget(100 * segmentBytes(8))
	s := slabs{budget: budget, segment: 8}
	var taken [][]uint64
	for {
		segment, err := s.get()
		if err != nil {
			if !errors.Is(err, spill.ErrBudget) {
				t.Fatal(err)
			}
			break
		}
		taken = append(taken, append(segment, uint64(len(taken))))
	}
	for i, segment := range taken {
		if segment[0] != uint64(i) {
			t.Fatalf("segment %d was returned twice", i)
		}
	}
	if len(taken) != 100 || budget.Used() != budget.Limit() {
		t.Errorf("%d segments, %d bytes drawn of %d", len(taken), budget.Used(), budget.Limit())
	}
	s.put(taken)
	for i := range taken {
		if segment, err := s.get(); err != nil || len(segment) != 0 || cap(segment) != 8 {
			t.Fatalf("segment %d that was put back: %v, %v", i, segment, err)
		}
	}
	if s.release(); budget.Used() != 0 {
		t.Errorf("%d bytes are drawn after the release", budget.Used())
	}
}

// TestSpillCounterStaysWithinShare counts tuples that are all different. The counter must not draw
// more than its share.
func TestSpillCounterStaysWithinShare(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	codes, domains, store := make([][]uint32, 3), []int{1 << 24, 1 << 24, 1 << 24}, openStore(t)
	for c := range codes {
		for range 60_000 {
			codes[c] = append(codes[c], rng.Uint32N(1<<24))
		}
	}
	for _, share := range []int64{1 << 16, 1 << 18, 1 << 20} {
		budget := plenty()
		counter := NewCounter(domains, Space{Budget: budget, Store: store, Share: share})
		if err := counter.Add(len(codes[0]), codes, domains); err != nil {
			t.Fatal(err)
		}
		if peak := budget.Peak(); peak > share || peak < share/2 {
			t.Errorf("with a share of %d a counter has drawn %d bytes", share, peak)
		}
		if store.Stats().Chunks == 0 {
			t.Errorf("with a share of %d nothing was spilled", share)
		}
	}
}
