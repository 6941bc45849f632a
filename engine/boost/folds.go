package boost

import (
	"context"

	"github.com/kcut/kcut/internal/workers"
)

// Folds is the number of models for each deal of the records: each is fitted to the records of all
// folds except one, and predicts the probabilities of that one.
const Folds = 5

// Models are one model for every fold of every deal.
type Models struct {
	binning
	columns int
	classes int
	fits    []*Model
}

// Fit fits the models.
func Fit(ctx context.Context, r *Records, o Options, threads int) (*Models, error) {
	b := newBinned(r)
	m := &Models{
		binning: b.binning,
		columns: len(r.Columns),
		classes: r.Classes,
		fits:    make([]*Model, Folds*o.Deals),
	}
	return m, workers.Each(len(m.fits), threads, func(_ workers.Worker, fit int) (err error) {
		weights := make([]uint64, len(r.Counts))
		for row, n := range r.Counts {
			weights[row] = n - held(n, r.Hash[row], fit)
		}
		m.fits[fit], err = b.fit(ctx, weights, o)
		return err
	})
}

// Trees returns the number of trees in models of a number of classes.
func (o Options) Trees(classes int) int { return Folds * o.Deals * o.TreesOfOne(classes) }

// TreesOfOne returns the number of trees in one model of a number of classes.
func (o Options) TreesOfOne(classes int) int { return o.Rounds * treesOf(classes) }

// Bytes returns the memory for some records, for fitting to them, and for the models.
func Bytes(columns []Column, classes, records, threads int, o Options) int64 {
	trees, bins := int64(treesOf(classes)), int64(0)
	for _, c := range columns {
		bins += int64(min(c.Domain, maxBins))
	}
	fitting := int64(records)*(12*trees+gradientBytes+8+4+4) + bins*gradientBytes*int64(o.Leaves+1)
	return int64(records*(recordBytes(len(columns))+2*len(columns))) +
		fitting*int64(min(max(1, threads), Folds*o.Deals)) +
		int64(Folds*o.Deals)*modelBytes(int(trees), o.Rounds, int(bins))
}

// held returns how many of a tuple's n records are in the fold that a fit leaves out. Some bits of
// the tuple's hash, others for every deal, give the fold of its first record; the next record is in
// the next fold.
func held(n, hash uint64, fit int) uint64 {
	first := hash >> (bitsOfDeal * (fit / Folds)) % Folds
	before := (uint64(fit%Folds) + Folds - first) % Folds
	return (n + Folds - 1 - before) / Folds
}

// bitsOfDeal is the number of bits of a hash that each deal skips.
const bitsOfDeal = 12

// Scratch is the memory of Probabilities for one goroutine.
type Scratch struct {
	bins          []uint16
	leaves        []uint64
	scores        []float64
	probabilities []int32
	sums          []uint64
}

// Probabilities writes the probabilities of all classes except the last one, in units of 1/Mass, by
// class and tuple: the means, over a tuple's records, of the predictions by the models that were
// fitted without the record.
func (m *Models) Probabilities(s *Scratch, codes [][]uint32, counts []uint64, hashes []uint64,
	to [][]uint32) {
	n, trees := len(counts), treesOf(m.classes)
	s.grow(n, m.columns, trees, m.fits[0].words)
	m.translate(codes, s.bins)
	clear(s.sums)
	for fit, model := range m.fits {
		for row := range n {
			if k := held(counts[row], hashes[row], fit); k > 0 {
				model.score(s.bins[row*m.columns:][:m.columns], s.leaves, s.scores)
				probabilities(s.scores, s.probabilities)
				for t, p := range s.probabilities {
					s.sums[row*trees+t] += k * uint64(p)
				}
			}
		}
	}
	deals := uint64(len(m.fits) / Folds)
	for class, masses := range to {
		for row := range masses {
			p := s.sums[row*trees+class] / (counts[row] * deals)
			if trees == 1 { // the tree predicts the second class
				p = one - p
			}
			masses[row] = uint32(min(p*Mass/one, Mass-1))
		}
	}
}

func (s *Scratch) grow(n, columns, trees, words int) {
	if cap(s.bins) < n*columns || cap(s.sums) < n*trees || len(s.scores) != trees ||
		len(s.leaves) != words {
		*s = Scratch{
			bins:          make([]uint16, n*columns),
			leaves:        make([]uint64, words),
			scores:        make([]float64, trees),
			probabilities: make([]int32, trees),
			sums:          make([]uint64, n*trees),
		}
	}
	s.bins, s.sums = s.bins[:n*columns], s.sums[:n*trees]
}

// Mass is the probability 1 in the results of Probabilities.
const Mass = 1 << 16
