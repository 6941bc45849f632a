package pipeline

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/engine/choose"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/formats/taxonomy"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/algorithm"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/pipeline/masking"
	"github.com/kcut/kcut/pipeline/output"
	"github.com/kcut/kcut/pipeline/pseudonym"
	"github.com/kcut/kcut/spill"
)

// Bound is a job bound to its input: the files that are open, and what every column is.
type Bound struct {
	Job        *job.Job
	Dataset    *dataset.Dataset
	Taxonomies *taxonomies

	specs       []*job.Column // of every field of the schema
	masked      []int         // field of every attribute, in job order
	class       int           // field of the class, or -1
	entity      int           // field that tells of whom a record is, or -1
	sensitive   []int         // fields of the sensitive columns, in the job's order
	requirement engine.Requirement
	dropped     []int // redundant sets, by position in the job
	quota       Quota // of records that may be taken away

	keys map[string]*pseudonym.Key // of the columns of pseudonyms, by name; nil: they are not masked

	given   *domain.Cut     // the cut of an earlier release, if it bounds the job
	applied bool            // it is applied, and none searched for
	refuses bool            // columns of which that tells nothing any more, as BreakRefuse does
	engine  engine.Engine   // that finds the recoding
	verdict *choose.Verdict // of algorithm auto, once there is one
	inputs  []storage.Info
	listed  listed // values of kept columns, once they are known
}

// held returns how many bytes are drawn whatever is done.
func (b *Bound) held() int64 { return b.Taxonomies.bytes + b.listed.bytes }

// plan returns what the engine wants to be counted.
func (b *Bound) plan() engine.Plan { return b.engine.Plan(b.requirement) }

// Bind opens a job's input and binds the job's columns to it, and checks everything that can be
// checked before a row is read. When nothing is wrong but that some k cannot be met, it returns
// both. close is owed whenever there is a result.
func Bind(ctx context.Context, job *job.Job, t *taxonomies, res *resources) (_ *Bound, err error) {
	b := newBound(job, t)
	open := dataset.Open
	if len(job.InputCounts) > 0 {
		open = dataset.OpenTables
	}
	if b.Dataset, err = open(ctx, job.Reads(), readOptions(job, res.budget, res.threads)); err != nil {
		return nil, fmt.Errorf("open input: %w", err)
	}
	noteInput(b.Dataset, job, &res.events)
	if err = output.CheckDistinct(job, b.Dataset); err == nil {
		b.inputs, err = statInputs(ctx, b.Dataset.Files())
	}
	if err == nil {
		err = b.bind(b.Dataset.Schema(), b.Dataset.Rows())
	}
	if err != nil && fault.ClassOf(err) != fault.Privacy {
		return nil, joinClosed(err, b.close())
	}
	return b, err
}

// noteInput tells what of the columns that a job reads may not be as it was meant.
func noteInput(in *dataset.Dataset, j *job.Job, events *Events) {
	reads := func(column string) bool {
		spec := j.Column(column)
		return spec == nil && j.Unlisted == job.UnlistedKeep || spec != nil && (spec.Mask != job.MaskDrop || column == j.Entity)
	}
	for _, note := range in.Notes(reads) {
		events.Noted(note)
	}
}

// newBound returns a job of which no column is bound yet.
func newBound(j *job.Job, t *taxonomies) *Bound {
	return &Bound{Job: j, Taxonomies: t, class: -1, entity: -1, quota: j.MaxSuppressed, engine: algorithm.Engine(j)}
}

// close lets go of the input, once.
func (b *Bound) close() error {
	if b == nil || b.Dataset == nil {
		return nil
	}
	in := b.Dataset
	b.Dataset = nil
	return in.Close()
}

