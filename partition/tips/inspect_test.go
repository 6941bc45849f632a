package tips

import (
	"context"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/partition/partitiontest"
)

// inspected is a twin whose one set asks for two different values of three in every part. Two kinds each have one.
type inspected struct {
	*model
	weights []uint64 // by kind; nil: counts are records
}

const inspectedKinds, inspectedValues = 6, 3

// newInspected draws columns, most of them suppressed, and records of which one combination is the most frequent.
func newInspected(r *rand.Rand, pool *Pool) *inspected {
	m := &inspected{model: &model{}}
	var domains, set []int
	for c := range 1 + r.IntN(3) {
		domains, set = append(domains, 2+r.IntN(40)), append(set, c)
		m.view.Columns = append(m.view.Columns, NewColumn(domains[c]))
		m.columns = append(m.columns, modelColumn{masked: make([]maskedValue, domains[c]), ranges: map[int32][]int{}, codes: map[int32]int{}})
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
	p.Holds = func(_ int, _ uint64, values []uint64) bool { return different(values) > 1 }
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
			all.Counts[i] *= uint32(m.weights[kind.Code(all.Keys[i:])])
		}
	}
	tell(&m.view, project(all, set, partition.NewLayout(domains[:len(set)])))
	m.tables, m.sets, m.ks = []*partition.Table{project(all, append(set, len(set)), all.Layout)}, [][]int{set}, []uint64{1}
	tips, err := New(context.Background(), all, set, 1, false, p, &m.view, pool)
	if err != nil {
		panic(err)
	}
	m.tips = []*TIPS{tips}
	return m
}

// different returns how many values have records.
func different(values []uint64) (n int) {
	for _, records := range values {
		if records > 0 {
			n++
		}
	}
	return n
}

// refinement returns what refining a value does, before it is done.
func (m *inspected) refinement(value int32) partition.Refinement {
	c := m.view.values[value].column
	v, column := &m.view.Columns[c], &m.columns[c]
	if v.Suppressed {
		return partition.Refinement{Value: value, Column: c, Children: 2, First: uint32(column.codes[value]), Child: []uint32{1}}
	}
	bounds := column.ranges[value]
	lo, hi := bounds[0], bounds[len(bounds)-1]
	return partition.Refinement{Value: value, Column: c, Children: len(bounds) - 1, First: uint32(lo), Child: slices.Clone(v.Child[lo:hi])}
}

// holds reports whether all groups have two different values after refining a value.
func (m *inspected) holds(value int32) bool {
	c, table, values := m.view.values[value].column, m.tables[0], make(map[uint64][]uint64)
	_, of := m.groups(0, c, m.masked(c, value))
	for i, group := range of {
		if values[group] == nil {
			values[group] = make([]uint64, inspectedValues)
		}
		values[group][table.Layout.Fields[len(m.sets[0])].Code(table.Keys[i:])%inspectedValues]++
	}
	for _, of := range values {
		if different(of) < 2 {
			return false
		}
	}
	return true
}

// TestInspectionsAgreeWithRecount inspects values, and refines those that hold, of partitions from which values are
// parted by an index.
func TestInspectionsAgreeWithRecount(t *testing.T) {
	seed := rand.Uint64()
	indexed, kept, refused := 0, 0, 0
	for i := range 150 {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		pool := indexing(sharedPool(1 + i%2))()
		m := newInspected(r, pool)
		for alive := m.check(t); len(alive) > 0; alive = m.check(t) {
			value := alive[r.IntN(len(alive))]
			refinement, want := m.refinement(value), m.holds(value)
			got, err := m.tips[0].Inspect(t.Context(), &refinement)
			if err != nil || got != want {
				t.Fatalf("seed %d, case %d: value %d: %v, %v, want %v", seed, i, value, got, err, want)
			}
			for _, l := range m.tips[0].partitions {
				if l.rest != nil {
					indexed++
				}
			}
			if !got {
				m.view.Kill(value)
				refused++
				continue
			}
			if _, err := m.step(r, value); err != nil || t.Failed() {
				t.Fatalf("seed %d, case %d: %v", seed, i, err)
			}
			kept++
		}
		closePool(t, pool)
	}
	if min(indexed, kept, refused) < 100 {
		t.Errorf("seed %d: %d partitions were indexed, %d values were refined, %d did not hold", seed, indexed, kept, refused)
	}
}
