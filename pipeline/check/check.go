// Package check tells how well the rows of any table hide each other in some of its columns: how many share
// every combination of their values, and what these have in common in sensitive columns.
//
//	rows ──Scan──▶ tuples: digest of the columns, digest of the entity, codes of the sensitive values ──Order, walk──▶ Result
//
// The values of a row's columns become one digest of 128 bits: the sum of those of its values, cut from SHA-256. So a
// tuple takes the same few words however many columns there are and whatever they hold, and no list of values is
// kept but that of sensitive columns. What does not fit the memory goes to the store.
//
// Contract: every class is counted; none stands for others. Two combinations are taken for one only where 128 bits of
// SHA-256 agree: among a billion that happens once in 10²⁰ tables. A null is one value like any other, and so is NaN.
// The result depends on the table alone, not on files, threads, budget or spilling. No error holds a value.
//
// Not promised: that a sensitive column, all of whose values are held, fits the memory.
package check

import (
	"context"
	"errors"
	"fmt"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/partition"
	"github.com/kcut/kcut/pipeline/count"
	"github.com/kcut/kcut/pipeline/domain"
	"github.com/kcut/kcut/pipeline/risk"
	"github.com/kcut/kcut/spill"
)

// Request says what is counted of a table. Fields are those of its schema, each named once, and none is nested.
type Request struct {
	Dataset   *dataset.Dataset
	Columns   []int // whose combinations are classes
	Entity    int   // that tells of whom a row is: classes have as many people as different values; below 0: they have rows
	Sensitive []int
	K         int // classes below it are small; 0: none is

	Spill bool // count in the store, whatever the budget is
}

// Result tells how well the rows of a table hide each other in some columns. Where it counts people instead of rows, one
// with rows in several classes counts in each of them.
type Result struct {
	Rows    int64    `json:"rows"`
	Columns []string `json:"columns"`
	Entity  string   `json:"entity,omitempty"`

	K         int   `json:"k,omitempty"` // that was asked for
	Anonymity int64 `json:"anonymity"`   // rows, or people, of the smallest class; 0 of a table without rows
	*risk.Figures

	Sensitive []Sensitive `json:"sensitive,omitempty"`
	OK        bool        `json:"ok"` // no class is below K
}

// Sensitive tells of the values of a sensitive column in the class where each measure is worst. All are in rows.
type Sensitive struct {
	Column        string  `json:"column"`
	Values        int     `json:"values"`         // different ones in the table, the null among them
	L             int     `json:"l"`              // different ones, the null not among them
	EntropyL      float64 `json:"entropy_l"`      // equally frequent ones of the same entropy
	MaxConfidence float64 `json:"max_confidence"` // largest share of one
	T             float64 `json:"t"`              // share of the rows to be moved until they are as in the table
}

// Count counts the rows of a table.
func Count(ctx context.Context, r *Request, res *count.Resources) (*Result, error) {
	if rows := r.Dataset.Rows(); rows > formats.MostRecords {
		return nil, fmt.Errorf("count %d rows: more than %d: %w", rows, int64(formats.MostRecords), formats.ErrUnsupported)
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
		space := partition.Space{Budget: budget, Store: store, Share: res.Budget.Grant(&spill.SpilledTuples)}
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

// tuplesName is what the user is told that does not fit the memory.
const tuplesName = "the distinct combinations of values"

// count counts within a space.
func (r *Request) count(ctx context.Context, res *count.Resources, space partition.Space) (*Result, error) {
	values := r.newValues(space.Budget)
	table, err := r.tabulate(ctx, res, space, values)
	if err != nil {
		return nil, err
	}
	w := r.newWalk(table.Layout, values)
	if len(r.Sensitive) > 0 {
		if err := table.Scan(ctx, space, w.addWhole); err != nil {
			return nil, err
		}
	}
	if len(r.Sensitive) > 0 || r.Entity >= 0 { // else every tuple is a class
		space.Share = res.Budget.Grant(&spill.OrderedRecords)
		if err := table.Order(ctx, space); err != nil {
			return nil, err
		}
	}
	if err := table.Scan(ctx, space, w.add); err != nil {
		return nil, err
	}
	return w.result(), table.Discard(space)
}

// newValues returns what numbers the values of every sensitive column.
func (r *Request) newValues(budget *spill.Budget) (values []*domain.Interner) {
	for _, field := range r.Sensitive {
		values = append(values, domain.NewInterner(r.field(field), false, budget))
	}
	return values
}

// field returns what the schema says of a field.
func (r *Request) field(field int) formats.Field { return r.Dataset.Schema().Fields[field] }
