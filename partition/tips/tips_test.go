package tips

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/internal/seedtest"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/partitiontest"
	"github.com/kcut/kcut/spill"
	"github.com/kcut/kcut/spill/spilltest"
)

// model is a naive twin of a View and its sets: it keeps whole tables and counts them again.
type model struct {
	view    View
	columns []modelColumn
	tables  []*partition.Table
	sets    [][]int
	tips    []*TIPS
	ks      []uint64

	outliers bool // parts may have fewer than k records
}

// modelColumn has the masked value of every code, and the values that can be refined.
type modelColumn struct {
	masked []maskedValue // by code
	ranges map[int32][]int
	codes  map[int32]int // of suppressed values
}

// maskedValue is the masked value of codes of a column: a range of its codes, a child of the value
// that would be refined, or the common value of all suppressed ones.
type maskedValue uint64

const (
	modelDomain = 49 // larger than the domain of every column of the twin
	valueBits   = 12 // so that those of five columns fit in a word
	suppressed  = maskedValue(1<<valueBits - 1)
	disclosed   = suppressed - 1
)

func rangeOfCodes(lo, hi int) maskedValue  { return maskedValue(lo*modelDomain + hi) }
func childNumber(child uint32) maskedValue { return maskedValue(modelDomain*modelDomain + child) }

// newModel draws columns of both kinds and sets over them. A test of indexes with outliers has a
// small k, mostly suppressed columns, and some values that are far more frequent than others.
func newModel(r *rand.Rand, pool *Pool, indexed bool) *model {
	m := &model{outliers: indexed || r.IntN(3) == 0}
	rows := 3000
	if m.outliers { // no value is killed: there are many refinements
		rows = 600
	}
	var domains []int
	for c := range 2 + r.IntN(4) {
		domain := (1 + r.IntN(12)) << (2 * r.IntN(2))
		domains = append(domains, domain)
		m.view.Columns = append(m.view.Columns, NewColumn(domain))
		m.columns = append(m.columns, modelColumn{
			masked: make([]maskedValue, domain),
			ranges: map[int32][]int{},
			codes:  map[int32]int{},
		})
		if (r.IntN(3) == 0) != indexed {
			m.suppress(c)
		} else {
			m.enter(r, c, 0, domain)
		}
	}
	all := partitiontest.RandomTable(r, 1+r.IntN(rows), domains, partition.NewLayout(domains))
	mostK := 60
	if indexed {
		mostK = 6
		for i := range all.Keys {
			if r.IntN(3) > 0 {
				all.Keys[i] = all.Keys[0]
			}
		}
	}
	tell(&m.view, all)
	for range 1 + r.IntN(2) {
		columns := r.Perm(len(domains))[:1+r.IntN(len(domains))]
		var wide []int // makes keys of several words
		for _, c := range columns {
			wide = append(wide, domains[c]<<(r.IntN(2)*r.IntN(30)))
		}
		table := project(all, columns, partition.NewLayout(wide))
		m.tables = append(m.tables, project(all, columns, table.Layout))
		m.sets = append(m.sets, columns)
		m.ks = append(m.ks, min(uint64(1+r.IntN(mostK)), table.Size()))
		tips, err := New(context.Background(), table, columns, m.ks[len(m.ks)-1], m.outliers, nil,
			&m.view, pool)
		if err != nil {
			panic(err) // no pool lacks memory before its first step
		}
		if table.Keys != nil { // memory that the budget does not count, once they are in the store
			panic("the table keeps the records")
		}
		m.tips = append(m.tips, tips)
	}
	return m
}

// project returns a table of some columns.
func project(all *partition.Table, columns []int, layout partition.Layout) *partition.Table {
	t := &partition.Table{
		Layout: layout,
		Keys:   make([]uint64, all.Len()*layout.Words),
		Counts: slices.Clone(all.Counts),
	}
	for f, c := range columns {
		to := layout.Fields[f]
		for i := range t.Counts {
			t.Keys[i*layout.Words+to.Word] |= uint64(
				all.Layout.Fields[c].Code(all.Keys[i*all.Layout.Words:])) << to.Shift
		}
	}
	return t
}

