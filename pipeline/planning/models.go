package planning

import (
	"github.com/kcut/kcut/engine/choose"
	"github.com/kcut/kcut/engine/mondrian"
	"github.com/kcut/kcut/pipeline/algorithm"
	"github.com/kcut/kcut/pipeline/forecast"
	"github.com/kcut/kcut/pipeline/job"
)

// predictModels predicts the number of trees that algorithm guided fits, and of their classes, if
// the job names guided or an algorithm that may choose it. If the number of classes is unknown,
// the prediction assumes the smallest possible number.
func (p *planning) predictModels(f *forecast.Forecast) {
	if name := p.Job.Algorithm.Name; p.Class < 0 ||
		name != job.AlgorithmGuided && name != job.AlgorithmAuto {
		return
	}
	values := f.Columns[p.Class].Distinct
	classes := max(2, values.AtLeast)
	if values.AtMost < p.load.Rows/10 {
		classes = max(classes, values.AtMost)
	}
	p.load.Guided = forecast.Guided{Classes: classes,
		Trees: mondrian.Engine{Guided: true}.Trees(uint64(p.load.Rows), int(classes))}
}

// predictChoice predicts the time for choosing an algorithm, and adds it to the time of the run.
func (p *planning) predictChoice(f *forecast.Forecast) {
	e, ok := algorithm.Engine(p.Job).(choose.Engine)
	if !ok {
		return
	}
	tuples := f.Groupings[0].Tuples
	size := choose.Size{
		Records:    uint64(f.Rows),
		Tuples:     int(tuples.AtLeast),
		Attributes: len(p.Masked),
		Classes:    int(p.load.Guided.Classes),
	}
	least := e.Predict(size)
	size.Tuples = int(tuples.AtMost)
	most := e.Predict(size)
	for i, c := range e.Candidates {
		// fewer splits are tried of more tuples
		low, high := min(least[i], most[i]), max(least[i], most[i])
		seconds := forecast.Seconds{AtLeast: low.Seconds(), AtMost: high.Seconds()}
		f.Auto = append(f.Auto, forecast.Candidate{
			Algorithm: c.Name, Suppresses: c.Suppresses, Seconds: seconds, LeftOut: c.Barred,
		})
		f.Seconds.AtLeast, f.Seconds.AtMost = f.Seconds.AtLeast+seconds.AtLeast,
			f.Seconds.AtMost+seconds.AtMost
	}
}
