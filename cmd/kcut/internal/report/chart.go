package report

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"github.com/kcut/kcut"
)

// measure is the figure of results on an axis; failed results have none.
type measure struct {
	name, unit string
	of         func(*kcut.EvaluationResult) float64
}

// text formats the measure of a result.
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

type mark struct {
	X, Y, Title string
	Chosen      bool // the release was made with it
}

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
		return coordinate(scale(math.Log(max(v, left)), math.Log(left), math.Log(right), chartLeft,
			chartRight))
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
		c.Series = append(c.Series, p.series(number, algorithm,
			func(r *kcut.EvaluationResult) mark {
				title := fmt.Sprintf("%s, k %s: %s", algorithm, p.K(r.K), up.text(r))
				if across.name != "k" {
					title += ", " + across.text(r)
				}
				return mark{x(across.of(r)), y(up.of(r)), title, p.IsRelease(r)}
			}))
	}
	return c
}

// series draws the results of an algorithm.
func (p *evaluationPage) series(number int, algorithm string,
	draw func(*kcut.EvaluationResult) mark) series {
	var results []*kcut.EvaluationResult
	for i := range p.Results {
		if p.Results[i].Algorithm == algorithm {
			results = append(results, &p.Results[i])
		}
	}
	slices.SortStableFunc(results, func(a, b *kcut.EvaluationResult) int {
		return cmp.Compare(slices.Max(a.K), slices.Max(b.K))
	})
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