// tell stores the number of records of every code in a view, from a table of all columns.
func tell(view *View, all *partition.Table) {
	for c, f := range all.Layout.Fields {
		view.Columns[c].Records = make([]uint64, len(view.Columns[c].Value))
		for i, n := range all.Counts {
			view.Columns[c].Records[f.Code(all.Keys[i*all.Layout.Words:])] += uint64(n)
		}
	}
}

func (m *model) suppress(c int) {
	v := &m.view.Columns[c]
	v.Suppressed = true
	for code := range v.Value {
		v.Value[code], v.Child[code] = m.view.Add(c, 2), uint32(code)
		m.columns[c].masked[code] = suppressed
		m.columns[c].codes[v.Value[code]] = code
	}
}

// enter masks a range of codes as one value with random children.
func (m *model) enter(r *rand.Rand, c, lo, hi int) {
	v, column := &m.view.Columns[c], &m.columns[c]
	bounds := []int{lo}
	for b := lo + 1; b < hi; b++ {
		if r.IntN(hi-lo) < 2 {
			bounds = append(bounds, b)
		}
	}
	value := None
	if hi > lo+1 || r.IntN(2) == 0 && column.masked[lo] != rangeOfCodes(lo, hi) {
		value = m.view.Add(c, len(bounds))
		column.ranges[value] = append(bounds, hi)
	}
	child := -1
	for code := lo; code < hi; code++ {
		if child+1 < len(bounds) && bounds[child+1] == code {
			child++
		}
		v.Value[code], v.Child[code] = value, uint32(child)
		column.masked[code] = rangeOfCodes(lo, hi)
	}
}

// refine performs a value in the view and in the twin.
func (m *model) refine(r *rand.Rand, c int, value int32) partition.Refinement {
	v, column := &m.view.Columns[c], &m.columns[c]
	m.view.Kill(value)
	if v.Suppressed {
		code := column.codes[value]
		v.Value[code] = None
		column.masked[code] = rangeOfCodes(code, code+1)
		return partition.Refinement{
			Value:    value,
			Column:   c,
			Children: 2,
			First:    uint32(code),
			Child:    []uint32{1},
		}
	}
	bounds := column.ranges[value]
	lo, hi := bounds[0], bounds[len(bounds)-1]
	refinement := partition.Refinement{
		Value:    value,
		Column:   c,
		Children: len(bounds) - 1,
		First:    uint32(lo),
		Child:    append([]uint32(nil), v.Child[lo:hi]...),
	}
	for i := range refinement.Children {
		m.enter(r, c, bounds[i], bounds[i+1])
	}
	return refinement
}

// masked returns the masked values of a column's codes after refining a value.
func (m *model) masked(c int, value int32) []maskedValue {
	column := &m.columns[c]
	masked := slices.Clone(column.masked)
	if m.view.Columns[c].Suppressed {
		masked[column.codes[value]] = disclosed
		return masked
	}
	bounds := column.ranges[value]
	for code := bounds[0]; code < bounds[len(bounds)-1]; code++ {
		masked[code] = childNumber(m.view.Columns[c].Child[code])
	}
	return masked
}

// groups counts a set from its records, with one column masked differently. It returns the groups'
// sizes, and the group of every record.
func (m *model) groups(set, other int, masked []maskedValue) (groups map[uint64]uint64,
	of []uint64) {
	table := m.tables[set]
	of = make([]uint64, table.Len())
	w := table.Layout.Words
	for f, c := range m.sets[set] {
		values := m.columns[c].masked
		if c == other {
			values = masked
		}
		for i := range of {
			of[i] = of[i]<<valueBits | uint64(
				values[table.Layout.Fields[f].Code(table.Keys[i*w:(i+1)*w])])
		}
	}
	groups = map[uint64]uint64{}
	for i, n := range table.Counts {
		groups[of[i]] += uint64(n)
	}
	return groups, of
}

