package risk

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/formats/formatstest"
	"github.com/kcut/kcut/internal/seedtest"
	"github.com/kcut/kcut/spill"
)

// naiveEntities returns the figures of entities by the classes of their rows, counted with maps.
func naiveEntities(classes, entities []string, k int) *Figures {
	of, all := make(map[string]map[string]bool), make(map[string]bool)
	for i, class := range classes {
		if of[class] == nil {
			of[class] = make(map[string]bool)
		}
		of[class][entities[i]], all[entities[i]] = true, true
	}
	alone, small := make(map[string]bool), make(map[string]bool)
	for _, those := range of {
		for entity := range those {
			alone[entity] = alone[entity] || len(those) == 1
			small[entity] = small[entity] || len(those) < k
		}
	}
	share := func(of map[string]bool) (share float64) {
		for _, is := range of {
			if is {
				share += 1 / float64(len(all))
			}
		}
		return share
	}
	return &Figures{Unique: share(alone), Below: share(small), Classes: int64(len(of))}
}

// agree reports whether figures agree. Figures that count a part of the classes are estimates, and
// are too high for entities in several classes.
func agree(got, want *Figures, ofEntities bool) bool {
	if got.Part == 0 {
		return math.Abs(got.Unique-want.Unique) < 1e-9 && math.Abs(got.Below-want.Below) < 1e-9 &&
			got.Classes == want.Classes
	}
	near := func(got, want float64) bool { return got > want-0.1 && (ofEntities || got < want+0.1) }
	return near(got.Unique, want.Unique) && near(got.Below, want.Below)
}

// Groups of columns of random tables count records, or entities, as maps do: all of them if there
// is room, else a part.
func TestGroupsAgreeWithNaive(t *testing.T) {
	parts := 0
	enginetest.Cases(t, seedtest.Few(60, 150), func(rng *rand.Rand) {
		header, rows := randomTable(rng)
		for range rng.IntN(4) * 1000 {
			rows = append(rows, rows[rng.IntN(len(rows))])
		}
		for i := range rows {
			rows[i] = append(rows[i][:5:5], fmt.Sprint("e", rng.IntN(1+len(rows)/(1+rng.IntN(4)))))
		}
		header = append(header, "entity")
		groups := []ColumnGroup{
			{Columns: []int{0, 1}}, {Columns: []int{1, 4}}, {Columns: []int{2}, Few: true},
		}
		r := &Request{Groups: groups, K: 2 + rng.IntN(8)}
		if rng.IntN(3) > 0 {
			r.Entity = []int{5}
		}
		budget := spill.NewBudget([]int64{64 << 20, 32 << 20}[rng.IntN(2)])
		counts, err := Count(t.Context(), openTable(t, header, rows), r, []int{0, 1, 2, 3, 4, 5},
			1+rng.IntN(3), budget, func(int64) {})
		if err != nil {
			t.Fatal(err)
		}
		for g, group := range r.Groups {
			var classes, entities []string
			for _, row := range rows {
				class := ""
				for _, c := range group.Columns {
					class += row[c] + "|"
				}
				classes, entities = append(classes, class), append(entities, row[5])
			}
			want := naive(classes, r.K)
			if r.Entity != nil {
				want = naiveEntities(classes, entities, r.K)
			}
			got := counts.Group(g)
			if !agree(got, want, r.Entity != nil) {
				t.Errorf("%+v of %d rows, entity %v: %+v, want %+v", group, len(rows), r.Entity,
					got, want)
			}
			if got.Part > 0 {
				parts++
			}
		}
		counts.Close()
		if n := budget.Used(); n != 0 {
			t.Errorf("%d bytes stay drawn", n)
		}
	})
	if parts == 0 {
		t.Error("all had room")
	}
}

// nestedTable writes rows of lists of structs, and of numbers, to a file, and returns them as
// texts.
func nestedTable(t *testing.T, rng *rand.Rand, rows int) (in *dataset.Dataset, texts [2][]string) {
	t.Helper()
	table := formatstest.ArrowTable{Nested: make(map[int]*formatstest.NestedValues)}
	for c, kind := range []int{2, 0} {
		values := formatstest.NewNested(kind, 6)
		codes := make([]uint32, rows)
		for row := range codes {
			codes[row] = uint32(rng.IntN(len(values.Texts) + 1))
			text := "null"
			if codes[row] > 0 {
				text = values.Texts[codes[row]-1]
			}
			texts[c] = append(texts[c], text)
		}
		table.Fields = append(table.Fields,
			formats.Field{Name: fmt.Sprint("nested ", c), Nullable: true})
		table.Columns = append(table.Columns, &formats.Column{Codes: codes})
		table.Nested[c] = values
	}
	path := filepath.Join(t.TempDir(), "table.arrow")
	if err := table.WriteIPC(path, 0, rows, formatstest.ArrowLayout{GroupRows: 40}); err != nil {
		t.Fatal(err)
	}
	in, err := dataset.Open(t.Context(), []string{path}, formats.ReadOptions{BatchRows: 7})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	return in, texts
}

// Rows of nested columns are equal if their values are, whichever batch they are in.
func TestNestedAgreesWithNaive(t *testing.T) {
	enginetest.Cases(t, 40, func(rng *rand.Rand) {
		in, texts := nestedTable(t, rng, 1+rng.IntN(300))
		groups := []ColumnGroup{
			{Columns: []int{0}}, {Columns: []int{1}}, {Columns: []int{0, 1}},
		}
		r := &Request{Groups: groups, K: 3}
		counts, err := Count(t.Context(), in, r, []int{0, 1}, 1+rng.IntN(3),
			spill.NewBudget(64<<20), func(int64) {})
		if err != nil {
			t.Fatal(err)
		}
		defer counts.Close()
		var both []string
		for row, text := range texts[0] {
			both = append(both, text+"|"+texts[1][row])
		}
		for g, rows := range [][]string{texts[0], texts[1], both} {
			if got, want := counts.Group(g), naive(rows, 3); !near(got, want) {
				t.Errorf("group %d of %d rows: %+v, want %+v", g, len(rows), got, want)
			}
		}
	})
}
