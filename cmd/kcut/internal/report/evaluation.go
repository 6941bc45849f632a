package report

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/internal/text"
)

// WriteEvaluation writes a page about an evaluation of a job to a file, in one step: its results as
// a table, and charts of errors over k and of one error over another. It names only algorithms and
// the job. If the file exists and overwrite is false, it returns an error of kcut.ErrExists.
func WriteEvaluation(path, job string, e *kcut.Evaluation, overwrite bool) error {
	if err := kcut.CheckFile("page", path, overwrite); err != nil {
		return err
	}
	page := newEvaluationPage(e)
	page.Job = job
	html, err := execute("evaluation.html", page)
	if err != nil {
		return err
	}
	return replace(path, html)
}

// evaluationPage is the data of an evaluation for the layout.
type evaluationPage struct {
	*kcut.Evaluation
	Job        string
	Classifier string // classifier of the charts; empty without a class
	Algorithms []string

	release *kcut.Cut // the release, if it is one of the evaluated ones; nil: it is none
}

func newEvaluationPage(e *kcut.Evaluation) *evaluationPage {
	p := &evaluationPage{Evaluation: e}
	for _, r := range e.Results {
		if !slices.Contains(p.Algorithms, r.Algorithm) {
			p.Algorithms = append(p.Algorithms, r.Algorithm)
		}
	}
	if len(e.Learners) > 0 {
		p.Classifier = e.Learners[0]
	}
	return p
}

// Charts returns the charts of the results over k, and of one error over the other. Their AUC is
// that of the last classifier: the first, a tree, hardly ranks rows where a class is rare.
func (p *evaluationPage) Charts() []*chart {
	k := measure{"k", "", func(r *kcut.EvaluationResult) float64 {
		return float64(slices.Max(r.K))
	}}
	queries := measure{"error of queries", " %", func(r *kcut.EvaluationResult) float64 {
		return 100 * r.Release.QueryError.Mean
	}}
	if p.Classifier == "" {
		penalty := measure{"certainty penalty", " %", func(r *kcut.EvaluationResult) float64 {
			return 100 * r.Release.Penalty.Mean
		}}
		return []*chart{p.chart("queries", k, queries), p.chart("penalty", k, penalty),
			p.chart("both", queries, penalty)}
	}
	errors := measure{"error of the " + p.Classifier + " classifier", " %",
		func(r *kcut.EvaluationResult) float64 {
			return 100 * r.Errors[p.Classifier].Mean
		}}
	levels := []level{{"BE", 100 * p.Baseline[p.Classifier].Mean},
		{"UE", 100 * p.Upper[p.Classifier].Mean}}
	charts := []*chart{p.chart("errors", k, errors, levels...), p.chart("queries", k, queries),
		p.chart("both", queries, errors, levels...)}
	if !p.HasAreas() {
		return charts
	}
	ranker := p.Learners[len(p.Learners)-1]
	areas := measure{"AUC of the " + ranker + " classifier", "",
		func(r *kcut.EvaluationResult) float64 { return r.Quality[ranker].AUC.Mean }}
	return slices.Insert(charts, 1, p.chart("auc", k, areas,
		level{"BE", p.BaselineQuality[ranker].AUC.Mean},
		level{"UE", p.UpperQuality[ranker].AUC.Mean}))
}

// HasAreas reports whether there are areas under curves: evaluations of older versions may lack
// them.
func (p *evaluationPage) HasAreas() bool {
	return len(p.Learners) > 0 && len(p.BaselineQuality) > 0
}

// IsRelease reports whether the release was made in the same way as a result: with the same
// algorithm and the same k.
func (p *evaluationPage) IsRelease(r *kcut.EvaluationResult) bool {
	if p.release == nil || r.Algorithm != p.release.Algorithm {
		return false
	}
	var ks []int
	for _, set := range p.release.Sets {
		ks = append(ks, set.K)
	}
	return slices.Equal(different(ks), different(r.K))
}

// different returns every number once, in order.
func different(numbers []int) []int {
	numbers = slices.Clone(numbers)
	slices.Sort(numbers)
	return slices.Compact(numbers)
}

// IsReleaseAt is IsRelease for the result at a position.
func (p *evaluationPage) IsReleaseAt(i int) bool { return p.IsRelease(&p.Results[i]) }

// Release returns the result with the algorithm and the k of the release; nil: there is none.
func (p *evaluationPage) Release() *kcut.EvaluationResult {
	for i := range p.Results {
		if r := &p.Results[i]; r.Failed == "" && p.IsRelease(r) {
			return r
		}
	}
	return nil
}

// Few reports whether the results are not folded: on a page of their own, or in a short list.
func (p *evaluationPage) Few() bool { return p.release == nil || len(p.Results) <= 24 }

// Error formats the error of the classifier of the charts.
func (p *evaluationPage) Error(errors map[string]kcut.Score) string {
	return text.Percent(errors[p.Classifier].Mean)
}

// Areas lists the areas under the curves of all classifiers.
func (p *evaluationPage) Areas(quality map[string]kcut.Quality) string {
	var texts []string
	for _, l := range p.Learners {
		texts = append(texts, fmt.Sprintf("%.3f", quality[l].AUC.Mean))
	}
	return strings.Join(texts, " / ")
}

// Chosen formats the algorithms that auto took, the most frequent first, with the numbers of rounds
// if there are several.
func Chosen(chosen map[string]int) string {
	names := slices.SortedFunc(maps.Keys(chosen), func(a, b string) int {
		return cmp.Or(cmp.Compare(chosen[b], chosen[a]), cmp.Compare(a, b))
	})
	if len(names) == 1 {
		return names[0]
	}
	for i, name := range names {
		names[i] = name + " in " + text.Count(chosen[name], "round")
	}
	return strings.Join(names, ", ")
}

// K formats the k of all sets: one number if they agree.
func (p *evaluationPage) K(ks []int) string {
	var texts []string
	for _, k := range slices.Compact(slices.Clone(ks)) {
		texts = append(texts, grouped(k))
	}
	return strings.Join(texts, ", ")
}

// Scores lists the errors of all classifiers.
func (p *evaluationPage) Scores(errors map[string]kcut.Score) (texts []string) {
	for _, l := range p.Learners {
		texts = append(texts, Score(errors[l]))
	}
	return texts
}
