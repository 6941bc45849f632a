// Package engine holds what all anonymization algorithms share: the attributes, whose taxonomy
// trees are those of engine/taxonomy, the requirement, the table of counts they search, and the
// Recoding they return. The algorithms are the packages below it: engine/topdown, engine/bottomup,
// engine/kactus, engine/iac and engine/mondrian. Package engine/classify judges their releases.
//
// An Engine decides; it opens no file and writes none, and knows values only as codes
// and as the texts that order them. Every engine is a pure function of its Table, its
// Requirement and its Options: the same counts give the same Recoding, whatever the
// order of the rows was.
//
// A protection beside k is added in these steps:
//
//  1. Its type implements Protection. It must be monotone, as is said there.
//  2. What it judges by, if not the size, becomes a field of Stats, and what must be counted for
//     that a part of Kinds. Set.Grouping asks for kinds then, so that the plans of all engines do.
//  3. The job's field becomes an element of Set.Others. Sets are then reduced and united by Implies.
//  4. Engines ask Set.Holds of the Stats that Kinds makes of what they have counted. Where there is no
//     protection beside k they count sizes alone.
//  5. The naive searches of the tests get it by enginetest.Holds, and so test it in every engine.
package engine

import (
	"context"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/partition"
)

// Plan says which counts an engine needs; compress makes exactly those in one reading
// of the input.
type Plan struct {
	Groupings  []Grouping // tables of distinct tuples
	Histograms bool       // value × class counts of every attribute
	Whole      bool       // domains must list every value: nothing is merged into a rest
	Pool       bool       // but of suppressed attributes, Whole or not: there the rest is made
	Leaves     bool       // the search divides leaf partitions: its steps tell how many records are Live
}

// Grouping asks for the distinct tuples of some attributes.
type Grouping struct {
	Columns  []int
	Kind     bool // with the kind of records as last code: their class, where there are no kinds
	Weighted bool // counts are sums of the weights that kinds have; records without weight are left out

	Weightless bool // may be left out, if it is the last one and all records are known to have a weight
}

// Table is the compressed input of a search.
type Table struct {
	Attributes []Attribute // in job order: first mention in the quasi-identifier sets
	Classes    int         // number of classes, in label order; 0: no class was declared
	ClassNames []Label     // of every class
	Rows       uint64
	Kinds      *Kinds                 // nil: the kind of a record is its class, and k counts records
	Whole      Stats                  // of all records; where there are no kinds Rows says it all
	Sizes      [][]uint64             // by attribute and code: what k counts, in weights; nil: records, which Histograms tell
	Groupings  []*partition.Table     // as planned, columns in the attributes' order
	Merged     bool                   // the groupings are in the codes that Merge returns; spilled ones must be
	Histograms []*partition.Histogram // one an attribute
}

// Stats returns what protections ask about all records together.
func (t *Table) Stats() Stats {
	if t.Kinds == nil {
		return Stats{Size: t.Rows}
	}
	return t.Whole
}

// KindsLen returns the number of kinds of records: of classes, where there are no kinds, and at least 1.
func (t *Table) KindsLen() int {
	if t.Kinds == nil {
		return max(1, t.Classes)
	}
	return t.Kinds.Len()
}

// CodeMerge maps the codes of an attribute to those that a search tells apart.
type CodeMerge struct {
	Codes  []uint32 // by code of the attribute
	Domain int      // every image is below it
}

// Identity returns the code merge of a domain that tells all codes apart.
func Identity(domain int) CodeMerge {
	c := CodeMerge{Codes: make([]uint32, domain), Domain: domain}
	for code := range c.Codes {
		c.Codes[code] = uint32(code)
	}
	return c
}

// Identities returns the code merge of every attribute's domain that tells all codes apart.
func Identities(attributes []Attribute) []CodeMerge {
	merges := make([]CodeMerge, len(attributes))
	for a := range attributes {
		merges[a] = Identity(attributes[a].Len())
	}
	return merges
}

// Options steer a search.
type Options struct {
	Score    Score
	Weights  []float64  // by attribute: what the scores of its specializations are multiplied by, above 0; nil: 1. Top-down only
	Balance  float64    // what a score is divided by: 1 + the specializations of its column so far, to this power; 0: 1. Top-down only
	MaxSteps int        // negative: no limit
	OnStep   func(Step) // called after every step; may be nil

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
	Mark bool // no value of the attribute: the mark of a suppressed record
}

// Engine finds a Recoding of a table that meets a requirement.
type Engine interface {
	// Plan says what Search will need of the table. It depends on the requirement alone.
	Plan(Requirement) Plan
	// Search returns the best recoding it finds. It returns ErrInfeasible when the table has
	// fewer records than some set's K. The table's groupings are consumed.
	Search(context.Context, *Table, Requirement, Options) (Recoding, error)
}

// Merger is an Engine that does not tell all codes apart.
type Merger interface {
	// Merge says which codes of every attribute Search will tell apart, given what is known before
	// tuples are counted: all of the table but its rows and groupings. Tuples that are counted in
	// these codes are fewer and shorter.
	Merge(*Table, Requirement) []CodeMerge
}

// Merge returns the codes of every attribute that an engine will tell apart: all, unless it is a Merger.
func Merge(e Engine, table *Table, requirement Requirement) []CodeMerge {
	if m, ok := e.(Merger); ok {
		return m.Merge(table, requirement)
	}
	return Identities(table.Attributes)
}

// ErrInfeasible is returned when the table has fewer records than a set's K: not even
// with everything masked would it be met.
var ErrInfeasible = fault.New(fault.Privacy, "", "the table has fewer records than k")

// ErrUnreached is returned when an algorithm whose k is its outcome ends with a smaller one
// than was asked for.
var ErrUnreached = fault.New(fault.Privacy, "", "the k asked for is not reached")

// ErrBroken is returned when a cut that is given does not meet the requirement.
var ErrBroken = fault.New(fault.Privacy, "", "the cut does not hold")

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
	// Divided writes the divided cell of every row, or Undivided. It is safe for concurrent use.
	Divided(rows Rows, cells []int32)
	// Recode writes the label numbers of rows: labels[a][i] for attribute a and row i. A row
	// that is not released has DroppedLabel in labels[0]. It is safe for concurrent use.
	Recode(rows Rows, labels [][]uint32)
	// Unsearched returns the recoding of records that were not among those searched: by their
	// codes alone, whatever their class and number.
	Unsearched() Recoding
	// Bytes returns about how much memory is taken by what grows with the records.
	Bytes() int64
}

// Rows are records of the input, in its order, to be recoded.
type Rows struct {
	N       int
	Codes   [][]uint32 // by attribute, N each
	Classes []uint32   // by row, when labels depend on it and there is one
	Counts  []uint64   // the records that each row stands for, which have the same labels; nil: one
	Taken   []uint64   // of every divided cell: its rows that came before; Recode counts on
	Memo    *Memo      // of the goroutine that recodes them, for tuples of Codes and then, if there are some, Classes; may be nil
}
