package mondrian_test

import (
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/mondrian"
	"github.com/kcut/kcut/internal/seedtest"
)

// variants returns all engines that tests run.
func variants(seed uint64) []mondrian.Engine {
	return []mondrian.Engine{
		{}, {Ordered: true},
		{Relaxed: true, Seed: seed}, {Relaxed: true, Ordered: true, Seed: seed}, {InfoGain: true},
		{Tight: true}, {Tight: true, Ordered: true}, {Tight: true, Relaxed: true, Seed: seed},
		{Tight: true, InfoGain: true},
		{InfoGain: true, Guided: true}, {InfoGain: true, Guided: true, Brief: true},
		{Apart: true}, {Apart: true, Ordered: true},
		{Apart: true, Relaxed: true, Seed: seed}, {Apart: true, InfoGain: true},
		{Apart: true, Tight: true}, {Apart: true, Tight: true, Ordered: true},
		{Apart: true, Tight: true, Relaxed: true, Seed: seed},
		{Apart: true, Tight: true, InfoGain: true},
		{InfoGain: true, Balanced: true},
		{Tightest: true, Tight: true, Ordered: true},
		{Tightest: true, Tight: true, Ordered: true, Apart: true},
		{InfoGain: true, Balanced: true, Apart: true, Tight: true},
	}
}

// randomCase is a table whose columns are all in a set. If classes have no names, cells of one
// tuple have equal keys.
type randomCase struct {
	enginetest.Case
	nameless bool
	weights  []float64 // by column; nil: 1
}

