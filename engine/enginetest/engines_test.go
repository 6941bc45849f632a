package enginetest_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/bottomup"
	"github.com/kcut/kcut/engine/enginetest"
	"github.com/kcut/kcut/engine/iac"
	"github.com/kcut/kcut/engine/kactus"
	"github.com/kcut/kcut/engine/mondrian"
	"github.com/kcut/kcut/engine/recheck"
	"github.com/kcut/kcut/engine/topdown"
	"github.com/kcut/kcut/internal/seedtest"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/spill"
)

// variants are the engines with all settings that change how they work.
var variants = []engine.Engine{
	topdown.Engine{}, bottomup.Engine{}, bottomup.Engine{Weighted: true, Bins: 3},
	mondrian.Engine{}, mondrian.Engine{Ordered: true}, mondrian.Engine{Relaxed: true, Seed: 1},
	mondrian.Engine{Relaxed: true, Ordered: true, Seed: 2}, mondrian.Engine{InfoGain: true},
	mondrian.Engine{InfoGain: true, Guided: true}, mondrian.Engine{InfoGain: true, Tight: true},
	mondrian.Engine{Relaxed: true, Tight: true, Seed: 3},
	mondrian.Engine{Ordered: true, Tight: true},
	kactus.Engine{Seed: 1, MinObjects: 1}, kactus.Engine{MinObjects: 3, Recruit: true},
	kactus.Engine{Seed: 2, MinObjects: 2, Prune: true}, kactus.Engine{Prune: true, Recruit: true},
	iac.Engine{Bins: 3}, iac.Engine{TopUp: true},
	iac.Engine{Capped: true, Delta: 0.5, Epsilon: 0.2, Bins: 5},
	recheck.Engine{}, recheck.Engine{OnBreak: recheck.Coarsen},
	recheck.Engine{OnBreak: recheck.Suppress, MaxSuppressed: 40},
}

// outcome is the result of a search.
type outcome struct {
	err   string
	steps []engine.Step
	// without a Locator whose parts depend on the order in which they were made
	recoding engine.Recoding
	released [][]engine.Label
}

// problem is a random table for an engine. Each attribute is in a set, since some engines need
// that.
type problem struct {
	enginetest.Case
	engine  engine.Engine
	options engine.Options
	names   []engine.Label // of the classes; without names, cells of one tuple have equal keys
	most    uint64         // number of records that may be suppressed or dropped
	drop    bool
}

func draw(r *rand.Rand, e engine.Engine) problem {
	p := problem{Case: enginetest.NewCase(r, 60), engine: e}
	p.options = engine.Options{Score: engine.Score(r.IntN(3)), MaxSteps: -1}
	if _, isTopdown := e.(topdown.Engine); isTopdown {
		if r.IntN(5) == 0 {
			p.options.MaxSteps = r.IntN(6)
		}
		p.most, p.drop = uint64(r.IntN(2)*r.IntN(len(p.Data.Rows))), r.IntN(2) == 0
	}
	all := engine.Set{K: engine.KAnonymity(1 + r.IntN(min(len(p.Data.Rows), 1+r.IntN(12))))}
	for a := range p.Data.Columns {
		all.Columns = append(all.Columns, a)
	}
	p.Sets = append(p.Sets[:r.IntN(len(p.Sets)+1)], all)
	entities, sensitive := canProtect(e)
	p.protect(r, entities && r.IntN(2) == 0, sensitive && r.IntN(2) == 0)
	plan, foldRare := e.Plan(engine.Requirement{Sets: p.Sets}), r.IntN(2) == 0
	if _, isRecheck := e.(recheck.Engine); plan.Whole && !plan.Pool && !isRecheck {
		foldRare = false // there is no rest
	}
	for a := range p.Data.Columns {
		if of := (engine.Requirement{Sets: p.Sets}).ByAttribute(len(p.Data.Columns))[a]; foldRare &&
			p.Data.Columns[a].Mask == engine.Suppress {
			p.Data.Columns[a].Rare = int(of.K)
		}
	}
	named := r.IntN(4) > 0
	for class := range p.Data.Codes().Classes {
		name := engine.Label{}
		if named {
			name.Text = fmt.Sprint("class ", class)
		}
		p.names = append(p.names, name)
	}
	return p
}

// canProtect reports whether an engine can count entities and look at sensitive columns.
func canProtect(e engine.Engine) (entities, sensitive bool) {
	switch e := e.(type) {
	case mondrian.Engine:
		return !e.Relaxed, !e.Relaxed
	case kactus.Engine:
		return true, true
	case iac.Engine:
		return !e.Capped, false
	}
	return false, false
}

