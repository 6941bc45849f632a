package partition

import (
	"errors"
	"maps"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/spill"
)

// codecLayouts have words of no bits, of few, and full ones.
var codecLayouts = [][]int{
	{1}, {2}, {300, 7}, {1 << 16, 1 << 16, 1 << 16, 1 << 16}, {1 << 20, 1 << 20, 1 << 20, 1 << 20, 3}, {1 << 32, 1 << 32, 1 << 31, 1},
}

func TestCodecReturnsWhatItWasGiven(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, domains := range codecLayouts {
		layout := NewLayout(domains)
		c := newCodec(layout)
		var chunk []byte
		want := &Table{Layout: layout}
		for _, n := range []int{0, 1, 2, 9, 1000} {
			frame := randomTable(r, n, domains, layout)
			for i := range frame.Counts {
				frame.Counts[i] = []uint32{1, 127, 128, math.MaxUint32, r.Uint32()}[r.IntN(5)]
			}
			before := len(chunk)
			chunk = c.encode(chunk, frame.Keys, frame.Counts)
			if got, want := len(chunk)-before, c.size(frame.Counts); got != want {
				t.Errorf("domains %v: a frame of %d bytes, want %d", domains, got, want)
			}
			want.Keys, want.Counts = append(want.Keys, frame.Keys...), append(want.Counts, frame.Counts...)
		}
		got := &Table{Layout: layout}
		if err := c.decode(slices.Clip(chunk), got); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Keys, want.Keys) || !slices.Equal(got.Counts, want.Counts) {
			t.Errorf("domains %v: other records", domains)
		}
	}
}

func TestCodecRefusesWhatIsNoChunk(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, domains := range codecLayouts {
		c := newCodec(NewLayout(domains))
		table := randomTable(r, 20, domains, NewLayout(domains))
		chunk := c.encode(nil, table.Keys, table.Counts)
		for cut := 1; cut < len(chunk); cut++ {
			if err := c.decode(slices.Clip(chunk[:cut]), &Table{Layout: table.Layout}); !errors.Is(err, spill.ErrCorrupt) {
				t.Errorf("domains %v, cut at %d of %d: got %v", domains, cut, len(chunk), err)
			}
		}
	}
}

// TestJoiningMergesBelowDeadFields wants records that differ in dead fields alone merged,
// their own counts kept, and the attempt given up where it does not pay.
func TestJoiningMergesBelowDeadFields(t *testing.T) {
	r := rand.New(rand.NewPCG(2, 2))
	domains := []int{50, 8, 1 << 20}
	layout := NewLayout(domains)
	for _, tt := range []struct {
		name   string
		fields []active
		merges bool
	}{
		{"two small fields alive", []active{{field: 0}, {field: 1}}, true},
		{"a large field alive", []active{{field: 2}}, false},
		{"all alive", []active{{field: 0}, {field: 1}, {field: 2}}, false},
	} {
		table := randomTable(r, 8000, domains, layout)
		var alive [][]uint32 // codes, all 0 in dead fields
		for i, d := range domains {
			codes := make([]uint32, d)
			for code := range codes {
				if position(tt.fields, i) >= 0 {
					codes[code] = uint32(code)
				}
			}
			alive = append(alive, codes)
		}
		sums := table.tuples(alive)
		j := newJoining(layout, tt.fields, table.Keys[:layout.Words])
		var to joined
		all := &Table{Layout: layout}
		for lo := 0; lo < table.Len(); lo += 2000 {
			block, a, b := j.join(table, lo, lo+2000, &to)
			all.Keys = append(all.Keys, block.Keys[a*layout.Words:b*layout.Words]...)
			all.Counts = append(all.Counts, block.Counts[a:b]...)
		}
		if got := all.Len() <= 4*50*8; got != tt.merges || j.off == tt.merges {
			t.Errorf("%s: %d records left of %d, off %t", tt.name, all.Len(), table.Len(), j.off)
		}
		if !maps.Equal(all.tuples(alive), sums) {
			t.Errorf("%s: other sums", tt.name)
		}
	}
}
