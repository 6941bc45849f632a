package topdown_test

import (
	"context"
	"fmt"
	"math/rand/v2"
	"syscall"
	"testing"
	"time"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/taxonomy"
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

// newPeople returns that many records, and some to a full batch, of 14 attributes of which
// half are ordered.
func newPeople(rows int) *people {
	p := &people{rows: (rows + peopleBatch - 1) / peopleBatch * peopleBatch}
	for i, values := range []int{74, 3000, 16, 120, 100, 99, 50, 2, 5, 7, 9, 14, 16, 42} {
		a := engine.Attribute{Name: fmt.Sprint("a", i), Mask: engine.Discretize}
		root := taxonomy.Node{Name: "all"}
		for v := range values {
			text := fmt.Sprint(v)
			if v%6 == 0 {
				root.Children = append(root.Children, taxonomy.Node{Name: "group" + text})
			}
			group := &root.Children[len(root.Children)-1]
			group.Children = append(group.Children, taxonomy.Node{Name: text})
			a.Texts, a.Positions = append(a.Texts, text), append(a.Positions, float64(v))
		}
		a.Upper = float64(values - 1)
		if i >= 7 {
			tree, err := taxonomy.NewTree(root)
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

// requirement is one set of all attributes.
func (p *people) requirement() engine.Requirement { return all(len(p.attributes), 50) }

// count returns the table of the records, which is spilled or not as the space decides.
func (p *people) count(tb testing.TB, space partition.Space) *engine.Table {
	tb.Helper()
	coarse := topdown.Engine{}.Codes(p.attributes, p.histograms, 2, p.requirement())
	domains, codes := make([]int, len(coarse)), make([][]uint32, len(coarse))
	for a, c := range coarse {
		domains[a], codes[a] = c.Domain, make([]uint32, peopleBatch)
	}
	counting := space
	counting.Share /= 2
	counter := partition.NewCounter(domains, counting)
	err := p.each(func(batch [][]uint32, _ []uint32) error {
		for a, c := range coarse {
			for r, code := range batch[a] {
				codes[a][r] = c.Codes[code]
			}
		}
		return counter.Add(peopleBatch, codes, domains)
	})
	if err != nil {
		tb.Fatal(err)
	}
	table := &engine.Table{Attributes: p.attributes, Histograms: p.histograms, Classes: 2, Rows: uint64(p.rows), Merged: true}
	table.Groupings = make([]*partition.Table, 1)
	table.Groupings[0], err = partition.Tabulate(context.Background(), []*partition.Counter{counter}, space, 2)
	if err != nil {
		tb.Fatal(err)
	}
	return table
}

// searched is a search that was measured.
type searched struct {
	records, tuples int
	steps           []engine.Step
	took, cpu       time.Duration // of the process, in the clock's and the processors' time
	table           int64         // bytes of the spilled table
	written, read   int64         // bytes of the store's files
	peak            int64         // the most bytes that were on disk, counting included
}

// search searches a table of the records.
func (p *people) search(tb testing.TB, table *engine.Table, space partition.Space) searched {
	tb.Helper()
	s := searched{records: p.rows, tuples: table.Groupings[0].Len(), table: table.Groupings[0].StoredBytes()}
	var before spill.Stats
	if space.Store != nil {
		before = space.Store.Stats()
	}
	options := engine.Options{MaxSteps: -1, Space: space, OnStep: func(step engine.Step) { s.steps = append(s.steps, step) }}
	began, cpu := time.Now(), processorTime()
	if _, err := (topdown.Engine{}).Search(context.Background(), table, p.requirement(), options); err != nil {
		tb.Fatal(err)
	}
	s.took, s.cpu = time.Since(began), processorTime()-cpu
	if space.Store != nil {
		after := space.Store.Stats()
		s.peak = after.PeakDiskBytes
		s.written, s.read = after.BytesWritten-before.BytesWritten, after.BytesRead-before.BytesRead
	}
	return s
}

// touched is how often a record was visited.
func (s *searched) touched() float64 {
	return float64(s.steps[len(s.steps)-1].Touched) / float64(s.records)
}

// each divides a duration among the records, in nanoseconds.
func (s *searched) each(d time.Duration) float64 {
	return float64(d.Nanoseconds()) / float64(s.records)
}

// processorTime is what the process has had of all processors.
func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

func (s searched) String() string {
	text := fmt.Sprintf("%d records, %d tuples, %d steps: %.0f ns and %.0f processor ns a record, touched %.1f times, %.1f processor ns a touch",
		s.records, s.tuples, len(s.steps), s.each(s.took), s.each(s.cpu), s.touched(), s.each(s.cpu)/s.touched())
	if s.table > 0 {
		text += fmt.Sprintf("; table %d MiB, written %.2f times, read %.2f times, at most %.2f times on disk",
			s.table>>20, s.ofTable(s.written), s.ofTable(s.read), s.ofTable(s.peak))
	}
	return text
}

// ofTable compares bytes with those of the spilled table.
func (s *searched) ofTable(bytes int64) float64 { return float64(bytes) / float64(s.table) }

// searchIn searches people in a budget and a store of their own.
func (p *people) searchIn(tb testing.TB, limit int64) searched {
	tb.Helper()
	budget := spill.NewBudget(limit)
	store, err := spill.Open(tb.TempDir(), spill.Options{Budget: budget})
	if err != nil {
		tb.Fatal(err)
	}
	space := partition.Space{Budget: budget, Store: store, Share: limit - budget.Used(), Threads: 2}
	s := p.search(tb, p.count(tb, space), space)
	if err := store.Close(); err != nil {
		tb.Error(err)
	}
	if budget.Used() != 0 {
		tb.Errorf("%d bytes not returned", budget.Used())
	}
	return s
}

// searchInMemory searches people in as much memory as it takes.
func (p *people) searchInMemory(tb testing.TB) searched {
	space := partition.Space{Budget: spill.NewBudget(1 << 40), Share: 1 << 40}
	return p.search(tb, p.count(tb, space), space)
}
