package pipeline

import (
	"encoding/binary"
	"slices"
	"sort"
	"strings"

	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/job"
)

// match finds the source row of every released row: by its place if the release has the order of
// the input, otherwise by its id, or by its kept values and labels. Among equal rows it takes
// any.
func (c *truthCase) match(a *audit) []int {
	a.Helper()
	if !c.ordered {
		a.align()
		return a.of
	}
	var kept, masked []string
	for i := range a.source.fields {
		switch name := a.source.fields[i].Name; a.spec(name).Mask {
		case job.MaskDrop:
		case job.MaskKeep:
			kept = append(kept, name)
		default:
			masked = append(masked, name)
		}
	}
	m := newMatching(a)
	if !c.hasID() {
		m.pair(kept, masked)
		kept = nil
		if len(m.left()) == 0 {
			return m.of
		}
		for i := range a.source.fields { // rows with marks alone are known by their kept values
			if name := a.source.fields[i].Name; a.spec(name).Mask == job.MaskKeep {
				kept = append(kept, name)
			}
		}
		if marked, _ := a.cut.Marked(); uint64(len(m.left())) > marked {
			a.Fatalf("%d rows have labels that the cut has not for any row of the input, %d are "+
				"suppressed", len(m.left()), marked)
		}
	}
	m.pair(kept, nil)
	if left := m.left(); len(left) > 0 {
		a.Fatalf("%d rows have kept values as no row of the input, row %d is the first",
			len(left), left[0])
	}
	return m.of
}

// matching has pairs of released rows and source rows.
type matching struct {
	*audit
	of   []int // source row by released row, -1: none yet
	used []bool
}

func newMatching(a *audit) *matching {
	return &matching{audit: a, of: slices.Repeat([]int{-1}, a.release.rows),
		used: make([]bool, a.source.rows)}
}

func (m *matching) left() (rows []int) {
	for row, of := range m.of {
		if of < 0 {
			rows = append(rows, row)
		}
	}
	return rows
}

// pair pairs rows with equal kept values whose masked columns have the labels of the cut.
func (m *matching) pair(kept, masked []string) {
	var source, release [][]uint32 // by column and row: a code of the release
	for _, name := range append(slices.Clone(kept), masked...) {
		was, is := m.source.column(name), m.release.column(name)
		if is == nil {
			m.Fatalf("column %s is not released", name)
		}
		through := make([]uint32, len(was.texts))
		for code, text := range was.texts {
			if slices.Contains(masked, name) {
				text = m.label(name, text)
			}
			through[code] = ^uint32(0)
			if text == null {
				through[code] = 0
			} else if at, ok := is.known[text]; ok {
				through[code] = at
			}
		}
		codes := make([]uint32, len(was.codes))
		for row, code := range was.codes {
			codes[row] = through[code]
		}
		source, release = append(source, codes), append(release, is.codes)
	}
	rows := make(map[string][]int)
	for row, used := range m.used {
		if !used {
			key := keyOf(source, row)
			rows[key] = append(rows[key], row)
		}
	}
	for _, row := range m.left() {
		key := keyOf(release, row)
		if like := rows[key]; len(like) > 0 {
			m.of[row], m.used[like[0]], rows[key] = like[0], true, like[1:]
		}
	}
}

func keyOf(columns [][]uint32, row int) string {
	key := make([]byte, 0, 4*len(columns))
	for _, codes := range columns {
		key = binary.LittleEndian.AppendUint32(key, codes[row])
	}
	return string(key)
}

// label returns the only label of a value in the cut.
func (a *audit) label(name, value string) string {
	column := a.cutColumn(name)
	has := func(text string) bool {
		return slices.ContainsFunc(column.Cut, func(l cutfile.Label) bool {
			return !l.Null && l.Label == text || l.Null && text == null
		})
	}
	if plain, ok := map[string]string{"-0": "0", "NaN:fff8000000000001": "NaN"}[value]; ok {
		value = plain
	}
	switch column.Mask {
	case job.MaskSuppress:
		if has(value) {
			return value
		}
		return column.Suppressed
	case job.MaskGeneralize:
		for _, text := range a.path(name, value) {
			if has(text) {
				return text
			}
		}
		return "no label"
	}
	if value == null || strings.HasPrefix(value, "NaN") {
		if len(column.Cut) == 1 {
			return column.Cut[0].Label
		}
		return null
	}
	intervals := slices.DeleteFunc(slices.Clone(column.Cut), func(l cutfile.Label) bool {
		return l.Null
	})
	i := sort.Search(len(intervals), func(i int) bool {
		parsed, _ := parseInterval(intervals[i].Label)
		return parsed.lower != "" && order(value, parsed.lower) < 0
	})
	return intervals[max(0, i-1)].Label
}

// cutColumn returns a column of the cut.
func (a *audit) cutColumn(name string) *cutfile.Column {
	return &a.cut.Columns[slices.IndexFunc(a.cut.Columns, func(c cutfile.Column) bool {
		return c.Name == name
	})]
}

// checkPeople: every class of every set has rows of at least k people.
func (a *audit) checkPeople(entity string) {
	a.Helper()
	people := a.source.column(entity)
	for i, set := range listedSets(a.job) {
		var released [][]uint32
		for _, name := range set.Columns {
			for _, n := range releasedNames(name, a.spec(name).Render) {
				released = append(released, a.release.column(n).codes)
			}
		}
		of := make(map[string]map[uint32]bool)
		for row := range a.release.rows {
			key := keyOf(released, row)
			if of[key] == nil {
				of[key] = make(map[uint32]bool)
			}
			of[key][people.codes[a.of[row]]] = true
		}
		for _, some := range of {
			if len(some) < set.K {
				a.Errorf("set %d: a class has rows of %d people, k is %d", i+1, len(some), set.K)
				return
			}
		}
	}
}
