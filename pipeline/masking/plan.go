package masking

import (
	"fmt"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/job"
)

// column is one column of the released table and where its values come from.
type column struct {
	output    writer.Column
	request   int             // position among the mask stage's requests
	attribute int             // masked: the attribute, else -1
	values    *formats.Values // masked: the released values
	codes     []uint32        // masked: for every label number, 0 or 1 + the value's position
}

// Plan is the shape of the release: its columns, and what must be read to make them.
type Plan struct {
	columns  []column
	requests []formats.Request
}

// NewPlan lays out the released columns in the input's order. A masked column becomes
// one column of labels (masked has the field of every attribute), or the numeric columns its render option asks for.
func NewPlan(j *job.Job, schema *formats.Schema, specs []*job.Column, masked []int, recoding engine.Recoding) (*Plan, error) {
	number := make(map[int]int, len(masked))
	for a, field := range masked {
		number[field] = a
	}
	plan := &Plan{}
	for i := range schema.Fields {
		field := schema.Fields[i]
		if specs[i].Mask == job.MaskDrop {
			continue
		}
		request := len(plan.requests)
		a, masked := number[i]
		plan.requests = append(plan.requests, formats.Request{Column: i, Coded: masked})
		if !masked {
			plan.columns = append(plan.columns, column{
				output: writer.Column{Field: field, Masked: field.Hive}, request: request, attribute: -1,
			})
			continue
		}
		rendered, err := render(specs[i], field, recoding.Labels(a), recoding.Intervals(a))
		if err != nil {
			return nil, fmt.Errorf("render column %s: %w", field.Name, err)
		}
		for _, column := range rendered {
			column.request, column.attribute = request, a
			plan.columns = append(plan.columns, column)
		}
	}
	return plan, plan.checkNames()
}

// checkNames refuses a release in which two columns share a name.
func (p *Plan) checkNames() error {
	seen := make(map[string]bool)
	for i := range p.columns {
		name := p.columns[i].output.Field.Name
		if seen[name] {
			return &fault.Error{
				Class: fault.Usage,
				Hint:  "drop the column of that name, or render labels instead of bounds",
				Err:   fmt.Errorf("lay out the release: two columns would be named %s", name),
			}
		}
		seen[name] = true
	}
	return nil
}

// EachReleased calls f with every released column, and the input's field that it is made of.
func (p *Plan) EachReleased(f func(source int, released formats.Field)) {
	for i := range p.columns {
		f(p.requests[p.columns[i].request].Column, p.columns[i].output.Field)
	}
}

// Outputs returns the columns as the writer wants them.
func (p *Plan) Outputs() []writer.Column {
	outputs := make([]writer.Column, len(p.columns))
	for i := range p.columns {
		outputs[i] = p.columns[i].output
	}
	return outputs
}
