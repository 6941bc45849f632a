package count

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// profileTable is a table of texts, with "" for null. It has the masked columns few, many and
// number, a class, two sensitive columns, and a column that names the entity of a row.
type profileTable struct {
	rows [][]string
	*Request
}

// newProfileTable draws a table of at most the given number of rows, and a request for it.
func newProfileTable(t *testing.T, rng *rand.Rand, rows int) profileTable {
	t.Helper()
	columns := []Column{
		{Field: 0, Spec: &job.Column{Name: "few", Mask: job.MaskSuppress}},
		{
			Field: 1, Spec: &job.Column{Name: "many", Mask: job.MaskGeneralize},
			Taxonomy: job.Taxonomy{Prefix: []int{2, 1}},
		},
		{Field: 2, Spec: &job.Column{Name: "number", Mask: job.MaskDiscretize}},
	}
	k := profileTable{Request: &Request{
		Masked: 3, Class: -1, Profile: &ProfileColumns{}, Columns: columns,
	}}
	if rng.IntN(3) > 0 {
		k.Class = k.add(3)
	}
	sensitive := [][]int{nil, {4}, {4, 5}, {5}}[rng.IntN(4)]
	for _, field := range sensitive {
		k.Profile.Sensitive = append(k.Profile.Sensitive, k.add(field))
	}
	if k.Class >= 0 && rng.IntN(4) == 0 {
		k.Profile.Sensitive = append(k.Profile.Sensitive, k.Class)
	}
	if k.Profile.Entities = len(k.Profile.Sensitive) == 0 || rng.IntN(2) == 0; k.Profile.Entities {
		k.add(6)
	}
	k.Groupings = []Grouping{
		{Columns: []int{0, 1, 2, k.ProfilePosition()}},
		{Columns: []int{2, k.ProfilePosition()}, Weighted: k.Profile.Entities},
		{Columns: []int{1, 0}},
	}
	k.write(t, rng, 1+rng.IntN(rows))
	return k
}

