package mondrian_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/mondrian"
)

// variants are the engines that tests run, all of them.
func variants(seed uint64) []mondrian.Engine {
	return []mondrian.Engine{
		{}, {Median: mondrian.Exact}, {Ordered: true}, {Ordered: true, Median: mondrian.Exact},
		{Relaxed: true, Seed: seed}, {Relaxed: true, Ordered: true, Seed: seed}, {InfoGain: true},
	}
}

// randomCase is a table and a requirement. Nameless classes give cells of one tuple equal
// keys.
type randomCase struct {
	data     enginetest.Data
	sets     []engine.Set
	nameless bool
}

func (c randomCase) String() string {
	text := fmt.Sprintf("sets %v\n", c.sets)
	for _, column := range c.data.Columns {
		text += fmt.Sprintf("%+v\n", column)
	}
	for r, row := range c.data.Rows {
		text += fmt.Sprint(row)
		if len(c.data.Classes) > 0 {
			text += " " + c.data.Classes[r]
		}
		text += "\n"
	}
	return text
}

// newCase draws a case. Values are few and skewed, so that ties are common.
func newCase(r *rand.Rand) randomCase {
	var c randomCase
	columns := 1 + r.IntN(4)
	nulls := make([]float64, columns)
	values := make([][]string, columns)
	for i := range columns {
		column, own := newColumn(r, fmt.Sprint("c", i))
		c.data.Columns, values[i] = append(c.data.Columns, column), own
		if r.IntN(3) == 0 {
			nulls[i] = r.Float64() * r.Float64()
		}
	}
	classes := r.IntN(4)
	for range 1 + r.IntN(50) {
		row := make([]engine.Label, columns)
		for i := range row {
			if row[i].Null = r.Float64() < nulls[i]; !row[i].Null {
				row[i].Text = values[i][min(r.IntN(len(values[i])), r.IntN(len(values[i])))]
			}
		}
		for range 1 + r.IntN(4) {
			c.data.Rows = append(c.data.Rows, row)
			if classes > 0 {
				c.data.Classes = append(c.data.Classes, fmt.Sprint("class", r.IntN(classes)))
			}
		}
	}
	r.Shuffle(len(c.data.Rows), func(i, j int) { c.data.Rows[i], c.data.Rows[j] = c.data.Rows[j], c.data.Rows[i] })
	c.sets = newSets(r, columns, len(c.data.Rows))
	for i := range columns {
		if r.IntN(4) > 0 { // else nobody has made a rest
			c.data.Columns[i].Rare = kOf(c.sets, i)
		}
	}
	c.nameless = r.IntN(4) == 0
	return c
}

// newSets draws one set, or two that overlap in column 0.
func newSets(r *rand.Rand, columns, rows int) []engine.Set {
	k := func() int { return 1 + r.IntN(min(rows, 1+r.IntN(12))) }
	if columns == 1 || r.IntN(3) > 0 {
		all := r.Perm(columns)
		return []engine.Set{{Columns: all, K: k()}}
	}
	at := 1 + r.IntN(columns-1)
	var first, second []int
	for i := range columns {
		if i < at {
			first = append(first, i)
		} else {
			second = append(second, i)
		}
	}
	return []engine.Set{{Columns: first, K: k()}, {Columns: append(second, 0), K: k()}}
}

