package masking

import (
	"fmt"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/writer"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/pseudonym"
)

// releaseColumn is one column of the release, with the source of its values.
type releaseColumn struct {
	output     writer.Column
	source     string          // the input's column
	request    int             // position among the mask stage's requests
	attribute  int             // masked: the attribute; else −1
	key        *pseudonym.Key  // pseudonyms: the key that makes them; else nil
	values     *formats.Values // masked: the released values
	codes      []uint32        // masked: by label number, 0 for null or 1 + the value's position
	mark       uint32          // masked: 1 + the position of the mark of suppressed values, or 0
	dictionary *formats.Values // kept unchanged: all its values, sorted; nil: they are not known
}

// Plan is the layout of the release: its columns, and the requests for the values that they need.
type Plan struct {
	columns  []releaseColumn // the columns of files, then those that name folders
	folders  int             // number of columns that name folders
	requests []formats.Request
}

// Requests returns requests for all columns that are not dropped. Columns whose values are replaced
// are read as codes.
func Requests(specs []*job.Column) (requests []formats.Request) {
	for i, spec := range specs {
		if spec.Mask != job.MaskDrop {
			requests = append(requests,
				formats.Request{Column: i, Coded: spec.Mask != job.MaskKeep})
		}
	}
	return requests
}

// NewPlan lays out the released columns in the input's order. CheckLayout must have accepted them.
// The masked list has the field of every attribute. A masked column becomes one column of labels
// or, with a render option, numeric columns or structs. A column of pseudonyms becomes texts, made
// with its key.
func NewPlan(
	j *job.Job, schema *formats.Schema, specs []*job.Column, masked []int, recoding engine.Recoding,
	keys map[string]*pseudonym.Key,
) (*Plan, error) {
	number := make(map[int]int, len(masked))
	for a, field := range masked {
		number[field] = a
	}
	plan, request := &Plan{requests: Requests(specs)}, -1
	for i := range schema.Fields {
		field := schema.Fields[i]
		if specs[i].Mask == job.MaskDrop {
			continue
		}
		request++
		a, masked := number[i]
		if specs[i].Mask == job.MaskPseudonym {
			texts := formats.Field{
				Name: field.Name, Type: formats.Type{Kind: formats.String},
				Nullable: field.Nullable,
			}
			plan.columns = append(plan.columns, releaseColumn{
				output: writer.Column{Field: texts}, source: field.Name, request: request,
				attribute: -1, key: keys[field.Name],
			})
			continue
		}
		if !masked {
			plan.columns = append(plan.columns, releaseColumn{
				output: writer.Column{Field: field, Masked: field.Hive}, source: field.Name,
				request: request, attribute: -1,
			})
			continue
		}
		rendered, err := render(specs[i], field, recoding.Labels(a), recoding.Intervals(a))
		if err != nil {
			return nil, fmt.Errorf("render column %s: %w", field.Name, err)
		}
		for _, column := range rendered {
			column.source, column.request, column.attribute = field.Name, request, a
			plan.columns = append(plan.columns, column)
		}
	}
	plan.partition(j.Output.PartitionBy)
	return plan, nil
}

// SetDictionaries sets the sorted, distinct values of kept columns, by field of the input. If a
// column has another value later, masking ends with an error.
func (p *Plan) SetDictionaries(values map[int]*formats.Values) {
	for i := range p.columns {
		c := &p.columns[i]
		request := &p.requests[c.request]
		if dictionary := values[request.Column]; dictionary != nil && c.attribute < 0 &&
			c.key == nil {
			c.dictionary, request.Coded = dictionary, true
		}
	}
}

// partition moves the columns with some names, which name folders, to the end, in the order of the
// names.
func (p *Plan) partition(names []string) {
	p.folders = len(names)
	of := func(c *releaseColumn) int { return slices.Index(names, c.output.Field.Name) }
	slices.SortStableFunc(p.columns, func(a, b releaseColumn) int { return of(&a) - of(&b) })
}

// files returns the columns of files.
func (p *Plan) files() []releaseColumn { return p.columns[:len(p.columns)-p.folders] }

// columnOf returns the number of the first column of the release that an attribute becomes.
func (p *Plan) columnOf(attribute int) int {
	return slices.IndexFunc(p.columns,
		func(c releaseColumn) bool { return c.attribute == attribute })
}

// CheckLayout refuses a job whose release would have two columns with the same name, or the ends of
// one masked column under the name of another one, whose values a reader would take them for.
func CheckLayout(schema *formats.Schema, specs []*job.Column) error {
	seen := make(map[string]bool)
	for i := range schema.Fields {
		for _, name := range specs[i].Released() {
			if seen[name] {
				return fault.Errorf(fault.Usage,
					"drop the column of that name, or render labels instead of bounds",
					"lay out the release: two columns would be named %s", name)
			}
			seen[name] = true
		}
	}
	for i := range schema.Fields {
		name := specs[i].Name
		if specs[i].Masked() && seen[name] && !slices.Contains(specs[i].Released(), name) {
			return fault.Errorf(fault.Usage, "render labels instead of bounds",
				"lay out the release: bounds would be named %s, and there is a masked column of "+
					"that name", name)
		}
	}
	return nil
}