// bind finds out what every column of a schema is, in an input of so many rows.
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
		for _, name := range set.Columns {
			if _, ok := number[name]; !ok {
				number[name] = len(b.masked)
				b.masked = append(b.masked, schema.Index(name))
			}
		}
	}
	b.requirement, b.dropped = requirementOf(job, number, rows)
	if rows > formats.MostRecords {
		return fmt.Errorf("count %d rows: more than %d: %w", rows, int64(formats.MostRecords), formats.ErrUnsupported)
	}
	for _, a := range b.masked {
		spec, field := b.specs[a], &schema.Fields[a]
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
	if err := masking.CheckLayout(schema, b.specs); err != nil {
		return err
	}
	return checkReach(job, rows)
}

// fitTaxonomies makes the leaves of given trees the values of their columns' types.
func (b *Bound) fitTaxonomies(schema *formats.Schema) {
	fitted := *b.Taxonomies
	fitted.of = maps.Clone(fitted.of)
	for _, field := range b.masked {
		if name := b.specs[field].Name; fitted.of[name].Tree != nil {
			fitted.of[name] = fit(fitted.of[name], schema.Fields[field].Type)
		}
	}
	b.Taxonomies = &fitted
}

// bindRoles finds the columns that are counted beside the masked ones.
func (b *Bound) bindRoles(schema *formats.Schema) error {
	find := func(role, name string) (field int, err error) {
		if field = schema.Index(name); schema.Fields[field].Type.Kind == formats.Nested {
			err = fault.Errorf(fault.Input, role+" names a flat column", "read %s column %s: it is nested", role, name)
		}
		return field, err
	}
	var errs []error
	if b.Job.Class != "" {
		field, err := find("class", b.Job.Class)
		b.class, errs = field, append(errs, err)
	}
	if b.Job.Entity != "" {
		field, err := find("entity", b.Job.Entity)
		b.entity, errs = field, append(errs, err)
	}
	for _, s := range b.Job.Sensitive {
		field, err := find("sensitive", s.Column)
		b.sensitive, errs = append(b.sensitive, field), append(errs, err)
	}
	return cmp.Or(errs...)
}

// requirementOf returns what a job asks of the attributes, which have numbers by their names, of so
// many records, and the positions of its sets that are redundant.
func requirementOf(j *job.Job, number map[string]int, records int64) (engine.Requirement, []int) {
	all := engine.Requirement{Drop: j.Suppressed == job.SuppressedDrop}
	if algorithm.TakesAway(j) {
		all.MaxSuppressed = j.MaxSuppressed.Of(records)
	}
	others := protectionsOf(j)
	for _, set := range j.Sets {
		s := engine.Set{K: engine.KAnonymity(set.K), Entities: j.Entity != "", Others: others}
		for _, name := range set.Columns {
			s.Columns = append(s.Columns, number[name])
		}
		all.Sets = append(all.Sets, s)
	}
	return all.Reduce()
}

// checkReach refuses a table with fewer records than may be suppressed, or than some k: with everything
// at its root all of them are one class, and none is larger.
func checkReach(job *job.Job, rows int64) error {
	if most := job.MaxSuppressed; most.Records > uint64(rows) {
		return job.LocatedKey("max_suppressed", "name fewer, or a share as 0.5%",
			fmt.Errorf("max_suppressed is %d records, the input has %d", most.Records, rows))
	}
	for i, set := range job.Sets {
		if rows < int64(set.K) {
			return fault.Errorf(fault.Privacy, "lower k, or give more rows",
				"meet quasi-identifier set %d: the input has %d rows, k is %d: %w", i+1, rows, set.K, engine.ErrInfeasible)
		}
	}
	return nil
}

