package verify

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/pipeline/cutfile"
)

// A class of one value counts the less, the more of the release has the value. It counts whole
// where there are more values than are counted, in whichever order they come.
func TestGained(t *testing.T) {
	const records, mixedClass = 1 << 14, 1 << 12
	for _, tt := range []struct {
		others uint64 // values of one record each, in the class that is mixed
		want   float64
	}{
		{0, 0}, {1, 0.75 / records}, {mostValues - 1, 0.75 * (mostValues - 1) / records},
		{mostValues, 0.75},
	} {
		for _, mixedFirst := range []bool{false, true} {
			r := &rules{cut: &cutfile.File{Class: "income"}, lone: []loneColumn{{name: "income"}}}
			whole := r.newWhole(0)
			for _, mixes := range []bool{mixedFirst, !mixedFirst} {
				if !mixes {
					must(t, whole[0].add([]uint64{0}, records-mixedClass))
				} else if tt.others < mixedClass {
					must(t, whole[0].add([]uint64{0}, mixedClass-tt.others))
				}
				for i := range tt.others {
					if mixes {
						must(t, whole[0].add([]uint64{1 + i}, 1))
					}
				}
			}
			v := verifier{rows: records, rules: r, whole: whole,
				homogeneity: [][]homogeneity{make([]homogeneity, 1)}}
			v.addLone(0, []uint64{0}, records-mixedClass)
			v.addLone(0, []uint64{mixed}, mixedClass)
			if got := v.homogeneous()[0].Gained; math.Abs(got-tt.want) > 1e-12 {
				t.Errorf("%d other values, first: %t: %v, want %v", tt.others, mixedFirst, got,
					tt.want)
			}
		}
	}
}

// randomColumn returns the values of a block of rows, of which there are about the given number.
func randomColumn(random *rand.Rand, rows, values int) (c release.Hashes, hashes []uint64) {
	c.Every = make([]uint32, release.BlockRows)
	for range values {
		c.List = append(c.List, random.Uint64N(uint64(values)))
	}
	c.Same, c.One = random.IntN(4) == 0, uint32(random.IntN(values))
	for row := range rows {
		number := c.One
		if !c.Same {
			number = uint32(random.IntN(values))
			c.Every[row] = number
		}
		hashes = append(hashes, c.List[number])
	}
	return c, hashes
}

// The classes of one value are those that a plain map has, and so are the rows of each value, with
// any number of values, tables that are joined, and passes.
func TestLoneValues(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 1))
	passes, alone := 0, 0
	for round := range 40 {
		below := []uint64{1 + random.Uint64N(1<<random.IntN(13)), 1 + random.Uint64N(4)}
		cut := &cutfile.File{Class: "income", Sets: make([]cutfile.Set, 1),
			Sensitive: []cutfile.Sensitive{{Column: "debt"}}}
		r := &rules{cut: cut, values: cut.Sensitive, keys: []labelKey{
			newLabelKey([]int{0, 1}, below)}, orders: make([]*order, 1)}
		r.setLone()
		v := verifier{rules: r, homogeneity: [][]homogeneity{make([]homogeneity, 2)}}
		v.whole = r.newWhole(0)
		want := make(map[[8]uint64]map[[2]uint64]uint64) // by group, column and value
		values := [2]map[uint64]uint64{{}, {}}
		type block struct {
			rows    int
			numbers []release.Numbers
			kept    []release.Hashes
		}
		var blocks []block
		for range 6 {
			b := block{rows: 1 + random.IntN(release.BlockRows)}
			b.numbers = randomBlock(random, b.rows, below)
			for column, most := range []int{2, 1 << (1 + round%13)} {
				kept, hashes := randomColumn(random, b.rows, most)
				b.kept = append(b.kept, kept)
				for row, hash := range hashes {
					group := keyOf(&r.keys[0], row, b.numbers)
					if want[group] == nil {
						want[group] = make(map[[2]uint64]uint64)
					}
					want[group][[2]uint64{uint64(column), hash}]++
					values[column][hash]++
				}
				must(t, v.whole[column].count(b.rows, &kept))
			}
			v.rows += int64(b.rows)
			blocks = append(blocks, b)
		}
		s := newShareRange(1 << 16)
		for more := true; more; passes++ {
			counters := []*counter{newCounter(r, []*shareRange{s}), newCounter(r, []*shareRange{s})}
			for i, b := range blocks {
				counters[i%2].readLone(b.rows, b.kept)
				must(t, counters[i%2].count(0, b.rows, b.numbers, b.kept))
			}
			sum := counters[0].tables[0]
			for entry, records := range counters[1].tables[0].all() {
				must(t, sum.add(entry, records))
			}
			for entry, records := range sum.all() {
				v.addLone(0, entry[r.keys[0].size:], records)
			}
			counters[0].tables[0].clear()
			counters[1].tables[0].clear()
			more = s.next()
		}
		for column, got := range v.homogeneous() {
			of := Homogeneity{Set: 1, Column: []string{"debt", "income"}[column]}
			for _, group := range want {
				n, rows, value := 0, uint64(0), uint64(0)
				for key, records := range group {
					if key[0] == uint64(column) {
						n, rows, value = n+1, records, key[1]
					}
				}
				if n > 1 {
					continue
				}
				of.Classes++
				of.Records += rows
				others := float64(v.rows)
				if len(values[column]) <= mostValues {
					others -= float64(values[column][value])
				}
				of.Gained += float64(rows) * others / float64(v.rows) / float64(v.rows)
			}
			alone += int(of.Classes)
			if math.Abs(of.Gained-got.Gained) > 1e-9 {
				t.Errorf("round %d: gained %v, want %v", round, got.Gained, of.Gained)
			}
			if of.Gained = got.Gained; of != got {
				t.Errorf("round %d: %+v, want %+v", round, got, of)
			}
		}
	}
	if passes <= 2*40 || alone < 100 {
		t.Errorf("%d passes, %d classes of one value", passes, alone)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