// write draws the given number of rows, and opens them as several files.
func (k *profileTable) write(t *testing.T, rng *rand.Rand, rows int) {
	t.Helper()
	k.rows = nil
	people := 1 + rng.IntN(rows)
	for range rows {
		row := []string{
			fmt.Sprint("f", rng.IntN(4)), fmt.Sprint("m", rng.IntN(1+min(rows/2, 3000))),
			fmt.Sprint(rng.IntN(30 + rows/1000)), fmt.Sprint("c", rng.IntN(3)),
			fmt.Sprint("s", rng.IntN(5)), fmt.Sprint(rng.IntN(4)),
			fmt.Sprint("p", int(float64(people)*rng.Float64()*rng.Float64())),
		}
		for i := range row {
			if rng.IntN(20) == 0 {
				row[i] = ""
			}
		}
		k.rows = append(k.rows, row)
	}
	var paths []string
	for part := range slices.Chunk(k.rows, 1+len(k.rows)/3) {
		lines := []string{"few,many,number,class,s1,s2,person"}
		for _, row := range part {
			lines = append(lines, strings.Join(row, ","))
		}
		paths = append(paths, filepath.Join(t.TempDir(), fmt.Sprint("part", len(paths), ".csv")))
		text := []byte(strings.Join(lines, "\n") + "\n")
		if err := os.WriteFile(paths[len(paths)-1], text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	types := map[string]formats.Type{
		"number": {Kind: formats.Int, Bits: 64}, "s2": {Kind: formats.Int, Bits: 64},
	}
	for _, name := range []string{"few", "many", "class", "s1", "person"} {
		types[name] = formats.Type{Kind: formats.String}
	}
	in, err := dataset.Open(t.Context(), paths, formats.ReadOptions{BatchRows: 64, Types: types})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { in.Close() })
	k.Dataset = in
}

func (k *profileTable) add(field int) int {
	k.Columns = append(k.Columns, Column{Field: field})
	return len(k.Columns) - 1
}

// addEntities returns the entities of some records, which have the given hashes. The positions of
// counts have at most the given number of bits.
func addEntities(t *testing.T, hashes []uint64, most int) *entities {
	t.Helper()
	e, err := newEntities(uint64(len(hashes)), spill.NewBudget(1<<30))
	if err != nil {
		t.Fatal(err)
	}
	e.bits = min(e.bits, most)
	records := map[uint64]uint64{}
	for _, hash := range hashes {
		records[entityKey(hash)]++
	}
	for _, key := range slices.Sorted(maps.Keys(records)) {
		if err := e.add(key, min(records[key], greatest)); err != nil {
			t.Fatal(err)
		}
	}
	return e
}

// hashes returns the hashes of the entities of all rows.
func (k *profileTable) hashes() (hashes []uint64) {
	values := formats.Values{Type: formats.Type{Kind: formats.String}}
	for _, row := range k.rows {
		hash := uint64(risk.Null)
		if row[6] != "" {
			values.AppendBytes([]byte(row[6]))
			hash = hashOf(&values, values.Len()-1)
		}
		hashes = append(hashes, hash)
	}
	return hashes
}

// entities returns the entities of all rows, and the weight of every row.
func (k *profileTable) entities(t *testing.T) (e *entities, weights []uint32) {
	t.Helper()
	hashes := k.hashes()
	e = addEntities(t, hashes, mostPlaces)
	for _, hash := range hashes {
		weights = append(weights, e.weight(hash))
	}
	return e, weights
}

// naive returns the tuples of a grouping, as texts, with their sizes.
func (k *profileTable) naive(g Grouping, weights []uint32) map[string]uint64 {
	tuples := map[string]uint64{}
	for i, row := range k.rows {
		var tuple []string
		for _, column := range g.Columns {
			if column < len(k.Columns) {
				tuple = append(tuple, row[column])
				continue
			}
			if k.Class >= 0 {
				tuple = append(tuple, row[k.Columns[k.Class].Field])
			}
			for _, s := range k.Profile.Sensitive {
				tuple = append(tuple, row[k.Columns[s].Field])
			}
			if k.Profile.Entities {
				tuple = append(tuple, fmt.Sprint(weights[i]))
			}
		}
		size := uint64(1)
		if g.Weighted {
			size = uint64(weights[i])
		}
		if size > 0 {
			tuples[strings.Join(tuple, ",")] += size
		}
	}
	return tuples
}

// tuples returns the tuples of a counted grouping, as texts, with their sizes.
func (k *profileTable) tuples(
	t *testing.T, c *Counts, g int, space partition.Space,
) map[string]uint64 {
	t.Helper()
	tuples, profiles := map[string]uint64{}, c.Table.Kinds
	err := c.Table.Groupings[g].Scan(t.Context(), space, func(block *partition.Table) error {
		for i, n := range block.Counts {
			var tuple []string
			for f, column := range k.Groupings[g].Columns {
				code := block.Layout.Fields[f].Code(block.Keys[i*block.Layout.Words:])
				if column < len(k.Columns) {
					tuple = append(tuple, c.Table.Attributes[column].Label(int(code)).Text)
					continue
				}
				if k.Class >= 0 {
					tuple = append(tuple, c.Table.ClassNames[profiles.Class[code]].Text)
				}
				for _, s := range profiles.Sensitive {
					tuple = append(tuple, s.Values[s.Code[code]].Text)
				}
				if profiles.Weight != nil {
					tuple = append(tuple, fmt.Sprint(profiles.Weight[code]))
				}
			}
			tuples[strings.Join(tuple, ",")] += uint64(n)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return tuples
}

// count counts the table in a random way.
func (k *profileTable) count(
	t *testing.T, rng *rand.Rand, memory int64,
) (*Counts, partition.Space) {
	t.Helper()
	r := *k.Request
	r.Tuning = []Tuning{{}, {Many: 20}, {Spill: true, Room: 20}, {Spill: true}}[rng.IntN(4)]
	budget := spill.NewBudget(memory)
	var store *spill.Store
	res := &Resources{
		Budget: budget, Threads: 1 + rng.IntN(3), Advanced: func(done, total int64) {
			if done > total {
				t.Errorf("%d rows of %d are read", done, total)
			}
		},
		Open: func(string) (_ *spill.Store, err error) {
			if store == nil {
				store, err = spill.Open(t.TempDir(), spill.Options{Budget: budget})
				t.Cleanup(func() { store.Close() })
			}
			return store, err
		},
		Store: func() *spill.Store { return store },
	}
	c, err := Input(t.Context(), &r, res)
	if err != nil {
		t.Fatal(err)
	}
	return c, partition.Space{Budget: budget, Store: store}
}

// TestProfilesAgreeWithNaive counts random tables in one reading and in two readings, in memory and
// in a store, on any number of threads. Tuples, histograms and sizes must agree with the rows. The
// sensitive profiles must be in order.
func TestProfilesAgreeWithNaive(t *testing.T) {
	twice := 0
	enginetest.Cases(t, 150, func(rng *rand.Rand) {
		k := newProfileTable(t, rng, 300)
		e, weights := k.entities(t)
		c, space := k.count(t, rng, 64<<20)
		if c.Columns[0].Codes == nil {
			twice++
		}
		k.checkTuples(t, c, space, weights)
		k.check(t, c, e, weights)
	})
	if !t.Failed() && twice == 0 {
		t.Error("no table was read twice")
	}
}

func (k *profileTable) checkTuples(
	t *testing.T, c *Counts, space partition.Space, weights []uint32,
) {
	t.Helper()
	for g := range k.Groupings {
		got, want := k.tuples(t, c, g, space), k.naive(k.Groupings[g], weights)
		if !maps.Equal(got, want) {
			t.Fatalf("grouping %d: got %v, want %v", g, got, want)
		}
	}
}

func (k *profileTable) check(t *testing.T, c *Counts, e *entities, weights []uint32) {
	t.Helper()
	profiles, whole := c.Table.Kinds, uint64(0)
	for profile := 1; profile < profiles.Len(); profile++ {
		if k.compare(profiles, profile-1, profile) >= 0 {
			t.Fatalf("profiles are not in order: %+v", profiles)
		}
	}
	for i := range k.rows {
		whole += uint64(weights[i])
	}
	if !k.Profile.Entities {
		whole = uint64(len(k.rows))
	} else if whole = (whole + unit - 1) / unit; profiles.Unit != unit {
		t.Errorf("the unit is %d, want %d", profiles.Unit, unit)
	}
	if c.Table.Whole.Size != whole {
		t.Errorf("all records have the size %d, want %d", c.Table.Whole.Size, whole)
	}
	for a, h := range c.Table.Histograms {
		for code := range h.Len() {
			text, size := c.Table.Attributes[a].Label(code).Text, uint64(0)
			classes := make([]uint64, max(1, c.Table.Classes))
			for i, row := range k.rows {
				if row[a] == text {
					size += uint64(weights[i])
					classes[k.classOf(c, row)]++
				}
			}
			for i := h.Start[code]; i < h.Start[code+1]; i++ {
				classes[h.Class[i]] -= h.Count[i]
			}
			if slices.Max(classes) > 0 {
				t.Errorf("histogram %d, value %d: wrong by %v", a, code, classes)
			}
			if (c.Table.Sizes != nil) != k.Profile.Entities ||
				k.Profile.Entities && c.Table.Sizes[a][code] != size {
				t.Errorf("sizes %v, value %d has %d", c.Table.Sizes, code, size)
			}
		}
	}
	for s, column := range k.Profile.Sensitive {
		for code, value := range profiles.Sensitive[s].Values {
			n := uint64(0)
			for _, row := range k.rows {
				if row[k.Columns[column].Field] == value.Text {
					n++
				}
			}
			if c.Table.Whole.Values[s][code] != n || value.Null != (value.Text == "") {
				t.Errorf("%d records of sensitive value %+v, want %d",
					c.Table.Whole.Values[s][code], value, n)
			}
		}
	}
}

// classOf returns the number of a row's class.
func (k *profileTable) classOf(c *Counts, row []string) int {
	if k.Class < 0 {
		return 0
	}
	return slices.IndexFunc(c.Table.ClassNames, func(l engine.Label) bool {
		return l.Text == row[3]
	})
}

// compare orders profiles by class, sensitive values and weight.
func (k *profileTable) compare(profiles *engine.Kinds, a, b int) int {
	order := cmp.Compare(profiles.Class[a], profiles.Class[b])
	for _, s := range profiles.Sensitive {
		order = cmp.Or(order, cmp.Compare(s.Code[a], s.Code[b]))
	}
	if profiles.Weight != nil {
		order = cmp.Or(order, cmp.Compare(profiles.Weight[a], profiles.Weight[b]))
	}
	return order
}

// TestProfilesInStore counts more tuples than fit the memory.
func TestProfilesInStore(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	k := newProfileTable(t, rng, 1)
	for !k.Profile.Entities || len(k.Profile.Sensitive) == 0 {
		k = newProfileTable(t, rng, 1)
	}
	k.write(t, rng, 200_000)
	_, weights := k.entities(t)
	k.Groupings = append(k.Groupings, k.Groupings[0], k.Groupings[0])
	k.Spill = true
	c, space := k.count(t, rng, 16<<20)
	if !c.Table.Groupings[0].Spilled() {
		t.Error("no tuples are in the store")
	}
	k.checkTuples(t, c, space, weights)
}

// TestPruningByWeights expects one common code for all values of a suppressed column that too few
// people have, even if these people have many rows. The other values have the right sizes.
func TestPruningByWeights(t *testing.T) {
	enginetest.Cases(t, 60, func(rng *rand.Rand) {
		k := newProfileTable(t, rng, 300)
		_, weights := k.entities(t)
		least := uint64(1 + rng.IntN(20))
		for i := range k.Masked {
			k.Columns[i].Pruning = engine.Pruning{K: least, Classes: k.Class >= 0}
		}
		c, _ := k.count(t, rng, 64<<20)
		sizes := map[string]uint64{}
		for i, row := range k.rows {
			if sizes[row[0]]++; k.Profile.Entities {
				sizes[row[0]] += uint64(weights[i]) - 1
			}
		}
		a := &c.Table.Attributes[0]
		for text, size := range sizes {
			named := slices.Contains(a.Texts, text) || text == "" && a.HasNull
			if named != (size >= c.Table.Kinds.LeastWeight(least)) {
				t.Errorf("a value of weight %d is named: %t, k is %d", size, named, least)
			}
		}
	})
}

// fewEntities sets mostEntities to a number that is smaller than the number of entities, equal to
// it, or larger.
func fewEntities(t *testing.T, rng *rand.Rand, entities int) {
	t.Helper()
	was := mostEntities
	mostEntities = uint64(max(1, entities+rng.IntN(3)-1))
	if rng.IntN(2) == 0 {
		mostEntities = uint64(1 + rng.IntN(2*entities))
	}
	t.Cleanup(func() { mostEntities = was })
}

// TestEntities expects that no count is below the number of an entity's records, that a list has
// exact numbers, and that the records of an entity together weigh at most unit.
func TestEntities(t *testing.T) {
	lists, sketches := 0, 0
	enginetest.Cases(t, 100, func(rng *rand.Rand) {
		rows, exact := 1+rng.IntN(5000), map[uint64]uint64{}
		hashes := make([]uint64, rows)
		people := 1 + rng.IntN(rows)
		fewEntities(t, rng, people)
		for i := range hashes {
			hashes[i] = risk.Scatter(uint64(float64(people) * rng.Float64() * rng.Float64()))
		}
		if rng.IntN(2) == 0 { // near the largest count
			hashes = append(hashes, slices.Repeat([]uint64{hashes[0]}, greatest-2+rng.IntN(4))...)
		}
		for _, hash := range hashes {
			exact[hash]++
		}
		e := addEntities(t, hashes, 4+rng.IntN(8)) // few places, so that entities share them
		if uint64(len(exact)) <= mostEntities {
			lists++
		} else {
			sketches++
		}
		for hash, n := range exact {
			got := e.records(hash)
			if got < min(n, greatest) || got > min(n, greatest) && e.number() > 0 {
				t.Errorf("%d records are counted as %d", n, got)
			}
			if n*uint64(e.weight(hash)) > unit {
				t.Errorf("%d records weigh %d of %d each", n, e.weight(hash), unit)
			}
		}
		want := uint64(len(exact))
		if want <= mostEntities && e.number() != want || want > mostEntities && e.number() > 0 {
			t.Errorf("the number of entities is %d, want %d", e.number(), want)
		}
	})
	if !t.Failed() && (lists == 0 || sketches == 0) {
		t.Errorf("%d lists and %d sketches were made", lists, sketches)
	}
}

// TestCountProfilesWithoutAllocatingPerRow numbers known profiles.
func TestCountProfilesWithoutAllocatingPerRow(t *testing.T) {
	r := &Request{
		Class: -1, Profile: &ProfileColumns{Sensitive: []int{0}, Entities: true},
		Columns: make([]Column, 2),
	}
	w := r.newProfiles(spill.NewBudget(1 << 20)).newNumbering()
	codes := make([][]uint32, 2)
	for i := range countRows {
		codes[0], codes[1] = append(codes[0], uint32(i%5)), append(codes[1], uint32(840/(1+i%7)))
	}
	number := func() {
		if _, above, err := w.number(noClasses[:], codes); err != nil || above != 36 {
			t.Fatalf("%d profiles, %v", above-1, err)
		}
	}
	number()
	if got := testing.AllocsPerRun(10, number); got != 0 {
		t.Errorf("%v allocations", got)
	}
}
