package verify

import (
	"cmp"
	"context"
	"slices"

	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// RiskRequest asks for the disclosure risk of a release: the class sizes of its rows on the labels
// of all masked columns together, on the labels of two sets, and on kept columns.
type RiskRequest struct {
	Kept     *risk.Figures // known figures on kept columns alone, or nil
	Accepted []string      // kept columns that are not counted together with labels
	Labels   bool          // no kept columns are counted
	// Population is the size of the population whose unique people on the labels are estimated; 0:
	// none are.
	Population int64
	// Members are kept columns that are counted together with the set that determines them.
	Members []risk.Member
	// AllPairs keeps the figures of all pairs of sets that are counted, not of the two worst alone.
	AllPairs bool
}

// keptColumns returns the columns of a part that its cut does not name, and its pseudonyms. If the
// class is the only such column there are none, since it has few values.
func (r *rules) keptColumns(ctx context.Context, part string) ([]string, error) {
	file, err := release.Open(ctx, part)
	if err != nil {
		return nil, err
	}
	defer file.Close() // it was only read
	kept := slices.DeleteFunc(file.Flat(), func(name string) bool {
		return slices.ContainsFunc(r.checks,
			func(c columnCheck) bool { return c.name == name && !c.pseudonyms })
	})
	if len(kept) == 0 || slices.Equal(kept, []string{r.cut.Class}) {
		return nil, nil
	}
	return kept, nil
}

// pairedSets is the largest number of sets that are paired: those with the most combinations of
// labels.
const pairedSets = 6

// worstPairs is the number of pairs of sets that a run reports.
const worstPairs = 2

// pairs returns pairs of sets. In none of them one set has all columns of the other.
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

// grouping is the sets, by their labels, and the kept columns on which rows of a class are equal.
type grouping struct {
	sets []int // positions; the number of sets means all sets together
	kept []string
	k    int // classes of fewer rows are small
	sum  *risk.Sum
	note func(*risk.Figures) // writes the figures into the report
}

// classSizes counts the class sizes of a release by several groupings.
type classSizes struct {
	groupings []grouping
	report    *risk.Report
	pairs     int           // number of pairs of sets in the report, the worst first
	memory    int64         // bytes that groupings with kept columns may take
	size      int64         // of the population, see RiskRequest
	budget    *spill.Budget // the budget from which all counts draw
}

// newClassSizes returns the groupings of a request, for a release with the given kept columns.
func (r *rules) newClassSizes(
	request *RiskRequest, kept []string, budget *spill.Budget,
) *classSizes {
	memory, k, sets := spill.Exposure.Part(budget.Left()), r.cut.SmallestK(), r.cut.Sets
	report := &risk.Report{K: k, Columns: kept, Kept: request.Kept}
	e := &classSizes{
		report: report, pairs: worstPairs, memory: memory, size: request.Population,
		budget: budget.Part(budget.Limit()),
	}
	most, others, labels := risk.MostClasses(2, memory), e.budget.Part(memory), []int{len(sets)}
	e.groupings = append(e.groupings, grouping{
		sets: labels, k: k, sum: risk.NewSum(risk.UnionHashes, e.budget),
		note: func(f *risk.Figures) { report.Labels = f },
	})
	pairs := r.pairs()
	if request.AllPairs {
		e.pairs = len(pairs)
	}
	for _, pair := range pairs {
		of := risk.Pair{Sets: [2]int{pair[0] + 1, pair[1] + 1},
			K: min(sets[pair[0]].K, sets[pair[1]].K)}
		sum := partSum(len(pairs), e.budget)
		e.groupings = append(e.groupings,
			grouping{sets: pair, k: of.K, sum: sum, note: func(f *risk.Figures) {
				of.Unique, of.Below = f.Unique, f.Below
				report.Pairs = append(report.Pairs, of)
			}})
	}
	for _, m := range request.Members {
		w := grouping{sets: []int{m.Set - 1}, kept: []string{m.Column}, k: m.K}
		w.sum, w.note = partSum(len(request.Members), e.budget), func(f *risk.Figures) {
			m.Below = f.Below
			report.Members = append(report.Members, m)
		}
		e.groupings = append(e.groupings, w)
	}
	joined := slices.DeleteFunc(slices.Clone(kept), func(name string) bool {
		return name == r.cut.Class || slices.Contains(request.Accepted, name)
	})
	if len(joined) > 0 {
		sum := risk.NewPartSum(most, r.cut.Rows, others)
		e.groupings = append(e.groupings,
			grouping{sets: labels, kept: joined, k: k, sum: sum, note: func(f *risk.Figures) {
				f.Refine(report.Labels)
				report.Both = f
			}})
	}
	if len(kept) > 0 && request.Kept == nil {
		sum := risk.NewPartSum(most, r.cut.Rows, others)
		e.groupings = append(e.groupings, grouping{
			kept: kept, k: k, sum: sum, note: func(f *risk.Figures) { report.Kept = f },
		})
	}
	return e
}

// partSum returns one of n sums for somebody who knows a part of the labels.
func partSum(n int, budget *spill.Budget) *risk.Sum {
	most := risk.PairClasses
	for most*n > risk.PairHashes {
		most /= 2
	}
	return risk.NewSum(most, budget)
}

// join writes the report of a release with the given number of rows, which several workers have
// counted.
func (e *classSizes) join(workers []*classCounter, rows int64) error {
	for i, w := range e.groupings {
		for _, a := range workers {
			if err := w.sum.Join(a.counters[i]); err != nil {
				return err
			}
		}
		w.note(w.sum.Figures(rows, w.k))
	}
	if e.size > 0 {
		e.report.Labels.Population = e.groupings[0].sum.Population(e.size, rows)
	}
	slices.SortFunc(e.report.Pairs, risk.Pair.Compare)
	e.report.Pairs = e.report.Pairs[:min(len(e.report.Pairs), e.pairs)]
	return nil
}

// classCounter counts rows by several groupings, for one goroutine.
type classCounter struct {
	groupings []grouping
	counters  []*risk.Counter // by grouping
	columns   [][]int         // by grouping: positions of its kept columns among the shown ones
	// bySet has, by set and then for all sets together, hashes of a block's labels; nil: not
	// needed.
	bySet   [][]uint64
	starts  []int32    // of a block: the first rows of runs with the same labels
	lengths []uint64   // lengths of these runs
	hashes  []uint64   // of a block, in one grouping
	codes   [][]uint32 // codes of a block, by kept column
	ofCodes [][]uint64 // hashes by code, by kept column
}

// newCounter returns the counter of one of several workers that see some kept columns.
func (e *classSizes) newCounter(sets int, shown []release.Kept, workers int) *classCounter {
	a := &classCounter{groupings: e.groupings, bySet: make([][]uint64, sets+1),
		hashes: make([]uint64, release.BlockRows)}
	own := e.budget.Part(e.memory / int64(2*workers))
	for _, w := range e.groupings {
		var columns []int
		for at, column := range shown {
			if slices.Contains(w.kept, column.Name) {
				columns = append(columns, at)
			}
		}
		a.counters, a.columns = append(a.counters, w.sum.Counter(own)), append(a.columns, columns)
		for _, set := range w.sets {
			a.bySet[set] = make([]uint64, release.BlockRows)
		}
	}
	return a
}

// join adds the keys of a set, of size words each, to the hashes of a block.
func (a *classCounter) join(set int, keys []uint64, size int) {
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

// everyRow has the numbers of the rows of a block, and firsts the codes of rows with the same
// value.
var (
	firsts   [release.BlockRows]uint32
	everyRow = func() (all [release.BlockRows]int32) {
		for i := range all {
			all[i] = int32(i)
		}
		return all
	}()
)

// count counts the rows of a block, after join has added the keys of all sets. Rows with the same
// labels follow each other, unless they are in the order of the input.
func (a *classCounter) count(rows int, columns []release.Hashes) {
	labels := a.bySet[len(a.bySet)-1][:rows]
	a.starts, a.lengths = a.starts[:0], a.lengths[:0]
	for row := 0; row < rows; {
		first := row
		for row++; row < rows && labels[row] == labels[first]; row++ {
		}
		a.starts, a.lengths = append(a.starts, int32(first)), append(a.lengths, uint64(row-first))
	}
	for i, w := range a.groupings {
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
		a.counters[i].AddCounted(hashes, lengths)
	}
	clear(labels)
}

// addValues adds the values that rows have in some of the columns to their hashes.
func (a *classCounter) addValues(hashes []uint64, columns []release.Hashes, which []int) {
	a.codes, a.ofCodes = a.codes[:0], a.ofCodes[:0]
	for _, at := range which {
		c := &columns[at]
		every, list := c.Every, c.List
		if c.Same { // then all rows have the first value of the list
			every, list = firsts[:], list[c.One:]
		}
		a.codes, a.ofCodes = append(a.codes, every[:len(hashes)]), append(a.ofCodes, list)
	}
	risk.JoinAll(hashes, a.codes, a.ofCodes)
}
