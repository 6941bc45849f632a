// Package count counts an input: which values its columns have, and how many records share a
// tuple of these. It is the only such code of a run, of kcut apply and of kcut evaluate.
//
//	one reading:   values and tuples at once, in provisional codes ──Bind──▶ Counts
//	two readings:  values ──Bind──▶ Counts, without groupings ──▶ book; tuples in its codes ──▶ their groupings
//
// The first way saves decoding the input again; the second holds few codes, and what does not fit
// the memory budget goes to a store, values and tuples both in sorted runs. Input says which way is
// taken. Both make the same table.
//
// Where protections ask for more than sizes, the kind of a record takes the place of its class in both ways
// (Kinds). If k counts entities, one more reading before them counts the records of each.
//
// Contract: Counts depend on the input and the request alone, not on threads, budget or spilling:
// codes are numbered in the order of values, and counts are integers. Whatever grows with the
// input is drawn from the budget. Errors name columns and counts, never a value.
//
// Not promised: that a search may name every value. Of a generalized or suppressed column only
// those are held that some release could tell apart, of a discretized one quantile edges.
package count

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/job"
	"github.com/kcut/kcut/spill"
)

// Input counts an input: in one reading and in memory, unless its values or tuples are too many
// for that to be the fastest way, or do not fit what the budget grants them. The rest is for
// the search, the readers and what Go's collector has not collected.
func Input(ctx context.Context, r *Request, res *Resources) (*Counts, error) {
	if len(r.Dataset.Tables()) > 1 {
		return tables(ctx, r, res)
	}
	r, res, release, err := weigh(ctx, r, res)
	if err != nil {
		return nil, err
	}
	defer release()
	if r.Spill {
		return inStore(ctx, r, res)
	}
	part := res.Budget.Part(res.Budget.Grant(&spill.Counts))
	s, err := survey(ctx, r, res, part, true)
	if err == nil {
		var c *Counts
		if c, err = s.Bind(ctx); err == nil {
			return c, nil
		}
	}
	part.Return(part.Used())
	many := errors.Is(err, domain.ErrManyValues) || errors.Is(err, ErrManyTuples)
	if !many && !errors.Is(err, spill.ErrBudget) {
		return nil, err
	}
	debug.FreeOSMemory()
	if many {
		return twice(ctx, r, res)
	}
	return inStore(ctx, r, res)
}

// inStore counts an input whose counts, or the search in them, do not fit the memory: tuples go to
// the store.
func inStore(ctx context.Context, r *Request, res *Resources) (*Counts, error) {
	if _, err := res.Open("the distinct values and tuples"); err != nil {
		return nil, err
	}
	return twice(ctx, r, res)
}

// twice reads the input twice: once for the values of every column, which tell what codes a search
// will tell apart, and once to count the tuples of these codes.
func twice(ctx context.Context, r *Request, res *Resources) (*Counts, error) {
	s, err := survey(ctx, r, res, res.Budget.Part(res.Budget.Limit()), false)
	if err != nil {
		return nil, err
	}
	c, err := s.Bind(ctx)
	if err != nil {
		return nil, err
	}
	return c, countTuples(ctx, r, res, newBook(r, c), c)
}

// Request says what is counted of an input.
type Request struct {
	Dataset   *dataset.Dataset
	Columns   []Column // the masked ones first, in attribute order
	Masked    int      // number of masked columns
	Class     int      // position of the class column, behind all whose values are bound; −1: there is none
	Kinds     *Kinds   // nil: the kind of a record is its class
	Groupings []Grouping

	// Whole demands every value: a search would hold them anyway, so none is counted in two
	// readings for being one of many.
	Whole bool
	// Merge says which codes of the attributes are told apart when tuples are counted in a second
	// reading; nil: all.
	Merge func(*engine.Table) []engine.CodeMerge
	// Take returns how many of n records that are alike are counted, by the first one's position in
	// the input; nil: all.
	Take func(record, n uint64) (taken uint64)
	// Beside counts the same rows while their values are counted; nil: nothing does.
	Beside *Beside
	Tuning

	entities *entities // that the last column tells, when they have been counted
}

// Grouping is what is counted together.
type Grouping struct {
	Columns  []int // positions of the columns, and of the kind
	Weighted bool  // records count as much as they weigh

	Weightless bool // of no use unless there may be records that weigh nothing: then it is left out
}

