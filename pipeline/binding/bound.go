// Package binding binds a job to its input: it opens the files, finds the type and the role of
// every column of the job, and turns the job's sets and protections into a requirement of
// attributes.
//
// Contract: a Bound is valid for its job and schema. Everything that can be checked without reading
// a row was checked, and the errors name places in the job. The files stay open until Close.
//
// Limits: the input may change. CheckUnchanged compares it with its state at the start.
package binding

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/pipeline/output"
	"github.com/kcut/kcut/pipeline/pseudonym"
	"github.com/kcut/kcut/pipeline/resources"
)

// Bound is a job bound to its input: the open files, with the role of every column.
type Bound struct {
	Job        *job.Job
	Dataset    *dataset.Dataset
	Taxonomies *Taxonomies
	// keys of the columns of pseudonyms, by name; nil: they are not masked
	Keys map[string]*pseudonym.Key

	Specs     []*job.Column // one for each field of the schema
	Masked    []int         // by attribute, in job order: the field
	Class     int           // field of the class, or -1
	Entity    int           // field that identifies the person of a record, or -1
	Weight    int           // field with the sampling weight of a record, or -1
	Household int           // field that identifies the household of a record, or -1
	Sensitive []int         // fields of the sensitive columns, in the job's order

	// Population has the columns of the table of the population in which people are counted; nil:
	// none are counted.
	Population *Bound

	Requirement engine.Requirement // before any value is known
	Redundant   []int              // sets that others imply, by position in Job.EverySet

	inputs []storage.Info
}

// unbound returns a job without columns bound to it.
func unbound(job *job.Job, t *Taxonomies) *Bound {
	return &Bound{Job: job, Taxonomies: t, Class: -1, Entity: -1, Weight: -1, Household: -1}
}

// Open opens a job's input and binds the job to it. If the only fault is that some k cannot be met,
// it returns both the result and the error. The caller must close every result.
func Open(ctx context.Context, job *job.Job, t *Taxonomies, r *resources.Run) (_ *Bound,
	err error) {
	open := dataset.Open
	if len(job.InputCounts) > 0 {
		open = dataset.OpenTables
	}
	b := unbound(job, t)
	if b.Dataset, err = open(ctx, job.Reads(), ReadOptions(job, r)); err != nil {
		return nil, fmt.Errorf("open input: %w", err)
	}
	NoteInput(b.Dataset, job, r.Noted)
	if err = output.CheckDistinct(job, "input", job.Reads(), b.Dataset); err == nil {
		b.inputs, err = statInputs(ctx, b.Dataset.Files())
	}
	if err == nil {
		err = b.bind(b.Dataset.Schema(), b.Dataset.Rows())
	}
	if err == nil && job.CountsPeople() != "" {
		err = b.JoinPopulation(ctx, job, t, r)
	}
	if err != nil && fault.ClassOf(err) != fault.Privacy {
		return nil, errors.Join(err, b.Close())
	}
	return b, err
}

// Of binds a job to an open input. The Bound must not close it.
func Of(in *dataset.Dataset, job *job.Job, t *Taxonomies) (*Bound, error) {
	b := unbound(job, t)
	b.Dataset = in
	return b, b.bind(in.Schema(), in.Rows())
}

// Close closes the input, once. It accepts nil.
func (b *Bound) Close() error {
	if b == nil || b.Dataset == nil {
		return nil
	}
	in, population := b.Dataset, b.Population
	b.Dataset, b.Population = nil, nil
	return errors.Join(in.Close(), population.Close())
}

