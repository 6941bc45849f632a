package partition

import (
	"encoding/binary"
	"maps"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kcut/kcut/internal/seedtest"
)

// randomTable returns a table of n records over the given domains, some equal.
func randomTable(r *rand.Rand, n int, domains []int, layout Layout) *Table {
	t := &Table{Layout: layout}
	for range n {
		key := make([]uint64, t.Layout.Words)
		for i, f := range t.Layout.Fields {
			key[f.Word] |= uint64(r.IntN(domains[i])) << f.Shift
		}
		t.Keys = append(t.Keys, key...)
		t.Counts = append(t.Counts, 1+uint64(r.IntN(3)))
	}
	return t
}

// appendCode appends a code to the bytes that identify a tuple.
func appendCode(key []byte, code uint32) []byte {
	return binary.LittleEndian.AppendUint32(key, code)
}

// tuples returns the sums of counts by tuple, with every code mapped.
func (t *Table) tuples(codes [][]uint32) map[string]uint64 {
	sums := map[string]uint64{}
	w := t.Layout.Words
	var tuple []byte
	for i, n := range t.Counts {
		tuple = tuple[:0]
		for c, f := range t.Layout.Fields {
			code := f.Code(t.Keys[i*w : (i+1)*w])
			if codes != nil {
				code = codes[c][code]
			}
			tuple = appendCode(tuple, code)
		}
		sums[string(tuple)] += n
	}
	return sums
}

func TestRecodeMergesEqualTuples(t *testing.T) {
	seed := seedtest.Seed(t)
	for i, domains := range [][]int{
		{1}, {2, 3}, {5, 1, 7}, {300, 200, 100},
		{1 << 15, 1 << 15, 1 << 15, 9, 1 << 15, 1 << 15},
	} {
		for _, n := range []int{0, 1, 500, 3 * shardRecords, 9 * leastTaken} {
			r := rand.New(rand.NewPCG(seed, uint64(i)))
			table := randomTable(r, n, domains, NewLayout(domains))
			codes, to := make([][]uint32, len(domains)), make([]int, len(domains))
			for c, d := range domains {
				to[c] = 1 + r.IntN(d)
				for range d {
					codes[c] = append(codes[c], uint32(r.IntN(to[c])))
				}
			}
			want := table.tuples(codes)
			got := table.Recode(codes, to, 1+r.IntN(4))
			if !maps.Equal(got.tuples(nil), want) {
				t.Errorf("seed %d: domains %v, %d records: sums differ", seed, domains, n)
			}
			if got.Len() != len(want) {
				t.Errorf("seed %d: domains %v, %d records: %d tuples, want %d",
					seed, domains, n, got.Len(), len(want))
			}
		}
	}
}

// Maps may have more codes than the keys have room for. No tuple has these codes. The codes of
// joined fields still take only the room of their bits.
func TestTranslateByLongMaps(t *testing.T) {
	domains := []int{2, 17}
	table := randomTable(rand.New(rand.NewPCG(1, 2)), 500, domains, NewLayout(domains))
	codes := [][]uint32{{1, 0, 2}, make([]uint32, 1<<16)}
	for code := range 17 {
		codes[1][code] = uint32(16 - code)
	}
	want := table.tuples(codes)
	for _, f := range newRepacking(table.Layout, NewLayout([]int{3, 17}), codes).fields {
		if len(f.codes) > 1<<joinedBits {
			t.Errorf("%d codes for %d bits", len(f.codes), f.from.bits())
		}
	}
	table.Translate(codes, []int{3, 17}, 1)
	if got := table.tuples(nil); !maps.Equal(got, want) {
		t.Errorf("tuples %v, want %v", got, want)
	}
}

// TestCoarsenMergesWherePaying expects a merge if it pays. The sums are the same with and without a
// merge.
func TestCoarsenMergesWherePaying(t *testing.T) {
	seed := seedtest.Seed(t)
	for _, test := range []struct {
		records, distinct int
		merged            bool
	}{
		{mergePays / 2, 1 << 20, true}, // a small table is always merged
		{2 * mergePays, 1 << 20, false},
		{2 * mergePays, mergePays / 2, true},
	} {
		for _, columns := range []int{1, 4} { // keys of one word, and of two words
			r := rand.New(rand.NewPCG(seed, uint64(columns)))
			domains, codes := make([]int, columns), make([][]uint32, columns)
			for c := range columns {
				domains[c], codes[c] = 1<<20, make([]uint32, 1<<20)
			}
			for code := range codes[columns-1] {
				codes[columns-1][code] = uint32(code % test.distinct)
			}
			table := randomTable(r, test.records, domains, NewLayout(domains))
			want := table.tuples(codes)
			got := table.Coarsen(codes, domains, 2)
			if !maps.Equal(got.tuples(nil), want) {
				t.Errorf("seed %d: %d records of %d tuples, %d columns: sums differ",
					seed, test.records, test.distinct, columns)
			}
			if merged := got.Len() == len(want); merged != test.merged {
				t.Errorf("seed %d: %d records of %d tuples, %d columns: merged %t",
					seed, test.records, test.distinct, columns, merged)
			}
		}
	}
}

func TestRecodeAddsUpLargeCounts(t *testing.T) {
	table := &Table{
		Layout: NewLayout([]int{3}),
		Keys:   []uint64{0, 1, 2},
		Counts: []uint64{math.MaxUint32, math.MaxUint32, 5},
	}
	table.Recode([][]uint32{{0, 0, 0}}, []int{1}, 2)
	if want := uint64(2*math.MaxUint32 + 5); table.Len() != 1 || table.Counts[0] != want {
		t.Errorf("sums %d, want %d", table.Counts, want)
	}
}
