package partition

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// model is a naive twin of a View and its sets: it keeps whole tables and counts anew.
type model struct {
	view    View
	columns []modelColumn
	tables  []*Table
	sets    [][]int
	tips    []*TIPS
	ks      []uint64
}

// modelColumn knows for every code its masked value, as text, and what can be refined.
type modelColumn struct {
	masked []string // by code
	ranges map[int32][]int
	codes  map[int32]int // of suppressed values
}

// newModel draws columns of both kinds and sets over them.
func newModel(r *rand.Rand) *model {
	m := &model{}
	var domains []int
	for c := range 2 + r.IntN(4) {
		domain := 1 + r.IntN(12)
		domains = append(domains, domain)
		m.view.Columns = append(m.view.Columns, NewColumn(domain))
		m.columns = append(m.columns, modelColumn{masked: make([]string, domain), ranges: map[int32][]int{}, codes: map[int32]int{}})
		if r.IntN(3) == 0 {
			m.suppress(c)
		} else {
			m.enter(r, c, 0, domain)
		}
	}
	for range 1 + r.IntN(2) {
		columns := r.Perm(len(domains))[:1+r.IntN(len(domains))]
		var own []int
		var wide []int // makes keys of several words
		for _, c := range columns {
			own = append(own, domains[c])
			wide = append(wide, domains[c]<<(r.IntN(2)*r.IntN(30)))
		}
		table := randomTable(r, 1+r.IntN(3000), own, NewLayout(wide))
		m.tables = append(m.tables, &Table{Layout: table.Layout, Keys: append([]uint64(nil), table.Keys...), Counts: append([]uint32(nil), table.Counts...)})
		m.sets = append(m.sets, columns)
		m.ks = append(m.ks, uint64(1+r.IntN(60)))
		m.tips = append(m.tips, NewTIPS(table, columns, m.ks[len(m.ks)-1], &m.view))
	}
	return m
}

func (m *model) suppress(c int) {
	v := &m.view.Columns[c]
	v.Suppressed = true
	for code := range v.Value {
		v.Value[code], v.Child[code] = m.view.Add(c, 2), uint32(code)
		m.columns[c].masked[code] = "*"
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
	if hi > lo+1 || r.IntN(2) == 0 && column.masked[lo] != fmt.Sprint(lo, hi) {
		value = m.view.Add(c, len(bounds))
		column.ranges[value] = append(bounds, hi)
	}
	child := -1
	for code := lo; code < hi; code++ {
		if child+1 < len(bounds) && bounds[child+1] == code {
			child++
		}
		v.Value[code], v.Child[code] = value, uint32(child)
		column.masked[code] = fmt.Sprint(lo, hi)
	}
}

// refine performs a value in the view and in the twin.
func (m *model) refine(r *rand.Rand, c int, value int32) Refinement {
	v, column := &m.view.Columns[c], &m.columns[c]
	m.view.Kill(value)
	if v.Suppressed {
		code := column.codes[value]
		v.Value[code] = None
		column.masked[code] = fmt.Sprint(code)
		return Refinement{Value: value, Column: c, Children: 2, First: uint32(code), Child: []uint32{1}}
	}
	bounds := column.ranges[value]
	lo, hi := bounds[0], bounds[len(bounds)-1]
	refinement := Refinement{Value: value, Column: c, Children: len(bounds) - 1, First: uint32(lo), Child: append([]uint32(nil), v.Child[lo:hi]...)}
	for i := range refinement.Children {
		m.enter(r, c, bounds[i], bounds[i+1])
	}
	return refinement
}

// masked returns what the codes of a column would be masked to after refining a value.
func (m *model) masked(c int, value int32) []string {
	column := &m.columns[c]
	masked := append([]string(nil), column.masked...)
	if m.view.Columns[c].Suppressed {
		masked[column.codes[value]] = "disclosed"
		return masked
	}
	bounds := column.ranges[value]
	for code := bounds[0]; code < bounds[len(bounds)-1]; code++ {
		masked[code] = fmt.Sprint("child ", m.view.Columns[c].Child[code])
	}
	return masked
}

// anonymity counts a set from its records, with one column masked otherwise.
func (m *model) anonymity(set, other int, masked []string) uint64 {
	table := m.tables[set]
	groups := map[string]uint64{}
	w := table.Layout.Words
	for i, n := range table.Counts {
		group := ""
		for f, c := range m.sets[set] {
			code := table.Layout.Fields[f].Code(table.Keys[i*w : (i+1)*w])
			if c == other {
				group += masked[code] + "|"
			} else {
				group += m.columns[c].masked[code] + "|"
			}
		}
		groups[group] += uint64(n)
	}
	smallest := uint64(math.MaxUint64)
	for _, size := range groups {
		smallest = min(smallest, size)
	}
	return smallest
}

// check compares all minima and deaths with the twin's, and returns the values alive.
func (m *model) check(t *testing.T) (alive []int32) {
	t.Helper()
	for set, tips := range m.tips {
		if got, want := tips.Anonymity(), m.anonymity(set, -1, nil); got != want {
			t.Errorf("set %d: anonymity %d, want %d", set, got, want)
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
			want := m.anonymity(set, c, m.masked(c, value))
			if got := tips.After(value); got != want {
				t.Errorf("set %d: value %d of column %d: anonymity %d after it, want %d", set, value, c, got, want)
			}
			if want < m.ks[set] && m.anonymity(set, -1, nil) >= m.ks[set] {
				t.Errorf("set %d: value %d lives although it would leave %d together", set, value, want)
			}
		}
	}
	return alive
}

func TestTIPSAgreesWithRecount(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	kept, refined := 0, 0
	for i := range 60 {
		r := rand.New(rand.NewPCG(seed, uint64(i)))
		m := newModel(r)
		for alive := m.check(t); len(alive) > 0; alive = m.check(t) {
			value := alive[r.IntN(len(alive))]
			c := m.view.values[value].column
			refinement := m.refine(r, c, value)
			for set, tips := range m.tips {
				if slices.Contains(m.sets[set], c) {
					if err := tips.Refine(context.Background(), &refinement); err != nil {
						t.Fatal(err)
					}
				}
				for _, l := range tips.leaves {
					if l.stats != nil {
						kept++
					}
				}
			}
			refined++
			if t.Failed() {
				t.Fatalf("seed %d, case %d", seed, i)
			}
		}
		for _, tips := range m.tips {
			if tips.Live() > tips.size() {
				t.Errorf("%d records live of %d", tips.Live(), tips.size())
			}
		}
	}
	if kept == 0 || refined < 100 {
		t.Errorf("seed %d: only %d refinements, %d partitions with stats", seed, refined, kept)
	}
}

// size returns the number of records of the table.
func (t *TIPS) size() (size uint64) {
	for _, n := range t.table.Counts {
		size += uint64(n)
	}
	return size
}

func TestRefineStopsWhenCancelled(t *testing.T) {
	var view View
	view.Columns = []Column{NewColumn(2)}
	value := view.Add(0, 2)
	view.Columns[0].Value = []int32{value, value}
	view.Columns[0].Child = []uint32{0, 1}
	table := &Table{Layout: NewLayout([]int{2}), Keys: make([]uint64, 2<<20), Counts: make([]uint32, 2<<20)}
	for i := range table.Keys {
		table.Keys[i], table.Counts[i] = uint64(i%2), 1
	}
	tips := NewTIPS(table, []int{0}, 1, &view)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	err := tips.Refine(ctx, &Refinement{Value: value, Children: 2, Child: []uint32{0, 1}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the context's error", err)
	}
}
