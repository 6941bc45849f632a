package classify

import (
	"math"

	"github.com/kcut/kcut/partition"
)

// Outcome is the result of testing a classifier on records.
type Outcome struct {
	classifier Classifier
	classes    int
	counts     []uint64   // by class of the records, then by predicted class
	ranks      [][]ranked // by class: records by the predicted odds of the class
	logs       []float64  // scratch
}

// ranked is the number of records with one rank: of the class, and of all others.
type ranked struct{ own, other uint64 }

// Ranks distinguish log-odds that differ by rankStep, between -rankMost and rankMost.
const (
	rankMost = 32
	rankStep = 1.0 / 256
	ranks    = 2 * rankMost / rankStep
)

// NewOutcome returns an outcome without records. Its memory is drawn from the budget of a space,
// and stays drawn.
func NewOutcome(c Classifier, classes int, space partition.Space) (*Outcome, error) {
	if err := hold(space, "ranks of records", 2*ranks*classes); err != nil {
		return nil, err
	}
	o := &Outcome{
		classifier: c,
		classes:    classes,
		counts:     make([]uint64, classes*classes),
		logs:       make([]float64, classes),
	}
	for range classes {
		o.ranks = append(o.ranks, make([]ranked, ranks))
	}
	return o, nil
}

// Add lets the classifier classify records with a tuple and a class.
func (o *Outcome) Add(tuple []uint32, class uint32, records uint64) {
	said := Classify(o.classifier, tuple, o.logs)
	o.counts[int(class)*o.classes+int(said)] += records
	for of, odds := range logOdds(o.logs) {
		if at := &o.ranks[of][rank(odds)]; of == int(class) {
			at.own += records
		} else {
			at.other += records
		}
	}
}

// logOdds replaces the log-likelihoods of classes by the logarithms of their odds.
func logOdds(logs []float64) []float64 {
	highest := first(logs)
	most, others := logs[highest], 0.0
	for class, l := range logs {
		if uint32(class) != highest {
			others += math.Exp(l - most)
		}
	}
	for class, l := range logs {
		if uint32(class) == highest {
			logs[class] = -math.Log(others)
		} else { // the highest one is among the others, so that little precision is lost
			logs[class] = l - most - math.Log(1+others-math.Exp(l-most))
		}
	}
	return logs
}

// rank returns the rank of log-odds.
func rank(odds float64) int {
	return int(min(max((odds+rankMost)/rankStep, 0), ranks-1))
}

// records returns the number of records of a class.
func (o *Outcome) records(class int) uint64 {
	return partition.Sum(o.counts[class*o.classes:][:o.classes])
}

// Error returns the share of records with a wrong prediction.
func (o *Outcome) Error() float64 {
	wrong, all := uint64(0), uint64(0)
	for class := range o.classes {
		all += o.records(class)
		wrong += o.records(class) - o.counts[class*o.classes+class]
	}
	return float64(wrong) / float64(all)
}

// ClassErrors returns, by class, the share of records with a wrong prediction; not a number for a
// class without records.
func (o *Outcome) ClassErrors() (shares []float64) {
	for class := range o.classes {
		n := o.records(class)
		shares = append(shares, float64(n-o.counts[class*o.classes+class])/float64(n))
	}
	return shares
}

// BalancedError returns the mean of the errors of the classes that have records.
func (o *Outcome) BalancedError() float64 {
	shares := o.ClassErrors()
	return o.mean(func(class int) float64 { return shares[class] })
}

// F1 returns the mean, over the classes that have records, of the harmonic mean of precision and
// recall.
func (o *Outcome) F1() float64 {
	return o.mean(func(class int) float64 {
		said := uint64(0)
		for of := range o.classes {
			said += o.counts[of*o.classes+class]
		}
		return 2 * float64(o.counts[class*o.classes+class]) / float64(said+o.records(class))
	})
}

// AUC returns the mean of the areas under the curves of the classes that some records have and
// others do not: the area under true over false positives. It is the probability that a random
// record of the class gets higher odds of the class than a random other record; equal odds count
// half. Without such a class it is 1/2.
func (o *Outcome) AUC() float64 {
	sum, n := 0.0, 0
	for class, of := range o.ranks {
		own, above, other := float64(o.records(class)), 0.0, 0.0
		for _, at := range of {
			above += float64(float64(at.own) * (other + float64(at.other)/2))
			other += float64(at.other)
		}
		if own > 0 && other > 0 {
			sum += above / own / other
			n++
		}
	}
	if n == 0 {
		return 0.5
	}
	return sum / float64(n)
}

// mean returns the mean of a number over the classes that have records.
func (o *Outcome) mean(number func(class int) float64) float64 {
	sum, n := 0.0, 0
	for class := range o.classes {
		if o.records(class) > 0 {
			sum += number(class)
			n++
		}
	}
	return sum / float64(max(1, n))
}