func newColumn(r *rand.Rand, name string) (enginetest.Column, []string) {
	column := enginetest.Column{Name: name, Mask: engine.Mask(r.IntN(3))}
	var values []string
	switch column.Mask {
	case engine.Discretize:
		for range 1 + r.IntN(12) {
			values = append(values, strconv.Itoa(r.IntN(20)))
		}
		if r.IntN(2) == 0 {
			column.Lower = "-1"
		}
		if r.IntN(2) == 0 {
			column.Upper = "30"
		}
	case engine.Suppress:
		values = []string{"a", "b", "c|d", `e\`, "{f}", "g", "h", "i"}[:1+r.IntN(8)]
	case engine.Generalize:
		column.Tree = newNode(r, "", 1+r.IntN(3))
		tree, err := engine.NewTree(column.Tree)
		if err != nil {
			panic(err)
		}
		values = tree.Leaves()
	}
	return column, values
}

// newNode draws a subtree; every name tells its place.
func newNode(r *rand.Rand, place string, depth int) engine.Node {
	n := engine.Node{Name: "n" + place}
	for i := range r.IntN(4) {
		if depth > 0 {
			n.Children = append(n.Children, newNode(r, place+strconv.Itoa(i), depth-1))
		}
	}
	return n
}

// classNames returns the labels of the classes.
func (c randomCase) classNames() (labels []engine.Label) {
	for _, name := range slices.Compact(slices.Sorted(slices.Values(c.data.Classes))) {
		if c.nameless {
			name = ""
		}
		labels = append(labels, engine.Label{Text: name})
	}
	return labels
}

// search runs an engine in memory.
func (c randomCase) search(e mondrian.Engine) (*engine.Regions, error) {
	requirement := engine.Requirement{Sets: c.sets}
	table := c.data.Table(e.Plan(requirement))
	table.ClassNames = c.classNames()
	recoding, err := e.Search(context.Background(), table, requirement, engine.Options{})
	if err != nil {
		return nil, err
	}
	return recoding.(*engine.Regions), nil
}

// released returns the labels of every row; a batch holds so many.
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
	n := &naive{Codes: c.data.Codes(), names: c.classNames(), engine: e, k: 1, sets: c.sets}
	for _, set := range c.sets {
		n.k = max(n.k, set.K)
	}
	return n
}

// TestAgreesWithNaiveSearch compares the labels of every row.
func TestAgreesWithNaiveSearch(t *testing.T) {
	regions, divided := 0, 0
	cases := enginetest.Cases(t, 200, func(r *rand.Rand) {
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
			checkRegions(t, c, got, naive)
			if t.Failed() {
				t.Fatalf("%+v\n%s", e, c)
			}
			regions, divided = regions+got.Len(), divided+got.Cells()
		}
	})
	t.Logf("%d cases, %d regions, %d divided cells", cases, regions, divided)
	if cases >= 100 && (regions < 20*cases || divided < cases) {
		t.Errorf("only %d regions and %d divided cells", regions, divided)
	}
}

// checkBounds checks the theorems of the paper: with d ordered dimensions and no nulls,
// strict regions have at most 2d(k-1)+m records, m the most copies of one tuple, and
// relaxed ones at most 2k-1, unless they are copies of one tuple.
func (n *naive) checkBounds(t *testing.T) {
	t.Helper()
	for a := range n.Attributes {
		if n.isHierarchy(a) || n.Attributes[a].HasNull {
			return
		}
	}
	if n.engine.InfoGain || n.engine.Median == mondrian.Exact {
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

// checkRegions checks what engine.Regions asks for.
func checkRegions(t *testing.T, c randomCase, got *engine.Regions, n *naive) {
	t.Helper()
	for a := range n.Attributes {
		used := map[uint32]bool{}
		for region := range got.Len() {
			used[got.Region(int32(region))[a]] = true
		}
		distinct := map[engine.Label]bool{}
		for _, label := range got.Labels(a) {
			distinct[label] = true
		}
		if len(used) != len(got.Labels(a)) || len(distinct) != len(used) {
			t.Errorf("column %d: %d labels, %d distinct, %d used", a, len(got.Labels(a)), len(distinct), len(used))
		}
	}
	sizes := map[string]int{}
	for _, labels := range released(n.Codes, got, n.Rows) {
		sizes[labels]++
	}
	if len(sizes) != got.Len() {
		t.Errorf("%d groups of %d regions", len(sizes), got.Len())
	}
	for labels, size := range sizes {
		if size < n.k {
			t.Errorf("group %q has %d records of %d", labels, size, n.k)
		}
	}
	for _, cell := range got.Moved {
		if len(cell.Parts) < 2 {
			t.Errorf("a cell of %v is listed that is not divided", cell.Codes)
		}
	}
	checkUnseen(t, got, n)
	checkTruth(t, got, n)
}

// checkUnseen locates every combination of codes, whether it occurs or not.
func checkUnseen(t *testing.T, got *engine.Regions, n *naive) {
	t.Helper()
	codes := make([][]uint32, len(n.Attributes))
	regions := make([]int32, 1)
	r := rand.New(rand.NewPCG(1, 1))
	for range 200 {
		for a := range codes {
			codes[a] = []uint32{uint32(r.IntN(n.Attributes[a].Len()))}
		}
		cell := append(codes[:len(codes):len(codes)], []uint32{uint32(r.IntN(max(n.Classes, 1)))})
		for _, locator := range []engine.Locator{got.Locator, got.Drawn} {
			if locator == nil {
				continue
			}
			locator.Locate(1, cell, regions)
			if regions[0] < 0 || int(regions[0]) >= got.Len() {
				t.Errorf("codes %v are in region %d", codes, regions[0])
			}
		}
	}
}