// bindColumns finds every column of the job in the input and the other way round.
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
		if field.Differs != nil && (spec.Mask != job.MaskDrop || field.Name == j.Entity) {
			return field.Differs
		}
		if spec.Mask == job.MaskKeep && foreign(&field) {
			return refusedType("keep", &field)
		}
		if spec.Mask == job.MaskPseudonym && field.Type.Kind == formats.Nested {
			return checkMask(spec, &field)
		}
		if j.Count != "" && field.Type.Kind == formats.Nested && spec.Mask == job.MaskKeep {
			return fault.Errorf(fault.Input, "drop the column, or leave out count", "keep column %s: it is nested, and rows are counted by %s", field.Name, j.Count)
		}
		b.specs = append(b.specs, spec)
	}
	roles := []string{j.Class, j.Entity}
	for _, s := range j.Sensitive {
		roles = append(roles, s.Column)
	}
	for _, name := range roles {
		if name != "" && schema.Index(name) < 0 && j.Column(name) == nil && !slices.Contains(missing, name) {
			missing = append(missing, name)
		}
	}
	switch {
	case len(missing) > 0:
		return fault.Errorf(fault.Input, hintOfNames(missing, len(j.Columns), schema), "find columns in the input: it lacks %s", strings.Join(missing, ", "))
	case len(unlisted) > 0:
		return fault.Errorf(fault.Input, "add each to columns with a mask, keep or drop, or set unlisted: drop",
			"match the input with the job: no entry for column %s", strings.Join(unlisted, ", "))
	}
	return nil
}

// hintOfNames says what the input has instead of columns that it lacks, of so many that were asked for. Where it lacks all of
// them, its names may be values of a CSV file without a header, and are not shown.
func hintOfNames(missing []string, asked int, schema *formats.Schema) string {
	if len(missing) == asked {
		return "name another file, or where CSV has no header set csv.header: false, or to the names: it has none of these"
	}
	var names, hints []string
	for i := range schema.Fields {
		names = append(names, schema.Fields[i].Name)
	}
	for _, name := range missing {
		if hint := job.DidYouMean(name, names); hint != "" {
			hints = append(hints, hint)
		}
	}
	return strings.Join(append(hints, "the input has "+text.List(names, mostNamed)), " ")
}

// foreign reports whether a column has a type that can neither be masked nor kept.
func foreign(f *formats.Field) bool { return f.Type.Kind == formats.Nested && f.Declared == nil }

func refusedType(verb string, f *formats.Field) error {
	return fault.Errorf(fault.Input, "set it aside with drop, or export it as a type that Parquet has",
		"%s column %s: its type is %s, which Parquet lacks", verb, f.Name, f.Type.Nested)
}

func checkMask(spec *job.Column, f *formats.Field) error {
	switch t := f.Type; {
	case foreign(f):
		return refusedType("mask", f)
	case t.Kind == formats.Nested:
		return fault.Errorf(fault.Input, "give it keep or drop: other masks take flat columns",
			"mask column %s: it is nested", spec.Name)
	case spec.Mask == job.MaskDiscretize && !t.Ordered() && t.Kind != formats.Null:
		hint, from := "use suppress or generalize, or declare the column's type when the input is CSV", ""
		if f.Text.Line > 0 {
			hint = "name the texts that stand for null in csv.nulls, as [NA, NaN], or use suppress or generalize"
			from = fmt.Sprintf(": line %s is the first that has no number", text.Grouped(f.Text.Line))
		}
		if f.Text.Advice != "" {
			hint = "its values look like " + f.Text.Advice
		}
		return fault.Errorf(fault.Input, hint, "discretize column %s: its type is %s, which has no order that intervals could cut%s", spec.Name, t, from)
	}
	return nil
}

// maskedSpecs returns what the job says of every attribute.
func (b *Bound) maskedSpecs() (specs []*job.Column) {
	for _, field := range b.masked {
		specs = append(specs, b.specs[field])
	}
	return specs
}

// labelers returns the coders of the masked columns by a cut that is bound to the job.
func (b *Bound) labelers(cut *domain.Cut, budget *spill.Budget) ([]domain.Labeler, error) {
	var types []formats.Type
	for _, field := range b.masked {
		types = append(types, b.Dataset.Schema().Fields[field].Type)
	}
	return cut.Labelers(types, b.Taxonomies.of, budget)
}

// counted returns the fields of the columns whose values are counted: the masked ones, and the class.
func (b *Bound) counted() []int {
	fields := slices.Clone(b.masked)
	if b.class >= 0 {
		fields = append(fields, b.class)
	}
	return fields
}