// Beside is what else is counted of an input, in the reading that counts its values.
type Beside struct {
	Fields []int // columns of the input that it wants, nested ones not among them
	// Begin is called before so many workers read, and again when they must begin anew. It returns what counts
	// rows from to to−1 of a batch of these columns, on the worker of a number.
	Begin func(workers int) func(worker int, b *formats.Batch, from, to int) error
}

// Column is one column that is counted.
type Column struct {
	Field    int // of the input's schema
	Spec     *job.Column
	Taxonomy job.Taxonomy
	Pruning  engine.Pruning
	Labeler  domain.Labeler // codes values by an earlier cut; nil: they are numbered as they are found
	Most     int            // a column without an order that has more values is left out; 0: none is
	Match    *string        // the column tells only whether a value has this text: code 0; else 1
}

// matches reports whether a value has the text that is asked for.
func (c *Column) matches(values *formats.Values, i int) bool { return values.Text(i) == *c.Match }

// Tuning says when an input is counted otherwise than in one reading and in memory. The zero value
// is what was measured to be fast; others make rare ways the usual ones, for tests and measurement.
type Tuning struct {
	Spill bool // count in two readings and in a store, whatever the budget is
	Room  int  // values of a column that every worker holds before they spill; 0: what the budget allows
	Many  int  // values of a column, or tuples, that make the second reading pay; 0: as measured
}

// Many values of a column, or tuples of a set, are counted faster in two readings of the input
// than in one: first every column in order, without a table of its values, then tuples of the
// few codes that a search tells apart. Of 2,000,000 rows, of which two columns tell nearly every
// one apart, a run takes a tenth less that way. Of that many tuples the buckets outgrow the caches.
const (
	manyValues = 1 << 19
	manyTuples = 1 << 24
)

// most returns how many values or tuples are counted in one reading, 0: any number.
func (r *Request) most(many int) int {
	if r.Whole {
		return 0
	}
	return cmp.Or(r.Many, many)
}

// Resources are what counting may take.
type Resources struct {
	Budget   *spill.Budget
	Threads  int
	Open     Opener                  // opens the store, unless it is open
	Store    func() *spill.Store     // the one that is open, or nil
	Advanced func(done, total int64) // is told how many rows were read of those to be read
}

// Counts are what was counted.
type Counts struct {
	Table   *engine.Table // its groupings are those of the request
	Columns []*Bound      // of every column before the class
	weight  uint64        // of all records
}

// Bound is a column whose values are known: its domain, whose Codes are by code of the source, and
// the (code, class) pairs in its codes and the class's provisional ones.
type Bound struct {
	domain.Domain
	Pairs   partition.Pairs
	LeftOut bool         // the column has too many values: its domain is one code
	labels  domain.Coder // of a column that a cut codes: leads to its domain
}

// Coder returns the coder of a column whose domain is known.
func (r *Request) Coder(i int, c *Bound, budget *spill.Budget) (domain.Coder, error) {
	if c.labels != nil {
		return c.labels, nil
	}
	column := &r.Columns[i]
	return domain.NewCoder(&c.Attribute, r.field(column).Type, column.Taxonomy, budget)
}

// ClassCoder returns the coder of the class column, whose classes have labels.
func (r *Request) ClassCoder(labels []engine.Label, budget *spill.Budget) (domain.Coder, error) {
	class := domain.ClassAttribute(labels)
	coder, err := r.Coder(r.Class, &Bound{Domain: domain.Domain{Attribute: class}}, budget)
	return domain.Renumbered{Coder: coder, Codes: engine.Identity(class.Len()).Codes, Domain: class.Len()}, err
}

// bound returns the number of columns whose values are bound to a domain: all before the class or,
// where there is none, before what takes its place.
func (r *Request) bound() int {
	if r.Class >= 0 {
		return r.Class
	}
	n := len(r.Columns) - r.own()
	for n > 0 && r.Columns[n-1].Match != nil {
		n--
	}
	return n
}

// field returns what the schema says of a column.
func (r *Request) field(c *Column) formats.Field { return r.Dataset.Schema().Fields[c.Field] }

// className is the name of the class column, empty if there is none.
func (r *Request) className() string {
	if r.Class < 0 {
		return ""
	}
	return r.field(&r.Columns[r.Class]).Name
}
