package evaluate

import (
	"math"
	"slices"
)

// Report is the result of an evaluation. Errors are shares of the test rows, by classifier. Without
// a class there are no classifiers.
type Report struct {
	Rows uint64 `json:"rows"`
	// Entities is the number of entities that have the rows, if k counts them; 0: they are more
	// than are counted one by one.
	Entities        uint64             `json:"entities,omitempty"`
	Rounds          int                `json:"rounds"`
	Learners        []string           `json:"classifiers"`
	Baseline        map[string]Score   `json:"baseline"` // BE: raw values
	Upper           map[string]Score   `json:"upper"`    // UE: without the quasi-identifiers
	BaselineQuality map[string]Quality `json:"baseline_quality,omitempty"`
	UpperQuality    map[string]Quality `json:"upper_quality,omitempty"`
	// Majority is the error of naming the most frequent class of the training rows for all rows.
	Majority *Score   `json:"majority,omitempty"`
	Results  []Result `json:"results"` // by variant

	// Optimistic are the figures of results for which rules that were made from the test rows, too,
	// are tested with these: new rows would have worse ones.
	Optimistic []string `json:"optimistic,omitempty"`

	// Intervals says how classifiers saw intervals: nominal or uniform; empty: as their midpoints.
	// TestRows are raw, and words drawn from labels unless Intervals is nominal; empty: masked.
	Intervals string `json:"intervals,omitempty"`
	TestRows  string `json:"test_rows,omitempty"`
}

// Quality is further measures of a classifier in addition to its error.
type Quality struct {
	// AUC is the area under the curve of true over false positives, the mean over the classes of
	// each against all others: the probability that a row of the class is ranked before another
	// one. 1/2 is chance.
	AUC Score `json:"auc"`
	// F1 is the harmonic mean of precision and recall, the mean over the classes.
	F1 Score `json:"f1"`
	// BalancedError is the mean of the classes' errors.
	BalancedError Score `json:"balanced_error"`
	// ClassErrors are the shares of every class's test rows with a wrong prediction, in the order
	// of the classes' labels, which a report does not name; nil for a class without test rows.
	ClassErrors []*Score `json:"class_errors"`
}

// Result is the result of one variant of the job.
type Result struct {
	Algorithm string `json:"algorithm"`
	K         []int  `json:"k"` // of every set
	// Chosen has the algorithms that auto took, with the numbers of rounds.
	Chosen map[string]int `json:"chosen,omitempty"`
	// the reason why some round has no release
	Failed  string             `json:"failed,omitempty"`
	Errors  map[string]Score   `json:"errors,omitempty"` // AE: masked values
	Quality map[string]Quality `json:"quality,omitempty"`
	Release *Costs             `json:"release,omitempty"`
	// Useless is true when no classifier does better than the Majority, and one does with raw rows.
	Useless bool `json:"useless,omitempty"`
}

// Costs are the measures of the releases of the training parts. Equivalence classes are the records
// that share the labels of all quasi-identifiers, in any sets.
type Costs struct {
	// Discernibility is the sum of the squared sizes of the equivalence classes; a record that is
	// not released counts as the number of all records (Bayardo and Agrawal, 2005).
	Discernibility Score `json:"discernibility"`
	// Penalty is the normalized certainty penalty, a mean over all records and quasi-identifiers: 0
	// for a value, 1 for a label that covers all values (Xu and others, 2006).
	Penalty Score `json:"certainty_penalty"`
	// ClassSize is the mean ratio of the size of equivalence classes to k (LeFevre and others,
	// 2006).
	ClassSize Score `json:"class_size"`
	// Misclassified is the classification metric: the share of records that are not released or do
	// not have their equivalence class's most frequent class (Iyengar, 2002).
	Misclassified Score `json:"classification_metric"`
	// Dropped is the number of records that are not released.
	Dropped Score `json:"dropped"`
	// QueryError is the relative error of counting queries, the mean over a fixed workload of them
	// (package engine/workload); QueryErrorMedian is the median.
	QueryError       Score `json:"query_error"`
	QueryErrorMedian Score `json:"query_error_median"`
	// Propensity is how much better than chance a decision tree separates released rows, whose
	// labels are replaced by values that they cover, from their originals: twice its AUC minus 1.
	// 0: as well as chance; 1: always.
	Propensity Score `json:"propensity"`
	// NoRegion is the share of test records to which the release gives no labels if its cut is
	// applied to them: they are in no region, or only in that of suppressed records. It is 0 if
	// every column has a cut of its own, and nil if rules are made from test records, too.
	NoRegion *Score `json:"no_region,omitempty"`
	// Information is the share of the quasi-identifiers' information that is left: 1 minus the
	// Penalty.
	Information Score `json:"information_kept"`
}

// Score is a mean over the rounds, and their standard deviation if there are several.
type Score struct {
	Mean      float64  `json:"mean"`
	Deviation *float64 `json:"sd,omitempty"`
}

// over returns the score of one number of every round.
func over(rounds []measurement, number func(measurement) float64) (s Score) {
	n, squares := float64(len(rounds)), 0.0
	for _, m := range rounds {
		s.Mean += number(m)
	}
	s.Mean /= n
	for _, m := range rounds {
		off := number(m) - s.Mean
		squares += float64(off * off)
	}
	if len(rounds) > 1 {
		s.Deviation = new(math.Sqrt(squares / (n - 1)))
	}
	return s
}

