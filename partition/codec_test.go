package partition

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/spill"
)

// codecLayouts have words without bits, words of few bits, and full words.
var codecLayouts = [][]int{
	{1}, {2}, {300, 7}, {1 << 16, 1 << 16, 1 << 16, 1 << 16},
	{1 << 20, 1 << 20, 1 << 20, 1 << 20, 3}, {1 << 32, 1 << 32, 1 << 31, 1},
}

// codecFrames returns records of a layout and their frames, one after another. Some frames are
// wide, and some are narrow because their keys agree in many bits. Some have counts, and some do
// not.
func codecFrames(r *rand.Rand, domains []int) (*Table, []byte) {
	layout := NewLayout(domains)
	all := &Table{Layout: layout}
	var chunk []byte
	for i, n := range []int{0, 1, 2, 9, 300, 1000, 9, 300, 1000} {
		t := randomTable(r, n, domains, layout)
		for i := range t.Counts {
			t.Counts[i] = []uint64{1, 127, 128, math.MaxUint32, r.Uint64()}[r.IntN(5)]
		}
		if i%2 == 0 {
			t.Counts = slices.Repeat([]uint64{1}, n)
		}
		if i >= 4 {
			for i, w := 0, layout.Words; i < len(t.Keys); i++ { // agree in most bits
				t.Keys[i] = t.Keys[i]&0x0f03_8001_0070_0185 | t.Keys[i%w]&^0x0f03_8001_0070_0185
			}
		}
		chunk = t.AppendFrame(chunk, t.Rows(0, n), Summarize(t, t.Rows(0, n)))
		all.Keys, all.Counts = append(all.Keys, t.Keys...), append(all.Counts, t.Counts...)
	}
	return all, chunk
}

func TestCodecReturnsWhatItWasGiven(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 1))
	for _, domains := range codecLayouts {
		want, chunk := codecFrames(r, domains)
		got := &Table{Layout: want.Layout}
		if err := got.Decode(slices.Clip(chunk)); err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(got.Keys, want.Keys) || !slices.Equal(got.Counts, want.Counts) {
			t.Errorf("domains %v: other records", domains)
		}
	}
}

// TestCodecNarrowsFrames expects a frame with a head and only the varying bits of its keys, rounded
// up to a whole byte for every word.
func TestCodecNarrowsFrames(t *testing.T) {
	layout := NewLayout([]int{1 << 30, 1 << 30, 1 << 30})
	table := &Table{Layout: layout}
	for i := range uint64(500) {
		table.Keys, table.Counts = append(table.Keys, i&7<<40|5, i>>3<<3|1), append(table.Counts, 1)
	}
	frame := table.AppendFrame(nil, table.Rows(0, 500), Summarize(table, table.Rows(0, 500)))
	if want := frameHead + 2*wordHead + 2*500; len(frame) != want { // 3 and 6 bits
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
			switch err := got.Decode(slices.Clip(chunk[:cut])); {
			case err == nil:
				whole++ // at most once for each frame
			case !errors.Is(err, spill.ErrCorrupt):
				t.Errorf("domains %v, cut at %d of %d: got %v", domains, cut, len(chunk), err)
			}
		}
		if whole > 9 {
			t.Errorf("domains %v: %d damaged chunks were decoded", domains, whole)
		}
	}
}
