// Package engine has the types that all anonymization algorithms share: the attributes with the
// taxonomy trees of engine/taxonomy, the requirement, the table of counts that a search reads, and
// the Recoding that a search returns. The algorithms are in the packages below: engine/topdown,
// engine/bottomup, engine/kactus, engine/iac and engine/mondrian. Package engine/classify judges
// their releases.
//
// Contract: an Engine decides. It opens and writes no file. It knows values only as codes and as
// the texts that order the values. Every engine is a pure function of its Table, its Requirement
// and its Options: the same counts give the same Recoding, for any order of the rows.
//
// To add a protection other than k:
//
//  1. Write a type that implements Protection. It must be monotone, as the comment of Protection
//     defines.
//  2. If the size does not suffice to judge records, add the figures that the protection needs to
//     Stats, and add the counts for these figures to Kinds. Then Set.Grouping and the plans of all
//     engines ask for kinds.
//  3. Turn the field of the job into an element of Set.Others. Implies reduces and unites sets.
//  4. The engines need no change. They call Set.Holds with the Stats that Kinds computes from their
//     counts. Without a protection other than k they count only sizes.
//  5. Package enginetest tests every engine against naive searches. These call Set.Holds with the
//     Stats of enginetest, which must have the new figures, too.
//
// A measure of sensitive columns needs less work: add an element to Measures. Its limits are
// protections.
package engine

import (
	"context"

	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/partition"
)

// Plan lists the counts that an engine needs; the counting makes exactly these from the input.
type Plan struct {
	Groupings  []Grouping // tables of distinct tuples
	Histograms bool       // count the values of every attribute by class
	Whole      bool       // domains must list every value: no value goes to the rest
	Pool       bool       // even then, values of suppressed attributes go to the rest
	// the search divides leaf partitions: its steps have the number of Live records
	Leaves bool
}

// Grouping asks for the distinct tuples of some attributes.
type Grouping struct {
	Columns  []int
	Kind     bool // the last code is the kind of the records: their class, where there are no kinds
	Weighted bool // counts are sums of the weights of kinds; records without weight are left out

	// may be left out if it is the last one and all records are known to have a weight
	Weightless bool

	// People asks for the tuples of the records and of the people of the population together. The
	// last code is OfRecords or OfPeople.
	People bool
}

// The last codes of tuples of a Grouping with People.
const (
	OfRecords = iota
	OfPeople
)

// Table is the compressed input of a search.
type Table struct {
	Attributes []Attribute // in job order: by the first quasi-identifier set that names them
	Classes    int         // number of classes, in label order; 0: the job declares no class
	ClassNames []Label     // of every class
	Rows       uint64
	Kinds      *Kinds // nil: the kind of a record is its class, and k counts records
	// figures of all records; where there are no kinds, Rows suffices
	Whole Stats
	// by attribute and code: the weights that k counts; nil: k counts records, as in Histograms
	Sizes [][]uint64
	// one for each grouping of the plan, with columns in the attributes' order
	Groupings []*partition.Table
	// the groupings use the codes that Merge returns; spilled ones must
	Merged     bool
	Histograms []*partition.Histogram // one for each attribute
	// People has by attribute and code the people of the population; nil: there is none, or it
	// lacks the attribute. They may have codes that no record has.
	People [][]uint64
}

// Stats returns the figures of all records that protections ask for.
func (t *Table) Stats() Stats {
	if t.Kinds == nil {
		return Stats{Size: t.Rows}
	}
	return t.Whole
}

// KindsLen returns the number of kinds of records: of classes, where there are no kinds, and at
// least 1.
func (t *Table) KindsLen() int {
	if t.Kinds == nil {
		return max(1, t.Classes)
	}
	return t.Kinds.Len()
}

// CodeMerge maps the codes of an attribute to those that a search distinguishes.
type CodeMerge struct {
	Codes  []uint32 // by code of the attribute
	Domain int      // a bound above every new code
}

// Identity returns the code merge that leaves all codes of a domain distinct.
func Identity(domain int) CodeMerge {
	c := CodeMerge{Codes: make([]uint32, domain), Domain: domain}
	for code := range c.Codes {
		c.Codes[code] = uint32(code)
	}
	return c
}

// Identities returns the code merges that leave all codes of every attribute distinct.
func Identities(attributes []Attribute) []CodeMerge {
	merges := make([]CodeMerge, len(attributes))
	for a := range attributes {
		merges[a] = Identity(attributes[a].Len())
	}
	return merges
}

// Options control a search.
type Options struct {
	Score Score
	// by attribute: factors above 0 of the scores of its specializations, or, in Mondrian, of its
	// widths; nil: 1. Others ignore it
	Weights []float64
	// a score is divided by this power of 1 + the specializations of its column so far; 0: by 1.
	// Top-down only
	Balance  float64
	MaxSteps int        // negative: no limit
	OnStep   func(Step) // called after every step; may be nil

	// Space is the memory and the store for the groupings and the search. With a budget, the bytes
	// of the groupings are drawn from it already, and a search that succeeds returns all of them.
	Space partition.Space
}

// Score names a selection criterion (design: TDS section 4, TDR section 3.2).
type Score uint8

// The scores.
const (
	ScoreTDR      Score = iota // InfoGain/(AnonyLoss+1)
	ScoreTDS                   // InfoGain/AnonyLoss, or InfoGain when there is no loss
	ScoreInfoGain              // InfoGain
)