// protect adds entities, sensitive columns, or both, if all rows together then hold.
func (p *problem) protect(r *rand.Rand, entities, sensitive bool) {
	c, all := p.Case, make([]int, len(p.Data.Rows))
	c.Sets = slices.Clone(c.Sets)
	c.Protect(r, entities, sensitive)
	for row := range all {
		all[row] = row
	}
	stats := c.Data.Stats(all)
	if !slices.ContainsFunc(c.Sets, func(s engine.Set) bool { return !s.Holds(stats) }) {
		p.Case = c
	}
}

func (p problem) requirement() engine.Requirement {
	return engine.Requirement{Sets: p.Sets, MaxSuppressed: p.most, Drop: p.drop}
}

func (p problem) codes() enginetest.Codes {
	codes := p.Data.Codes()
	codes.ClassNames = p.names
	return codes
}

// search calls the engine by a function and returns the result.
func (p problem) search(call func(engine.Options) (engine.Recoding, error)) (o outcome, err error) {
	options := p.options
	options.OnStep = func(s engine.Step) { o.steps = append(o.steps, s) }
	if o.recoding, err = call(options); err != nil {
		o.err = err.Error()
		return outcome{err: o.err}, err
	}
	o.released = p.Data.Released(o.recoding)
	if _, ok := p.engine.(iac.Engine); ok {
		o.recoding.(*engine.Regions).Locator = nil
	}
	return o, nil
}

func (p problem) inMemory() (outcome, error) {
	return p.search(func(options engine.Options) (engine.Recoding, error) {
		table := p.codes().Table(p.engine.Plan(p.requirement()))
		return p.engine.Search(context.Background(), table, p.requirement(), options)
	})
}

// eachVariant runs a test with random tables for every variant. It returns the number of cases of
// each.
func eachVariant(t *testing.T, cases int, test func(*testing.T, *rand.Rand, problem)) (tried int) {
	for _, e := range variants {
		t.Run(fmt.Sprintf("%T%+v", e, e), func(t *testing.T) {
			tried = enginetest.Cases(t, cases, func(r *rand.Rand) {
				p := draw(r, e)
				if test(t, r, p); t.Failed() {
					t.Fatal(p.Case)
				}
			})
		})
	}
	return tried
}

// TestPlan: plans leave out sets that others imply, and have columns in the attributes' order.
func TestPlan(t *testing.T) {
	requirement := engine.Requirement{Sets: []engine.Set{{Columns: []int{2, 0}, K: 5},
		{Columns: []int{2}, K: 5}, {Columns: []int{1}, K: 2}}}
	two, one := []engine.Grouping{{Columns: []int{0, 2}}, {Columns: []int{1}}},
		[]engine.Grouping{{Columns: []int{0, 1, 2}}}
	byClass := []engine.Grouping{{Columns: []int{0, 1, 2}, Kind: true}}
	for _, c := range []struct {
		engine engine.Engine
		want   engine.Plan
	}{
		{topdown.Engine{}, engine.Plan{Groupings: two, Histograms: true, Leaves: true}},
		{bottomup.Engine{}, engine.Plan{Groupings: two, Histograms: true, Whole: true}},
		{recheck.Engine{OnBreak: recheck.Suppress},
			engine.Plan{Groupings: one, Histograms: true, Whole: true}},
		{mondrian.Engine{}, engine.Plan{Groupings: one, Whole: true, Pool: true}},
		{mondrian.Engine{Relaxed: true}, engine.Plan{Groupings: byClass, Whole: true, Pool: true}},
		{mondrian.Engine{InfoGain: true, Guided: true},
			engine.Plan{Groupings: byClass, Whole: true, Pool: true}},
		{mondrian.Engine{InfoGain: true}, engine.Plan{Groupings: byClass, Whole: true, Pool: true}},
	} {
		if got := c.engine.Plan(requirement); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%T%+v: got %+v, want %+v", c.engine, c.engine, got, c.want)
		}
	}
}

// TestOrderOfRowsDoesNotMatter shuffles the rows.
func TestOrderOfRowsDoesNotMatter(t *testing.T) {
	eachVariant(t, seedtest.Few(20, 40), func(t *testing.T, r *rand.Rand, p problem) {
		want, _ := p.inMemory()
		p.Data = p.Data.Shuffle(r)
		got, _ := p.inMemory()
		got.released, want.released = nil, nil
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%+v\nin another order %+v", want, got)
		}
	})
}