// EachReleased calls f with every released column and its field of the input.
func (p *Plan) EachReleased(f func(source int, released formats.Field)) {
	for i := range p.columns {
		f(p.requests[p.columns[i].request].Column, p.columns[i].output.Field)
	}
}

// Released is a column of the release, for callers that describe it in another form.
type Released struct {
	Field     formats.Field
	Source    string // its column of the input
	Attribute int    // −1: the column is kept
	// Values are the values of a masked column, and Codes, by label number, 0 for null or 1 + the
	// position of the label's value.
	Values *formats.Values
	Codes  []uint32
	// Parts are the fields of structs, by label number; Values are then the labels of the structs.
	Parts []writer.Part
}

// Released returns the columns in the release's order.
func (p *Plan) Released() []Released {
	released := make([]Released, len(p.columns))
	for i := range p.columns {
		c := &p.columns[i]
		released[i] = Released{c.output.Field, c.source, c.attribute, c.values, c.codes,
			c.output.Parts}
	}
	return released
}

// Outputs returns the columns of files in the form of the writer.
func (p *Plan) Outputs() []writer.Column {
	outputs := make([]writer.Column, len(p.files()))
	for i := range outputs {
		outputs[i] = p.columns[i].output
	}
	return outputs
}

// render makes the released columns of one attribute. Label numbers are positions in labels. For a
// discretized attribute, intervals has one entry for every label except null; else it is nil.
func render(
	spec *job.Column, field formats.Field, labels []engine.Label, intervals []engine.Interval,
) ([]releaseColumn, error) {
	// Null, if there is one, is the last label.
	ofIntervals := func(
		name string, t formats.Type, add func(*formats.Values, engine.Interval) error,
	) (releaseColumn, error) {
		return newRendered(name, t, len(labels), func(values *formats.Values, label int) error {
			// A suppressed record has no number.
			if label >= len(intervals) || labels[label].Mark {
				return nil
			}
			return add(values, intervals[label])
		})
	}
	switch spec.Render {
	case job.RenderBounds:
		names, of := spec.Released(), typeOfBounds(field.Type, intervals)
		addLower := func(values *formats.Values, i engine.Interval) error {
			return addEnd(values, i.Lower)
		}
		lower, err := ofIntervals(names[0], of, addLower)
		if err != nil {
			return nil, err
		}
		addUpper := func(values *formats.Values, i engine.Interval) error {
			return addEnd(values, i.Upper)
		}
		upper, err := ofIntervals(names[1], of, addUpper)
		return []releaseColumn{lower, upper}, err
	case job.RenderInterval:
		c, err := renderIntervals(field, labels, intervals)
		return []releaseColumn{c}, err
	}
	c, err := newRendered(field.Name, formats.Type{Kind: formats.String}, len(labels),
		func(values *formats.Values, label int) error {
			if !labels[label].Null {
				values.AppendBytes([]byte(labels[label].Text))
			}
			return nil
		})
	for label, of := range labels {
		if domain.IsMark(of, spec.Mask) {
			c.mark = c.codes[label]
		}
	}
	return []releaseColumn{c}, err
}

// newRendered returns a masked column with the given number of labels. For each label, add appends
// a value, or none for null. The column is always nullable, so that the schema does not show
// whether a null occurs.
func newRendered(
	name string, t formats.Type, labels int, add func(values *formats.Values, label int) error,
) (releaseColumn, error) {
	c := releaseColumn{
		output: writer.Column{Field: formats.Field{Name: name, Type: t, Nullable: true},
			Masked: true},
		values: &formats.Values{Type: t}, codes: make([]uint32, labels),
	}
	for label := range labels {
		before := c.values.Len()
		if err := add(c.values, label); err != nil {
			return c, err
		}
		if c.values.Len() > before {
			c.codes[label] = uint32(c.values.Len())
		}
	}
	return c, nil
}

// typeOfBounds returns the released type of the ends of a column's intervals: the column's own
// type, but with microseconds instead of nanoseconds if these can hold every end, since some
// Parquet readers, such as Spark, do not read nanoseconds. INT96, which is deprecated, is never
// written.
func typeOfBounds(of formats.Type, intervals []engine.Interval) formats.Type {
	if of.Unit != formats.Nano || of.Kind != formats.Time && of.Kind != formats.Timestamp {
		return of
	}
	of.Wide = false
	micro := of
	micro.Unit = formats.Micro
	ends := &formats.Values{Type: micro}
	for _, i := range intervals {
		if addEnd(ends, i.Lower) != nil || addEnd(ends, i.Upper) != nil {
			return of
		}
	}
	return micro
}

// addEnd appends an end of an interval in the type of the source column or its replacement. It
// appends nothing for an open end.
func addEnd(values *formats.Values, end string) error {
	if end == "" {
		return nil
	}
	// INT96 has moments later than any with nanoseconds, and finer than microseconds.
	if err := values.Parse(end); err != nil {
		return fault.Errorf(fault.Input,
			"render its labels, or have bounds rounded, as round: second",
			"write an end of its intervals: %w", err)
	}
	return nil
}