// anonymity returns the size of a set's smallest group, with one column masked differently, and the
// number of records in groups of fewer than k, which count as one group of k if outliers are
// allowed.
func (m *model) anonymity(set, other int, masked []maskedValue) (smallest, outliers uint64) {
	groups, _ := m.groups(set, other, masked)
	smallest = math.MaxUint64
	for _, size := range groups {
		switch {
		case !m.outliers || size >= m.ks[set]:
			smallest = min(smallest, size)
		default:
			outliers, smallest = outliers+size, m.ks[set]
		}
	}
	return smallest, outliers
}

// outliersBy counts the outliers of a set by the codes of a column.
func (m *model) outliersBy(set, column int) (byCode []uint64) {
	field := slices.Index(m.sets[set], column)
	byCode = make([]uint64, len(m.view.Columns[column].Value))
	table := m.tables[set]
	groups, of := m.groups(set, -1, nil)
	for i, n := range table.Counts {
		if groups[of[i]] < m.ks[set] {
			byCode[table.Layout.Fields[field].Code(table.Keys[i*table.Layout.Words:])] += uint64(n)
		}
	}
	return byCode
}

// checkLeft compares, for every value, the number of records that are no outliers of a set.
func (m *model) checkLeft(t *testing.T, set int) {
	t.Helper()
	left := make([]uint64, len(m.view.values))
	for _, c := range m.sets[set] {
		column, outliers := &m.view.Columns[c], m.outliersBy(set, c)
		for code, value := range column.Value {
			if value != None {
				left[value] += column.Records[code] - outliers[code]
			}
		}
	}
	of := m.tips[set].outliers
	for value, want := range left {
		switch v := int32(value); {
		case m.view.Dead(v) || !slices.Contains(m.sets[set], m.view.values[value].column):
		case of.values.get(v).left != want:
			t.Errorf("set %d: %d records of value %d are no outliers, want %d", set,
				of.values.get(v).left, value, want)
		case want == 0 && !slices.Contains(of.emptied, v):
			t.Errorf("set %d: value %d has none but outliers, and that is not noted", set, value)
		}
	}
}

// checkClasses compares the number of classes after refining a value, or whether it is within a
// limit, with the twin's.
func (m *model) checkClasses(t *testing.T, set int, value int32) {
	t.Helper()
	c := m.view.values[value].column
	groups, _ := m.groups(set, c, m.masked(c, value))
	refinement, after := m.refinement(value), uint64(len(groups))
	for _, most := range []uint64{after - 1, after} {
		within, err := m.tips[set].KeepsWithin(context.Background(), &refinement, most)
		if err != nil || within != (most == after) {
			t.Errorf("set %d: value %d of column %d: %d classes after it, within %d: %v, %v", set,
				value, c, after, most, within, err)
		}
	}
}

// refinement returns the effect of refining a value, before it is refined.
func (m *model) refinement(value int32) partition.Refinement {
	c := m.view.values[value].column
	v, column := &m.view.Columns[c], &m.columns[c]
	if v.Suppressed {
		return partition.Refinement{
			Value:    value,
			Column:   c,
			Children: 2,
			First:    uint32(column.codes[value]),
			Child:    []uint32{1},
		}
	}
	bounds := column.ranges[value]
	lo, hi := bounds[0], bounds[len(bounds)-1]
	return partition.Refinement{
		Value:    value,
		Column:   c,
		Children: len(bounds) - 1,
		First:    uint32(lo),
		Child:    slices.Clone(v.Child[lo:hi]),
	}
}

