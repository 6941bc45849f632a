// Package count counts the values of the columns of an input, and the records with the same tuple
// of values. A run, kcut apply and kcut evaluate use this package.
//
//	one reading:   values and tuples together, in provisional codes ──bindValues──▶ Counts
//	two readings:  values ──bindValues──▶ Counts without groupings ──▶ dictionary
//	               tuples in the codes of the dictionary ──▶ groupings of the Counts
//
// One reading decodes the input only once. Two readings need memory for fewer codes, and they can
// write values and tuples that do not fit the memory budget to a store, in sorted runs. Input
// chooses the way. Both ways give the same table.
//
// If a job has protections that need more than sizes, the sensitive profile of a record replaces
// its class in both ways: its class, its sensitive values and its weight. Package engine calls the
// profile the kind of the record. If k counts entities, one more reading before counts the records
// of every entity.
//
// Contract: Counts depend on the input and the request alone. They do not depend on threads, on the
// budget or on spilling: codes follow the order of values, and counts are integers. Memory that
// grows with the input is drawn from the budget. Errors name columns and counts, never a value.
//
// Not promised: that Counts have every value. For a generalized or suppressed column they have only
// the values that some release could disclose. For a discretized column they may have only quantile
// bins.
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
	"github.com/kcut/kcut/pipeline/resources"
	"github.com/kcut/kcut/spill"
)

