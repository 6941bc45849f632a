package report

import (
	"math"
	"strings"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/internal/text"
)

// The curve's panels: information above, anonymity below, steps from left to right.
const (
	curveLeft   = 70
	curveRight  = 640
	curveTop    = 20
	curveMiddle = 170 // bottom of the upper panel
	lowerTop    = 200
	curveBottom = 380
	legendLine  = 16
	mostPoints  = 1000 // largest number of points of a line
)

// leastGain is the least information that is drawn: smaller values are rounding errors of zero.
const leastGain = 1e-9

// curve is the trade-off: the gain of every step, and the anonymity after it.
type curve struct {
	Gain      string // points of the upper panel's line
	Lines     []line // of the lower panel, one for each set
	StepTicks []tick
	GainTicks []tick
	Ratios    []tick // of the lower panel: A(QID) / k
	Floor     string // y of k
	Height    int    // of the picture
}

type line struct {
	Number int
	Points string
	Dash   string
	Key    string // y of its entry in the legend
}

type tick struct{ At, Text string }

// dashes distinguish lines also in print.
var dashes = []string{"none", "6 3", "2 3", "8 3 2 3", "12 4", "1 2"}

func newCurve(trace []kcut.TraceStep, cut *kcut.Cut) *curve {
	c := &curve{Height: max(curveBottom+40, lowerTop+legendLine*(len(cut.Sets)+1))}
	steps := len(trace)
	x := func(step int) float64 {
		return scale(float64(step), 0, float64(steps), curveLeft, curveRight)
	}
	gains := make([]float64, steps+1)
	for i, s := range trace {
		gains[i+1] = gains[i] + s.InfoGain
	}
	total := gains[steps]
	if total < leastGain {
		total = 1
	}
	gainY := func(g float64) float64 { return scale(g, 0, total, curveMiddle, curveTop) }
	c.Gain = points(steps, func(i int) (float64, float64, bool) {
		return x(i), gainY(gains[i]), true
	})
	for _, t := range ticks(total, 4) {
		c.GainTicks = append(c.GainTicks, tick{coordinate(gainY(t)), numberText(t)})
	}
	for _, t := range ticks(float64(steps), 8) {
		if t == math.Trunc(t) {
			c.StepTicks = append(c.StepTicks, tick{coordinate(x(int(t))), numberText(t)})
		}
	}
	c.addAnonymity(trace, cut, x)
	return c
}

// addAnonymity draws the lower panel: for every set the ratio of its anonymity to k, on a
// logarithmic scale. Before the first step all records are in one class, unless the algorithm
// begins with the raw data.
func (c *curve) addAnonymity(trace []kcut.TraceStep, cut *kcut.Cut, x func(int) float64) {
	ratio := func(set, step int) (float64, bool) {
		if step > 0 {
			return float64(trace[step-1].Anonymity[set]) / float64(cut.Sets[set].K), true
		}
		return float64(cut.Rows) / float64(cut.Sets[set].K), !generalizes(cut)
	}
	low, high := 1.0, 2.0
	for set := range cut.Sets {
		for step := range len(trace) + 1 {
			if r, ok := ratio(set, step); ok && r > 0 {
				low, high = min(low, r), max(high, r)
			}
		}
	}
	y := func(r float64) float64 {
		return scale(math.Log(max(r, low)), math.Log(low), math.Log(high), curveBottom, lowerTop)
	}
	c.Floor = coordinate(y(1))
	for set := range cut.Sets {
		c.Lines = append(c.Lines, line{
			Number: set + 1,
			Dash:   dashes[set%len(dashes)],
			Key:    coordinate(float64(lowerTop + legendLine*set)),
			Points: points(len(trace), func(i int) (float64, float64, bool) {
				r, ok := ratio(set, i)
				return x(i), y(r), ok
			}),
		})
	}
	c.Ratios = []tick{{c.Floor, "k"}}
	for r := 10.0; r <= high; r *= 10 {
		c.Ratios = append(c.Ratios, tick{coordinate(y(r)), text.Grouped(int64(r)) + " × k"})
	}
}

// points lists the points of a line over the steps 0 to last, or enough of them that it looks the
// same.
func points(last int, at func(step int) (x, y float64, ok bool)) string {
	var text strings.Builder
	every := last/mostPoints + 1
	for step := 0; step <= last; step++ {
		if step%every != 0 && step != last {
			continue
		}
		if x, y, ok := at(step); ok {
			text.WriteString(coordinate(x) + "," + coordinate(y) + " ")
		}
	}
	return strings.TrimSuffix(text.String(), " ")
}