// check compares all minima and deaths with the twin's, and returns the values alive.
func (m *model) check(t *testing.T) (alive []int32) {
	t.Helper()
	now, before := make([]uint64, len(m.tips)), make([]uint64, len(m.tips))
	for set, tips := range m.tips {
		want, outliers := m.anonymity(set, -1, nil)
		now[set], before[set] = want, outliers
		if got := tips.Anonymity(); got != want {
			t.Errorf("set %d: anonymity %d, want %d", set, got, want)
		}
		if got := tips.Outliers(); got != outliers {
			t.Errorf("set %d: %d outliers, want %d", set, got, outliers)
		}
		if m.outliers {
			m.checkLeft(t, set)
		} else if groups, _ := m.groups(set, -1, nil); tips.Classes() != uint64(len(groups)) {
			t.Errorf("set %d: %d classes, want %d", set, tips.Classes(), len(groups))
		}
	}
	for c := range m.columns {
		for value := range int32(len(m.view.values)) {
			if m.view.values[value].column == c && !m.view.Dead(value) {
				alive = append(alive, value)
			}
		}
	}
	for _, value := range alive {
		c := m.view.values[value].column
		for set, tips := range m.tips {
			if !slices.Contains(m.sets[set], c) {
				continue
			}
			if !m.outliers && value%4 == 0 {
				m.checkClasses(t, set, value)
			}
			want, outliers := m.anonymity(set, c, m.masked(c, value))
			if got := tips.After(value); got != want {
				t.Errorf("set %d: value %d of column %d: anonymity %d after it, want %d", set,
					value, c, got, want)
			}
			if got := tips.MoreOutliers(value); got != outliers-before[set] {
				t.Errorf("set %d: value %d of column %d: %d more outliers after it, want %d", set,
					value, c, got, outliers-before[set])
			}
			if want < m.ks[set] && now[set] >= m.ks[set] {
				t.Errorf("set %d: value %d lives although it would leave %d together", set, value,
					want)
			}
		}
	}
	return alive
}

// regime makes pools, and reduces their memory before every step.
type regime struct {
	name  string
	pool  func() *Pool
	press func(r *rand.Rand, pool *Pool) error
}

func limitedPool(chunk int) func() *Pool {
	return func() *Pool {
		pool := newPool(partition.NewPool(spill.NewBudget(1<<40), spilltest.NewMemoryStore(),
			1<<40), 1)
		pool.Chunk, pool.parallel.Threads = chunk, 1+chunk%3
		return pool
	}
}

// sharedPool makes pools in which several goroutines share partitions of two records and more.
func sharedPool(threads int) func() *Pool {
	return func() *Pool {
		pool := NewPool(partition.Space{Threads: threads}, workers.Worker{})
		pool.parallel.Least = 1
		return pool
	}
}

// sharedAndLimited makes such pools with limited memory.
func sharedAndLimited() *Pool {
	pool := limitedPool(512)()
	pool.parallel.Least = 1
	return pool
}

// indexing makes pools that index every partition before a value is parted from it.
func indexing(of func() *Pool) func() *Pool {
	return func() *Pool {
		pool := of()
		pool.sizes.restPays, pool.sizes.restRecords = 0, 1
		return pool
	}
}

// ranged makes pools whose lists are divided by ranges of codes whenever a value is disclosed.
func ranged(of func() *Pool) func() *Pool {
	return func() *Pool {
		pool := of()
		pool.sizes.rangeRecords = 1
		return pool
	}
}

var regimes = []regime{
	{"indexed", indexing(sharedPool(1)), func(*rand.Rand, *Pool) error { return nil }},
	{"indexed, shared", indexing(sharedPool(3)), func(*rand.Rand, *Pool) error { return nil }},
	{"indexed, ample", indexing(limitedPool(512)), func(*rand.Rand, *Pool) error { return nil }},
	{"indexed, scarce", indexing(sharedAndLimited), scarce},
	{"unlimited", func() *Pool {
		return NewPool(partition.Space{}, workers.Worker{})
	}, func(*rand.Rand, *Pool) error { return nil }},
	{"shared", sharedPool(2), func(*rand.Rand, *Pool) error { return nil }},
	{"shared by many", sharedPool(5), func(*rand.Rand, *Pool) error { return nil }},
	{"shared, ample", sharedAndLimited, func(*rand.Rand, *Pool) error { return nil }},
	{"shared, scarce", sharedAndLimited, scarce},
	{"ample", limitedPool(1 << 12), func(*rand.Rand, *Pool) error { return nil }},
	{"scarce", limitedPool(512), scarce},
	{"scarce, chunks of two records", limitedPool(24), scarce},
	{"all in the store", limitedPool(512), allOut},
	{"all in the store, chunks of two records", limitedPool(24), allOut},
	{"all in the store, in ranges", ranged(limitedPool(512)), allOut},
	{"scarce, in ranges", ranged(limitedPool(512)), scarce},
	{"all in the store, no room for sums", func() *Pool {
		return newPool(partition.NewPool(nil, spilltest.NewMemoryStore(), 0), 1)
	}, allOut},
}

