package report

import (
	"bytes"
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/formats/publish"
)

// WriteEvaluation writes a page of an evaluation of a job to a file, in one step: what it measured as a
// table, and charts of errors over k and of one error over another. Names of algorithms and the job's
// are all that it names. One that exists is an error of kcut.ErrExists, unless it is to be replaced.
func WriteEvaluation(path, job string, e *kcut.Evaluation, overwrite bool) error {
	if err := kcut.CheckFile("page", path, overwrite); err != nil {
		return err
	}
	var text bytes.Buffer
	if err := layout().ExecuteTemplate(&text, "evaluation.html", newEvaluationPage(job, e)); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	if err := publish.Replace(path, text.Bytes()); err != nil {
		return fmt.Errorf("write page: %w", err)
	}
	return nil
}

// evaluationPage is what the layout shows of an evaluation.
type evaluationPage struct {
	*kcut.Evaluation
	Job        string
	Classifier string // that charts are of; empty without a class
	Algorithms []string
	Charts     []*chart
}

func newEvaluationPage(job string, e *kcut.Evaluation) *evaluationPage {
	p := &evaluationPage{Evaluation: e, Job: job}
	for _, r := range e.Results {
		if !slices.Contains(p.Algorithms, r.Algorithm) {
			p.Algorithms = append(p.Algorithms, r.Algorithm)
		}
	}
	k := measure{"k", "", func(r *kcut.EvaluationResult) float64 { return float64(slices.Max(r.K)) }}
	queries := measure{"error of queries", " %", func(r *kcut.EvaluationResult) float64 { return 100 * r.Release.QueryError.Mean }}
	if len(e.Learners) == 0 {
		penalty := measure{"certainty penalty", " %", func(r *kcut.EvaluationResult) float64 { return 100 * r.Release.Penalty.Mean }}
		p.Charts = []*chart{p.chart("queries", k, queries), p.chart("penalty", queries, penalty)}
		return p
	}
	p.Classifier = e.Learners[0]
	errors := measure{"error of the " + p.Classifier + " classifier", " %", func(r *kcut.EvaluationResult) float64 { return 100 * r.Errors[p.Classifier].Mean }}
	levels := []level{{"BE", 100 * e.Baseline[p.Classifier].Mean}, {"UE", 100 * e.Upper[p.Classifier].Mean}}
	p.Charts = []*chart{p.chart("errors", k, errors, levels...), p.chart("both", queries, errors, levels...)}
	return p
}

// K writes the k of all sets: one if they agree.
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
		texts = append(texts, scoreText(errors[l]))
	}
	return texts
}

// scoreText writes a share in percent, and its standard deviation if there is one.
func scoreText(s kcut.Score) string {
	if s.Deviation == nil {
		return fmt.Sprintf("%.2f", 100*s.Mean)
	}
	return fmt.Sprintf("%.2f ± %.2f", 100*s.Mean, 100**s.Deviation)
}

// measure is what an axis shows of results that did not fail.
type measure struct {
	name, unit string
	of         func(*kcut.EvaluationResult) float64
}

// text is the measure of a result in words.
func (m measure) text(r *kcut.EvaluationResult) string {
	return m.name + " " + numberText(m.of(r)) + m.unit
}

// level is a value of the vertical axis with a name.
type level struct {
	name string
	at   float64
}

// The charts are as wide as a narrow screen, so that their texts need not shrink.
const (
	chartLeft   = 44
	chartRight  = 348
	chartTop    = 26
	chartBottom = 256
	chartTicks  = 6
)

// chart has a line for every algorithm, over k from small to large.
type chart struct {
	ID, Across, Up string
	XTicks, YTicks []tick
	Levels         []tick
	Series         []series
}

// series is the line of an algorithm, with gaps where there is no release.
type series struct {
	Number int
	Lines  []string // points
	Marks  []mark
}

type mark struct{ X, Y, Title string }

