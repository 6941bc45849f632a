package enginetest

import (
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/taxonomy"
	"github.com/kcut/kcut/internal/seedtest"
)

// LargestNumber is the largest number in random data; the smallest is 0.
const LargestNumber = 11

// Case is a random table and its requirement.
type Case struct {
	Data Data
	Sets []engine.Set
}

// String formats a case that failed.
func (c Case) String() string {
	var text strings.Builder
	fmt.Fprintf(&text, "sets %v\n", c.Sets)
	for _, column := range c.Data.Columns {
		fmt.Fprintf(&text, "%+v\n", column)
	}
	for r, row := range c.Data.Rows {
		fmt.Fprint(&text, row)
		if len(c.Data.Classes) > 0 {
			fmt.Fprint(&text, " ", c.Data.Classes[r])
		}
		for _, column := range c.Data.Sensitive {
			fmt.Fprint(&text, " sensitive ", column[r])
		}
		if len(c.Data.Entities) > 0 {
			fmt.Fprint(&text, " of ", c.Data.Entities[r])
		}
		fmt.Fprintln(&text)
	}
	return text.String()
}

// NewCase draws a table of at most a number of different rows, with every kind of column and nulls,
// and one to four sets. Values are few and skewed, so that exact ties are common.
func NewCase(r *rand.Rand, rows int) Case {
	var c Case
	columns := 1 + r.IntN(4)
	values := make([][]string, columns)
	nulls := make([]float64, columns)
	skew := make([]float64, columns)
	for i := range columns {
		column := newColumn(r, fmt.Sprintf("c%d", i))
		c.Data.Columns = append(c.Data.Columns, column)
		values[i] = newValues(r, column)
		if r.IntN(3) == 0 {
			nulls[i] = r.Float64() / 2
		}
		skew[i] = 1 + 3*r.Float64()
	}
	draw := func() []engine.Label {
		row := make([]engine.Label, columns)
		for i := range row {
			if row[i].Null = r.Float64() < nulls[i]; !row[i].Null {
				row[i].Text = values[i][int(math.Pow(r.Float64(), skew[i])*float64(len(values[i])))]
			}
		}
		return row
	}
	classes, duplicates := r.IntN(5), 1+r.IntN(4)
	for range 1 + r.IntN(rows) {
		row := draw()
		class := fmt.Sprint(r.IntN(max(1, classes)))
		for range 1 + r.IntN(duplicates) {
			if classes > 0 {
				if r.IntN(4) == 0 {
					class = fmt.Sprint(r.IntN(classes))
				}
				c.Data.Classes = append(c.Data.Classes, class)
			}
			c.Data.Rows = append(c.Data.Rows, row)
		}
	}
	if r.IntN(3) == 0 {
		c.Data.mirror()
	}
	c.Sets = newSets(r, columns, len(c.Data.Rows))
	return c
}

// Protect adds entities, one or two sensitive columns, or both to a case, and protections to all
// its sets. In a mirrored table every row gets them.
func (c *Case) Protect(r *rand.Rand, entities, sensitive bool) {
	n := len(c.Data.Rows)
	if entities {
		people := 1 + r.IntN(n)
		for range n {
			c.Data.Entities = append(c.Data.Entities, fmt.Sprint(r.IntN(people)))
		}
	}
	var others []engine.Protection
	for s := 0; sensitive && s < 1+r.IntN(2); s++ {
		column, values := make([]string, n), 1+r.IntN(5)
		for i := range column {
			column[i] = fmt.Sprint(int(float64(values) * math.Pow(r.Float64(), 2)))
		}
		c.Data.Sensitive = append(c.Data.Sensitive, column)
		others = append(others, newProtections(r, s, c.Data)...)
	}
	for i := range c.Sets {
		c.Sets[i].Entities, c.Sets[i].Others = entities, others
	}
}

// Reachable reports whether all rows together hold.
func (c *Case) Reachable() bool {
	all := make([]int, len(c.Data.Rows))
	for i := range all {
		all[i] = i
	}
	return !slices.ContainsFunc(c.Sets, func(s engine.Set) bool {
		return !s.Holds(c.Data.Stats(all))
	})
}

// newProtections draws protections of a sensitive column, at least one.
func newProtections(r *rand.Rand, column int, d Data) (protections []engine.Protection) {
	all := make([]int, len(d.Rows))
	for i := range all {
		all[i] = i
	}
	whole, values := d.Stats(all).Values[column], Values(distinct(d.Sensitive[column])...)
	bound := engine.SensitiveValues{Values: values}
	for _, place := range r.Perm(len(values)) {
		bound.Places = append(bound.Places, uint32(place))
	}
	tree := engine.NewHierarchy(engine.Node{Name: "all", Children: []engine.Node{
		{Name: "few", Children: []engine.Node{{Name: "0"}, {Name: "1"}}}, {Name: "2"}, {Name: "3"},
		{Name: "4"},
	}})
	add := func(limit engine.Limit) {
		limit.Column, limit.Tree = column, tree
		limit.Bind(&bound, whole)
		protections = append(protections, &limit)
	}
	for len(protections) == 0 {
		if r.IntN(2) == 0 {
			add(engine.Limit{Measure: engine.DistinctL, Bound: float64(1 + r.IntN(3))})
		}
		if r.IntN(4) == 0 {
			add(engine.Limit{Measure: engine.EntropyL, Bound: 1 + r.Float64()})
		}
		if r.IntN(4) == 0 {
			of := make(map[string]float64)
			for _, value := range values {
				of[value.Text] = 0.5 + 0.5*r.Float64()
			}
			add(engine.Limit{Measure: engine.MaxConfidence, Of: of})
		}
		if r.IntN(4) == 0 {
			add(engine.Limit{Measure: engine.Closeness, Bound: r.Float64() / 2})
		}
		if r.IntN(4) == 0 {
			add(engine.Limit{Measure: engine.RecursiveC, L: 2 + r.IntN(2), Bound: 4 * r.Float64()})
		}
		if r.IntN(6) == 0 {
			of := []*engine.Measure{engine.BasicBeta, engine.EnhancedBeta, engine.Delta,
				engine.OrderedCloseness, engine.HierarchicalCloseness}
			add(engine.Limit{Measure: of[r.IntN(len(of))], Bound: 2 * r.Float64()})
		}
	}
	return protections
}

