package risk

import (
	"maps"
	"math"
	"slices"
	"sync"

	"github.com/kcut/kcut/spill"
)

// WeightSum adds up the rows and the weights of classes, by the hashes of these, for several
// goroutines. Of more than mostWeighted classes it keeps those whose hashes begin with enough zero
// bits, as a Sum does: they represent all.
type WeightSum struct {
	budget *spill.Budget

	mu         sync.Mutex
	population Weight // of all rows
	zeros      uint
	classes    map[uint64]WeightedRow
}

// WeightedRow is the rows of a class that have one weight, and that weight; in a sum it is all rows
// of the class and the sum of their weights.
type WeightedRow struct {
	Class, Rows uint64
	Weight      Weight
}

const (
	mostWeighted = 1 << 16
	weightBytes  = 96 // of a class in the map, whose buckets are doubled at times
)

// NewWeightSum returns an empty sum. It draws the memory of all its classes.
func NewWeightSum(budget *spill.Budget) (*WeightSum, error) {
	err := budget.Draw("the weights of classes", mostWeighted*weightBytes)
	return &WeightSum{budget: budget, classes: make(map[uint64]WeightedRow)}, err
}

// Add adds rows.
func (s *WeightSum) Add(rows []WeightedRow) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, row := range rows {
		s.population.Add(row.Weight, row.Rows)
		if row.Class>>(64-s.zeros) > 0 {
			continue
		}
		class := s.classes[row.Class]
		class.Rows += row.Rows
		class.Weight.Add(row.Weight, row.Rows)
		s.classes[row.Class] = class
		for len(s.classes) > mostWeighted {
			s.zeros++
			maps.DeleteFunc(s.classes, func(hash uint64, _ WeightedRow) bool {
				return hash>>(64-s.zeros) > 0
			})
		}
	}
}

// Figures returns the figures of all added rows, whose number is given.
func (s *WeightSum) Figures(rows int64) *Weighted {
	var classes WeightedClasses
	for _, hash := range slices.Sorted(maps.Keys(s.classes)) {
		class := s.classes[hash]
		classes.Add(int64(class.Rows), class.Weight)
	}
	part := math.Ldexp(1, -int(s.zeros))
	f := classes.Figures(rows)
	f.Population = s.population.Float()
	if s.zeros > 0 {
		f.Part = part
		f.Simple.Average, f.Individual.Average = min(f.Simple.Average/part, 1),
			min(f.Individual.Average/part, 1)
	}
	return f
}

// Close returns the drawn bytes.
func (s *WeightSum) Close() { s.budget.Return(mostWeighted * weightBytes) }
