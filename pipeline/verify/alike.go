package verify

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// Exposure asks for the rows that are alike: on the labels of all masked columns together, on those
// of two sets, and on kept columns.
type Exposure struct {
	Memory   int64         // bytes that counting by kept columns may take
	Budget   *spill.Budget // from which that is drawn, and what counting by labels takes
	Known    bool          // the figures on kept columns alone are known
	Accepted []string      // kept columns that are left out where they come together with labels
	Labels   bool          // labels alone: kept columns are left out everywhere
	Members  []Member      // kept columns that come together with the labels of a set that tells them
}

// Member is a kept column that who knows a set knows, too.
type Member struct {
	Set    int // its position
	Column string
}

// keptColumns returns the columns of a part that its cut does not name, or as pseudonyms. A class
// alone is none: it has few values.
func (r *rules) keptColumns(ctx context.Context, part string) ([]string, error) {
	file, err := release.Open(ctx, part)
	if err != nil {
		return nil, err
	}
	defer file.Close() // it was only read
	var masked []string
	for i := range r.cut.Columns {
		for _, check := range checksOf(&r.cut.Columns[i]) {
			masked = append(masked, check.name)
		}
	}
	kept := slices.DeleteFunc(file.Flat(), func(name string) bool { return slices.Contains(masked, name) })
	if len(kept) == 0 || slices.Equal(kept, []string{r.cut.Class}) {
		return nil, nil
	}
	return kept, nil
}

// joined returns the kept columns that come together with labels: neither accepted nor the class.
func (e *Exposure) joined(cut *cutfile.File, kept []string) []string {
	return slices.DeleteFunc(slices.Clone(kept), func(name string) bool {
		return name == cut.Class || slices.Contains(e.Accepted, name)
	})
}

// pairedSets is how many sets are paired at the most: those with the most combinations of labels.
const pairedSets = 6

// pairs returns the pairs of sets, of which neither has all columns of the other.
func (r *rules) pairs() (pairs [][2]int) {
	sets := r.cut.Sets
	combinations := func(set int) (bits float64) {
		for _, below := range r.keys[set].below {
			bits += math.Log2(float64(below))
		}
		return bits
	}
	var finest []int
	for i := range sets {
		finest = append(finest, i)
	}
	slices.SortStableFunc(finest, func(a, b int) int { return cmp.Compare(combinations(b), combinations(a)) })
	finest = finest[:min(len(finest), pairedSets)]
	slices.Sort(finest)
	for i, a := range finest {
		for _, b := range finest[i+1:] {
			if !sets[a].Within(&sets[b]) && !sets[b].Within(&sets[a]) {
				pairs = append(pairs, [2]int{a, b})
			}
		}
	}
	return pairs
}

// sums count the rows of a release that are alike, for several workers: on the labels of all masked
// columns, on those of two sets, and on those of a set with a member of it; where there are kept
// columns, on these with all labels, and alone.
type sums struct {
	pairs      [][2]int
	members    []Member
	labels     *risk.Sum
	ofPairs    []*risk.Sum
	ofMembers  []*risk.Sum
	both, kept *risk.Sum // nil: it is not counted
}

// newSums returns what is counted beside some kept columns.
func (r *rules) newSums(ask *Exposure, kept []string) *sums {
	s := &sums{pairs: r.pairs(), members: ask.Members, labels: risk.NewSum(risk.UnionHashes, ask.Budget)}
	s.ofPairs, s.ofMembers = partSums(len(s.pairs), ask.Budget), partSums(len(s.members), ask.Budget)
	most, others := risk.MostClasses(2, ask.Memory), ask.Budget.Part(ask.Memory)
	if len(ask.joined(r.cut, kept)) > 0 {
		s.both = risk.NewPartSum(most, r.cut.Rows, others)
	}
	if len(kept) > 0 && !ask.Known {
		s.kept = risk.NewPartSum(most, r.cut.Rows, others)
	}
	return s
}

// partSums returns so many sums of what who knows a part of the labels finds.
func partSums(n int, budget *spill.Budget) (all []*risk.Sum) {
	most := risk.PairClasses
	for most*n > risk.PairHashes {
		most /= 2
	}
	for range n {
		all = append(all, risk.NewSum(most, budget))
	}
	return all
}

// all returns all of them, but for those by kept columns that are not counted.
func (s *sums) all() []*risk.Sum {
	return slices.Concat([]*risk.Sum{s.labels}, s.ofPairs, s.ofMembers, s.others())
}

// others are those by kept columns.
func (s *sums) others() []*risk.Sum {
	return slices.DeleteFunc([]*risk.Sum{s.both, s.kept}, func(s *risk.Sum) bool { return s == nil })
}

// join adds what workers have counted, whose tallies are consumed.
func (s *sums) join(workers []*alike) error {
	for _, a := range workers {
		for sum, tally := range a.tallies {
			if err := sum.Join(tally); err != nil {
				return err
			}
		}
	}
	return nil
}

// alike counts the rows of a release that are alike. One goroutine uses it.
type alike struct {
	*sums
	tallies  map[*risk.Sum]*risk.Tally
	places   []int      // of the members among the columns that are shown; −1: it is not
	bySet    [][]uint64 // hashes of a block of rows by the labels of each set, if there are pairs or members
	byLabels []uint64   // of all sets
	starts   []int32    // of a block: the first rows of runs that have the same labels
	lengths  []uint64   // of these
	byKept   []uint64
	codes    [][]uint32 // of these, in kept columns
	ofCodes  [][]uint64 // hashes
	joined   []bool     // of every column that is shown: it comes together with labels
	alone    []bool     // it is one of those that are counted by themselves
}

