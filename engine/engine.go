package engine

import (
	"context"

	"github.com/kcut/kcut/partition"
)

// Plan says which counts an engine needs; compress makes exactly those in one reading
// of the input.
type Plan struct {
	Groupings  []Grouping // tables of distinct tuples
	Histograms bool       // value × class counts of every attribute
	Whole      bool       // domains must list every value: nothing is merged into a rest
	Pool       bool       // but of suppressed attributes, Whole or not: there the rest is made
}

// Grouping asks for the distinct tuples of some attributes, with the class as last code or without.
type Grouping struct {
	Columns []int
	Class   bool
}

// Table is the compressed input of a search.
type Table struct {
	Attributes []Attribute // in job order: first mention in the quasi-identifier sets
	Classes    int         // number of classes, in label order; 0: no class was declared
	ClassNames []Label     // of every class
	Rows       uint64
	Groupings  []*partition.Table     // as planned, columns in the attributes' order
	Coarse     bool                   // the groupings are in the codes that Codes returns; spilled ones must be
	Histograms []*partition.Histogram // one an attribute
}

// Coarsening maps the codes of an attribute to those that a search tells apart.
type Coarsening struct {
	Codes  []uint32 // by code of the attribute
	Domain int      // every image is below it
}

// Options steer a search.
type Options struct {
	Score    Score
	MaxSteps int        // negative: no limit
	OnStep   func(Step) // called after every step; may be nil

	// Performed are the candidates of the first steps of an earlier search of the same table,
	// in order: they are performed again, without a choice or a call of OnStep. Top-down only.
	Performed []int32

	// Space is what the groupings and the search may take. With a budget, the groupings'
	// bytes are drawn from it already, and all is returned to it when the search succeeds.
	Space partition.Space
}

// Score names a selection criterion (design: TDS section 4, TDR section 3.2).
type Score uint8

// The scores.
const (
	ScoreTDR      Score = iota // InfoGain/(AnonyLoss+1)
	ScoreTDS                   // InfoGain/AnonyLoss, InfoGain when there is no loss
	ScoreInfoGain              // InfoGain
)

// Step describes one performed specialization or, bottom-up, generalization: there Value is
// what Children became, InfoGain what that lost, and AnonyLoss the anonymity it gained.
type Step struct {
	Number    int
	Candidate int32 // the search's number for what was performed; top-down only
	Attribute int
	Value     Label
	Children  []Label
	InfoGain  float64
	AnonyLoss float64
	Score     float64
	Anonymity []uint64 // A(QID) after the step, of every set that Requirement.Reduce keeps, in order
	Live      uint64   // records in leaf partitions that are not discarded, summed over the sets
	Touched   uint64   // records in the leaf partitions that this and earlier steps divided, summed over steps and sets
}

// Label is a released value: a text, or the null.
type Label struct {
	Text string
	Null bool
	Mark bool // no value of the attribute: the mark of a redacted record
}

// Engine finds a Recoding of a table that meets a requirement.
type Engine interface {
	// Plan says what Search will need of the table. It depends on the requirement alone.
	Plan(Requirement) Plan
	// Codes says which codes of every attribute Search will tell apart, given what is known
	// before tuples are counted: tuples that are counted in these codes are fewer and
	// shorter. Classes and histograms are as in the Table.
	Codes(attributes []Attribute, histograms []*partition.Histogram, classes int, requirement Requirement) []Coarsening
	// Search returns the best recoding it finds. It returns ErrInfeasible when the table has
	// fewer records than some set's K. The table's groupings are consumed.
	Search(context.Context, *Table, Requirement, Options) (Recoding, error)
}

// Recoding answers one question: for this combination of codes, which labels?
type Recoding interface {
	// Labels returns the released values of an attribute, in domain order. Label numbers
	// index it.
	Labels(attribute int) []Label
	// Intervals returns the ends of a discretized attribute's labels, the null's not among
	// them; nil of other attributes.
	Intervals(attribute int) []Interval
	// Codes returns the label number of every code of an attribute, when it depends on that
	// code alone, else nil.
	Codes(attribute int) []uint32
	// Anonymity returns A(QID) of every set that the requirement keeps when it is reduced.
	Anonymity(Requirement) []uint64
	// Lost returns how many records are released with nothing but the widest labels since
	// they were too few, and how many are not released.
	Lost() (suppressed, dropped uint64)
	// ByClass reports whether a record's labels depend on its class, too.
	ByClass() bool
	// Cells returns the number of divided cells: 0 when labels do not depend on the order of rows.
	Cells() int
	// Count adds the rows of every divided cell to rows.Taken. It is safe for concurrent use.
	Count(rows Rows)
	// Recode writes the label numbers of rows: labels[a][i] for attribute a and row i. A row
	// that is not released has DroppedLabel in labels[0]. It is safe for concurrent use.
	Recode(rows Rows, labels [][]uint32)
}

// Rows are records of the input, in its order, to be recoded.
type Rows struct {
	N       int
	Codes   [][]uint32 // by attribute, N each
	Classes []uint32   // by row, when labels depend on it and there is one
	Taken   []uint64   // of every divided cell: its rows that came before; Recode and Count count on
	Memo    *Memo      // of the goroutine that recodes them, for tuples of Codes and then, if there are some, Classes; may be nil
}
