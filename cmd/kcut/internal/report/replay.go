package report

import (
	"slices"

	"github.com/kcut/kcut"
)

const (
	mostReplayed      = 5000    // largest number of steps of the slider
	mostReplayedBytes = 1 << 20 // largest number of bytes of their labels
)

// replay is the trace of a run for the page's script. Labels are numbers in a list.
type replay struct {
	Up      bool           `json:"up"` // steps generalize, and their end is known
	Rows    int64          `json:"rows"`
	First   int            `json:"first"` // number of steps before the replayed ones
	Total   int            `json:"total"`
	Start   []uint64       `json:"start"` // anonymity before the replayed steps; nil: unknown
	Left    int            `json:"left"`  // left end of the curve
	Right   int            `json:"right"`
	Labels  []string       `json:"labels"`
	Sets    []replaySet    `json:"sets"`
	Columns []replayColumn `json:"columns"`
	Steps   []replayStep   `json:"steps"`

	numbers map[kcut.TraceLabel]int
}

type replaySet struct {
	Columns []int `json:"columns"`
}

// replayColumn is a masked column with the first labels of a replay.
type replayColumn struct {
	Name   string `json:"name"`
	Labels []int  `json:"labels"`
}

type replayStep struct {
	Column    int      `json:"column"`
	Value     int      `json:"value"`
	Children  []int    `json:"children"`
	Gain      float64  `json:"gain"`
	Loss      float64  `json:"loss"`
	Score     float64  `json:"score"`
	Anonymity []uint64 `json:"anonymity"`
}

// newReplay makes a replay of a trace. If the trace is too long, it replays the beginning, or the
// end of a bottom-up trace, whose end is known.
func newReplay(trace []kcut.TraceStep, cut *kcut.Cut) *replay {
	r := &replay{
		Up: generalizes(cut), Rows: cut.Rows, Total: len(trace), Left: curveLeft, Right: curveRight,
		numbers: make(map[kcut.TraceLabel]int),
	}
	window := r.window(trace)
	if r.First > 0 {
		r.Start = trace[r.First-1].Anonymity
	} else if !r.Up && !cut.Entity {
		r.Start = slices.Repeat([]uint64{uint64(cut.Rows)}, len(cut.Sets))
	}
	positions := make(map[string]int)
	for i := range cut.Columns {
		c := &cut.Columns[i]
		positions[c.Name] = i
		r.Columns = append(r.Columns, replayColumn{visible(c.Name), r.list(r.begin(c, trace))})
	}
	for _, set := range cut.Sets {
		var s replaySet
		for _, name := range set.Columns {
			s.Columns = append(s.Columns, positions[name])
		}
		r.Sets = append(r.Sets, s)
	}
	for i := range window {
		s := &window[i]
		r.Steps = append(r.Steps, replayStep{
			positions[s.Column], r.number(s.Value), r.list(s.Children), s.InfoGain, s.AnonyLoss,
			s.Score, s.Anonymity,
		})
	}
	return r
}

// window returns the steps to replay, and sets the number of steps before them.
func (r *replay) window(trace []kcut.TraceStep) []kcut.TraceStep {
	steps, bytes := 0, 0
	for ; steps < min(len(trace), mostReplayed); steps++ {
		step := &trace[steps]
		if r.Up {
			step = &trace[len(trace)-1-steps]
		}
		bytes += len(step.Value.Text)
		for _, c := range step.Children {
			bytes += len(c.Text) + 6
		}
		if bytes > mostReplayedBytes {
			break
		}
	}
	if r.Up {
		r.First = len(trace) - steps
		return trace[r.First:]
	}
	return trace[:steps]
}

// begin returns the first labels of a column in a replay: those of the release if steps generalize,
// or if there were none; else its widest one.
func (r *replay) begin(c *kcut.CutColumn, trace []kcut.TraceStep) (labels []kcut.TraceLabel) {
	first := slices.IndexFunc(trace, func(s kcut.TraceStep) bool { return s.Column == c.Name })
	switch {
	case r.Up || first < 0:
		for _, l := range c.Cut {
			of := kcut.TraceLabel{Text: l.Label, Null: l.Null}
			if l.Interval { // the trace has ranges
				of.Text = l.Ends().Range()
			}
			labels = append(labels, of)
		}
	case !c.IsValues():
		labels = append(labels, plain(trace[first].Value))
	}
	if mark := (kcut.TraceLabel{Text: c.Suppressed}); c.Suppressed != "" &&
		!slices.Contains(labels, mark) {
		labels = append(labels, mark)
	}
	return labels
}

// plain returns a label in the form of the trace's file.
func plain(l kcut.TraceLabel) kcut.TraceLabel { return kcut.TraceLabel{Text: l.Text, Null: l.Null} }

func (r *replay) list(labels []kcut.TraceLabel) []int {
	numbers := make([]int, len(labels))
	for i, l := range labels {
		numbers[i] = r.number(l)
	}
	return numbers
}

// number returns the number of a label.
func (r *replay) number(l kcut.TraceLabel) int {
	l = plain(l)
	number, known := r.numbers[l]
	if !known {
		number = len(r.Labels)
		r.numbers[l] = number
		r.Labels = append(r.Labels, visible(traceText(l)))
	}
	return number
}
