package pipeline

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/coding"
	"github.com/kcut/kcut/pipeline/fault"
	"github.com/kcut/kcut/pipeline/jobfile"
)

// prepared is a job bound to the schema of its input.
type prepared struct {
	specs       []*jobfile.Column // of every field of the schema
	masked      []int             // field of every attribute, in job order
	class       int               // field of the class, or -1
	requirement engine.Requirement
	dropped     []int // redundant sets, by position in the job
}

// prepare binds the job's columns to the input's, and checks everything that can be
// checked before a row is read. When nothing is wrong but that some k cannot be met, it
// returns both.
func prepare(job *jobfile.Job, schema *formats.Schema, rows int64) (*prepared, error) {
	p := &prepared{class: -1}
	if err := p.bindColumns(job, schema); err != nil {
		return nil, err
	}
	if job.Class != "" {
		p.class = schema.Index(job.Class)
		if kind := schema.Fields[p.class].Type.Kind; kind == formats.Nested {
			return nil, misfit("read class column %s: it is nested", job.Class)
		}
	}
	p.requirement, p.dropped = requirementOf(job, p.orderAttributes(job, schema))
	if rows > math.MaxUint32 {
		return nil, fmt.Errorf("count %d rows: more than %d: %w", rows, uint32(math.MaxUint32), formats.ErrUnsupported)
	}
	for _, a := range p.masked {
		spec, field := p.specs[a], &schema.Fields[a]
		if err := checkMask(spec, field); err != nil {
			return nil, err
		}
		if err := coding.CheckBounds(spec, field.Type); err != nil {
			return nil, job.Located(spec.Name, "bounds", err)
		}
	}
	return p, checkReach(job, rows)
}

// requirementOf returns what a job asks of the attributes, which have numbers by their names, and
// the positions of its sets that are redundant.
func requirementOf(job *jobfile.Job, number map[string]int) (engine.Requirement, []int) {
	var all engine.Requirement
	for _, set := range job.Sets {
		s := engine.Set{K: engine.KAnonymity(set.K)}
		for _, name := range set.Columns {
			s.Columns = append(s.Columns, number[name])
		}
		all.Sets = append(all.Sets, s)
	}
	return all.Reduce()
}

// checkReach refuses a table with fewer records than some k: with everything at its root all
// of them are one class, and none is larger.
func checkReach(job *jobfile.Job, rows int64) error {
	for i, set := range job.Sets {
		if rows < int64(set.K) {
			return &fault.Error{
				Class: fault.Privacy,
				Hint:  "lower k, or give more rows",
				Err:   fmt.Errorf("meet quasi-identifier set %d: the input has %d rows, k is %d: %w", i+1, rows, set.K, engine.ErrInfeasible),
			}
		}
	}
	return nil
}

// misfit is the error of an input that does not fit the job.
func misfit(format string, args ...any) error {
	return &fault.Error{Class: fault.Input, Err: fmt.Errorf(format, args...)}
}

// bindColumns finds every column of the job in the input and the other way round.
func (p *prepared) bindColumns(job *jobfile.Job, schema *formats.Schema) error {
	var missing, unlisted []string
	for i := range job.Columns {
		spec := &job.Columns[i]
		if schema.Index(spec.Name) < 0 {
			missing = append(missing, spec.Name)
		}
	}
	for _, field := range schema.Fields {
		spec := job.Column(field.Name)
		if spec == nil {
			spec = &jobfile.Column{Name: field.Name, Mask: job.Unlisted}
			if job.Unlisted != jobfile.UnlistedDrop && job.Unlisted != jobfile.UnlistedKeep {
				unlisted = append(unlisted, cmp.Or(field.Name, `""`))
			}
		}
		if spec.Mask == jobfile.MaskKeep && foreign(&field) {
			return refusedType("keep", &field)
		}
		p.specs = append(p.specs, spec)
	}
	if job.Class != "" && schema.Index(job.Class) < 0 && job.Column(job.Class) == nil {
		missing = append(missing, job.Class)
	}
	switch {
	case len(missing) > 0:
		return misfit("find columns in the input: it lacks %s", strings.Join(missing, ", "))
	case len(unlisted) > 0:
		return &fault.Error{
			Class: fault.Input,
			Hint:  "add each to columns with a mask, keep or drop, or set unlisted: drop",
			Err:   fmt.Errorf("match the input with the job: no entry for column %s", strings.Join(unlisted, ", ")),
		}
	}
	return nil
}

// foreign reports whether a column has a type that can neither be masked nor kept.
func foreign(f *formats.Field) bool { return f.Type.Kind == formats.Nested && f.Elements == nil }

func refusedType(verb string, f *formats.Field) error {
	return &fault.Error{
		Class: fault.Input, Hint: "drop it, or export it as a type that Parquet has",
		Err: fmt.Errorf("%s column %s: its type is %s, which Parquet lacks", verb, f.Name, f.Type.Nested),
	}
}

// orderAttributes numbers the masked columns by their first mention in the sets.
func (p *prepared) orderAttributes(job *jobfile.Job, schema *formats.Schema) map[string]int {
	number := make(map[string]int)
	for _, set := range job.Sets {
		for _, name := range set.Columns {
			if _, ok := number[name]; !ok {
				number[name] = len(p.masked)
				p.masked = append(p.masked, schema.Index(name))
			}
		}
	}
	return number
}

func checkMask(spec *jobfile.Column, f *formats.Field) error {
	switch t := f.Type; {
	case foreign(f):
		return refusedType("mask", f)
	case t.Kind == formats.Nested:
		return &fault.Error{
			Class: fault.Input,
			Hint:  "a nested column can be kept or dropped",
			Err:   fmt.Errorf("mask column %s: it is nested", spec.Name),
		}
	case spec.Mask == jobfile.MaskDiscretize && !t.Ordered() && t.Kind != formats.Null:
		return &fault.Error{
			Class: fault.Input,
			Hint:  "use suppress or generalize, or declare the column's type when the input is CSV",
			Err:   fmt.Errorf("discretize column %s: its type is %s, which has no order that intervals could cut", spec.Name, t),
		}
	}
	return nil
}

// maskedSpecs returns what the job says of every attribute.
func (p *prepared) maskedSpecs() (specs []*jobfile.Column) {
	for _, field := range p.masked {
		specs = append(specs, p.specs[field])
	}
	return specs
}

// masks returns the masks of the masked columns.
func (p *prepared) masks() (masks []string) {
	for _, field := range p.masked {
		masks = append(masks, p.specs[field].Mask)
	}
	return masks
}

// requests returns what compress reads: the masked columns, then the class.
func (p *prepared) requests() []formats.Request {
	var requests []formats.Request
	for _, field := range p.masked {
		requests = append(requests, formats.Request{Column: field, Coded: true})
	}
	if p.class >= 0 {
		requests = append(requests, formats.Request{Column: p.class, Coded: true})
	}
	return requests
}
