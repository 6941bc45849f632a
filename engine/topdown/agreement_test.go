package topdown_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"reflect"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/topdown"
)

// search runs the engine and returns its steps and the released rows.
func search(data enginetest.Data, sets []engine.Set, options engine.Options) ([]engine.Step, [][]engine.Label, error) {
	requirement := engine.Requirement{Sets: sets}
	var steps []engine.Step
	options.OnStep = func(s engine.Step) { steps = append(steps, s) }
	table := data.Table(topdown.Engine{}.Plan(requirement))
	recoding, err := topdown.Engine{}.Search(context.Background(), table, requirement, options)
	if err != nil {
		return nil, nil, err
	}
	return steps, data.Released(recoding), nil
}

// TestAgreesWithNaiveSearch compares every step and the release with a search that does
// nothing cleverly. KCUT_SEED repeats a run, KCUT_CASES makes it longer.
func TestAgreesWithNaiveSearch(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	if text := os.Getenv("KCUT_SEED"); text != "" {
		seed, _ = strconv.ParseUint(text, 10, 64)
	}
	cases := 400
	if text := os.Getenv("KCUT_CASES"); text != "" {
		cases, _ = strconv.Atoi(text)
	}
	steps := 0
	for i := range cases {
		c := newCase(rand.New(rand.NewPCG(seed+uint64(i), 0)))
		steps += c.compare(t)
		if t.Failed() {
			t.Fatalf("rerun with KCUT_SEED=%d KCUT_CASES=1\n%s", seed+uint64(i), c)
		}
	}
	t.Logf("KCUT_SEED=%d: %d cases, %d steps", seed, cases, steps)
	if cases >= 100 && steps < cases {
		t.Errorf("only %d steps in %d cases", steps, cases)
	}
}

const largestNumber = 11

// randomCase is one table, requirement and options.
type randomCase struct {
	data    enginetest.Data
	sets    []engine.Set
	options engine.Options
}

