package sql

import (
	"errors"
	"fmt"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/masking"
)

// Masked is a table that is masked with a cut.
type Masked struct {
	Job  *job.Job
	Cut  *domain.Cut // bound to the job
	From Table
	Into Table // the table to make; nil: a query returns the rows
}

// refuse returns the error of something that a statement cannot express.
func refuse(d *Dialect, what string, err error) error {
	return fault.Errorf(fault.Usage, "leave it out of the job, use another dialect, or let kcut "+
		"apply mask the rows", "write %s in SQL of %s: %w", what, d.Name, err)
}

// Mask writes the statement that makes a masked table from another one, or the query that returns
// its rows, without a semicolon, for a place within another statement.
func Mask(d *Dialect, m *Masked) (string, error) {
	if err := m.check(d); err != nil {
		return "", err
	}
	released, err := m.released(d)
	if err != nil {
		return "", err
	}
	var w strings.Builder
	if m.Job.Order == job.OrderReleased && d.ordered != "" {
		w.WriteString("-- " + d.ordered + "\n")
	}
	end := "\n"
	if m.Into != nil {
		w.WriteString(d.creating(m.Into))
		end = ";\n"
	}
	w.WriteString("SELECT")
	var labels, kept []string
	for i, r := range released {
		if i > 0 {
			w.WriteByte(',')
		}
		w.WriteString("\n  ")
		name := d.name(r.name)
		if r.decision == nil {
			w.WriteString(name)
			kept = append(kept, name)
			continue
		}
		r.decision.write(&w, 1, r.of)
		w.WriteString(" AS " + name)
		labels = append(labels, name)
	}
	fmt.Fprintf(&w, "\nFROM (\n  SELECT\n    %s\n  FROM %s\n) AS %s",
		strings.Join(m.taken(d), ",\n    "), d.table(m.From), d.name("kcut_rows"))
	if m.Job.Order == job.OrderReleased {
		w.WriteString("\nORDER BY " + strings.Join(append(labels, kept...), ", "))
	}
	w.WriteString(end)
	return w.String(), nil
}

// check refuses cuts and jobs that statements cannot implement.
func (m *Masked) check(d *Dialect) error {
	cut := m.Cut
	marked, _ := cut.Marked()
	switch {
	case cut.Kind == cutfile.KindRegions:
		return refuse(d, "a cut of regions",
			errors.New("labels of several columns were chosen together"))
	case marked > 0 || cut.Dropped > 0:
		return refuse(d, "a cut that suppresses records",
			errors.New("which they are depends on all rows together; without max_suppressed "+
				"there are none"))
	case m.Job.Unlisted == job.UnlistedKeep:
		return refuse(d, "unlisted: keep", errors.New("only columns that the job names are known"))
	}
	for i := range m.Job.Columns {
		if c := &m.Job.Columns[i]; c.Mask != job.MaskDrop {
			if err := d.checkNames(c.Name); err != nil {
				return err
			}
		}
		if c := &m.Job.Columns[i]; c.Mask == job.MaskPseudonym {
			return refuse(d, "the pseudonyms of column "+c.Name,
				errors.New("their key must not be in a statement"))
		}
	}
	return nil
}

// taken writes the columns to read: masked ones as values of the types in the cut.
func (m *Masked) taken(d *Dialect) (columns []string) {
	for i := range m.Job.Columns {
		spec := &m.Job.Columns[i]
		name := d.name(spec.Name)
		switch a := m.Cut.Attribute(spec.Name); {
		case a >= 0:
			// otherwise it is null, or was refused
			if as, err := d.typeOf(m.Cut.Column(a).Type); err == nil {
				name = fmt.Sprintf("CAST(%s AS %s) AS %[1]s", name, as)
			}
			columns = append(columns, name)
		case spec.Mask == job.MaskKeep:
			columns = append(columns, name)
		}
	}
	return columns
}

// releasedColumn is a column of the masked table.
type releasedColumn struct {
	name     string
	decision *node // nil: it is kept
	of       func(n *node) string
}

