package algorithm

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/choose"
	"github.com/kcut/kcut/engine/mondrian"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/pipeline/job"
)

// candidates are those of algorithm auto: first those whose cuts are simpler to apply again, then
// the trusted one, and last the one that leaves records out. The costs of their searches were
// measured on 37 tables of 300 to 100,000 distinct records, on one processor of today (AMD EPYC).
var candidates = []struct {
	algorithm  string
	suppresses bool
	cost       float64
	guiding    func(choose.Size) float64
	sketch     *choose.Searcher
}{
	{job.AlgorithmTDR, false, 21, nil, nil},
	{job.AlgorithmTDR, true, 63, nil, nil},
	{job.AlgorithmGuided, false, 0, guiding(mondrian.Engine{Guided: true}), &choose.Searcher{
		Engine:  mondrian.Engine{InfoGain: true, Guided: true, Brief: true},
		Guiding: guiding(mondrian.Engine{Guided: true, Brief: true}),
	}},
	{job.AlgorithmMondrian, false, 34, nil, nil},
	{job.AlgorithmInfoGainMondrian, false, 113, nil, nil},
	{job.AlgorithmKACTUS, false, 160, nil, nil},
}

const (
	most      = 1 << 16 // guided fits models to no more tuples
	triedCost = 284     // nanoseconds of guided for a code of a distinct tuple and a split it tries
)

// guiding returns the time of a guided search: of fitting models, and of trying splits.
func guiding(e mondrian.Engine) func(choose.Size) float64 {
	return func(s choose.Size) float64 {
		fitted := s
		fitted.Tuples = min(s.Tuples, most)
		tries := float64(e.Tries(s.Tuples, s.Attributes))
		return fitted.Fitting(e.Trees(s.Records, s.Classes)) + float64(tries*triedCost*s.Work())
	}
}

// objectives are the objectives of candidates by the job file's names.
var objectives = map[string]choose.Objective{
	job.ObjectiveClassification: choose.Classification, job.ObjectiveQueries: choose.Queries,
	job.ObjectiveBalanced: choose.Balanced,
}

// newChoice returns the engine of algorithm auto.
func newChoice(j *job.Job) engine.Engine {
	e := choose.Engine{Objective: objectives[j.Objective], Limited: j.MaxSuppressed != job.Quota{}}
	e.Time, _ = time.ParseDuration(j.Limits.Time) // empty: any; otherwise it is valid
	for _, c := range candidates {
		switch as := chosen(j, c.algorithm); {
		case c.suppresses && j.MaxSuppressed == job.Quota{},
			c.algorithm == job.AlgorithmMondrian && e.Objective == choose.Classification,
			j.Class == "" && c.algorithm != job.AlgorithmTDR &&
				c.algorithm != job.AlgorithmMondrian:
		default:
			e.Candidates = append(e.Candidates, choose.Candidate{
				Name:       c.algorithm,
				Searcher:   choose.Searcher{Engine: Engine(as), Cost: c.cost, Guiding: c.guiding},
				Sketch:     c.sketch,
				Trusted:    c.algorithm == job.AlgorithmGuided,
				Suppresses: c.suppresses,
				Barred:     barred(as, c.suppresses),
			})
		}
	}
	return e
}

// Noting returns an engine that calls chose with the name and the engine of every candidate that it
// chooses, if it is the one of algorithm auto. An error of chose ends the search.
func Noting(e engine.Engine, chose func(name string, by engine.Engine) error) engine.Engine {
	choice, ok := e.(choose.Engine)
	if !ok {
		return e
	}
	choice.OnVerdict = func(v *choose.Verdict) error {
		if v.Chosen < 0 {
			return nil
		}
		c := choice.Candidates[v.Chosen]
		return chose(name(c.Name, c.Suppresses), c.Engine)
	}
	return choice
}

// chosen returns the job with the chosen algorithm.
func chosen(j *job.Job, algorithm string) *job.Job {
	as := *j
	as.Algorithm = job.Algorithm{Name: algorithm, RegionLabels: j.Algorithm.RegionLabels}
	return &as
}