// newAlike returns the counts of one of several workers, of rows that are shown some kept columns.
func (r *rules) newAlike(ask *Exposure, sums *sums, kept []string, shown []release.Kept, workers int) *alike {
	a := &alike{sums: sums, byLabels: make([]uint64, release.BlockRows), byKept: make([]uint64, release.BlockRows)}
	own := ask.Budget.Part(ask.Memory / int64(2*workers))
	a.tallies = make(map[*risk.Sum]*risk.Tally)
	for _, sum := range sums.all() {
		a.tallies[sum] = sum.Tally(own)
	}
	joined := ask.joined(r.cut, kept)
	for _, column := range shown {
		a.joined = append(a.joined, slices.Contains(joined, column.Name))
		a.alone = append(a.alone, slices.Contains(kept, column.Name))
	}
	for _, member := range sums.members {
		a.places = append(a.places, slices.IndexFunc(shown, func(column release.Kept) bool { return column.Name == member.Column }))
	}
	if len(sums.pairs)+len(sums.members) > 0 {
		for range r.cut.Sets {
			a.bySet = append(a.bySet, make([]uint64, release.BlockRows))
		}
	}
	return a
}

// join adds the keys of a set, of so many words each, to what is known of the labels of a block.
func (a *alike) join(set int, keys []uint64, size int) {
	labels := a.byLabels[:len(keys)/size]
	joinKeys(labels, keys, size)
	if a.bySet != nil {
		of := a.bySet[set][:len(labels)]
		clear(of)
		joinKeys(of, keys, size)
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

// firsts are the numbers of rows that have the same.
var firsts [release.BlockRows]uint32

// count counts the rows of a block, of which the keys of all sets are joined.
func (a *alike) count(rows int, columns []release.Hashes) {
	labels := a.byLabels[:rows]
	a.countRuns(labels)
	if a.kept != nil {
		clear(a.byKept[:rows])
		a.tallies[a.kept].Add(a.withValues(a.byKept[:rows], columns, a.alone))
	}
	if a.both != nil {
		for i, label := range labels {
			labels[i] = risk.Scatter(label)
		}
		a.tallies[a.both].Add(a.withValues(labels, columns, a.joined))
	}
	clear(labels)
	for i, member := range a.members {
		hashes := a.byKept[:rows]
		for row, key := range a.bySet[member.Set][:rows] {
			hashes[row] = risk.Scatter(key)
		}
		if at := a.places[i]; at >= 0 {
			hashes = a.withValues(hashes, columns[at:at+1], always)
		}
		a.tallies[a.ofMembers[i]].Add(hashes)
	}
}

// countRuns counts rows by labels. Rows that have the same ones follow each other, unless they are
// in the order of the input.
func (a *alike) countRuns(labels []uint64) {
	a.starts, a.lengths = a.starts[:0], a.lengths[:0]
	for row := 0; row < len(labels); {
		first := row
		for row++; row < len(labels) && labels[row] == labels[first]; row++ {
		}
		a.starts, a.lengths = append(a.starts, int32(first)), append(a.lengths, uint64(row-first))
	}
	hashes := a.byKept[:len(a.starts)]
	for i, first := range a.starts {
		hashes[i] = risk.Scatter(labels[first])
	}
	a.tallies[a.labels].AddCounted(hashes, a.lengths)
	for i, pair := range a.pairs {
		one, other := a.bySet[pair[0]], a.bySet[pair[1]]
		for i, first := range a.starts {
			hashes[i] = risk.Scatter(risk.Join(risk.Scatter(one[first]), other[first]))
		}
		a.tallies[a.ofPairs[i]].AddCounted(hashes, a.lengths)
	}
}

// always says of one column that it is taken.
var always = []bool{true}

// withValues adds the values that rows have in some of the columns to their hashes.
func (a *alike) withValues(hashes []uint64, columns []release.Hashes, which []bool) []uint64 {
	a.codes, a.ofCodes = a.codes[:0], a.ofCodes[:0]
	for i, c := range columns {
		if !which[i] {
			continue
		}
		if c.Same { // all are the first of the list then
			c.Every, c.List = firsts[:], c.List[c.One:]
		}
		a.codes, a.ofCodes = append(a.codes, c.Every[:len(hashes)]), append(a.ofCodes, c.List)
	}
	risk.JoinAll(hashes, a.codes, a.ofCodes)
	return hashes
}

// report tells which of so many rows are alike. Figures on kept columns may be known.
func (s *sums) report(cut *cutfile.File, kept []string, known *risk.Figures, rows int64) *risk.Report {
	k := cut.SmallestK()
	report := &risk.Report{K: k, Columns: kept, Labels: s.labels.Figures(rows, k), Kept: known}
	if s.kept != nil {
		report.Kept = s.kept.Figures(rows, k)
	}
	if s.both != nil {
		report.Both = s.both.Figures(rows, k)
		report.Both.Refine(report.Labels)
	}
	for i, pair := range s.pairs {
		of := risk.Pair{Sets: [2]int{pair[0] + 1, pair[1] + 1}, K: min(cut.Sets[pair[0]].K, cut.Sets[pair[1]].K)}
		figures := s.ofPairs[i].Figures(rows, of.K)
		of.Unique, of.Below = figures.Unique, figures.Below
		report.Pairs = append(report.Pairs, of)
	}
	for i, member := range s.members {
		k := cut.Sets[member.Set].K
		below := s.ofMembers[i].Figures(rows, k).Below
		report.Members = append(report.Members, risk.Member{Column: member.Column, Set: member.Set + 1, K: k, Below: below})
	}
	slices.SortStableFunc(report.Pairs, func(a, b risk.Pair) int {
		return cmp.Or(cmp.Compare(b.Below, a.Below), cmp.Compare(b.Unique, a.Unique))
	})
	report.Pairs = report.Pairs[:min(len(report.Pairs), 2)]
	return report
}
