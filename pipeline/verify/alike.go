package verify

import (
	"cmp"
	"context"
	"slices"

	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// Exposure asks for the rows that are alike: on the labels of all masked columns together, on those
// of two sets, and on kept columns.
type Exposure struct {
	Kept     *risk.Figures // on kept columns alone, if they are known
	Accepted []string      // kept columns that are left out where they come together with labels
	Labels   bool          // labels alone: kept columns are left out everywhere
	Members  []risk.Member // kept columns that come together with the labels of a set that tells them
}

// keptColumns returns the columns of a part that its cut does not name, or as pseudonyms. A class
// alone is none: it has few values.
func (r *rules) keptColumns(ctx context.Context, part string) ([]string, error) {
	file, err := release.Open(ctx, part)
	if err != nil {
		return nil, err
	}
	defer file.Close() // it was only read
	kept := slices.DeleteFunc(file.Flat(), func(name string) bool {
		return slices.ContainsFunc(r.checks, func(c columnCheck) bool { return c.name == name && !c.tokens })
	})
	if len(kept) == 0 || slices.Equal(kept, []string{r.cut.Class}) {
		return nil, nil
	}
	return kept, nil
}

// pairedSets is how many sets are paired at the most: those with the most combinations of labels.
const pairedSets = 6

// pairs returns the pairs of sets, of which neither has all columns of the other.
func (r *rules) pairs() (pairs [][]int) {
	sets := r.cut.Sets
	var finest []int
	for i := range sets {
		finest = append(finest, i)
	}
	slices.SortStableFunc(finest, func(a, b int) int {
		return cmp.Compare(r.keys[b].combinations, r.keys[a].combinations)
	})
	finest = finest[:min(len(finest), pairedSets)]
	slices.Sort(finest)
	for i, a := range finest {
		for _, b := range finest[i+1:] {
			if !sets[a].Within(&sets[b]) && !sets[b].Within(&sets[a]) {
				pairs = append(pairs, []int{a, b})
			}
		}
	}
	return pairs
}

// way is one way in which rows may be alike: in the labels of some sets, and in some kept columns.
type way struct {
	sets []int // positions; one past the last set: all sets together
	kept []string
	k    int // classes of fewer rows are small
	sum  *risk.Sum
	note func(*risk.Figures) // writes into the report what was counted
}

// exposure counts the rows of a release that are alike in several ways.
type exposure struct {
	ways   []way
	report *risk.Report
	memory int64         // bytes that counting by kept columns may take
	budget *spill.Budget // from which all counts draw
}

// newExposure returns what counts by the labels and some kept columns.
func (r *rules) newExposure(ask *Exposure, kept []string, budget *spill.Budget) *exposure {
	memory, k, sets := spill.Exposure.Part(budget.Left()), r.cut.SmallestK(), r.cut.Sets
	report := &risk.Report{K: k, Columns: kept, Kept: ask.Kept}
	e := &exposure{report: report, memory: memory, budget: budget.Part(budget.Limit())}
	most, others, labels := risk.MostClasses(2, memory), e.budget.Part(memory), []int{len(sets)}
	e.ways = append(e.ways, way{
		sets: labels, k: k, sum: risk.NewSum(risk.UnionHashes, e.budget),
		note: func(f *risk.Figures) { report.Labels = f },
	})
	pairs := r.pairs()
	for _, pair := range pairs {
		of := risk.Pair{Sets: [2]int{pair[0] + 1, pair[1] + 1}, K: min(sets[pair[0]].K, sets[pair[1]].K)}
		sum := partSum(len(pairs), e.budget)
		e.ways = append(e.ways, way{sets: pair, k: of.K, sum: sum, note: func(f *risk.Figures) {
			of.Unique, of.Below = f.Unique, f.Below
			report.Pairs = append(report.Pairs, of)
		}})
	}
	for _, m := range ask.Members {
		w := way{sets: []int{m.Set - 1}, kept: []string{m.Column}, k: m.K}
		w.sum, w.note = partSum(len(ask.Members), e.budget), func(f *risk.Figures) {
			m.Below = f.Below
			report.Members = append(report.Members, m)
		}
		e.ways = append(e.ways, w)
	}
	joined := slices.DeleteFunc(slices.Clone(kept), func(name string) bool {
		return name == r.cut.Class || slices.Contains(ask.Accepted, name)
	})
	if len(joined) > 0 {
		sum := risk.NewPartSum(most, r.cut.Rows, others)
		e.ways = append(e.ways, way{sets: labels, kept: joined, k: k, sum: sum, note: func(f *risk.Figures) {
			f.Refine(report.Labels)
			report.Both = f
		}})
	}
	if len(kept) > 0 && ask.Kept == nil {
		sum := risk.NewPartSum(most, r.cut.Rows, others)
		e.ways = append(e.ways, way{
			kept: kept, k: k, sum: sum, note: func(f *risk.Figures) { report.Kept = f },
		})
	}
	return e
}

// partSum returns one of so many sums of what who knows a part of the labels finds.
func partSum(n int, budget *spill.Budget) *risk.Sum {
	most := risk.PairClasses
	for most*n > risk.PairHashes {
		most /= 2
	}
	return risk.NewSum(most, budget)
}

// join writes the report of so many rows, which several workers have counted.
func (e *exposure) join(workers []*alike, rows int64) error {
	for i, w := range e.ways {
		for _, a := range workers {
			if err := w.sum.Join(a.tallies[i]); err != nil {
				return err
			}
		}
		w.note(w.sum.Figures(rows, w.k))
	}
	slices.SortStableFunc(e.report.Pairs, func(a, b risk.Pair) int {
		return cmp.Or(cmp.Compare(b.Below, a.Below), cmp.Compare(b.Unique, a.Unique))
	})
	e.report.Pairs = e.report.Pairs[:min(len(e.report.Pairs), 2)]
	return nil
}

// alike counts rows that are alike in several ways. One goroutine uses it.
type alike struct {
	ways    []way
	tallies []*risk.Counter // of every way
	columns [][]int         // likewise: positions of its kept columns among those that are shown
	bySet   [][]uint64      // hashes of a block by the labels of each set, last of all; nil: not needed
	starts  []int32         // of a block: the first rows of runs that have the same labels
	lengths []uint64        // of these
	hashes  []uint64        // of a block, in one way
	codes   [][]uint32      // of these, in kept columns
	ofCodes [][]uint64      // hashes
}

// newAlike returns the counts of one of several workers, of rows of which some kept columns are shown.
func (e *exposure) newAlike(sets int, shown []release.Kept, workers int) *alike {
	a := &alike{ways: e.ways, bySet: make([][]uint64, sets+1), hashes: make([]uint64, release.BlockRows)}
	own := e.budget.Part(e.memory / int64(2*workers))
	for _, w := range e.ways {
		var columns []int
		for at, column := range shown {
			if slices.Contains(w.kept, column.Name) {
				columns = append(columns, at)
			}
		}
		a.tallies, a.columns = append(a.tallies, w.sum.Counter(own)), append(a.columns, columns)
		for _, set := range w.sets {
			a.bySet[set] = make([]uint64, release.BlockRows)
		}
	}
	return a
}

// join adds the keys of a set, of so many words each, to the hashes of a block.
func (a *alike) join(set int, keys []uint64, size int) {
	rows := len(keys) / size
	joinKeys(a.bySet[len(a.bySet)-1][:rows], keys, size)
	if of := a.bySet[set]; of != nil {
		clear(of[:rows])
		joinKeys(of[:rows], keys, size)
	}
}

// joinKeys adds keys of size words each to the hashes of rows.
func joinKeys(hashes, keys []uint64, size int) {
	if size == 1 { // nearly always
		for i, key := range keys[:len(hashes)] {
			hashes[i] = risk.Join(hashes[i], key)
		}
		return
	}
	for i, hash := range hashes {
		for _, word := range keys[i*size:][:size] {
			hash = risk.Join(hash, word)
		}
		hashes[i] = hash
	}
}

// everyRow are the numbers of the rows of a block, and firsts of rows that all have the same.
var (
	firsts   [release.BlockRows]uint32
	everyRow = func() (all [release.BlockRows]int32) {
		for i := range all {
			all[i] = int32(i)
		}
		return all
	}()
)

// count counts the rows of a block, of which the keys of all sets are joined. Rows that have the same
// labels follow each other, unless they are in the order of the input.
func (a *alike) count(rows int, columns []release.Hashes) {
	labels := a.bySet[len(a.bySet)-1][:rows]
	a.starts, a.lengths = a.starts[:0], a.lengths[:0]
	for row := 0; row < rows; {
		first := row
		for row++; row < rows && labels[row] == labels[first]; row++ {
		}
		a.starts, a.lengths = append(a.starts, int32(first)), append(a.lengths, uint64(row-first))
	}
	for i, w := range a.ways {
		starts, lengths := a.starts, a.lengths
		if len(w.kept) > 0 {
			starts, lengths = everyRow[:rows], nil
		}
		hashes := a.hashes[:len(starts)]
		clear(hashes)
		for _, set := range w.sets {
			of := a.bySet[set]
			for at, row := range starts {
				hashes[at] = risk.Scatter(risk.Join(hashes[at], of[row]))
			}
		}
		a.addValues(hashes, columns, a.columns[i])
		a.tallies[i].AddCounted(hashes, lengths)
	}
	clear(labels)
}

// addValues adds the values that rows have in some of the columns to their hashes.
func (a *alike) addValues(hashes []uint64, columns []release.Hashes, which []int) {
	a.codes, a.ofCodes = a.codes[:0], a.ofCodes[:0]
	for _, at := range which {
		c := &columns[at]
		every, list := c.Every, c.List
		if c.Same { // all are the first of the list then
			every, list = firsts[:], list[c.One:]
		}
		a.codes, a.ofCodes = append(a.codes, every[:len(hashes)]), append(a.ofCodes, list)
	}
	risk.JoinAll(hashes, a.codes, a.ofCodes)
}