// bind finds the role of every column of a schema. The input has that number of rows.
func (b *Bound) bind(schema *formats.Schema, rows int64) error {
	job := b.Job
	if err := b.bindColumns(schema); err != nil {
		return err
	}
	if err := b.bindRoles(schema); err != nil {
		return err
	}
	number := make(map[string]int) // of masked columns, by their first mention
	for _, set := range job.Sets {
		for _, name := range set.Names() {
			if _, ok := number[name]; !ok {
				number[name] = len(b.Masked)
				b.Masked = append(b.Masked, schema.Index(name))
			}
		}
	}
	b.Requirement, b.Redundant = Requirement(job, number, rows)
	if rows > formats.MostRecords {
		return fmt.Errorf("count %d rows: more than %d: %w", rows, int64(formats.MostRecords),
			formats.ErrUnsupported)
	}
	for _, a := range b.Masked {
		spec, field := b.Specs[a], &schema.Fields[a]
		if err := checkMask(spec, field); err != nil {
			return err
		}
		if _, err := domain.NewBounds(spec, field.Type); err != nil {
			return job.Located(spec.Name, "bounds", err)
		}
		if _, err := domain.NewRounding(spec, field.Type); err != nil {
			return job.Located(spec.Name, "round", err)
		}
	}
	b.fitTaxonomies(schema)
	if err := masking.CheckLayout(schema, b.Specs); err != nil {
		return err
	}
	return checkReach(job, rows)
}

// fitTaxonomies turns the leaves of given trees into values of their columns' types.
func (b *Bound) fitTaxonomies(schema *formats.Schema) {
	fitted := *b.Taxonomies
	fitted.Of = maps.Clone(fitted.Of)
	for _, field := range slices.Concat(b.Masked, b.Sensitive) {
		if name := b.Specs[field].Name; fitted.Of[name].Tree != nil {
			fitted.Of[name] = fit(fitted.Of[name], schema.Fields[field].Type)
		}
	}
	b.Taxonomies = &fitted
}

// bindRoles finds the columns that are counted in addition to the masked ones.
func (b *Bound) bindRoles(schema *formats.Schema) error {
	find := func(role, name string) (field int, err error) {
		if field = schema.Index(name); schema.Fields[field].Type.Kind == formats.Nested {
			err = fault.Errorf(fault.Input, role+" names a flat column",
				"read %s column %s: it is nested", role, name)
		}
		return field, err
	}
	var errs []error
	if b.Job.Class != "" {
		field, err := find("class", b.Job.Class)
		b.Class, errs = field, append(errs, err)
	}
	if b.Job.Entity != "" {
		field, err := find("entity", b.Job.Entity)
		b.Entity, errs = field, append(errs, err)
	}
	if b.Job.Weight != "" {
		b.Weight = schema.Index(b.Job.Weight)
		errs = append(errs, CheckWeight(&schema.Fields[b.Weight]))
	}
	if b.Job.Household != "" {
		field, err := find("household", b.Job.Household)
		b.Household, errs = field, append(errs, err)
	}
	for i, s := range b.Job.Sensitive {
		field, err := find("sensitive", s.Column)
		if err == nil && s.TOrdered != nil {
			err = b.checkOrdered(i, &schema.Fields[field])
		}
		b.Sensitive, errs = append(b.Sensitive, field), append(errs, err)
	}
	return cmp.Or(errs...)
}

// checkOrdered refuses t_ordered of a sensitive column whose values have no order.
func (b *Bound) checkOrdered(i int, f *formats.Field) error {
	if f.Type.Ordered() && f.Type.InWords() {
		return nil
	}
	return b.Job.LocatedKey(fmt.Sprintf("sensitive[%d].t_ordered", i),
		"t takes any column; with csv, columns.NAME.type declares numbers and dates",
		fmt.Errorf("column %s is of type %s: t_ordered is for numbers, dates and times of up to "+
			"64 bits", f.Name, f.Type))
}

