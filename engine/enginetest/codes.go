package enginetest

import (
	"context"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// Codes is a table of codes, with a slice for each column.
type Codes struct {
	Attributes []engine.Attribute
	Rows       int
	Columns    [][]uint32
	People     [][]uint32 // the population, with a slice for each column
	Class      []uint32
	Classes    int // 0: no class
	ClassNames []engine.Label
	Kind       []uint32      // by row; nil: there are no kinds
	Kinds      *engine.Kinds // the kinds that Kind numbers
}

// Table compresses the rows as an engine's plan asks. Fields are a bit wider than necessary, as
// they may be when the domains were not known before.
func (c Codes) Table(plan engine.Plan) *engine.Table {
	t, codes := c.counted(plan), engine.Identities(c.Attributes)
	for a := range codes {
		codes[a].Domain *= 2
	}
	space := partition.Space{Budget: spill.NewBudget(1 << 40)}
	must(c.group(context.Background(), t, plan, codes, space, space))
	return t
}

// Merged is Table in the codes that the engine distinguishes, counted by counters that each have a
// sixteenth of the space's share. The space must have a budget and a store.
func (c Codes) Merged(ctx context.Context, e engine.Engine, requirement engine.Requirement,
	space partition.Space) (*engine.Table, error) {
	plan := e.Plan(requirement)
	t := c.counted(plan)
	t.Merged = true
	codes := engine.Merge(e, t, requirement)
	part, half := space, space
	part.Share, half.Share = space.Share/16, space.Share/2
	return t, c.group(ctx, t, plan, codes, part, half)
}

// group adds the groupings of a plan to a table, each counted by two counters in turn.
func (c Codes) group(ctx context.Context, t *engine.Table, plan engine.Plan,
	codes []engine.CodeMerge, part, space partition.Space) error {
	for _, g := range plan.Groupings {
		domains, from, to := c.grouping(g, codes)
		counters := []*partition.Counter{partition.NewCounter(domains, part),
			partition.NewCounter(domains, part)}
		var weights []uint64
		if g.Weighted {
			weights = c.weights()
		}
		if err := count(from, to, weights, domains, c.Rows, counters); err != nil {
			return err
		}
		if g.People {
			people := [][]uint32{}
			for _, a := range g.Columns {
				people = append(people, c.People[a])
			}
			n := len(people[0])
			people = append(people, slices.Repeat([]uint32{engine.OfPeople}, n))
			if err := count(people, to, nil, domains, n, counters); err != nil {
				return err
			}
		}
		table, err := partition.Tabulate(ctx, counters, space, 2)
		if err != nil {
			return err
		}
		t.Groupings = append(t.Groupings, table)
	}
	return nil
}

// counted returns the table without groupings.
func (c Codes) counted(plan engine.Plan) *engine.Table {
	t := &engine.Table{
		Attributes: c.Attributes,
		Classes:    c.Classes,
		ClassNames: c.ClassNames,
		Rows:       uint64(c.Rows),
	}
	for a, codes := range c.People {
		if len(codes) > 0 {
			t.People = append(t.People, sums(codes, c.Attributes[a].Len(), nil))
		}
	}
	if c.Kinds != nil {
		t.Kinds = c.Kinds
		c.Kinds.Stats(sums(c.Kind, c.Kinds.Len(), nil), &t.Whole)
	}
	budget, classes := spill.NewBudget(1<<40), max(1, c.Classes)
	for a, codes := range c.Columns {
		if !plan.Histograms {
			break
		}
		if weights := c.weights(); weights != nil {
			t.Sizes = append(t.Sizes, sums(codes, c.Attributes[a].Len(), weights))
		}
		columns, domains := [][]uint32{codes}, []int{c.Attributes[a].Len()}
		if c.Classes > 0 {
			columns, domains = [][]uint32{c.Class, codes}, []int{classes, domains[0]}
		}
		counter := partition.NewCounter(domains, partition.Space{Budget: budget})
		must(counter.Add(len(codes), columns, domains))
		pairs, err := partition.JoinPairs(context.Background(), []*partition.Counter{counter},
			budget, 1)
		must(err)
		t.Histograms = append(t.Histograms, pairs.Histogram(c.Attributes[a].Len(), classes))
	}
	return t
}

// grouping returns the columns of a grouping, the maps of their codes, and the new domains.
func (c Codes) grouping(g engine.Grouping, codes []engine.CodeMerge) (domains []int, from,
	to [][]uint32) {
	for _, a := range g.Columns {
		domains, from, to = append(domains, codes[a].Domain), append(from, c.Columns[a]),
			append(to, codes[a].Codes)
	}
	if g.People {
		return append(domains, 2), append(from, make([]uint32, c.Rows)),
			append(to, engine.Identity(2).Codes)
	}
	kind, kinds := c.Kind, 0
	if c.Kinds == nil {
		kind, kinds = c.Class, c.Classes
	} else {
		kinds = c.Kinds.Len()
	}
	if g.Kind && kinds > 0 {
		domains, from, to = append(domains, kinds), append(from, kind),
			append(to, engine.Identity(kinds).Codes)
	}
	return domains, from, to
}

// weights returns the weight of every row, nil where k counts records.
func (c Codes) weights() (weights []uint64) {
	if c.Kinds == nil || c.Kinds.Weight == nil {
		return nil
	}
	for _, kind := range c.Kind {
		weights = append(weights, c.Kinds.Weight[kind])
	}
	return weights
}

// sums counts rows by code, or adds up their weights.
func sums(codes []uint32, domain int, weights []uint64) []uint64 {
	sums := make([]uint64, domain)
	for row, code := range codes {
		n := uint64(1)
		if weights != nil {
			n = weights[row]
		}
		sums[code] += n
	}
	return sums
}

// count counts rows, or their weights, by several counters in turn.
func count(from, to [][]uint32, weights []uint64, domains []int, rows int,
	counters []*partition.Counter) error {
	const batch = 1 << 16
	columns := make([][]uint32, len(from))
	for row := 0; row < rows; row += batch {
		n := min(batch, rows-row)
		for i := range from {
			columns[i] = columns[i][:0]
			for _, code := range from[i][row : row+n] {
				columns[i] = append(columns[i], to[i][code])
			}
		}
		var some []uint64
		if weights != nil {
			some = weights[row : row+n]
		}
		if err := counters[row/batch%len(counters)].AddCounted(n, some, columns,
			domains); err != nil {
			return err
		}
	}
	return nil
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

// OpenStore returns a store that the end of the test closes.
func OpenStore(t *testing.T) *spill.Store {
	t.Helper()
	s, err := spill.Open(t.TempDir(), spill.Options{Budget: spill.NewBudget(16 << 20)})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	return s
}

// SearchIn searches a table in the options' space, which must be free before and after. The tables
// are spilled, unless inMemory.
func SearchIn(t *testing.T, e engine.Engine, c Codes, requirement engine.Requirement,
	options engine.Options, inMemory bool) (engine.Recoding, error) {
	t.Helper()
	space := options.Space
	counting := partition.Space{Budget: spill.NewBudget(1 << 40), Store: space.Store, Share: 1}
	if inMemory {
		counting.Share = 1 << 40
	}
	table, err := c.Merged(context.Background(), e, requirement, counting)
	if err != nil {
		t.Fatal(err)
	}
	if err := space.Budget.Draw("groupings", counting.Budget.Used()); err != nil {
		return nil, err
	}
	recoding, err := e.Search(context.Background(), table, requirement, options)
	if used := space.Budget.Used(); err == nil && used != 0 {
		t.Errorf("%d bytes are not returned", used)
	}
	return recoding, err
}