// scarce leaves little more memory than the administration of partitions needs.
func scarce(r *rand.Rand, pool *Pool) error {
	held := int64(0)
	for _, t := range pool.sets {
		held += t.held
	}
	pool.Share = 20*held + r.Int64N(20_000)
	return nil
}

// allOut moves everything to the store.
func allOut(_ *rand.Rand, pool *Pool) error {
	for more := true; more; {
		var err error
		if more, err = pool.Reclaim(); err != nil {
			return err
		}
	}
	return nil
}

func TestTIPSAgreesWithRecount(t *testing.T) {
	seed := seedtest.Seed(t)
	for _, g := range regimes {
		t.Run(g.name, func(t *testing.T) {
			kept, refined := 0, 0
			for i := range seedtest.Few(12, 25) {
				r := rand.New(rand.NewPCG(seed, uint64(i)))
				pool := g.pool()
				m := newModel(r, pool, false)
				for alive, steps := m.check(t), 0; len(alive) > 0 &&
					steps < 12; alive = m.check(t) {
					if err := g.press(r, pool); err != nil {
						t.Fatal(err)
					}
					n, err := m.step(r, alive[r.IntN(len(alive))])
					if err != nil || t.Failed() {
						t.Fatalf("seed %d, case %d: %v", seed, i, err)
					}
					kept += n
					refined++
					if m.outliers {
						steps++
					}
				}
				for set, tips := range m.tips {
					if size := m.tables[set].Size(); tips.Live() > size {
						t.Errorf("%d records live of %d", tips.Live(), size)
					}
				}
				closePool(t, pool)
			}
			if kept == 0 || refined < 100 {
				t.Errorf("seed %d: only %d refinements, %d partitions with stats", seed, refined,
					kept)
			}
		})
	}
}

// TestIndexedTIPSAgreeWithRecount parts values one after the other from indexed partitions, until
// none is left.
func TestIndexedTIPSAgreeWithRecount(t *testing.T) {
	seed, parted := seedtest.Seed(t), 0
	for i := range seedtest.Few(60, 150) {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		pool := indexing(sharedPool(1 + i%2))()
		m := newModel(r, pool, true)
		for alive := m.check(t); len(alive) > 0; alive = m.check(t) {
			if _, err := m.step(r, alive[r.IntN(len(alive))]); err != nil || t.Failed() {
				t.Fatalf("seed %d, case %d: %v", seed, i, err)
			}
			for _, tips := range m.tips {
				for _, l := range tips.partitions {
					if l.rest != nil {
						parted++
					}
				}
			}
		}
		closePool(t, pool)
	}
	if parted < 100 {
		t.Errorf("seed %d: only %d partitions were indexed after a step", seed, parted)
	}
}

// TestRangedTIPSAgreeWithRecount parts values one after the other from partitions in the store,
// with a list for every range of codes, until none is left.
func TestRangedTIPSAgreeWithRecount(t *testing.T) {
	seed, kept := seedtest.Seed(t), 0
	for i := range seedtest.Few(60, 150) {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		pool := ranged(limitedPool(512))()
		m := newModel(r, pool, true)
		for alive := m.check(t); len(alive) > 0; alive = m.check(t) {
			if err := allOut(r, pool); err != nil {
				t.Fatal(err)
			}
			if _, err := m.step(r, alive[r.IntN(len(alive))]); err != nil || t.Failed() {
				t.Fatalf("seed %d, case %d: %v", seed, i, err)
			}
			for _, tips := range m.tips {
				for _, l := range tips.partitions {
					if len(l.lists) > 1 && l.stats != nil {
						kept++
					}
				}
			}
		}
		closePool(t, pool)
	}
	if kept < 100 {
		t.Errorf("seed %d: only %d partitions had several lists, and sums, after a step", seed,
			kept)
	}
}