// bindColumns checks that the input has every column of the job, and the job every column of the
// input.
func (b *Bound) bindColumns(schema *formats.Schema) error {
	j := b.Job
	var missing, unlisted []string
	for i := range j.Columns {
		spec := &j.Columns[i]
		if schema.Index(spec.Name) < 0 && spec.Name != j.CountColumn() && !j.Uncounted(spec.Name) {
			missing = append(missing, spec.Name)
		}
	}
	for _, field := range schema.Fields {
		spec := j.Column(field.Name)
		if spec == nil {
			spec = &job.Column{Name: field.Name, Mask: j.Unlisted}
			if j.Unlisted != job.UnlistedDrop && j.Unlisted != job.UnlistedKeep {
				unlisted = append(unlisted, cmp.Or(field.Name, `""`))
			}
		}
		if field.Differs != nil && (spec.Mask != job.MaskDrop || j.ReadsDropped(field.Name)) {
			return field.Differs
		}
		if spec.Mask == job.MaskKeep && foreign(&field) {
			return refusedType("keep", &field)
		}
		if spec.Mask == job.MaskPseudonym && field.Type.Kind == formats.Nested {
			return checkMask(spec, &field)
		}
		if j.Count != "" && field.Type.Kind == formats.Nested && spec.Mask == job.MaskKeep {
			return fault.Errorf(fault.Input, "drop the column, or leave out count",
				"keep column %s: it is nested, and rows are counted by %s", field.Name, j.Count)
		}
		b.Specs = append(b.Specs, spec)
	}
	roles := []string{j.Class, j.Entity, j.Weight, j.Household}
	for _, s := range j.Sensitive {
		roles = append(roles, s.Column)
	}
	for _, name := range roles {
		if name != "" && schema.Index(name) < 0 && j.Column(name) == nil &&
			!slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	switch {
	case len(missing) > 0:
		return fault.Errorf(fault.Input, HintOfNames(missing, len(j.Columns), schema),
			"find columns in the input: it lacks %s", strings.Join(missing, ", "))
	case len(unlisted) > 0:
		return fault.Errorf(fault.Input, "add each to columns with a mask, keep or drop, or set "+
			"unlisted: drop",
			"match the input with the job: no entry for column %s", strings.Join(unlisted, ", "))
	}
	return nil
}

// HintOfNames names the input's columns in place of missing ones, given the number of names asked
// for. If all are missing, the input's names may be values of a CSV file without a header, and are
// not shown.
func HintOfNames(missing []string, asked int, schema *formats.Schema) string {
	if len(missing) == asked {
		return "name another file, or where CSV has no header set csv.header: false, or to the " +
			"names: it has none of these"
	}
	var names, hints []string
	for i := range schema.Fields {
		names = append(names, schema.Fields[i].Name)
	}
	for _, name := range missing {
		if hint := text.DidYouMean(name, names); hint != "" {
			hints = append(hints, hint)
		}
	}
	return strings.Join(append(hints, "the input has "+text.List(names, text.MostNamed)), " ")
}

// foreign reports whether a column has a type that can neither be masked nor kept.
func foreign(f *formats.Field) bool { return f.Type.Kind == formats.Nested && f.Declared == nil }

func refusedType(verb string, f *formats.Field) error {
	return fault.Errorf(fault.Input, "set it aside with drop, or export it as a type that "+
		"Parquet has",
		"%s column %s: its type is %s, which Parquet lacks", verb, f.Name, f.Type.Nested)
}

func checkMask(spec *job.Column, f *formats.Field) error {
	switch t := f.Type; {
	case foreign(f):
		return refusedType("mask", f)
	case t.Kind == formats.Nested:
		return fault.Errorf(fault.Input, "give it keep or drop: other masks take flat columns",
			"mask column %s: it is nested", spec.Name)
	case spec.Is(engine.Discretize) && !t.Ordered() && t.Kind != formats.Null:
		hint, from := "use suppress or generalize, or declare the column's type when the input "+
			"is CSV", ""
		if f.Text.Line > 0 {
			hint = "name the texts that stand for null in csv.nulls, as [NA, NaN], or use " +
				"suppress or generalize"
			from = fmt.Sprintf(": line %s is the first that has no number",
				text.Grouped(f.Text.Line))
		}
		if f.Text.Advice != "" {
			hint = "its values look like " + f.Text.Advice
		}
		return fault.Errorf(fault.Input, hint, "discretize column %s: its type is %s, which has "+
			"no order that intervals could cut%s", spec.Name, t, from)
	}
	return nil
}

// MaskedSpecs returns the job's entries of all attributes.
func (b *Bound) MaskedSpecs() (specs []*job.Column) {
	for _, field := range b.Masked {
		specs = append(specs, b.Specs[field])
	}
	return specs
}

// CutColumns returns the masked columns as those of a cut that is not known yet.
func (b *Bound) CutColumns() (columns []*domain.CutColumn) {
	for _, field := range b.Masked {
		spec := b.Specs[field]
		columns = append(columns, &domain.CutColumn{
			Spec: spec, Type: b.Type(field), Taxonomy: b.Taxonomies.Of[spec.Name],
		})
	}
	return columns
}

// BindCut binds a cut to the job and to its masked columns.
func (b *Bound) BindCut(cut *domain.Cut) error { return cut.Bind(b.Job, b.CutColumns()) }

// Counted returns the fields of the columns whose values are counted: the masked ones, and the
// class.
func (b *Bound) Counted() []int {
	fields := slices.Clone(b.Masked)
	if b.Class >= 0 {
		fields = append(fields, b.Class)
	}
	return fields
}

// Reads returns the number of columns that are read.
func (b *Bound) Reads() (n int) {
	for _, spec := range b.Specs {
		if spec.Mask != job.MaskDrop {
			n++
		}
	}
	for _, field := range []int{b.Entity, b.Weight, b.Household} {
		if field >= 0 {
			n++
		}
	}
	return n
}

// statInputs returns the Info of every input file.
func statInputs(ctx context.Context, files []string) ([]storage.Info, error) {
	infos := make([]storage.Info, len(files))
	return infos, workers.Each(len(files), lookers, func(_ workers.Worker, i int) (err error) {
		if infos[i], err = storage.Stat(ctx, files[i]); err != nil {
			return fmt.Errorf("look at input: %w", err)
		}
		return nil
	})
}

// lookers is the number of input files whose Info is requested at a time, since an object store is
// slow to answer.
const lookers = 8

// CheckUnchanged compares the input files with their state at the start of the run. Two readings of
// different data could agree in every value and count but not in the rows that have them.
func (b *Bound) CheckUnchanged(ctx context.Context) error {
	files := b.Dataset.Files()
	now, err := statInputs(ctx, files)
	if err != nil {
		return err
	}
	for i, was := range b.inputs {
		if !was.Same(now[i]) {
			return fmt.Errorf("read %s again: %w", files[i], formats.ErrChanged)
		}
	}
	return nil
}

// InputBytes returns the size of the input's files.
func (b *Bound) InputBytes() (bytes int64) {
	for _, info := range b.inputs {
		bytes += info.Size()
	}
	return bytes
}

// Fingerprint writes the Info of every input file when the job was bound to it.
func (b *Bound) Fingerprint(to io.Writer) {
	files := b.Dataset.Files()
	for i, file := range b.inputs {
		fmt.Fprintf(to, "%q %s\n", files[i], file)
	}
}

// HasTree reports whether the job declares the tree of a column.
func (b *Bound) HasTree(spec *job.Column) bool { return b.Taxonomies.Of[spec.Name].Tree != nil }

// Names returns the names of fields.
func (b *Bound) Names(fields ...int) []string {
	names := make([]string, len(fields))
	for i, field := range fields {
		names[i] = b.Dataset.Schema().Fields[field].Name
	}
	return names
}

// Type returns the type of a field.
func (b *Bound) Type(field int) formats.Type { return b.Dataset.Schema().Fields[field].Type }

// CheckWeight refuses a column of sampling weights that has no numbers.
func CheckWeight(f *formats.Field) error {
	switch f.Type.Kind {
	case formats.Int, formats.Uint, formats.Float, formats.Decimal, formats.Null:
		return nil
	}
	return fault.Errorf(fault.Input, "name a column of numbers, or declare its type when the "+
		"input is CSV", "read sampling weights of column %s: its type is %s", f.Name, f.Type)
}