// barred returns the reason why a job must not have its algorithm, which may suppress records, or
// "".
func barred(j *job.Job, suppresses bool) string {
	isTooSmall := func(s job.Set) bool { return float64(j.MaxRisk.Average)*float64(s.K) < 1 }
	switch name := j.Algorithm.Name; {
	case j.MaxRisk.Average > 0 && slices.ContainsFunc(j.EverySet(), isTooSmall) &&
		(suppresses || name != job.AlgorithmTDR):
		return "it does not search for max_risk"
	case j.Previous != "" && !j.AllowNewCut && name != job.AlgorithmTDR:
		return "it cuts new regions for every input, and the job names a previous release"
	case name == job.AlgorithmKACTUS:
		for i := range j.Sensitive {
			if key := j.Sensitive[i].Relative(); key != "" {
				return "it drops records, which changes the whole that " + key + " compares with"
			}
		}
	}
	return ""
}

// Choice is the choice of algorithm auto with its reasons.
type Choice struct {
	Objective  string   `json:"objective"`
	Records    uint64   `json:"records"` // by which candidates were judged; 0: they were not
	Algorithm  string   `json:"algorithm"`
	Suppresses bool     `json:"suppresses,omitempty"`
	Candidates []Judged `json:"candidates"`
}

// Judged is the expected quality of a candidate's release. Errors are shares.
type Judged struct {
	Algorithm string `json:"algorithm"`
	// takes away as many records as max_suppressed allows
	Suppresses bool     `json:"suppresses,omitempty"`
	Error      *float64 `json:"error,omitempty"` // of boosted trees on test records
	QueryError *float64 `json:"query_error,omitempty"`
	Penalty    *float64 `json:"certainty_penalty,omitempty"`
	Loss       *float64 `json:"loss,omitempty"` // value of the objective
	// number of rounds in which it was judged: fewer than others, if it was clearly worse
	Rounds    int     `json:"rounds,omitempty"`
	Predicted float64 `json:"predicted_seconds"`
	Seconds   float64 `json:"seconds"` // time for judging it
	LeftOut   string  `json:"left_out,omitempty"`
}

// ChoiceOf describes the verdict on a job's candidates.
func ChoiceOf(j *job.Job, e choose.Engine, v *choose.Verdict) *Choice {
	c := &Choice{Objective: j.Objective, Records: v.Records}
	if v.Chosen >= 0 {
		c.Algorithm, c.Suppresses = e.Candidates[v.Chosen].Name, e.Candidates[v.Chosen].Suppresses
	}
	for i, x := range v.Estimates {
		judged := Judged{
			Algorithm:  e.Candidates[i].Name,
			Suppresses: e.Candidates[i].Suppresses,
			Error:      x.Error,
			QueryError: x.QueryError,
			Penalty:    x.Penalty,
			Predicted:  x.Predicted.Seconds(), Seconds: x.Took.Seconds(), LeftOut: x.LeftOut,
		}
		if x.Error != nil || x.QueryError != nil {
			judged.Loss, judged.Rounds = &x.Loss, x.Rounds
		}
		c.Candidates = append(c.Candidates, judged)
	}
	return c
}

// String returns the choice in one line, without times.
func (c *Choice) String() string {
	var all []string
	for _, j := range c.Candidates {
		what := name(j.Algorithm, j.Suppresses)
		switch {
		case j.LeftOut != "":
			what += " left out: " + j.LeftOut
		case j.Loss != nil:
			what += fmt.Sprintf(" %.3f", *j.Loss)
		}
		all = append(all, what)
	}
	by := "without judging"
	if c.Records > 0 {
		by = "judged by " + c.Objective + " of " + text.Count(c.Records, "record")
	}
	return fmt.Sprintf("algorithm auto: %s, %s: %s", name(c.Algorithm, c.Suppresses), by,
		strings.Join(all, ", "))
}

// name returns a candidate's name in messages.
func name(algorithm string, suppresses bool) string {
	if suppresses {
		return algorithm + " with max_suppressed"
	}
	return algorithm
}
