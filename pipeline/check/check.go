// Package check measures the class sizes of any table in some of its columns: how many rows share
// every combination of values, and how similar their values in sensitive columns are.
//
//	rows ──Scan──▶ tuples: digests of the columns and the entity, codes of sensitive values, and
//	               whether the row is one of the population
//	     ──Order, walk──▶ Result
//
// Table opens a table and measures it; Count measures a table that is open.
//
// The values of a row's columns become one digest of 128 bits: the sum of those of its values, cut
// from SHA-256. So a tuple takes the same few words for any number of columns with any content, and
// only values of sensitive columns are kept in lists. Tuples that do not fit in memory go to the
// store.
//
// Contract: every class is counted; there is no sampling. Two different combinations count as one
// only if their 128 bits of SHA-256 agree: with a billion combinations that happens once in 10²⁰
// tables. A null is one value like any other, and so is NaN. The result depends only on the table,
// not on files, threads, budget or spilling. No error contains a value.
//
// Limits: all values of a sensitive column must fit in memory.
package check

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// Request describes the counting of a table. Fields are those of its schema, each named once, and
// none is nested.
type Request struct {
	Dataset *dataset.Dataset
	Columns []int // whose combinations are the classes
	// identifies the person of a row: the size of a class is its number of different values; below
	// 0: its number of rows
	Entity    int
	Sensitive []int
	// Household identifies the household of a row; below 0: none does.
	Household int
	// Weight has the sampling weight of a row; below 0: there is none. It does not go with Entity.
	Weight int
	// Classes reads the rows to count, and gives their classes, instead of the values of Columns;
	// nil: all rows of Dataset are counted. It is masking.Masker.EachClass.
	Classes func(ctx context.Context, fields []int, begin func() func(
		columns []*formats.Column, from, to int, counts, classes []uint64) error) error
	K int // classes below it are small; 0: none is
	// MaxAverageRisk is the largest number of classes for each row, or person; 0: any.
	MaxAverageRisk float64
	// PopulationSize is the size of the population whose unique people are estimated; 0: none are.
	PopulationSize int64
	// Population is a table of the people from whom those of the table come; nil: there is none.
	// PopulationColumns are its fields, in the order of Columns and of the same types.
	Population        *dataset.Dataset
	PopulationColumns []int
	KMap              int     // classes of fewer people of the population are small; 0: none is
	MinPresence       float64 // the smallest and the largest share of the people of a class who may
	MaxPresence       float64 // be in the table; 0: any

	Spill bool // count in the store, for any budget
}

// Result is the class sizes of the rows of a table in some columns. If it counts people, one with
// rows in several classes counts in each of them.
type Result struct {
	Rows    int64    `json:"rows"`
	Columns []string `json:"columns"`
	Entity  string   `json:"entity,omitempty"`

	K int `json:"k,omitempty"` // of the request
	// rows, or people, of the smallest class; 0 for a table without rows
	Anonymity int64 `json:"anonymity"`
	*risk.Figures

	Register  *risk.Register `json:"register,omitempty"` // nil: there is no table of the population
	Sensitive []Sensitive    `json:"sensitive,omitempty"`
	Weighted  *risk.Weighted `json:"weighted,omitempty"`
	// nil: rows have no household
	Households *Households `json:"households,omitempty"`
	// if they were asked for
	Uniques *Uniques `json:"minimal_sample_uniques,omitempty"`

	OK     bool     `json:"ok"` // every class meets the limits of the request
	broken []string // limits that some class does not meet
}

// Sensitive is all measures of a sensitive column, each in the class where it is worst. All count
// rows.
type Sensitive struct {
	Column string `json:"column"`
	// number of different values in the table, with the null
	Values int `json:"values"`
	engine.Measurements
}

// Count counts the rows of a table.
func Count(ctx context.Context, r *Request, res *count.Resources) (*Result, error) {
	if rows := r.rows(); rows > formats.MostRecords {
		return nil, fmt.Errorf("count %d rows: more than %d: %w", rows, int64(formats.MostRecords),
			formats.ErrUnsupported)
	}
	var store *spill.Store
	if r.Spill {
		var err error
		if store, err = res.Open(tuplesName); err != nil {
			return nil, err
		}
	}
	for {
		budget := res.Budget.Part(res.Budget.Grant(&spill.CountedTuples))
		if store != nil {
			budget = res.Budget.Part(res.Budget.Limit())
		}
		space := partition.Space{
			Budget:  budget,
			Store:   store,
			Share:   res.Budget.Grant(&spill.SpilledTuples),
			Threads: res.Threads,
		}
		result, err := r.count(ctx, res, space)
		budget.Return(budget.Used())
		if err == nil || store != nil || !errors.Is(err, spill.ErrBudget) {
			return result, err
		}
		if store, err = res.Open(tuplesName); err != nil {
			return nil, err
		}
	}
}

// tuplesName is the name in messages of the data that does not fit in memory.
const tuplesName = "the distinct combinations of values"

// count counts within a space.
func (r *Request) count(ctx context.Context, res *count.Resources, space partition.Space) (*Result,
	error) {
	values := r.newValues(space.Budget)
	table, err := r.tabulate(ctx, res, space, values)
	if err != nil {
		return nil, err
	}
	w := r.newWalk(table.Layout, values, space.Budget)
	if w.homes != nil {
		defer w.homes.account.Close()
	}
	if len(values) > 0 {
		if err := table.Each(ctx, space, w.addWhole); err != nil {
			return nil, err
		}
		w.order(values)
	}
	if w.weights != nil {
		if err := w.weights.check(); err != nil {
			return nil, err
		}
	}
	// else a tuple is a class
	if len(values) > 0 || len(r.owners()) > 0 || r.Population != nil {
		space.Share = res.Budget.Grant(&spill.OrderedRecords)
		if err := table.Order(ctx, space); err != nil {
			return nil, err
		}
	}
	if err := table.Scan(ctx, space, w.add); err != nil {
		return nil, err
	}
	result := w.result()
	if err := table.Discard(space); err != nil {
		return nil, err
	}
	if w.lacking > 0 {
		return nil, fault.Errorf(fault.Input,
			"name a population that has all people of the table, with values written alike",
			"find the combinations of the table in the population: it lacks those of %s",
			text.Count(w.lacking, "row"))
	}
	return result, nil
}

// rows returns the number of rows of the table and the population.
func (r *Request) rows() int64 {
	if r.Population == nil {
		return r.Dataset.Rows()
	}
	return r.Dataset.Rows() + r.Population.Rows()
}

// numbered returns the columns whose values are numbered: the sensitive ones, then the weight.
func (r *Request) numbered() []int {
	if r.Weight < 0 {
		return r.Sensitive
	}
	return append(slices.Clone(r.Sensitive), r.Weight)
}

// newValues returns the numbering of the values of every numbered column.
func (r *Request) newValues(budget *spill.Budget) (values []*domain.Interner) {
	for _, field := range r.numbered() {
		values = append(values, domain.NewInterner(r.field(field), false, budget))
	}
	return values
}

// field returns a field of the schema.
func (r *Request) field(field int) formats.Field { return r.Dataset.Schema().Fields[field] }
