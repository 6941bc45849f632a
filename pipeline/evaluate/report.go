package evaluate

import "math"

// Report is the result of an evaluation. Errors are shares of the test rows, by classifier.
type Report struct {
	Rows     uint64           `json:"rows"`
	Rounds   int              `json:"rounds"`
	Learners []string         `json:"classifiers"`
	Baseline map[string]Score `json:"baseline"` // BE: raw values
	Upper    map[string]Score `json:"upper"`    // UE: without the quasi-identifiers
	Results  []Result         `json:"results"`  // by variant
}

// Result is how one variant of the job does.
type Result struct {
	Algorithm string           `json:"algorithm"`
	K         []int            `json:"k"`                // of every set
	Failed    string           `json:"failed,omitempty"` // why there is no release, in some round
	Errors    map[string]Score `json:"errors,omitempty"` // AE: masked values
	Release   *Costs           `json:"release,omitempty"`
}

// Costs are the metrics of the releases of the training parts.
type Costs struct {
	Discernibility Score `json:"discernibility"`
	Penalty        Score `json:"certainty_penalty"`
	ClassSize      Score `json:"class_size"`
	Misclassified  Score `json:"classification_metric"`
	Dropped        Score `json:"dropped"`
}

// Score is a mean over the rounds, and their standard deviation when there are several.
type Score struct {
	Mean      float64  `json:"mean"`
	Deviation *float64 `json:"sd,omitempty"`
}

func newScore(values []float64) Score {
	n := float64(len(values))
	s := Score{}
	for _, v := range values {
		s.Mean += v
	}
	s.Mean /= n
	if len(values) > 1 {
		squares := 0.0
		for _, v := range values {
			squares += float64((v - s.Mean) * (v - s.Mean))
		}
		deviation := math.Sqrt(squares / (n - 1))
		s.Deviation = &deviation
	}
	return s
}

// report sums the rounds up.
func (e *evaluation) report() *Report {
	r := &Report{Rows: e.rows, Rounds: len(e.rounds)}
	for _, l := range e.learners {
		r.Learners = append(r.Learners, l.Name())
	}
	r.Baseline, r.Upper = e.errors(e.raw), e.errors(e.without)
	for v, job := range e.Variants {
		result := Result{Algorithm: job.Algorithm.Name}
		for _, set := range job.Sets {
			result.K = append(result.K, set.K)
		}
		rounds := make([]measurement, len(e.variants))
		for i, round := range e.variants {
			rounds[i] = round[v]
		}
		if result.Failed = failure(rounds); result.Failed == "" {
			result.Errors, result.Release = e.errors(rounds), costs(rounds)
		}
		r.Results = append(r.Results, result)
	}
	return r
}

// failure returns the first failure of some rounds, or nothing.
func failure(rounds []measurement) string {
	for _, m := range rounds {
		if m.failed != nil {
			return m.failed.Error()
		}
	}
	return ""
}

func (e *evaluation) errors(rounds []measurement) map[string]Score {
	scores := make(map[string]Score, len(e.learners))
	for i, l := range e.learners {
		scores[l.Name()] = over(rounds, func(m measurement) float64 { return m.errors[i] })
	}
	return scores
}

func costs(rounds []measurement) *Costs {
	return &Costs{
		Discernibility: over(rounds, func(m measurement) float64 { return m.release.Discernibility }),
		Penalty:        over(rounds, func(m measurement) float64 { return m.release.Penalty }),
		ClassSize:      over(rounds, func(m measurement) float64 { return m.release.ClassSize }),
		Misclassified:  over(rounds, func(m measurement) float64 { return m.release.Misclassified }),
		Dropped:        over(rounds, func(m measurement) float64 { return m.release.Dropped }),
	}
}

// over returns the score of one number of every round.
func over(rounds []measurement, number func(measurement) float64) Score {
	values := make([]float64, len(rounds))
	for i, m := range rounds {
		values[i] = number(m)
	}
	return newScore(values)
}