// TestSpilledSearchAgrees searches tables with the smallest sufficient share, and with more. Every
// field of the result is as in memory.
func TestSpilledSearchAgrees(t *testing.T) {
	store := enginetest.OpenStore(t)
	refused := map[string]int{}
	cases := eachVariant(t, seedtest.Few(8, 20), func(t *testing.T, r *rand.Rand, p problem) {
		want, _ := p.inMemory()
		before := r.IntN(2) == 0
		for share, enough := int64(1<<9), 0; enough < 3; share += share / 2 {
			space := partition.Space{
				Budget:  spill.NewBudget(4 * share),
				Store:   store,
				Share:   share,
				Threads: 1 + r.IntN(3),
			}
			got, err := p.search(func(options engine.Options) (engine.Recoding, error) {
				options.Space = space
				return enginetest.SearchIn(t, p.engine, p.codes(), p.requirement(), options, before)
			})
			if errors.Is(err, spill.ErrBudget) && enough == 0 {
				refused[fmt.Sprintf("%T", p.engine)]++
				continue
			}
			if enough++; !reflect.DeepEqual(got, want) {
				t.Fatalf("share %d:\ngot  %+v\nwant %+v", share, got, want)
			}
		}
	})
	if cases >= 8 && (len(refused) != 6 || store.Stats().Chunks == 0) {
		t.Errorf("searches refused: %v, %d chunks stored", refused, store.Stats().Chunks)
	}
}

// TestSearchIsInfeasibleBelowK asks for more records than there are.
func TestSearchIsInfeasibleBelowK(t *testing.T) {
	eachVariant(t, 5, func(t *testing.T, r *rand.Rand, p problem) {
		if _, isRecheck := p.engine.(recheck.Engine); isRecheck {
			return
		}
		p.Sets[r.IntN(len(p.Sets))].K = engine.KAnonymity(len(p.Data.Rows) + 1)
		if _, err := p.inMemory(); !errors.Is(err, engine.ErrInfeasible) {
			t.Errorf("got %v, want ErrInfeasible", err)
		}
	})
}

// TestSearchRefusesKinds asks engines for protections that they cannot check.
func TestSearchRefusesKinds(t *testing.T) {
	d := enginetest.Data{
		Columns: []enginetest.Column{{
			Name: "sex",
			Mask: engine.Suppress,
		}}, Rows: [][]engine.Label{enginetest.Values("f"), enginetest.Values("m")},
		Entities: []string{"1", "2"}, Sensitive: [][]string{{"flu", "cold"}},
	}
	set := engine.Set{
		Columns:  []int{0},
		K:        1,
		Entities: true,
		Others:   []engine.Protection{&engine.Limit{Measure: engine.DistinctL, Bound: 1}},
	}
	requirement := engine.Requirement{Sets: []engine.Set{set}}
	for _, e := range []engine.Engine{bottomup.Engine{}, iac.Engine{}, iac.Engine{Capped: true},
		mondrian.Engine{Relaxed: true}} {
		if _, err := e.Search(t.Context(), d.Table(e.Plan(requirement)), requirement,
			engine.Options{}); !errors.Is(err, engine.ErrKinds) {
			t.Errorf("%T%+v: got %v, want ErrKinds", e, e, err)
		}
	}
}

// TestSearchStopsWhenCancelled also checks that the budget is returned. A search that reports its
// steps as it performs them ends with the first one.
func TestSearchStopsWhenCancelled(t *testing.T) {
	eachVariant(t, 10, func(t *testing.T, _ *rand.Rand, p problem) {
		want, err := p.inMemory()
		if regions, ok := want.recoding.(*engine.Regions); err != nil || ok && regions.Len() < 2 {
			return
		}
		if p.most > 0 {
			return // it reports its steps in the end
		}
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		steps := 0
		options := p.options
		options.OnStep = func(engine.Step) {
			steps++
			cancel()
		}
		if _, isRecheck := p.engine.(recheck.Engine); isRecheck || len(want.steps) < 2 {
			cancel()
		}
		table := p.codes().Table(p.engine.Plan(p.requirement()))
		budget := spill.NewBudget(1 << 22)
		for _, grouping := range table.Groupings {
			if err := budget.Draw("table", grouping.Bytes()); err != nil {
				t.Fatal(err)
			}
		}
		options.Space = partition.Space{Budget: budget, Share: 1 << 22}
		_, err = p.engine.Search(ctx, table, p.requirement(), options)
		if !errors.Is(err, context.Canceled) || steps > 1 || budget.Used() != 0 {
			t.Errorf("%T: got %v after %d steps of %d, %d bytes in use", p.engine, err, steps,
				len(want.steps), budget.Used())
		}
	})
}

