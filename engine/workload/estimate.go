package workload

import (
	"math"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/cover"
)

// Estimate is the answers of a release to the queries.
type Estimate struct {
	Answers []float64 // by query

	workload *Workload
	covers   [][]cover.Cover // by attribute that a query asks, and label number
	counted  [][]querySet
}

// Estimate returns the estimate of a release without records, with the labels of a recoding.
func (w *Workload) Estimate(recoding engine.Recoding) *Estimate {
	n := len(w.attributes)
	e := &Estimate{
		workload: w,
		Answers:  make([]float64, len(w.Queries)),
		covers:   make([][]cover.Cover, n),
		counted:  make([][]querySet, n),
	}
	for a, asked := range w.asked {
		if !asked {
			continue
		}
		e.covers[a] = cover.Of(&w.attributes[a], recoding, a)
		e.counted[a] = w.counted(a, len(e.covers[a]), func(label int, r Range) bool {
			return e.covers[a][label].Common(r.Lo, r.Hi) > 0
		})
	}
	return e
}

// Within returns the workload for the same attributes with other bounds.
func (w *Workload) Within(attributes []engine.Attribute) *Workload {
	of := *w
	of.attributes = attributes
	return &of
}

// queriesBytes is the memory of the set of queries that may count a label.
const queriesBytes = (Queries + 63) / 64 * 8

// Bytes returns the approximate memory of the estimate.
func (e *Estimate) Bytes() (bytes int64) {
	for a := range e.covers {
		for i := range e.covers[a] {
			bytes += queriesBytes + e.covers[a][i].Bytes()
		}
	}
	return bytes
}

// Add counts records that have the same labels, by attribute. The order of the calls determines the
// rounding of sums.
func (e *Estimate) Add(labels []uint32, records uint64) {
	n := float64(records)
	e.workload.each(e.counted, labels, func(query int) {
		share := 1.0
		for _, r := range e.workload.Queries[query] {
			c := &e.covers[r.Attribute][labels[r.Attribute]]
			share = float64(share * (float64(c.Common(r.Lo, r.Hi)) / float64(c.Values)))
		}
		e.Answers[query] += float64(n * share)
	})
}

// Error is the difference between estimates and the truth: |estimate − truth| divided by the truth
// or, if that is larger, by the share Bound of all records.
type Error struct {
	Mean, Median float64 // over the queries; 0 without any
}

// Error compares the estimate with the truth.
func (e *Estimate) Error(truth *Truth) (err Error) {
	errors, least := make([]float64, len(e.Answers)), float64(Bound*float64(truth.Records))
	for i, estimate := range e.Answers {
		answer := float64(truth.Answers[i])
		errors[i] = math.Abs(estimate-answer) / max(answer, least)
		err.Mean += errors[i]
	}
	n := len(errors)
	if n == 0 || truth.Records == 0 {
		return Error{}
	}
	slices.Sort(errors)
	return Error{Mean: err.Mean / float64(n), Median: (errors[(n-1)/2] + errors[n/2]) / 2}
}