// mirror adds for every row one with its numbers mirrored, so that splits tie in pairs.
func (d *Data) mirror() {
	for i, row := range slices.Clone(d.Rows) {
		row = slices.Clone(row)
		for c := range row {
			if d.Columns[c].Mask == engine.Discretize && !row[c].Null {
				row[c].Text = fmt.Sprint(LargestNumber - int(Number(row[c].Text)))
			}
		}
		d.Rows = append(d.Rows, row)
		if len(d.Classes) > 0 {
			d.Classes = append(d.Classes, d.Classes[i])
		}
	}
}

// Shuffle returns the rows in another order.
func (d Data) Shuffle(r *rand.Rand) Data {
	d.Rows, d.Classes, d.Entities = slices.Clone(d.Rows), slices.Clone(d.Classes),
		slices.Clone(d.Entities)
	d.Sensitive = slices.Clone(d.Sensitive)
	for i := range d.Sensitive {
		d.Sensitive[i] = slices.Clone(d.Sensitive[i])
	}
	r.Shuffle(len(d.Rows), func(i, j int) {
		d.Rows[i], d.Rows[j] = d.Rows[j], d.Rows[i]
		if len(d.Entities) > 0 {
			d.Entities[i], d.Entities[j] = d.Entities[j], d.Entities[i]
		}
		for _, column := range d.Sensitive {
			column[i], column[j] = column[j], column[i]
		}
		if len(d.Classes) > 0 {
			d.Classes[i], d.Classes[j] = d.Classes[j], d.Classes[i]
		}
	})
	return d
}

func newColumn(r *rand.Rand, name string) Column {
	column := Column{Name: name, Mask: engine.Mask(r.IntN(3))}
	switch column.Mask {
	case engine.Generalize:
		count := 0
		column.Tree = newTree(r, &count, 1+r.IntN(5))
		if r.IntN(30) == 0 { // so deep that a search has to grow nodes
			for i := range 80 {
				column.Tree = taxonomy.Node{
					Name:     fmt.Sprintf("chain%d", i),
					Children: []taxonomy.Node{column.Tree},
				}
			}
		}
	case engine.Discretize:
		if r.IntN(2) == 0 {
			column.Lower = fmt.Sprint(-r.IntN(5))
		}
		if r.IntN(2) == 0 {
			column.Upper = fmt.Sprint(LargestNumber + 1 + r.IntN(5))
		}
	}
	return column
}

// newTree draws a tree, often with long chains of single children.
func newTree(r *rand.Rand, count *int, depth int) taxonomy.Node {
	*count++
	node := taxonomy.Node{Name: fmt.Sprintf("n%d", *count)}
	if depth == 0 || depth < 3 && r.IntN(4) == 0 {
		return node
	}
	for range 1 + r.IntN(3) {
		node.Children = append(node.Children, newTree(r, count, depth-1))
	}
	return node
}

// newValues returns the values that may occur: of a tree, not all leaves.
func newValues(r *rand.Rand, column Column) []string {
	var values []string
	if column.Mask == engine.Generalize {
		values = leafNames(column.Tree)
		r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		return values[:1+r.IntN(len(values))]
	}
	for range 1 + r.IntN(10) {
		values = append(values, fmt.Sprint(r.IntN(LargestNumber+1)))
	}
	return values
}

func leafNames(n taxonomy.Node) (names []string) {
	if len(n.Children) == 0 {
		return []string{n.Name}
	}
	for _, c := range n.Children {
		names = append(names, leafNames(c)...)
	}
	return names
}

func newSets(r *rand.Rand, columns, rows int) (sets []engine.Set) {
	for range 1 + r.IntN(4) {
		order := r.Perm(columns)
		k := 1 + r.IntN(6)
		if r.IntN(4) == 0 {
			k = 1 + r.IntN(rows)
		}
		sets = append(sets, engine.Set{
			Columns: order[:1+r.IntN(columns)],
			K:       engine.KAnonymity(min(k, rows)),
		})
	}
	return sets
}

// Naive returns how many random cases a test compares with a naive recount: few, or 1,000 if
// KCUT_LONG is set.
func Naive(few int) int { return seedtest.Few(few, 1000) }

// Cases runs a test on n random cases, each with its own seed, until one fails. To repeat a failed
// case, set KCUT_SEED to the value in the log, and KCUT_CASES=1; KCUT_CASES changes the number of
// cases. It returns the number of cases run.
func Cases(t *testing.T, n int, test func(r *rand.Rand)) int {
	t.Helper()
	seed := seedtest.Seed(t)
	if text := os.Getenv("KCUT_CASES"); text != "" {
		var err error
		if n, err = strconv.Atoi(text); err != nil {
			t.Fatalf("KCUT_CASES: %v", err)
		}
	}
	defer func() {
		t.Helper()
		if t.Failed() {
			t.Fatalf("rerun with KCUT_SEED=%d KCUT_CASES=1", seed)
		}
	}()
	for range n {
		if test(rand.New(rand.NewPCG(seed, 0))); t.Failed() {
			break
		}
		seed++
	}
	return n
}