// TestAdult recounts and checks releases of real data.
func TestAdult(t *testing.T) {
	d := enginetest.Adult(t, append([]string{"hours-per-week", "relationship"},
		enginetest.EightAttributes...)...)
	for _, e := range large {
		p := problem{
			Case:    enginetest.Case{Data: d},
			engine:  e,
			options: engine.Options{MaxSteps: -1},
		}
		p.names = enginetest.Values("<=50K", ">50K")
		p.Sets = []engine.Set{{Columns: []int{0, 2, 4, 5, 9}, K: 50},
			{Columns: []int{1, 3, 5, 6, 7, 8}, K: 100}}
		p.checkRelease(t)
	}
}

// large are the engines for larger tables.
var large = []engine.Engine{
	topdown.Engine{}, bottomup.Engine{}, mondrian.Engine{}, mondrian.Engine{
		Ordered: true,
		Relaxed: true,
	},
	mondrian.Engine{InfoGain: true}, mondrian.Engine{InfoGain: true, Guided: true},
	kactus.Engine{Seed: 1}, kactus.Engine{MinObjects: 2, Prune: true, Recruit: true},
	iac.Engine{},
}

// TestReleases recounts and checks releases of random tables.
func TestReleases(t *testing.T) {
	eachVariant(t, seedtest.Few(25, 60), func(t *testing.T, _ *rand.Rand, p problem) {
		if _, err := p.inMemory(); !errors.Is(err, engine.ErrBroken) &&
			!errors.Is(err, engine.ErrUnreached) {
			p.checkRelease(t)
		}
	})
}

// checkRelease checks that labels are true and that the sets hold as the recoding says.
func (p problem) checkRelease(t *testing.T) {
	t.Helper()
	got, err := p.inMemory()
	if err != nil {
		t.Fatal(err)
	}
	p.Data.CheckTrue(t, got.released)
	suppressed, dropped := got.recoding.Lost()
	for _, labels := range got.released {
		if labels == nil {
			dropped--
		}
	}
	kept, _ := p.requirement().Reduce()
	anonymity := p.Data.CheckProtected(t, got.released, kept.Sets)
	if said := got.recoding.Anonymity(p.requirement()); !reflect.DeepEqual(said, anonymity) ||
		dropped != 0 {
		t.Errorf("%T%+v, sets %v: A(QID) is %v, the search says %v; %d more are said to be dropped",
			p.engine, p.engine, p.Sets, anonymity, said, int64(dropped))
	}
	if regions, ok := got.recoding.(*engine.Regions); ok {
		p.checkRegions(t, regions, got.released)
	}
	if len(p.Data.Rows) > 1000 {
		t.Logf("%T%+v, sets %v: %d steps, A(QID) %v, %d suppressed", p.engine, p.engine, p.Sets,
			len(got.steps), anonymity, suppressed)
	}
}

// checkRegions checks the promises of engine.Regions: the sizes; that some region has each label;
// that wider labels come before those within them, and narrower regions before those that contain
// them.
func (p problem) checkRegions(t *testing.T, r *engine.Regions, released [][]engine.Label) {
	t.Helper()
	groups := map[string]uint64{}
	for _, row := range released {
		if row != nil {
			groups[fmt.Sprint(row)]++
		}
	}
	// by attribute and label: the codes for which it is true
	covered, codes := make([][]map[int]bool, len(r.Columns)), p.codes()
	for a := range r.Columns {
		used, distinct := map[uint32]bool{}, map[engine.Label]bool{}
		for region := range r.Len() {
			used[r.Region(int32(region))[a]] = true
		}
		for i, label := range r.Labels(a) {
			distinct[label] = true
			covered[a] = append(covered[a], map[int]bool{})
			for code := range codes.Attributes[a].Len() {
				if p.Data.Columns[a].Covers(label, codes.Attributes[a].Label(code)) {
					covered[a][i][code] = true
				}
			}
			for _, before := range covered[a][:i] {
				if len(before) < len(covered[a][i]) && within(before, covered[a][i]) {
					t.Errorf("column %d: label %d is wider than one before it", a, i)
				}
			}
		}
		if len(used) != len(r.Labels(a)) || len(distinct) != len(used) {
			t.Errorf("column %d: %d labels, %d distinct, %d used", a, len(r.Labels(a)),
				len(distinct), len(used))
		}
	}
	for i := range r.Len() {
		var labels []engine.Label
		for a, label := range r.Region(int32(i)) {
			labels = append(labels, r.Labels(a)[label])
		}
		if n := groups[fmt.Sprint(labels)]; n != r.Sizes[i] || len(groups) != r.Len() {
			t.Errorf("%d records are as region %d, which says %d; %d groups of %d regions", n, i,
				r.Sizes[i], len(groups), r.Len())
		}
		for j := range i {
			if i > 100 {
				break
			}
			inside := true
			for a, label := range r.Region(int32(i)) {
				inside = inside && within(covered[a][label], covered[a][r.Region(int32(j))[a]])
			}
			if inside {
				t.Errorf("region %d is within region %d, which comes first", i, j)
			}
		}
	}
}

