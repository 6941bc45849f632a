package judge

import (
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// twoColumns returns rows of two columns with an order, of which the first one decides how probable
// the classes are: the difference is that of the probabilities of both halves.
func twoColumns(r *rand.Rand, rows int, difference float64) enginetest.Codes {
	const domain = 300
	c := enginetest.Codes{Rows: rows, Classes: 2, Columns: make([][]uint32, 2)}
	for range c.Columns {
		a := engine.Attribute{Mask: engine.Discretize, Texts: make([]string, domain)}
		for code := range domain {
			a.Positions = append(a.Positions, float64(code))
		}
		a.Upper = domain - 1
		c.Attributes = append(c.Attributes, a)
	}
	for range rows {
		first := uint32(r.IntN(domain))
		c.Columns[0] = append(c.Columns[0], first)
		c.Columns[1] = append(c.Columns[1], uint32(r.IntN(domain)))
		probability := 0.3
		if first >= domain/2 {
			probability += difference
		}
		class := uint32(0)
		if r.Float64() < probability {
			class = 1
		}
		c.Class = append(c.Class, class)
	}
	return c
}

// halves is a recoding with two regions, which cut a column of twoColumns in the middle.
func halves(column int) *engine.Regions {
	r := &engine.Regions{
		Columns: make(engine.Columns, 2), Sizes: []uint64{1, 1}, Locator: locator(column),
	}
	for a := range r.Columns {
		all := engine.Interval{Lo: 0, Hi: 300}
		parts := []engine.Interval{all}
		if a == column {
			parts = []engine.Interval{{Lo: 0, Hi: 150}, {Lo: 150, Hi: 300}}
		}
		for range parts {
			r.Columns[a].Labels = append(r.Columns[a].Labels, engine.Label{Text: "label"})
		}
		r.Columns[a].Intervals = parts
	}
	if r.Released = []uint32{0, 0, 1, 0}; column == 1 {
		r.Released = []uint32{0, 0, 0, 1}
	}
	return r
}

// locator is the number of the column that halves cuts.
type locator int

func (l locator) Locate(n int, codes [][]uint32, regions []int32) {
	for i := range n {
		regions[i] = int32(codes[l][i] / 150)
	}
}

// observe returns the utility of a cut of a column.
func observe(t *testing.T, c enginetest.Codes, column int) *Utility {
	t.Helper()
	table := c.Table(engine.Plan{Groupings: []engine.Grouping{{Columns: []int{0, 1}, Kind: true}}})
	o, err := Observe(t.Context(), nil, table, partition.Space{Budget: spill.NewBudget(1 << 30)})
	if err != nil {
		t.Fatal(err)
	}
	if most := mostObserved + mostObserved/16; len(o.sample.Counts) > most {
		t.Fatalf("the sample has %d tuples", len(o.sample.Counts))
	}
	return o.Utility(halves(column))
}

// The sample is the same in whatever order the tuples come: in a store they have another one.
func TestSampleHasAnOrder(t *testing.T) {
	for _, rows := range []int{2_000, 60_000} {
		c := twoColumns(rand.New(rand.NewPCG(1, uint64(rows))), rows, 0.4)
		plan := engine.Plan{Groupings: []engine.Grouping{{Columns: []int{0, 1}, Kind: true}}}
		space := partition.Space{Budget: spill.NewBudget(1)} // nothing is drawn
		var samples []Block
		for _, backwards := range []bool{false, true} {
			table := c.Table(plan)
			if tuples := table.Groupings[0]; backwards {
				reversed, w := &partition.Table{Layout: tuples.Layout}, tuples.Layout.Words
				for i := tuples.Len() - 1; i >= 0; i-- {
					reversed.Put(tuples.Keys[i*w:][:w], tuples.Counts[i])
				}
				table.Groupings[0] = reversed
			}
			o, err := Observe(t.Context(), nil, table, space)
			if err != nil {
				t.Fatal(err)
			}
			samples = append(samples, o.sample)
		}
		if len(samples[0].Counts) < rows/10 || !reflect.DeepEqual(samples[0], samples[1]) {
			t.Errorf("%d rows: in another order the sample is another one", rows)
		}
	}
}

// The sample of a table of 1,000 columns takes a few MiB.
func TestSampleOfManyColumns(t *testing.T) {
	c := twoColumns(rand.New(rand.NewPCG(1, 1)), blockRecords, 0.4)
	c.Columns, c.Attributes = slices.Repeat(c.Columns, 500), slices.Repeat(c.Attributes, 500)
	all := make([]int, len(c.Columns))
	for i := range all {
		all[i] = i
	}
	table := c.Table(engine.Plan{Groupings: []engine.Grouping{{Columns: all, Kind: true}}})
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	o, err := Observe(t.Context(), nil, table, partition.Space{Budget: spill.NewBudget(1)})
	if err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 12<<20 || len(o.sample.Counts) < 100 {
		t.Errorf("%d bytes for a sample of %d tuples", bytes, len(o.sample.Counts))
	}
}

// A sample of a large table shows how much raw and released columns explain of the class, and of a
// small one all records do. It does not depend on the order of the rows.
func TestUtility(t *testing.T) {
	entropy := func(p float64) float64 { return -p*math.Log(p) - (1-p)*math.Log(1-p) }
	for _, rows := range []int{2_000, 60_000} {
		r := rand.New(rand.NewPCG(1, uint64(rows)))
		c := twoColumns(r, rows, 0.4)
		want := 1 - (entropy(0.3)+entropy(0.7))/2/entropy(0.5)
		found, lost := observe(t, c, 0), observe(t, c, 1)
		if found == nil || math.Abs(found.Raw-want) > 0.02 ||
			math.Abs(found.Released-want) > 0.02 || found.Column != 0 ||
			found.Share() < 0.9 || found.IsUseless() {
			t.Errorf("%d rows: %+v, want %g of both", rows, found, want)
		}
		if lost == nil || lost.Share() > 0.05 || !lost.IsUseless() {
			t.Errorf("%d rows: %+v, want a useless release", rows, lost)
		}
		shuffled := c
		shuffled.Columns = [][]uint32{make([]uint32, rows), make([]uint32, rows)}
		shuffled.Class = make([]uint32, rows)
		for to, from := range r.Perm(rows) {
			shuffled.Class[to] = c.Class[from]
			for a := range c.Columns {
				shuffled.Columns[a][to] = c.Columns[a][from]
			}
		}
		if again := observe(t, shuffled, 0); *again != *found {
			t.Errorf("%d rows in another order: %+v, want %+v", rows, again, found)
		}
		if none := observe(t, twoColumns(r, rows, 0), 0); none != nil {
			t.Errorf("%d rows with a class by chance: %+v", rows, none)
		}
	}
}