// Step describes one specialization or, bottom-up, one generalization. In a generalization, Value
// replaces Children, InfoGain is the information lost, and AnonyLoss the anonymity gained.
type Step struct {
	Number    int
	Attribute int
	Value     Label
	Children  []Label
	InfoGain  float64
	AnonyLoss float64
	Score     float64
	// A(QID) after the step, of every set that Requirement.Reduce keeps, in order
	Anonymity []uint64
	Live      uint64 // records in leaf partitions that can still be divided, summed over the sets
	// records in the leaf partitions that this and earlier steps divided, summed over steps and
	// sets
	Touched uint64
}

// Label is a released value: a text, or the null.
type Label struct {
	Text string
	Null bool
	Mark bool // no value of the attribute, but the mark of a suppressed record
}

// Engine finds a Recoding of a table that meets a requirement.
type Engine interface {
	// Plan returns the counts that Search will need in the table. It depends only on the
	// requirement.
	Plan(Requirement) Plan
	// Search returns the best recoding that it finds. It returns ErrInfeasible when the table has
	// fewer records than some set's K. It consumes the table's groupings.
	Search(context.Context, *Table, Requirement, Options) (Recoding, error)
}

// Merger is an Engine that does not distinguish all codes.
type Merger interface {
	// Merge returns the codes of every attribute that Search will distinguish, given the facts
	// known before tuples are counted: the table without its rows and groupings. Tuples that are
	// counted in these codes are fewer and shorter.
	Merge(*Table, Requirement) []CodeMerge
}

// Merge returns the codes of every attribute that an engine will distinguish: all, unless it is a
// Merger.
func Merge(e Engine, table *Table, requirement Requirement) []CodeMerge {
	if m, ok := e.(Merger); ok {
		return m.Merge(table, requirement)
	}
	return Identities(table.Attributes)
}

// ErrInfeasible is returned when the table has fewer records than a set's K: even a fully masked
// table would not meet it.
var ErrInfeasible = fault.New(fault.Privacy, "", "the table has fewer records than k")

// ErrPopulation is returned when all records and all people of the population together do not meet
// a set's limits. It is an ErrInfeasible.
var ErrPopulation error = &fault.Error{
	Class: fault.Privacy, Hint: "lower k_map or min_presence, or raise max_presence",
	Err: infeasible("the whole population does not meet k_map or a presence"),
}

// ErrRisk is returned when all records together, as one class, have a higher average risk than is
// allowed. It is an ErrInfeasible.
var ErrRisk error = &fault.Error{
	Class: fault.Privacy, Hint: "raise max_risk.average, or give more rows",
	Err: infeasible("even with everything masked, as one class, they have a higher risk"),
}

// infeasible is a text about an ErrInfeasible.
type infeasible string

func (i infeasible) Error() string { return string(i) }

func (infeasible) Unwrap() error { return ErrInfeasible }

// ErrUnreached is returned by an algorithm that finds its k when that k is smaller than the k of
// the job.
var ErrUnreached = fault.New(fault.Privacy, "", "the k asked for is not reached")

// ErrBroken is returned when a given cut does not meet the requirement.
var ErrBroken = fault.New(fault.Privacy, "", "the cut does not hold")

// Recoding answers one question: which labels has this combination of codes?
type Recoding interface {
	// Labels returns the released values of an attribute, in domain order. Label numbers are
	// positions in this list.
	Labels(attribute int) []Label
	// Intervals returns the ends of a discretized attribute's labels, without the null; nil for
	// other attributes.
	Intervals(attribute int) []Interval
	// Codes returns the label number of every code of an attribute, if the label depends only on
	// that code, else nil.
	Codes(attribute int) []uint32
	// Anonymity returns A(QID) of every set that the reduced requirement keeps.
	Anonymity(Requirement) []uint64
	// Lost returns the number of records that are released with only the widest labels because they
	// were too few, and the number of records that are not released.
	Lost() (suppressed, dropped uint64)
	// ByClass reports whether a record's labels depend on its class, too.
	ByClass() bool
	// Cells returns the number of divided cells. It is 0 when labels do not depend on the order of
	// rows.
	Cells() int
	// Divided writes the number of the divided cell of every row, or Undivided. It is safe for
	// concurrent use.
	Divided(rows Rows, cells []int32)
	// Recode writes the label numbers of rows: labels[a][i] for attribute a and row i. A row that
	// is not released has DroppedLabel in labels[0]. It is safe for concurrent use.
	Recode(rows Rows, labels [][]uint32)
	// Unsearched returns the recoding of records that the search did not see: only by their codes,
	// whatever their class and number.
	Unsearched() Recoding
	// Bytes returns the approximate memory of the parts that grow with the records.
	Bytes() int64
}

// Rows are records of the input, in its order, for recoding.
type Rows struct {
	N       int
	Codes   [][]uint32 // by attribute, N each
	Classes []uint32   // by row, if labels depend on the class and there is one
	// by row: the number of records with these codes, which get the same labels; nil: one
	Counts []uint64
	Taken  []uint64 // by divided cell: the number of its earlier rows; Recode adds to it
	// memo of this goroutine, for tuples of Codes followed by Classes if there are some; may be nil
	Memo *Memo
}