// within reports whether a label's codes are all among another's.
func within(a, b map[int]bool) bool {
	for code := range a {
		if !b[code] {
			return false
		}
	}
	return true
}

// people returns a number of records like Adult's, a set of all attributes, and the names of their
// classes.
func people(rows int, k engine.KAnonymity) (enginetest.Codes, engine.Requirement) {
	codes := enginetest.People(rows, 1, 74, 8, 16, 7, 14, 5, 2, 41)
	codes.ClassNames = enginetest.Values("0", "1")
	last := &codes.Attributes[7]
	last.Mask, last.Tree = engine.Suppress, nil
	return codes, engine.Requirement{Sets: []engine.Set{{
		Columns: []int{0, 1, 2, 3, 4, 5, 6, 7},
		K:       k,
	}}}
}

// TestSpilledPeople searches a larger table in a share that is a fraction of it.
func TestSpilledPeople(t *testing.T) {
	codes, requirement := people(40_000, 20)
	for _, e := range large[:len(large)-1] { // the classes of IAC take more than the share
		store := enginetest.OpenStore(t)
		table := codes.Table(e.Plan(requirement))
		share := table.Groupings[0].Bytes() / 3
		want, err := e.Search(t.Context(), table, requirement, engine.Options{MaxSteps: -1})
		if err != nil {
			t.Fatal(err)
		}
		for _, before := range []bool{true, false} {
			options := engine.Options{
				MaxSteps: -1,
				Space: partition.Space{
					Budget: spill.NewBudget(1 << 30),
					Store:  store,
					Share:  share,
				},
			}
			got, err := enginetest.SearchIn(t, e, codes, requirement, options, before)
			if err != nil || !reflect.DeepEqual(got, want) {
				t.Errorf("%T%+v, in memory before: %t: the recodings differ, or %v", e, e, before,
					err)
			}
		}
		if store.Stats().Chunks == 0 {
			t.Errorf("%T%+v: nothing was spilled", e, e)
		}
	}
}

// BenchmarkSearch searches a million records, in memory and with a share of a third of the table.
func BenchmarkSearch(b *testing.B) {
	codes, requirement := people(1_000_000, 100)
	for _, e := range large {
		for _, isSpilled := range []bool{false, true} {
			b.Run(fmt.Sprintf("%T%+v spilled=%t", e, e, isSpilled), func(b *testing.B) {
				for range b.N {
					b.StopTimer()
					table, options := codes.Table(e.Plan(requirement)), engine.Options{MaxSteps: -1}
					if isSpilled {
						options.Space = thirdOf(b, table)
					}
					b.StartTimer()
					if _, err := e.Search(b.Context(), table, requirement, options); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func thirdOf(b *testing.B, table *engine.Table) partition.Space {
	store, err := spill.Open(b.TempDir(), spill.Options{Budget: spill.NewBudget(64 << 20)})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { store.Close() })
	bytes, budget := table.Groupings[0].Bytes(), spill.NewBudget(1<<30)
	if err := budget.Draw("table", bytes); err != nil {
		b.Fatal(err)
	}
	return partition.Space{Budget: budget, Store: store, Share: bytes / 3}
}

// BenchmarkRecode measures the time for a row.
func BenchmarkRecode(b *testing.B) {
	codes, requirement := people(1_000_000, 100)
	labels := make([][]uint32, len(codes.Attributes))
	for a := range labels {
		labels[a] = make([]uint32, codes.Rows)
	}
	for _, e := range large {
		b.Run(fmt.Sprintf("%T%+v", e, e), func(b *testing.B) {
			recoding, err := e.Search(b.Context(), codes.Table(e.Plan(requirement)), requirement,
				engine.Options{MaxSteps: -1})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				rows := engine.Rows{
					N:       codes.Rows,
					Codes:   codes.Columns,
					Classes: codes.Class,
					Taken:   make([]uint64, recoding.Cells()),
				}
				recoding.Recode(rows, labels)
			}
			b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*codes.Rows), "ns/row")
		})
	}
}