// closePool checks that a closed pool holds nothing.
func closePool(t *testing.T, pool *Pool) {
	t.Helper()
	if err := pool.Close(); err != nil {
		t.Fatal(err)
	}
	if s, ok := pool.Store.(*spilltest.MemoryStore); ok && len(s.Sequences) > 0 {
		t.Errorf("%d sequences left in the store", len(s.Sequences))
	}
	if pool.Used() != 0 {
		t.Errorf("%d bytes left of the pool", pool.Used())
	}
}

// step refines a value in all sets and returns the number of partitions that have stats afterwards.
func (m *model) step(r *rand.Rand, value int32) (kept int, err error) {
	c := m.view.values[value].column
	refinement := m.refine(r, c, value)
	for set, tips := range m.tips {
		if slices.Contains(m.sets[set], c) {
			if err := tips.Refine(context.Background(), &refinement); err != nil {
				return 0, err
			}
		}
		for _, l := range tips.partitions {
			if l.stats != nil {
				kept++
			}
		}
	}
	return kept, nil
}

func TestRefineStopsWhenCancelled(t *testing.T) {
	for name, pool := range map[string]*Pool{"in a table": NewPool(partition.Space{},
		workers.Worker{}), "in lists": limitedPool(1 << 10)()} {
		var view View
		view.Columns = []Column{NewColumn(2)}
		value := view.Add(0, 2)
		view.Columns[0].Value = []int32{value, value}
		view.Columns[0].Child = []uint32{0, 1}
		table := &partition.Table{
			Layout: partition.NewLayout([]int{2}),
			Keys:   make([]uint64, 2<<20),
			Counts: make([]uint64, 2<<20),
		}
		for i := range table.Keys {
			table.Keys[i], table.Counts[i] = uint64(i%2), 1
		}
		tell(&view, table)
		tips, err := New(context.Background(), table, []int{0}, 1, false, nil, &view, pool)
		if err != nil {
			t.Fatal(err)
		}
		if name == "in lists" {
			if err := allOut(nil, pool); err != nil {
				t.Fatal(err)
			}
		}
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		err = tips.Refine(ctx, &partition.Refinement{
			Value:    value,
			Children: 2,
			Child:    []uint32{0, 1},
		})
		if !errors.Is(err, context.Canceled) {
			t.Errorf("%s: got %v, want the context's error", name, err)
		}
	}
}

// TestTIPSReportsFaults repeats one search with stores that fail at one call.
func TestTIPSReportsFaults(t *testing.T) {
	for _, seed := range []uint64{10, 11, 14} {
		spilltest.UntilNoFault(t, func(s *spilltest.MemoryStore) (err error) {
			r := rand.New(rand.NewPCG(seed, 5))
			pool := newPool(partition.NewPool(spill.NewBudget(1<<40), s, 1<<40), 1)
			pool.Chunk = 1 << 10
			defer func() { err = errors.Join(err, pool.Close()) }()
			m := newModel(r, pool, false)
			for range 12 {
				var alive []int32
				for value := range m.view.values {
					if !m.view.Dead(int32(value)) {
						alive = append(alive, int32(value))
					}
				}
				if len(alive) == 0 {
					return nil
				}
				if err := allOut(r, pool); err != nil {
					return err
				}
				if _, err := m.step(r, alive[r.IntN(len(alive))]); err != nil {
					return err
				}
			}
			return nil
		})
	}
}

// TestTIPSNeedsItsBudget searches with a store but without memory for the administration of
// partitions.
func TestTIPSNeedsItsBudget(t *testing.T) {
	pool := newPool(partition.NewPool(spill.NewBudget(1<<40), spilltest.NewMemoryStore(), 10), 1)
	view := View{Columns: []Column{NewColumn(2)}}
	table := &partition.Table{
		Layout: partition.NewLayout([]int{2}),
		Keys:   []uint64{0, 1},
		Counts: []uint64{1, 1},
	}
	tell(&view, table)
	if _, err := New(context.Background(), table, []int{0}, 1, false, nil, &view,
		pool); !errors.Is(err, spill.ErrBudget) {
		t.Errorf("got %v, want an error of the budget", err)
	}
}