// released lays out the masked table: it has the columns of the release of the same job, in the
// job's order.
func (m *Masked) released(d *Dialect) (all []releasedColumn, err error) {
	schema, specs, masked := m.schema()
	recoding := m.Cut.Recoding()
	plan, err := masking.NewPlan(m.Job, schema, specs, masked, recoding, nil)
	if err != nil {
		return nil, err
	}
	if err := masking.CheckLayout(schema, specs); err != nil {
		return nil, err
	}
	decisions := make([]*node, len(masked))
	for a := range masked {
		n, err := decide(d, m.Cut.Column(a), recoding.Labels(a))
		if err != nil {
			return nil, refuse(d, "column "+m.Cut.Column(a).Name, err)
		}
		decisions[a] = &n
	}
	for _, r := range plan.Released() {
		column := releasedColumn{name: r.Field.Name}
		if r.Attribute >= 0 {
			if column, err = d.rendered(&r, decisions[r.Attribute]); err != nil {
				return nil, refuse(d, "column "+r.Field.Name, err)
			}
		}
		all = append(all, column)
	}
	return all, nil
}

// schema returns the columns that are released, in the job's order, and the masked ones, in the
// cut's.
func (m *Masked) schema() (*formats.Schema, []*job.Column, []int) {
	schema, masked := &formats.Schema{}, make([]int, len(m.Cut.Columns))
	var specs []*job.Column
	for i := range m.Job.Columns {
		spec := &m.Job.Columns[i]
		if spec.Mask == job.MaskDrop {
			continue
		}
		field := formats.Field{Name: spec.Name, Type: formats.Type{Kind: formats.String}}
		if a := m.Cut.Attribute(spec.Name); a >= 0 {
			masked[a], field.Type = len(schema.Fields), m.Cut.Column(a).Type
		}
		schema.Fields, specs = append(schema.Fields, field), append(specs, spec)
	}
	return schema, specs, masked
}

// rendered writes the released form of every label.
func (d *Dialect) rendered(r *masking.Released, decision *node) (column releasedColumn, err error) {
	column = releasedColumn{name: r.Field.Name, decision: decision}
	labels := make([]string, len(r.Codes))
	if len(r.Parts) > 0 {
		err = d.structsOf(r, labels)
	} else {
		labels, err = d.valuesOf(r.Values, r.Codes)
	}
	column.of = func(n *node) string {
		switch {
		case n.own != "":
			return n.own
		case n.label == noLabel:
			return d.failing(r)
		}
		return labels[n.label]
	}
	return column, err
}

// failing writes an expression that ends the statement, in the type of a released column.
func (d *Dialect) failing(r *masking.Released) string {
	fail := fmt.Sprintf(d.fail, d.text("a value of column "+r.Source+" has no label in the cut"),
		d.name(r.Source))
	if d.fail == castFail {
		fail = strings.ReplaceAll(fail, "VARCHAR", d.types["string"])
	}
	if len(r.Parts) > 0 || r.Field.Type.Kind == formats.String {
		return fail
	}
	as, err := d.typeOf(r.Field.Type)
	if err != nil {
		return fail
	}
	return fmt.Sprintf("CAST(%s AS %s)", fail, as)
}

// valuesOf writes values by codes; code 0 is null.
func (d *Dialect) valuesOf(values *formats.Values, codes []uint32) (written []string, err error) {
	as, err := d.typeOf(values.Type)
	if err != nil {
		return nil, err
	}
	for _, code := range codes {
		value := fmt.Sprintf("CAST(NULL AS %s)", as)
		if code > 0 {
			if value, err = d.literal(values.Type, values.Text(int(code-1))); err != nil {
				return nil, err
			}
		}
		written = append(written, value)
	}
	return written, nil
}

// structsOf writes the structs of labels; labels without a struct are null.
func (d *Dialect) structsOf(r *masking.Released, labels []string) error {
	if d.structs == "" {
		return errors.New("its intervals are structs, which the dialect does not compare")
	}
	fields := make([][]string, len(labels))
	for _, part := range r.Parts {
		values, err := d.valuesOf(part.Values, part.Codes)
		if err != nil {
			return err
		}
		for i, value := range values {
			fields[i] = append(fields[i],
				fmt.Sprintf(d.field, value, d.name(part.Name), d.text(part.Name)))
		}
	}
	for label, code := range r.Codes {
		if labels[label] = "NULL"; code > 0 {
			labels[label] = fmt.Sprintf(d.structs, strings.Join(fields[label], ", "))
		}
	}
	return nil
}
