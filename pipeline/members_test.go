package pipeline

import (
	"fmt"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/kcut/kcut/internal/fault"
)

// toldTable has masked columns a, b and c, and kept ones of which g follows from a, h from a and b, and
// n from none, for most of the rows.
func toldTable(rng *rand.Rand) *testTable {
	t := &testTable{fields: textFields("a", "b", "c", "g", "h", "n", "y", "e")}
	rows, wrong := 300+rng.IntN(500), rng.IntN(8)
	for row := range rows {
		a, b, c := rng.IntN(12), rng.IntN(5), rng.IntN(4)
		g, h, n := a/3, (a*3+b*2)%5, rng.IntN(5)
		if row < wrong {
			g, h = rng.IntN(4), rng.IntN(5)
		}
		var texts []string
		for _, value := range []int{a, b, c, g, h, n, rng.IntN(2), row / (1 + rng.IntN(3))} {
			texts = append(texts, fmt.Sprint("v", value))
		}
		t.rows = append(t.rows, texts)
	}
	return t
}

// tells reports by maps whether columns tell another one for 99 % of the rows, and neither by chance nor
// because it is nearly constant.
func (t *testTable) tells(by []string, of string) bool {
	values, all, like := make(map[string]map[string]int), make(map[string]int), 0
	for _, row := range t.rows {
		tuple, value := t.key(row, by), t.key(row, []string{of})
		if values[tuple] == nil {
			values[tuple] = make(map[string]int)
		}
		values[tuple][value]++
		all[value]++
	}
	most := func(counts map[string]int) (n int) {
		for _, count := range counts {
			n = max(n, count)
		}
		return n
	}
	for _, counts := range values {
		like += most(counts)
	}
	rows := len(t.rows)
	return 2*len(values) <= rows && 100*most(all) < 99*rows && 100*like >= 99*rows
}

// isMember reports whether a column, or two, of a set tell another one.
func (t *testTable) isMember(set []string, of string) bool {
	for i, a := range set {
		for _, b := range set[i:] {
			if t.tells(slices.Compact([]string{a, b}), of) {
				return true
			}
		}
	}
	return false
}

// below returns the share of the rows, or of different ones of whom they are, that are in classes of fewer than k.
func (t *testTable) below(columns []string, whose []string, k int) float64 {
	of, all, small := make(map[string]map[string]bool), make(map[string]bool), make(map[string]bool)
	for i, row := range t.rows {
		key := t.key(row, columns)
		if of[key] == nil {
			of[key] = make(map[string]bool)
		}
		of[key][whose[i]], all[whose[i]] = true, true
	}
	for _, those := range of {
		for one := range those {
			if len(those) < k {
				small[one] = true
			}
		}
	}
	return float64(len(small)) / float64(len(all))
}

// Which kept columns are members of which sets, and how many rows or people they leave in small classes, is what maps
// find in the release of random tables, for every algorithm, in memory and out of it.
func TestMembersAgreeWithNaive(t *testing.T) {
	sets, ks := [][]string{{"a", "b"}, {"b", "c"}, {"a", "c"}}, []int{6, 4, 2}
	members, people, others := 0, 0, 0
	for _, seed := range seeded(t, 40) {
		rng := rand.New(rand.NewPCG(seed, 0))
		table, kept := toldTable(rng), []string{"g", "h", "n"}[rng.IntN(3)]
		text := "input: in\noutput: out.parquet\nclass: y\nunlisted: drop\nmax_unique: 100%\nquasi_identifiers:\n"
		for i, set := range sets {
			text += fmt.Sprintf("  - {columns: [%s], k: %d}\n", strings.Join(set, ", "), ks[i])
		}
		text += fmt.Sprintf("columns: {a: suppress, b: suppress, c: suppress, y: keep, %s: keep, e: drop}\n", kept)
		list := searches()
		entity := rng.IntN(3) == 0
		if entity {
			text, list = "entity: e\n"+text, []string{"tdr", "tds", "mondrian", "infogain-mondrian"}
		}
		dir := table.folder(t, withAlgorithm(text, list[rng.IntN(len(list))]), 1+rng.IntN(400))
		report, err := Run(t.Context(), mustLoad(t, dir, "limits.memory", []string{"16MiB", "1GiB"}[rng.IntN(2)], "limits.threads", fmt.Sprint(1+rng.IntN(3))), RunOptions{})
		if err != nil {
			if fault.ClassOf(err) != fault.Privacy {
				t.Errorf("seed %d: %v", seed, err)
			}
			continue // k is out of reach
		}
		released := readTable(t, filepath.Join(dir, "out.parquet"))
		var whose []string
		for i, row := range table.rows {
			whose = append(whose, fmt.Sprint(i))
			if entity {
				whose[i] = row[7]
				people++
			}
		}
		got := make(map[int]float64)
		for _, m := range report.Risk.Members {
			if m.Set > 0 && m.Column == kept {
				got[m.Set-1] = m.Below
			}
		}
		for i, set := range sets {
			if !table.isMember(set, kept) {
				if _, ok := got[i]; ok {
					t.Errorf("seed %d: %s is a member of %v", seed, kept, set)
				}
				others++
				continue
			}
			members++
			k := report.Sets[i].K
			want := released.below(append(slices.Clone(set), kept), whose, k)
			if below, ok := got[i]; !ok || math.Abs(below-want) > 1e-9 {
				t.Errorf("seed %d: %s with %v: %v (%v) of the rows are below %d, want %v\n%s", seed, kept, set, below, ok, k, want, text)
			}
		}
	}
	if members == 0 || people == 0 || others == 0 {
		t.Errorf("%d members, %d rows of people, %d columns that are none", members, people, others)
	}
}