// chart draws one measure over another. The horizontal axis is logarithmic.
func (p *evaluationPage) chart(id string, across, up measure, levels ...level) *chart {
	c := &chart{ID: id, Across: across.name + across.unit, Up: up.name + up.unit}
	var xs, ys []float64
	for i := range p.Results {
		if r := &p.Results[i]; r.Failed == "" {
			xs, ys = append(xs, across.of(r)), append(ys, up.of(r))
		}
	}
	if len(xs) == 0 {
		return c
	}
	for _, l := range levels {
		ys = append(ys, l.at)
	}
	left, right := logEnds(xs)
	x := func(v float64) string {
		return coordinate(scale(math.Log(max(v, left)), math.Log(left), math.Log(right), chartLeft, chartRight))
	}
	yTicks := roundBetween(slices.Min(ys), slices.Max(ys))
	low, high := yTicks[0], yTicks[len(yTicks)-1]
	y := func(v float64) string { return coordinate(scale(v, low, high, chartBottom, chartTop)) }
	for _, v := range yTicks {
		c.YTicks = append(c.YTicks, tick{y(v), numberText(v)})
	}
	for _, v := range logTicks(left, right) {
		c.XTicks = append(c.XTicks, tick{x(v), numberText(v)})
	}
	for _, l := range levels {
		c.Levels = append(c.Levels, tick{y(l.at), l.name})
	}
	for number, algorithm := range p.Algorithms {
		c.Series = append(c.Series, p.series(number, algorithm, func(r *kcut.EvaluationResult) mark {
			title := fmt.Sprintf("%s, k %s: %s, %s", algorithm, p.K(r.K), up.text(r), across.text(r))
			return mark{x(across.of(r)), y(up.of(r)), title}
		}))
	}
	return c
}

// series draws the results of an algorithm.
func (p *evaluationPage) series(number int, algorithm string, draw func(*kcut.EvaluationResult) mark) series {
	var results []*kcut.EvaluationResult
	for i := range p.Results {
		if p.Results[i].Algorithm == algorithm {
			results = append(results, &p.Results[i])
		}
	}
	slices.SortStableFunc(results, func(a, b *kcut.EvaluationResult) int { return cmp.Compare(slices.Max(a.K), slices.Max(b.K)) })
	s := series{Number: number}
	line := ""
	for _, r := range append(results, nil) {
		if r == nil || r.Failed != "" {
			if line != "" {
				s.Lines = append(s.Lines, line[1:])
			}
			line = ""
			continue
		}
		m := draw(r)
		s.Marks = append(s.Marks, m)
		line += " " + m.X + "," + m.Y
	}
	return s
}

// logEnds returns the ends of a logarithmic axis with some values, both above 0 and apart.
func logEnds(values []float64) (left, right float64) {
	right = slices.Max(values)
	left = right
	for _, v := range values {
		if v > 0 {
			left = min(left, v)
		}
	}
	if left <= 0 {
		return 1, 10
	}
	if left == right {
		return left / 2, right * 2
	}
	return left, right
}

// logTicks returns 1, 2 and 5 times powers of ten between two numbers: where these are too many, powers alone;
// where they are too few, round numbers at equal distances.
func logTicks(left, right float64) (at []float64) {
	for _, factors := range [][]float64{{1, 2, 5}, {1}} {
		at = at[:0]
		for power := math.Floor(math.Log10(left)); power <= math.Log10(right); power++ {
			for _, f := range factors {
				if v := f * math.Pow10(int(power)); v >= left*(1-1e-9) && v <= right*(1+1e-9) {
					at = append(at, v)
				}
			}
		}
		if len(at) <= chartTicks+3 {
			break
		}
	}
	if len(at) < 2 {
		outside := func(v float64) bool { return v < left || v > right }
		return slices.DeleteFunc(roundBetween(left, right), outside)
	}
	return at
}

// roundBetween returns round numbers at equal distances, the first not above low and the last not
// below high.
func roundBetween(low, high float64) (at []float64) {
	if high-low < 1e-9 {
		low, high = low-0.5, high+0.5
	}
	step := math.Pow10(int(math.Floor(math.Log10((high - low) / chartTicks))))
	for _, factor := range []float64{1, 2, 5, 10} {
		if high-low <= step*factor*chartTicks {
			step *= factor
			break
		}
	}
	for i := math.Floor(low / step); ; i++ {
		at = append(at, i*step)
		if i*step >= high-step*1e-9 {
			return at
		}
	}
}