func (c randomCase) String() string {
	text := fmt.Sprintf("sets %v score %d max steps %d\n", c.sets, c.options.Score, c.options.MaxSteps)
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

// compare fails the test where engine and naive search differ. It returns the steps.
func (c randomCase) compare(t *testing.T) int {
	t.Helper()
	got, released, err := search(c.data, c.sets, c.options)
	if err != nil {
		t.Errorf("search: %v", err)
		return 0
	}
	c.compareNaive(t, got, released)
	return len(got)
}

// compareNaive fails the test where steps and release are not those of the naive search.
func (c randomCase) compareNaive(t *testing.T, got []engine.Step, released [][]engine.Label) {
	t.Helper()
	want, wantReleased := naiveSearch(c.data, c.sets, c.options)
	for i := range max(len(got), len(want)) {
		if i >= len(got) || i >= len(want) {
			t.Errorf("got %d steps, want %d", len(got), len(want))
			break
		}
		step := got[i]
		step.Live, step.Touched = 0, 0
		if limit := uint64(len(c.data.Rows) * len(step.Anonymity)); got[i].Live > limit {
			t.Errorf("step %d: %d live records of %d", i+1, got[i].Live, limit)
		}
		if !reflect.DeepEqual(step, want[i]) || math.Float64bits(step.InfoGain) != math.Float64bits(want[i].InfoGain) {
			t.Errorf("step %d:\ngot  %+v\nwant %+v", i+1, step, want[i])
			break
		}
	}
	if !t.Failed() && !reflect.DeepEqual(released, wantReleased) {
		t.Errorf("release:\ngot  %v\nwant %v", released, wantReleased)
	}
}

// newCase draws a case. Values are few and skewed, so that exact ties are common.
func newCase(r *rand.Rand) randomCase {
	var c randomCase
	columns := 1 + r.IntN(4)
	for i := range columns {
		c.data.Columns = append(c.data.Columns, newColumn(r, fmt.Sprintf("c%d", i)))
	}
	values := make([][]string, columns)
	nulls := make([]float64, columns)
	skew := make([]float64, columns)
	for i, column := range c.data.Columns {
		values[i] = newValues(r, column)
		if r.IntN(3) == 0 {
			nulls[i] = r.Float64() / 2
		}
		skew[i] = 1 + 3*r.Float64()
	}
	classes := r.IntN(5)
	duplicates := 1 + r.IntN(4)
	rows := 60
	if r.IntN(50) == 0 { // partitions large enough to be counted by subtraction
		rows = 1200
	}
	for range 1 + r.IntN(rows) {
		row := make([]engine.Label, columns)
		for i := range row {
			if row[i].Null = r.Float64() < nulls[i]; !row[i].Null {
				row[i].Text = values[i][int(math.Pow(r.Float64(), skew[i])*float64(len(values[i])))]
			}
		}
		class := fmt.Sprint(r.IntN(max(1, classes)))
		for range 1 + r.IntN(duplicates) {
			c.data.Rows = append(c.data.Rows, row)
			if classes > 0 {
				if r.IntN(4) == 0 {
					class = fmt.Sprint(r.IntN(classes))
				}
				c.data.Classes = append(c.data.Classes, class)
			}
		}
	}
	if r.IntN(3) == 0 {
		mirror(&c.data)
	}
	c.sets = newSets(r, columns, len(c.data.Rows))
	if r.IntN(2) == 0 {
		c.foldRare()
	}
	c.options = engine.Options{Score: engine.Score(r.IntN(3)), MaxSteps: -1}
	if r.IntN(5) == 0 {
		c.options.MaxSteps = r.IntN(6)
	}
	return c
}

// foldRare lists no values of suppressed columns that can never be disclosed.
func (c *randomCase) foldRare() {
	for i := range c.data.Columns {
		if c.data.Columns[i].Mask != engine.Suppress {
			continue
		}
		for _, set := range c.sets {
			if slices.Contains(set.Columns, i) {
				c.data.Columns[i].Rare = max(c.data.Columns[i].Rare, set.K)
			}
		}
	}
}

// mirror adds to every row one with its numbers mirrored, so that splits tie in pairs.
func mirror(d *enginetest.Data) {
	for i, row := range slices.Clone(d.Rows) {
		row = slices.Clone(row)
		for c := range row {
			if d.Columns[c].Mask == engine.Discretize && !row[c].Null {
				row[c].Text = fmt.Sprint(largestNumber - int(parse(row[c].Text)))
			}
		}
		d.Rows = append(d.Rows, row)
		if len(d.Classes) > 0 {
			d.Classes = append(d.Classes, d.Classes[i])
		}
	}
}

func newColumn(r *rand.Rand, name string) enginetest.Column {
	column := enginetest.Column{Name: name, Mask: engine.Mask(r.IntN(3))}
	switch column.Mask {
	case engine.Generalize:
		count := 0
		column.Tree = newTree(r, &count, 1+r.IntN(5))
		if r.IntN(30) == 0 { // deep enough that nodes are left to grow during the search
			for i := range 80 {
				column.Tree = engine.Node{Name: fmt.Sprintf("chain%d", i), Children: []engine.Node{column.Tree}}
			}
		}
	case engine.Discretize:
		if r.IntN(2) == 0 {
			column.Lower = fmt.Sprint(-r.IntN(5))
		}
		if r.IntN(2) == 0 {
			column.Upper = fmt.Sprint(12 + r.IntN(5))
		}
	}
	return column
}

// newTree draws a tree, often with long chains of single children.
func newTree(r *rand.Rand, count *int, depth int) engine.Node {
	*count++
	node := engine.Node{Name: fmt.Sprintf("n%d", *count)}
	if depth == 0 || depth < 3 && r.IntN(4) == 0 {
		return node
	}
	for range 1 + r.IntN(3) {
		node.Children = append(node.Children, newTree(r, count, depth-1))
	}
	return node
}

// newValues returns the values that may occur: of a tree, not all leaves.
func newValues(r *rand.Rand, column enginetest.Column) []string {
	var values []string
	if column.Mask == engine.Generalize {
		values = leafNames(column.Tree)
		r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
		return values[:1+r.IntN(len(values))]
	}
	for range 1 + r.IntN(10) {
		values = append(values, fmt.Sprint(r.IntN(largestNumber+1)))
	}
	return values
}

func newSets(r *rand.Rand, columns, rows int) []engine.Set {
	var sets []engine.Set
	for range 1 + r.IntN(4) {
		order := r.Perm(columns)
		k := 1 + r.IntN(6)
		if r.IntN(4) == 0 {
			k = 1 + r.IntN(rows)
		}
		sets = append(sets, engine.Set{Columns: order[:1+r.IntN(columns)], K: min(k, rows)})
	}
	return sets
}
