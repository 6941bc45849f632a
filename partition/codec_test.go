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

// codecFrames returns records of a layout, and their frames one after the other: some wide,
// some narrow because their keys agree in many bits, some with counts and some without.
func codecFrames(r *rand.Rand, domains []int) (*Table, []byte) {
	layout := NewLayout(domains)
	c, all := newCodec(layout), &Table{Layout: layout}
	var chunk []byte
	for i, n := range []int{0, 1, 2, 9, 300, 1000, 9, 300, 1000} {
		t := randomTable(r, n, domains, layout)
		for i := range t.Counts {
			t.Counts[i] = []uint32{1, 127, 128, math.MaxUint32, r.Uint32()}[r.IntN(5)]
		}
		if i%2 == 0 {
			t.Counts = appendOnes(nil, n)
		}
		if i < 4 {
			chunk = c.encode(chunk, t.Keys, t.Counts)
		} else {
			for i, w := 0, layout.Words; i < len(t.Keys); i++ { // agree in most bits
				t.Keys[i] = t.Keys[i]&0x0f03_8001_0070_0185 | t.Keys[i%w]&^0x0f03_8001_0070_0185
			}
			f := c.fragment(t, 0, n, t.size())
			chunk = append(chunk, f.frame...)
		}
		all.Keys, all.Counts = append(all.Keys, t.Keys...), append(all.Counts, t.Counts...)
	}
	return all, chunk
}

func TestCodecReturnsWhatItWasGiven(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, domains := range codecLayouts {
		want, chunk := codecFrames(r, domains)
		got := &Table{Layout: want.Layout}
		if err := newCodec(want.Layout).decode(slices.Clip(chunk), got); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Keys, want.Keys) || !slices.Equal(got.Counts, want.Counts) {
			t.Errorf("domains %v: other records", domains)
		}
	}
}

// TestCodecNarrowsFrames wants frames to have no more bits than vary in their keys, rounded
// up to a byte for every word, and a head.
func TestCodecNarrowsFrames(t *testing.T) {
	layout := NewLayout([]int{1 << 30, 1 << 30, 1 << 30})
	table := &Table{Layout: layout}
	for i := range uint64(500) {
		table.Keys, table.Counts = append(table.Keys, i&7<<40|5, i>>3<<3|1), append(table.Counts, 1)
	}
	frame := newCodec(layout).fragment(table, 0, 500, 500).frame
	if want := frameHead + 2*packingHead + 2*500; len(frame) != want { // 3 and 6 bits
		t.Errorf("a frame of %d bytes, want %d", len(frame), want)
	}
}

func TestCodecRefusesWhatIsNoChunk(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, domains := range codecLayouts {
		table, chunk := codecFrames(r, domains)
		whole := 0
		for cut := 1; cut < len(chunk); cut += 1 + cut/50 {
			got := &Table{Layout: table.Layout}
			switch err := newCodec(table.Layout).decode(slices.Clip(chunk[:cut]), got); {
			case err == nil:
				whole++ // as many as there are frames, at most
			case !errors.Is(err, spill.ErrCorrupt):
				t.Errorf("domains %v, cut at %d of %d: got %v", domains, cut, len(chunk), err)
			}
		}
		if whole > 9 {
			t.Errorf("domains %v: %d damaged chunks were decoded", domains, whole)
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
		var j joining
		var to joined
		j.begin(layout, tt.fields, table.Keys[:layout.Words])
		j.level(table, 0, table.Len())
		to.merge(table, 0, table.Len())
		all := &to.table
		if got := all.Len() <= 50*8; got != tt.merges {
			t.Errorf("%s: %d records left of %d", tt.name, all.Len(), table.Len())
		}
		if !maps.Equal(all.tuples(alive), sums) {
			t.Errorf("%s: other sums", tt.name)
		}
	}
}