// newCase draws a case. Suppressed values are texts that labels of sets have to escape, and often
// the rare ones among them are a rest.
func newCase(r *rand.Rand) randomCase {
	c := randomCase{Case: enginetest.NewCase(r, 50), nameless: r.IntN(4) == 0}
	all := engine.Set{K: engine.KAnonymity(1 + r.IntN(min(len(c.Data.Rows), 1+r.IntN(12))))}
	for i := range c.Data.Columns {
		all.Columns = append(all.Columns, i)
	}
	if r.IntN(3) > 0 {
		c.Sets = nil
	}
	c.Sets = append(c.Sets, all)
	texts := []string{"a", "b", "c|d", `e\`, "{f}", "g", "h", "i"}
	for i := range c.Data.Columns {
		column := &c.Data.Columns[i]
		if column.Mask == engine.Suppress && r.IntN(4) > 0 { // otherwise there is no rest
			column.Rare = kOf(c.Sets, i)
		}
		column.Reversed = column.Mask == engine.Suppress && r.IntN(3) == 0
	}
	for i, row := range c.Data.Rows {
		row = slices.Clone(row)
		for a := range row {
			if number, err := strconv.Atoi(row[a].Text); err == nil &&
				c.Data.Columns[a].Mask == engine.Suppress {
				row[a].Text = texts[number%len(texts)]
			}
		}
		c.Data.Rows[i] = row
	}
	for range c.Data.Columns {
		c.weights = append(c.weights, []float64{1, 1, 0.5, 2, 10}[r.IntN(5)])
	}
	if r.IntN(2) == 0 {
		c.weights = nil
	}
	return c
}

// classNames returns the labels of the classes.
func (c randomCase) classNames() (labels []engine.Label) {
	for _, name := range slices.Compact(slices.Sorted(slices.Values(c.Data.Classes))) {
		if c.nameless {
			name = ""
		}
		labels = append(labels, engine.Label{Text: name})
	}
	return labels
}

// search runs an engine in memory.
func (c randomCase) search(e mondrian.Engine) (*engine.Regions, error) {
	requirement := engine.Requirement{Sets: c.Sets}
	table := c.Data.Table(e.Plan(requirement))
	table.ClassNames = c.classNames()
	recoding, err := e.Search(context.Background(), table, requirement,
		engine.Options{Weights: c.weights})
	if err != nil {
		return nil, err
	}
	return recoding.(*engine.Regions), nil
}

// released returns the labels of every row, recoded in batches.
func released(codes enginetest.Codes, regions *engine.Regions, batch int) []string {
	taken := make([]uint64, regions.Cells())
	var domains []int
	for a := range codes.Attributes {
		domains = append(domains, codes.Attributes[a].Len())
	}
	if codes.Classes > 0 && regions.ByClass() {
		domains = append(domains, codes.Classes)
	}
	memo := engine.NewMemo(domains, 1<<16)
	var texts []string
	for from := 0; from < codes.Rows; from += batch {
		rows := engine.Rows{N: min(batch, codes.Rows-from), Taken: taken, Memo: memo}
		var labels [][]uint32
		for a := range codes.Attributes {
			rows.Codes = append(rows.Codes, codes.Columns[a][from:from+rows.N])
			labels = append(labels, make([]uint32, rows.N))
		}
		if codes.Classes > 0 && regions.ByClass() {
			rows.Classes = codes.Class[from : from+rows.N]
		}
		regions.Recode(rows, labels)
		for r := range rows.N {
			var row []string
			for a := range labels {
				label := regions.Labels(a)[labels[a][r]]
				if label.Null {
					label.Text = nullLabel
				}
				row = append(row, label.Text)
			}
			texts = append(texts, strings.Join(row, " ; "))
		}
	}
	return texts
}

func (c randomCase) naive(e mondrian.Engine) *naive {
	n := &naive{
		Codes:  c.Data.Codes(),
		data:   c.Data,
		names:  c.classNames(),
		engine: e,
		k:      1,
		sets:   c.Sets,

		weights: c.weights,
	}
	if e.Apart {
		kept, _ := engine.Requirement{Sets: c.Sets}.Reduce()
		n.sets = kept.Sets
	}
	for _, set := range c.Sets {
		n.k = max(n.k, int(set.K))
	}
	return n
}

// TestAgreesWithNaiveSearch compares the labels of every row.
func TestAgreesWithNaiveSearch(t *testing.T) {
	regions, divided := 0, 0
	cases := enginetest.Cases(t, seedtest.Few(80, 200), func(r *rand.Rand) {
		c := newCase(r)
		for _, e := range variants(r.Uint64()) {
			got, err := c.search(e)
			if err != nil {
				t.Fatalf("%+v: %v", e, err)
			}
			naive := c.naive(e)
			want := naive.search()
			if rows := released(naive.Codes, got, 1+r.IntN(40)); !slices.Equal(rows, want) {
				t.Fatalf("%+v\ngot  %q\nwant %q\n%s", e, rows, want, c)
			}
			naive.checkBounds(t)
			checkRegions(t, got, naive)
			if t.Failed() {
				t.Fatalf("%+v\n%s", e, c)
			}
			regions, divided = regions+got.Len(), divided+got.Cells()
		}
	})
	t.Logf("%d cases, %d regions, %d divided cells", cases, regions, divided)
	if cases >= 80 && (regions < 20*cases || divided < cases) {
		t.Errorf("only %d regions and %d divided cells", regions, divided)
	}
}

// TestTightestCutsAgree compares the labels of every row of tables with a few records more or less
// than are cut in all columns together, also where the set of two columns is closed.
func TestTightestCutsAgree(t *testing.T) {
	tables := [2]int{}
	cases := enginetest.Cases(t, seedtest.Few(1200, 3000), func(r *rand.Rand) {
		c, rows := newCase(r), 61+r.IntN(8)
		if len(c.Data.Columns) < 4 || len(c.Data.Rows) < rows {
			return
		}
		tables[(rows-61)/4]++
		c.Data.Rows, c.Data.Classes = c.Data.Rows[:rows], nil
		c.Sets = []engine.Set{{Columns: []int{0, 1, 2, 3}, K: engine.KAnonymity(2)},
			{Columns: []int{0, 1}, K: engine.KAnonymity(2 + max(0, r.IntN(8)-3))}}
		e := mondrian.Engine{Tightest: true, Tight: true, Ordered: true, Apart: true}
		got, err := c.search(e)
		if err != nil {
			t.Fatal(err)
		}
		naive := c.naive(e)
		want := naive.search()
		if rows := released(naive.Codes, got, 50); !slices.Equal(rows, want) {
			t.Fatalf("got  %q\nwant %q\n%s", rows, want, c)
		}
	})
	if cases >= 1200 && min(tables[0], tables[1]) < 4 {
		t.Errorf("only %d tables", tables)
	}
}

// TestAgreesWithNaiveSearchWhereThereAreKinds compares the labels of every row where k counts
// entities, where there are sensitive columns, and with both.
func TestAgreesWithNaiveSearchWhereThereAreKinds(t *testing.T) {
	regions, infeasible := 0, 0
	cases := enginetest.Cases(t, seedtest.Few(80, 200), func(r *rand.Rand) {
		c, protect := newCase(r), 1+r.IntN(3)
		c.Protect(r, protect&1 > 0, protect&2 > 0)
		for _, e := range variants(r.Uint64()) {
			got, err := c.search(e)
			naive := c.naive(e)
			switch all := naive.all(); {
			case !naive.holds(all):
				if infeasible++; !errors.Is(err, engine.ErrInfeasible) {
					t.Fatalf("got %v, want ErrInfeasible\n%s", err, c)
				}
				continue
			case e.Relaxed:
				if !errors.Is(err, engine.ErrKinds) {
					t.Fatalf("got %v, want ErrKinds\n%s", err, c)
				}
				continue
			case err != nil:
				t.Fatalf("%+v: %v\n%s", e, err, c)
			}
			want := naive.search()
			if rows := released(naive.Codes, got, 1+r.IntN(40)); !slices.Equal(rows, want) {
				t.Fatalf("%+v\ngot  %q\nwant %q\n%s", e, rows, want, c)
			}
			c.Data.CheckProtected(t, c.Data.Released(got), c.Sets)
			checkRegions(t, got, naive)
			if t.Failed() {
				t.Fatalf("%+v\n%s", e, c)
			}
			regions += got.Len()
		}
	})
	t.Logf("%d cases, %d regions, %d searches infeasible", cases, regions, infeasible)
	if cases >= 80 && (regions < 10*cases || infeasible == 0) {
		t.Errorf("only %d regions, %d searches infeasible", regions, infeasible)
	}
}

// checkBounds checks the theorems of the paper: with d ordered dimensions and no nulls, strict
// regions have at most 2d(k-1)+m records, where m is the largest number of copies of one tuple, and
// relaxed ones at most 2k-1, unless they are copies of one tuple.
func (n *naive) checkBounds(t *testing.T) {
	t.Helper()
	for a := range n.Attributes {
		if n.isHierarchy(a) || n.Attributes[a].HasNull {
			return
		}
	}
	if n.engine.InfoGain {
		return
	}
	for _, g := range n.groups {
		bound := 2*len(n.Attributes)*(n.k-1) + g.most
		if n.engine.Relaxed && g.most < g.size {
			bound = 2*n.k - 1
		}
		if g.size > bound {
			t.Errorf("%d records in a region, more than %d", g.size, bound)
		}
	}
}

// checkRegions checks that no cell is listed without need, that labels of sets name
// at most k values, and that every combination of codes has a region, whether it occurs or not. The
// region's labels are true of numbers, and of codes that are cut by rank.
func checkRegions(t *testing.T, got *engine.Regions, n *naive) {
	t.Helper()
	for _, cell := range got.Reassigned {
		if len(cell.Parts) < 2 {
			t.Errorf("a cell of %v is listed that is not divided", cell.Codes)
		}
	}
	for a := range n.Attributes {
		for _, label := range got.Labels(a) {
			named := enginetest.Members(label.Text)
			if n.Attributes[a].Mask != engine.Discretize && len(named) > max(1, kOf(n.sets, a)) {
				t.Errorf("column %d: %q names %d values", a, label.Text, len(named))
			}
		}
	}
	codes := make([][]uint32, len(n.Attributes))
	regions := make([]int32, 1)
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		for a := range codes {
			codes[a] = []uint32{uint32(r.IntN(n.Attributes[a].Len()))}
		}
		cell := append(codes[:len(codes):len(codes)], []uint32{uint32(r.IntN(max(n.Classes, 1)))})
		for _, locator := range []engine.Locator{got.Locator, got.Sampled} {
			if locator == nil {
				continue
			}
			locator.Locate(1, cell, regions)
			if regions[0] < 0 || int(regions[0]) >= got.Len() {
				t.Fatalf("codes %v are in region %d", codes, regions[0])
			}
			for a, label := range got.Region(regions[0]) {
				code := int(codes[a][0])
				if n.byOrder(a, code) && !n.isTrue(a, got.Labels(a)[label], code) {
					t.Errorf("column %d: code %d is in a region with %+v", a, code,
						got.Labels(a)[label])
				}
			}
		}
	}
}

// byOrder reports whether a code is cut from others by their order alone, and labels are those of
// the cuts.
func (n *naive) byOrder(a, code int) bool {
	if n.engine.Tight {
		return false
	}
	if n.Attributes[a].Mask == engine.Discretize {
		return !n.isNull(a, code)
	}
	return !n.engine.InfoGain && !n.isHierarchy(a)
}

// isTrue reports whether a label is true of a code.
func (n *naive) isTrue(a int, label engine.Label, code int) bool {
	return n.isRest(a, code) && label.Text == engine.Suppressed ||
		n.data.Columns[a].Covers(label, n.Attributes[a].Label(code))
}
