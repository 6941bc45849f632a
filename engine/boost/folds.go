package boost

import (
	"context"

	"github.com/kcut/kcut/internal/workers"
)

// Folds is how many models are fitted: each to the records of all folds but one, of which it tells the probabilities.
const Folds = 5

// Models are one for every fold.
type Models struct {
	binning
	columns int
	classes int
	folds   [Folds]*Model
}

// Fit fits the models.
func Fit(ctx context.Context, r *Records, o Options, threads int) (*Models, error) {
	b := newBinned(r)
	m := &Models{binning: b.binning, columns: len(r.Columns), classes: r.Classes}
	return m, workers.Each(Folds, threads, func(_ workers.Worker, fold int) (err error) {
		weights := make([]uint32, len(r.Counts))
		for row, n := range r.Counts {
			weights[row] = n - held(n, r.Fold[row], fold)
		}
		m.folds[fold], err = b.fit(ctx, weights, o)
		return err
	})
}

// Bytes returns what fitting to so many records takes, and the models.
func Bytes(columns []Column, classes, records, threads int, o Options) int64 {
	trees, bins := int64(treesOf(classes)), int64(0)
	for _, c := range columns {
		bins += int64(min(c.Domain, maxBins))
	}
	fitting := int64(records)*(12*trees+gradientBytes+4+4+4) + bins*gradientBytes*int64(o.Leaves+1)
	return int64(records*2*len(columns)) + fitting*int64(min(max(1, threads), Folds)) + Folds*modelBytes(int(trees), o.Rounds, int(bins))
}

// held returns how many of a tuple's n records, the first of which is in a given fold, are in a fold.
func held(n uint32, first uint8, fold int) uint32 {
	before := uint32(fold-int(first)+Folds) % Folds
	return (n + Folds - 1 - before) / Folds
}

// Scratch is memory of Probabilities, of one goroutine.
type Scratch struct {
	bins          []uint16
	leaves        []uint64
	scores        []float64
	probabilities []int32
	sums          []uint64
}

// Probabilities writes the probabilities of all classes but the last one, in parts of which Mass are 1, by class and
// tuple: the means of what the models tell of a tuple's records that have not seen them.
func (m *Models) Probabilities(s *Scratch, codes [][]uint32, counts []uint32, first []uint8, to [][]uint32) {
	n, trees := len(counts), treesOf(m.classes)
	s.grow(n, m.columns, trees, m.folds[0].words)
	m.translate(codes, s.bins)
	clear(s.sums)
	for fold, model := range m.folds {
		for row := range n {
			if k := uint64(held(counts[row], first[row], fold)); k > 0 {
				model.score(s.bins[row*m.columns:][:m.columns], s.leaves, s.scores)
				probabilities(s.scores, s.probabilities)
				for t, p := range s.probabilities {
					s.sums[row*trees+t] += k * uint64(p)
				}
			}
		}
	}
	for class, masses := range to {
		for row := range masses {
			p := s.sums[row*trees+class] / uint64(counts[row])
			if trees == 1 { // that of the second class
				p = one - p
			}
			masses[row] = uint32(min(p*Mass/one, Mass-1))
		}
	}
}

func (s *Scratch) grow(n, columns, trees, words int) {
	if cap(s.bins) < n*columns || cap(s.sums) < n*trees || len(s.scores) != trees || len(s.leaves) != words {
		*s = Scratch{bins: make([]uint16, n*columns), leaves: make([]uint64, words), scores: make([]float64, trees), probabilities: make([]int32, trees), sums: make([]uint64, n*trees)}
	}
	s.bins, s.sums = s.bins[:n*columns], s.sums[:n*trees]
}

// Mass is the probability 1 in what Probabilities writes.
const Mass = 1 << 16
