package topdown_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"reflect"
	"runtime"
	"runtime/debug"
	"strconv"
	"testing"
	"time"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/topdown"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// people are records too many to hold as rows: nearly every tuple occurs once.
type people struct {
	rows       int
	attributes []engine.Attribute
	histograms []*partition.Histogram
}

const peopleBatch = 1 << 16

// newPeople returns records of 14 attributes of which half are ordered.
func newPeople(rows int) *people {
	p := &people{rows: rows}
	for i, values := range []int{74, 3000, 16, 120, 100, 99, 50, 2, 5, 7, 9, 14, 16, 42} {
		a := engine.Attribute{Name: fmt.Sprint("a", i), Mask: engine.Discretize}
		root := engine.Node{Name: "all"}
		for v := range values {
			text := fmt.Sprint(v)
			if v%6 == 0 {
				root.Children = append(root.Children, engine.Node{Name: "group" + text})
			}
			group := &root.Children[len(root.Children)-1]
			group.Children = append(group.Children, engine.Node{Name: text})
			a.Texts, a.Positions = append(a.Texts, text), append(a.Positions, float64(v))
		}
		a.Upper = float64(values - 1)
		if i >= 7 {
			tree, err := engine.NewTree(root)
			if err != nil {
				panic(err)
			}
			a.Mask, a.Tree, a.Texts = engine.Generalize, tree, tree.Leaves()
		}
		p.attributes = append(p.attributes, a)
	}
	counts := make([][]uint64, len(p.attributes))
	for i := range counts {
		counts[i] = make([]uint64, 2*p.attributes[i].Len())
	}
	p.each(func(codes [][]uint32, class []uint32) error {
		for i, column := range codes {
			for r, code := range column {
				counts[i][2*code+class[r]]++
			}
		}
		return nil
	})
	for _, c := range counts {
		h := &partition.Histogram{Classes: 2, Start: []int{0}}
		for i, n := range c {
			if n > 0 {
				h.Class, h.Count = append(h.Class, uint32(i%2)), append(h.Count, n)
			}
			if i%2 == 1 {
				h.Start = append(h.Start, len(h.Count))
			}
		}
		p.histograms = append(p.histograms, h)
	}
	return p
}

// each hands out the records in batches, the same every time. Smaller codes are more
// frequent, and the class leans on some attributes.
func (p *people) each(visit func(codes [][]uint32, class []uint32) error) error {
	codes, class := make([][]uint32, len(p.attributes)), make([]uint32, peopleBatch)
	for i := range codes {
		codes[i] = make([]uint32, peopleBatch)
	}
	for from := 0; from < p.rows; from += peopleBatch {
		r := rand.New(rand.NewPCG(7, uint64(from)))
		for row := range peopleBatch {
			lean := 0.0
			for i := range codes {
				x := r.Float64() * r.Float64()
				codes[i][row] = uint32(x * float64(p.attributes[i].Len()))
				if i%3 == 0 {
					lean += x
				}
			}
			class[row] = 0
			if r.Float64() < lean/3 {
				class[row] = 1
			}
		}
		if err := visit(codes, class); err != nil {
			return err
		}
	}
	return nil
}

// search counts the records in a space and searches them there.
func (p *people) search(t *testing.T, space partition.Space, spilled bool) (steps []engine.Step) {
	t.Helper()
	requirement := all(len(p.attributes), 50)
	coarse := topdown.Engine{}.Codes(p.attributes, p.histograms, 2, requirement)
	domains, codes := make([]int, len(coarse)), make([][]uint32, len(coarse))
	for a, c := range coarse {
		domains[a], codes[a] = c.Domain, make([]uint32, peopleBatch)
	}
	counter := partition.NewCounter(len(domains), space.Budget)
	if spilled {
		counting := space
		counting.Share = space.Share / 2
		counter = partition.NewSpillCounter(domains, counting)
	}
	counting := time.Duration(0)
	err := p.each(func(batch [][]uint32, _ []uint32) error {
		began := time.Now()
		defer func() { counting += time.Since(began) }()
		for a, c := range coarse {
			for r, code := range batch[a] {
				codes[a][r] = c.Codes[code]
			}
		}
		return counter.Add(peopleBatch, codes, domains)
	})
	if err != nil {
		t.Fatal(err)
	}
	began := time.Now()
	tabulate := func() (*partition.Table, error) {
		if spilled {
			return partition.TabulateSpilled(context.Background(), []*partition.Counter{counter}, space, 2)
		}
		return partition.Tabulate(context.Background(), []*partition.Counter{counter}, space.Budget, 2)
	}
	grouping, err := tabulate()
	if err != nil {
		t.Fatal(err)
	}
	joining := time.Since(began)
	tuples := grouping.Len()
	if grouping.Spilled() != spilled {
		t.Fatalf("%d tuples, spilled: %t", tuples, grouping.Spilled())
	}
	began = time.Now()
	table := &engine.Table{
		Attributes: p.attributes, Histograms: p.histograms, Classes: 2, Rows: uint64(p.rows),
		Groupings: []*partition.Table{grouping}, Coarse: true,
	}
	options := engine.Options{MaxSteps: -1, Space: space, OnStep: func(s engine.Step) { steps = append(steps, s) }}
	if _, err := (topdown.Engine{}).Search(context.Background(), table, requirement, options); err != nil {
		t.Fatal(err)
	}
	t.Logf("spilled %t: %d records, %d tuples of %d words, %d steps: count %.1f s, join %.1f s, search %.1f s; peak draw %d MiB, peak resident %d MiB",
		spilled, p.rows, tuples, grouping.Layout.Words, len(steps), counting.Seconds(), joining.Seconds(), time.Since(began).Seconds(),
		space.Budget.Peak()>>20, spill.PeakResident()>>20)
	if space.Store != nil {
		t.Logf("store: %+v", space.Store.Stats())
	}
	return steps
}

// TestLong searches nearly unique records in 128 MiB and compares with the search in
// memory. KCUT_LONG is the number of records, in millions; 20 take about two minutes.
func TestLong(t *testing.T) {
	millions, err := strconv.Atoi(os.Getenv("KCUT_LONG"))
	if err != nil {
		t.Skip("KCUT_LONG is not set")
	}
	p := newPeople(millions * 1_000_000 / peopleBatch * peopleBatch)
	const limit, overhead = 128 << 20, 64 << 20
	before := debug.SetMemoryLimit(limit + overhead/4)
	budget := spill.NewBudget(limit)
	store, err := spill.Open(t.TempDir(), spill.Options{Budget: budget})
	if err != nil {
		t.Fatal(err)
	}
	got := p.search(t, partition.Space{Budget: budget, Store: store, Share: limit - budget.Used()}, true)
	if err := store.Close(); err != nil {
		t.Error(err)
	}
	if budget.Used() != 0 {
		t.Errorf("%d bytes not returned", budget.Used())
	}
	if peak := spill.PeakResident(); peak > limit+overhead {
		t.Errorf("%d MiB resident with a budget of %d MiB", peak>>20, limit>>20)
	}
	if os.Getenv("KCUT_ALONE") != "" {
		return
	}
	debug.SetMemoryLimit(before)
	runtime.GC()
	want := p.search(t, partition.Space{Budget: spill.NewBudget(1 << 40), Share: 1 << 40}, false)
	if !reflect.DeepEqual(got, want) {
		t.Errorf("spilled %+v\nin memory %+v", got, want)
	}
}