// reads returns the number of columns that are read.
func (b *Bound) reads() (n int) {
	for _, spec := range b.specs {
		if spec.Mask != job.MaskDrop {
			n++
		}
	}
	if b.entity >= 0 {
		n++
	}
	return n
}

// statInputs returns what the file system, or the object store, says of every input file.
func statInputs(ctx context.Context, files []string) ([]storage.Info, error) {
	infos := make([]storage.Info, len(files))
	return infos, workers.Each(len(files), lookers, func(_ workers.Worker, i int) (err error) {
		if infos[i], err = storage.Stat(ctx, files[i]); err != nil {
			return fmt.Errorf("look at input: %w", err)
		}
		return nil
	})
}

// lookers is how many input files are looked at at a time: an object store takes its time to answer.
const lookers = 8

// checkUnchanged compares the input files with what they were when the run began. Two
// readings of different data could agree in every value and count and still not in which
// rows have them.
func (b *Bound) checkUnchanged(ctx context.Context) error {
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

// pruning says which values of an attribute no search tells apart: those below the finest level, and no others when the
// engine wants to know every value. The k is the largest of the sets with the attribute: each must
// hold by itself, and a named value of fewer records stands out in the set that asks for most.
// A set without the attribute says nothing of its values.
func (b *Bound) pruning(plan engine.Plan, spec *job.Column, k uint64) engine.Pruning {
	level := spec.FinestLevel()
	switch {
	case !plan.Whole:
		return engine.Pruning{Level: level, K: k, Outliers: b.requirement.Suppressible(), Classes: b.class >= 0}
	case plan.Pool && spec.Mask == job.MaskSuppress:
		return engine.Pruning{K: k}
	}
	return engine.Pruning{Level: level}
}

// columns returns the masked columns as they are counted for a plan.
func (b *Bound) columns(plan engine.Plan) (columns []count.Column) {
	of := b.requirement.ByAttribute(len(b.masked)) // every attribute is in a set
	for a, field := range b.masked {
		spec := b.specs[field]
		columns = append(columns, count.Column{
			Field: field, Spec: spec, Taxonomy: b.Taxonomies.of[spec.Name], Pruning: b.pruning(plan, spec, of[a].K.Size()),
		})
	}
	return columns
}

// taxonomies are the trees of generalized columns.
type taxonomies struct {
	of    map[string]job.Taxonomy // by column
	bytes int64                   // drawn for the whole run
}

// parsedBytes is what a byte of a taxonomy file takes while the file is parsed: the text, rows
// of some 16 bytes, and the nodes and tables made of them.
const parsedBytes = 16

// nodeBytes is what a node of a tree takes beside its name, in the file's form and in the
// engine's.
const nodeBytes = 272

// loadTaxonomies reads the trees of generalized columns, and draws what they take for the
// whole run.
func loadTaxonomies(job *job.Job, budget *spill.Budget) (*taxonomies, error) {
	parsing := job.TaxonomyBytes() * parsedBytes
	if err := drawTrees(budget, parsing); err != nil {
		return nil, err
	}
	defer func() { budget.Return(parsing) }()
	of, err := job.LoadTaxonomies()
	if err != nil {
		return nil, err
	}
	trees := int64(0)
	for _, t := range of {
		if t.Tree != nil {
			trees += treeBytes(t.Tree)
		}
	}
	if err := drawTrees(budget, max(0, trees-parsing)); err != nil {
		return nil, err
	}
	parsing = max(0, parsing-trees) // the rest stays drawn
	return &taxonomies{of, trees}, nil
}

func drawTrees(budget *spill.Budget, bytes int64) error {
	if err := budget.Draw("taxonomies", bytes); err != nil {
		return spill.Instead(err, "generate large taxonomies with prefix, date or ranges")
	}
	return nil
}

// treeBytes returns what a tree takes.
func treeBytes(t *taxonomy.Node) int64 {
	bytes := nodeBytes + int64(len(t.Name))
	for i := range t.Children {
		bytes += treeBytes(&t.Children[i])
	}
	return bytes
}