// Input counts an input. It uses one reading and memory, unless two readings are faster for that
// many values or tuples, or the counts do not fit the part of the budget that they are granted. The
// rest of the budget is for the search, the readers and the garbage that is not collected yet.
func Input(ctx context.Context, r *Request, res *Resources) (*Counts, error) {
	if len(r.Dataset.Tables()) > 1 {
		return tables(ctx, r, res)
	}
	r, res, release, err := withEntities(ctx, r, res)
	if err != nil {
		return nil, err
	}
	defer release()
	if r.Spill {
		return inStore(ctx, r, res)
	}
	if r.Population != nil { // its people are counted in the codes of the records' values
		return inTwoReadings(ctx, r, res)
	}
	part := res.Budget.Part(res.Budget.Grant(&spill.Counts))
	s, err := readValues(ctx, r, res, part, true)
	if err == nil {
		var c *Counts
		if c, err = s.bindValues(ctx); err == nil {
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
		return inTwoReadings(ctx, r, res)
	}
	return inStore(ctx, r, res)
}

// inStore counts an input if the counts, or the search on them, do not fit the memory. The tuples
// go to the store.
func inStore(ctx context.Context, r *Request, res *Resources) (*Counts, error) {
	if _, err := res.Open("the distinct values and tuples"); err != nil {
		return nil, err
	}
	return inTwoReadings(ctx, r, res)
}

// inTwoReadings reads the input twice. The first reading counts the values of every column, which
// determine the codes of the search. The second reading counts the tuples of these codes.
func inTwoReadings(ctx context.Context, r *Request, res *Resources) (*Counts, error) {
	s, err := readValues(ctx, r, res, res.Budget.Part(res.Budget.Limit()), false)
	if err != nil {
		return nil, err
	}
	c, err := s.bindValues(ctx)
	if err == nil && r.Population != nil {
		c.Table.People, err = r.countPeople(ctx, c, res)
	}
	if err != nil {
		return nil, err
	}
	return c, countTuples(ctx, r, res, newDictionary(r, c), c)
}

// Request says what Input counts.
type Request struct {
	Dataset   *dataset.Dataset
	Columns   []Column        // first the masked columns, in attribute order
	Masked    int             // number of masked columns
	Class     int             // position of the class, behind all bound columns; −1: there is none
	Profile   *ProfileColumns // nil: the class is the whole sensitive profile of a record
	Groupings []Grouping

	// Whole demands every value. A search would hold all values anyway. So a column with many
	// values is no reason for two readings.
	Whole bool
	// Merge returns the codes of the attributes that are counted as one code in the second reading;
	// nil: all codes stay different.
	Merge func(*engine.Table) []engine.CodeMerge
	// Take returns how many of n equal records are counted. record is the position of the first of
	// them in the input. nil: all are counted.
	Take func(record, n uint64) (taken uint64)
	// TakeEntity reports whether the records of an entity, which has a hash, are counted, before
	// Take is asked. nil: those of all entities are counted.
	TakeEntity func(hash uint64) bool
	// SideCount counts the same rows in the reading that counts values; nil: there is none.
	SideCount *SideCount
	// Population has the people of the groupings with People; nil: there are none.
	Population *Population
	Tuning

	entities *entities // the counted entities of the last column; nil: not counted
}

// Grouping has columns whose tuples are counted.
type Grouping struct {
	Columns  []int // positions of the columns and of the sensitive profile
	Weighted bool  // the sum of the weights of records is counted instead of their number

	// Weightless says that the grouping is needed only if records may have no weight. If none may,
	// the grouping is left out.
	Weightless bool

	// People says that the people of the population are counted, too. The last code of a tuple is
	// engine.OfRecords or engine.OfPeople.
	People bool
}

// SideCount is another count of the input, in the reading that counts its values.
type SideCount struct {
	Fields []int // the columns of the input that it counts, without nested columns
	// Begin is called with the number of workers before a reading, and again before another reading
	// that starts from the beginning. It returns the function that counts the rows from ≤ i < to of
	// a batch of these columns, for the worker with the given number.
	Begin func(workers int) func(worker int, b *formats.Batch, from, to int) error
}

// Column is one column that is counted.
type Column struct {
	Field    int // the position in the input's schema
	Spec     *job.Column
	Taxonomy job.Taxonomy
	Pruning  engine.Pruning
	Labeler  domain.Labeler // codes values by an earlier cut; nil: values get numbers
	Most     int            // leave out a column without order with more values; 0: leave out none
	Match    *string        // the code is 0 if a value has this text, else 1; nil: code all values
	// Groups is a number of groups to which entities are dealt. The code is the group of the
	// entity. 0: code all values.
	Groups int
}

// IsBound reports whether a column of this kind gets a domain.
func (c *Column) IsBound() bool { return c.Match == nil && c.Groups == 0 }

// matches reports whether a value has the text Match.
func (c *Column) matches(values *formats.Values, i int) bool { return values.Text(i) == *c.Match }

// Tuning determines when an input is not counted in one reading and in memory. The zero value was
// measured to be fast. With other values, tests and measurements can use a rare way.
type Tuning struct {
	Spill bool // count in two readings and in a store, for any budget
	Room  int  // values of a column that a worker holds before it spills; 0: as the budget allows
	Many  int  // values of a column, or tuples, for which two readings pay; 0: as measured
}

// If a column has manyValues values or a set has manyTuples tuples, two readings are faster than
// one. The first reading counts every column in order, without a table of its values. The second
// reading counts the tuples of few codes. For 2,000,000 rows with two columns in which nearly every
// row is unique, a run takes a tenth less time. With manyTuples tuples the buckets outgrow the
// caches.
const (
	manyValues = 1 << 19
	manyTuples = 1 << 24
)

// most returns the largest number of values or tuples for one reading; 0: there is no limit.
func (r *Request) most(many int) int {
	if r.Whole {
		return 0
	}
	return cmp.Or(r.Many, many)
}

// Resources has the resources of counting.
type Resources struct {
	Budget  *spill.Budget
	Threads int
	// Open returns the store, which it opens unless it is open. what names, for the user, the data
	// that does not fit the memory. Several goroutines may call it at a time.
	Open     func(what string) (*spill.Store, error)
	Store    func() *spill.Store     // returns the open store, or nil
	Advanced func(done, total int64) // gets the number of rows that were read, and of all to read
}

// ResourcesOf returns the resources of a run for counting some rows in a stage. Progress is in
// these rows, also where they are read twice because memory ended: there is one total.
func ResourcesOf(r *resources.Run, stage resources.Stage, rows int64) *Resources {
	return &Resources{
		Budget: r.Budget, Threads: r.Threads, Open: r.Scratch.Open, Store: r.Scratch.Opened,
		Advanced: func(done, total int64) {
			part := float64(done) / float64(max(total, 1))
			r.Advanced(stage, resources.Progress{Done: int64(part * float64(rows)), Total: rows})
		},
	}
}

// Counts is the result of counting.
type Counts struct {
	Table   *engine.Table // has the groupings of the request
	Columns []*Bound      // every column before the class
	weight  uint64        // the weight of all records
}

// Bound is a column with known values. It has the domain of the column, whose Codes translate the
// codes of the source. It also has the (code, class) pairs, with the codes of the domain and the
// provisional codes of the class.
type Bound struct {
	domain.Domain
	Pairs   partition.Pairs
	LeftOut bool         // the column has too many values, and its domain has one code
	labels  domain.Coder // codes the values by an earlier cut; nil: there is no cut
}

// Coder returns the coder of a column with a known domain.
func (r *Request) Coder(i int, c *Bound, budget *spill.Budget) (domain.Coder, error) {
	if c.labels != nil {
		return c.labels, nil
	}
	column := &r.Columns[i]
	return domain.NewCoder(&c.Attribute, r.field(column).Type, column.Taxonomy, budget)
}

// ClassCoder returns the coder of the class column. The classes have the given labels.
func (r *Request) ClassCoder(labels []engine.Label, budget *spill.Budget) (domain.Coder, error) {
	class := domain.ClassAttribute(labels)
	coder, err := r.Coder(r.Class, &Bound{Domain: domain.Domain{Attribute: class}}, budget)
	codes := engine.Identity(class.Len()).Codes
	return domain.Renumbered{Coder: coder, Codes: codes, Domain: class.Len()}, err
}

// bound returns the number of columns that get a domain: all columns before the class. If there is
// no class, these are all columns before those with Match or Groups and before the columns of the
// sensitive profile.
func (r *Request) bound() int {
	if r.Class >= 0 {
		return r.Class
	}
	n := len(r.Columns) - r.profileColumns()
	for n > 0 && !r.Columns[n-1].IsBound() {
		n--
	}
	return n
}

// field returns the field of a column in the schema of the input.
func (r *Request) field(c *Column) formats.Field { return r.Dataset.Schema().Fields[c.Field] }

// className returns the name of the class column, or "" if there is no class.
func (r *Request) className() string {
	if r.Class < 0 {
		return ""
	}
	return r.field(&r.Columns[r.Class]).Name
}