// tested is the results of a classifier on the test rows of a round.
type tested struct {
	wrong, auc, f1, balanced float64
	classes                  []float64 // not a number for a class without test rows
}

// report summarizes the rounds.
func (e *evaluation) report() *Report {
	r := &Report{Rows: e.rows, Entities: e.entities(), Rounds: len(e.rounds), Learners: []string{}}
	for _, l := range e.learners {
		r.Learners = append(r.Learners, l.Name())
	}
	r.Baseline, r.BaselineQuality = e.tested(e.roundsOf(raw))
	r.Upper, r.UpperQuality = e.tested(e.roundsOf(without))
	if len(e.learners) > 0 {
		r.Majority = new(over(e.roundsOf(raw), func(m measurement) float64 { return m.majority }))
	}
	if e.RulesFromAll {
		r.Optimistic = []string{"propensity"}
		if len(e.learners) > 0 {
			r.Optimistic = []string{"errors", "quality", "propensity"}
		}
	}
	switch {
	case e.Nominal:
		r.Intervals = "nominal"
	case e.Uniform:
		r.Intervals = "uniform"
	}
	if e.RawTest {
		r.TestRows = "raw"
	}
	for v, job := range e.jobs {
		result := Result{Algorithm: job.Algorithm.Name}
		for _, set := range job.Sets {
			result.K = append(result.K, set.K)
		}
		rounds := e.roundsOf(variants + v)
		for _, m := range rounds {
			if m.chosen != "" {
				if result.Chosen == nil {
					result.Chosen = map[string]int{}
				}
				result.Chosen[m.chosen]++
			}
		}
		failed := func(m measurement) bool { return m.failed != nil }
		if i := slices.IndexFunc(rounds, failed); i >= 0 {
			result.Failed = rounds[i].failed.Error()
		} else {
			result.Errors, result.Quality = e.tested(rounds)
			result.Release = costsOf(rounds)
			result.Useless = len(e.learners) > 0 && r.useful(r.Baseline, r.BaselineQuality) &&
				!r.useful(result.Errors, result.Quality)
			if !e.RulesFromAll {
				result.Release.NoRegion = new(over(rounds, func(m measurement) float64 {
					return m.costs.NoRegion
				}))
			}
		}
		r.Results = append(r.Results, result)
	}
	return r
}

// A classifier that does better than the most frequent class has an error that is smaller by more
// than betterError, or an AUC that is larger than that of chance by more than betterArea.
const (
	betterError = 0.01
	betterArea  = 0.05
)

// useful reports whether a classifier does better than the most frequent class.
func (r *Report) useful(errors map[string]Score, quality map[string]Quality) bool {
	return slices.ContainsFunc(r.Learners, func(l string) bool {
		return errors[l].Mean < r.Majority.Mean-betterError || quality[l].AUC.Mean > 0.5+betterArea
	})
}

// roundsOf returns one measurement of every round.
func (e *evaluation) roundsOf(number int) (rounds []measurement) {
	for _, measured := range e.measured {
		rounds = append(rounds, measured[number])
	}
	return rounds
}

// tested summarizes the results of classifiers.
func (e *evaluation) tested(rounds []measurement) (errors map[string]Score,
	quality map[string]Quality) {
	errors, quality = make(map[string]Score, len(e.learners)),
		make(map[string]Quality, len(e.learners))
	for i, l := range e.learners {
		errors[l.Name()] = over(rounds, func(m measurement) float64 { return m.scores[i].wrong })
		q := Quality{
			AUC: over(rounds, func(m measurement) float64 { return m.scores[i].auc }),
			F1:  over(rounds, func(m measurement) float64 { return m.scores[i].f1 }),
			BalancedError: over(rounds, func(m measurement) float64 {
				return m.scores[i].balanced
			}),
		}
		for class := range e.ClassNames {
			absent := func(m measurement) bool { return math.IsNaN(m.scores[i].classes[class]) }
			var score *Score
			if those := slices.DeleteFunc(slices.Clone(rounds), absent); len(those) > 0 {
				score = new(over(those, func(m measurement) float64 {
					return m.scores[i].classes[class]
				}))
			}
			q.ClassErrors = append(q.ClassErrors, score)
		}
		quality[l.Name()] = q
	}
	return errors, quality
}

func costsOf(rounds []measurement) *Costs {
	return &Costs{
		Discernibility: over(rounds, func(m measurement) float64 { return m.costs.Discernibility }),
		Penalty:        over(rounds, func(m measurement) float64 { return m.costs.Penalty }),
		ClassSize:      over(rounds, func(m measurement) float64 { return m.costs.ClassSize }),
		Misclassified:  over(rounds, func(m measurement) float64 { return m.costs.Misclassified }),
		Dropped:        over(rounds, func(m measurement) float64 { return m.costs.Dropped }),

		QueryError: over(rounds, func(m measurement) float64 { return m.costs.Queries.Mean }),
		QueryErrorMedian: over(rounds, func(m measurement) float64 {
			return m.costs.Queries.Median
		}),
		Propensity:  over(rounds, func(m measurement) float64 { return m.costs.Propensity }),
		Information: over(rounds, func(m measurement) float64 { return 1 - m.costs.Penalty }),
	}
}
