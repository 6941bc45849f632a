package tips

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/kcut/kcut/internal/seedtest"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/partitiontest"
)

// inspected is a twin whose one set demands two of three different values in every part. Two kinds
// each have one.
type inspected struct {
	*model
	weights []uint64 // by kind; nil: counts are records
}

const inspectedKinds, inspectedValues = 6, 3

// newInspected draws columns, most of them suppressed, and records with one combination that is the
// most frequent. All records together hold: others are not refined.
func newInspected(r *rand.Rand, pool *Pool) *inspected {
	m := &inspected{model: &model{outliers: r.IntN(2) == 0, ks: []uint64{1}}}
	if m.outliers {
		m.ks[0] += r.Uint64N(4)
	}
	var domains, set []int
	for c := range 1 + r.IntN(3) {
		domains, set = append(domains, 2+r.IntN(40)), append(set, c)
		m.view.Columns = append(m.view.Columns, NewColumn(domains[c]))
		m.columns = append(m.columns, modelColumn{
			masked: make([]maskedValue, domains[c]),
			ranges: map[int32][]int{},
			codes:  map[int32]int{},
		})
		if c == 0 || r.IntN(3) > 0 {
			m.suppress(c)
		} else {
			m.enter(r, c, 0, domains[c])
		}
	}
	domains = append(domains, inspectedKinds)
	all := partitiontest.RandomTable(r, 10+r.IntN(600), domains, partition.NewLayout(domains))
	kind := all.Layout.Fields[len(set)]
	p := &Protection{Kinds: inspectedKinds, Values: inspectedValues, Width: 1, Unit: 1}
	p.Holds = func(_ int, size uint64, values []uint64) bool {
		return size >= m.ks[0] && different(values) > 1
	}
	for kind := range uint32(inspectedKinds) {
		p.Place = append(p.Place, kind%inspectedValues)
		m.weights = append(m.weights, 1+uint64(kind%2))
	}
	if p.Weight, p.Unit = m.weights, 2; r.IntN(2) == 0 {
		m.weights, p.Weight, p.Unit = nil, nil, 1
	}
	for i := range all.Keys {
		if r.IntN(3) > 0 {
			all.Keys[i] = all.Keys[0]&^(kind.Mask<<kind.Shift) | all.Keys[i]&(kind.Mask<<kind.Shift)
		}
		if m.weights != nil {
			all.Counts[i] *= m.weights[kind.Code(all.Keys[i:])]
		}
	}
	tell(&m.view, project(all, set, partition.NewLayout(domains[:len(set)])))
	m.tables, m.sets = []*partition.Table{project(all, append(set, len(set)), all.Layout)},
		[][]int{set}
	if m.failing(-1, nil) > 0 {
		return newInspected(r, pool)
	}
	tips, err := New(context.Background(), all, set, m.ks[0], m.outliers, p, &m.view, pool)
	if err != nil {
		panic(err)
	}
	m.tips = []*TIPS{tips}
	return m
}

// different returns the number of values that have records.
func different(values []uint64) (n int) {
	for _, records := range values {
		if records > 0 {
			n++
		}
	}
	return n
}

// failing returns the number of records in groups that do not hold, with one column masked
// differently.
func (m *inspected) failing(other int, masked []maskedValue) (records uint64) {
	table, values, of := m.tables[0], make(map[uint64][]uint64), make(map[uint64]uint64)
	sizes, groups := m.groups(0, other, masked)
	for i, group := range groups {
		if values[group] == nil {
			values[group] = make([]uint64, inspectedValues)
		}
		kind := table.Layout.Fields[len(m.sets[0])].Code(table.Keys[i:])
		values[group][kind%inspectedValues]++
		n := table.Counts[i]
		if m.weights != nil {
			n /= m.weights[kind]
		}
		of[group] += n
	}
	for group, n := range of {
		if sizes[group] < m.ks[0] || different(values[group]) < 2 {
			records += n
		}
	}
	return records
}

// alive compares the data of all values with a recount, and returns the values that can be refined.
func (m *inspected) alive(t *testing.T) (alive []int32) {
	t.Helper()
	if !m.outliers {
		return m.check(t)
	}
	if got, want := m.tips[0].Outliers(), m.failing(-1, nil); got != want {
		t.Errorf("%d outliers, want %d", got, want)
	}
	for value := range int32(len(m.view.values)) {
		if !m.view.Dead(value) {
			alive = append(alive, value)
		}
	}
	return alive
}

// inspect inspects a value, and reports whether it may be refined: if all parts hold or, where
// there are outliers, in some random cases.
func (m *inspected) inspect(t *testing.T, r *rand.Rand, value int32) bool {
	t.Helper()
	refinement, c := m.refinement(value), m.view.values[value].column
	want := m.failing(c, m.masked(c, value))
	holds, err := m.tips[0].Inspect(t.Context(), &refinement)
	if err != nil {
		t.Fatal(err)
	}
	if m.outliers {
		if got := m.tips[0].Outliers() + m.tips[0].MoreOutliers(value); got != want {
			t.Errorf("value %d: %d outliers after it, want %d", value, got, want)
		}
		return r.IntN(4) > 0
	}
	if holds != (want == 0) {
		t.Errorf("value %d: %v, want that %d records are in groups that do not hold", value, holds,
			want)
	}
	return holds
}

// TestInspectionsAgreeWithRecount inspects values, and refines those that hold, in partitions from
// which values are parted by an index, and in some whose records move to the store.
func TestInspectionsAgreeWithRecount(t *testing.T) {
	seed := seedtest.Seed(t)
	indexed, chunked, kept, refused, outliers := 0, 0, 0, 0, uint64(0)
	for i := range 300 {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		of := sharedPool(1 + i%2)
		if i >= 200 {
			of = limitedPool(512)
		}
		pool := indexing(of)()
		m := newInspected(r, pool)
		for alive := m.alive(t); len(alive) > 0; alive = m.alive(t) {
			if r.IntN(4) == 0 {
				if err := allOut(r, pool); err != nil {
					t.Fatal(err)
				}
			}
			if m.tips[0].chunked {
				chunked++
			}
			value := alive[r.IntN(len(alive))]
			if m.inspect(t, r, value) {
				if _, err := m.step(r, value); err != nil {
					t.Fatal(err)
				}
				kept++
			} else {
				m.view.Kill(value)
				refused++
			}
			if t.Failed() {
				t.Fatalf("seed %d, case %d", seed, i)
			}
			for _, l := range m.tips[0].partitions {
				if l.rest != nil {
					indexed++
				}
			}
			outliers = max(outliers, m.tips[0].Outliers())
		}
		closePool(t, pool)
	}
	if min(indexed, chunked, kept, refused) < 100 || outliers == 0 {
		t.Errorf("seed %d: %d partitions were indexed, %d inspections read the store, %d values "+
			"were refined, %d not; %d outliers", seed, indexed, chunked, kept, refused, outliers)
	}
}
