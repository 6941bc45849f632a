package kactus

import (
	"context"
	"maps"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/cells"
)

// figure is the tree of the paper's figure 1, by the lines of its nodes; line 0 is the root.
type figure struct {
	parent map[int]int
	leaves map[int]uint32 // number of their records
}

func (f figure) Parent(line int) int {
	if line == 0 {
		return -1
	}
	return f.parent[line]
}

func (f figure) Number(line int) int { return line }

var figure1 = figure{
	parent: map[int]int{
		1: 0, 2: 1, 3: 1, 4: 1, 5: 1, 6: 1, 7: 6, 8: 6, 9: 8, 10: 9, 11: 9, 12: 9, 13: 9, 14: 9,
		15: 8, 16: 8, 17: 8, 18: 8, 19: 8, 20: 19, 21: 19, 22: 8, 23: 0,
	},
	leaves: map[int]uint32{
		2: 271, 3: 713, 4: 158, 5: 3436, 7: 69, 10: 6, 11: 190, 12: 3, 13: 1, 14: 2,
		15: 39, 16: 8, 17: 16, 18: 23, 20: 42, 21: 4, 22: 0, 23: 16,
	},
}

// TestFigures follows figures 1 to 4, in which k is 100, and continues to the root.
func TestFigures(t *testing.T) {
	s := newSearch(Engine{Seed: 1},
		&engine.Table{Attributes: []engine.Attribute{{Texts: make([]string, 24)}}},
		engine.Set{K: 100}, nil)
	close := func(line int, want uint64) {
		t.Helper()
		if err := s.suppress(figure1, line); err != nil {
			t.Fatal(err)
		}
		if line == 0 {
			return
		}
		if b := s.bags[len(s.bags)-1]; b.node != line || b.size != want {
			t.Errorf("node %d has %d records, want node %d with %d", b.node, b.size, line, want)
		}
	}
	for line := 2; line <= 23; line++ {
		if records, ok := figure1.leaves[line]; ok {
			packLeaf(t, s, line, uint64(records))
		}
		switch line {
		case 14:
			close(9, 100)
		case 21:
			close(19, 46)
		case 22:
			close(8, 132)
			close(6, 100)
			close(1, 0)
		case 23:
			close(0, 16)
		}
	}
	want := map[int]uint64{2: 271, 3: 713, 4: 158, 5: 3436, 6: 100, 8: 101, 9: 100, 11: 102}
	if got := s.sizes(figure1); !maps.Equal(got, want) || s.dropped != 16 {
		t.Errorf("got groups %v and %d dropped, want %v and 16", got, s.dropped, want)
	}
}

// packLeaf makes a leaf of records of one cell.
func packLeaf(t *testing.T, s *search, line int, records uint64) {
	t.Helper()
	table := &partition.Table{Layout: partition.NewLayout([]int{24})}
	if records > 0 {
		table.Keys, table.Counts = []uint64{uint64(line)}, []uint64{records}
	}
	cells, err := cells.New(table, 0, partition.Space{})
	if err != nil {
		t.Fatal(err)
	}
	s.keys.Fields = cells.Layout().Fields
	if err := s.pack(context.Background(), figure1, line, cells); err != nil {
		t.Fatal(err)
	}
}

// sizes returns the sizes of the groups: the records in the leaves below them that no nearer group
// has, and those that moved to them.
func (s *search) sizes(f figure) map[int]uint64 {
	sizes := map[int]uint64{}
	for group := range s.groups {
		sizes[group] = 0
	}
	for line, records := range f.leaves {
		for ; line >= 0; line = f.Parent(line) {
			if _, ok := sizes[line]; ok {
				sizes[line] += uint64(records)
				break
			}
		}
	}
	for cell := range s.moved.Len() {
		parts := s.moved.Parts(cell)
		for _, p := range parts[1:] {
			sizes[int(parts[0].Region)] -= p.Count
			sizes[int(p.Region)] += p.Count
		}
	}
	return sizes
}
