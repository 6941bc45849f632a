package domain

import (
	"github.com/kcut/kcut/pipeline/cutfile"
)

// Labeler is the coder of a column for which a cut is given: a value's code is the position
// of the label that covers it, so that there are as many codes as labels, however many
// values there are. Behind the labels come codes of their own:
//
//	labels | null | unmapped | rest | labels that the cut lacks, in the order they are met
type Labeler interface {
	Coder
	// Size returns a number that all codes are below.
	Size() int
	// Unmapped returns the code of what has no label and must not have one.
	Unmapped() uint32
	// Domain makes the attribute of the column, in which every label is a code. Records has
	// how many there are of every code; of unmapped values there are none.
	Domain(records []uint64) (Domain, error)
}

// The codes behind the labels.
const (
	nullLabel = iota
	unmappedLabel
	restLabel
	newLabel
)

// labelSpace is what all labelers share.
type labelSpace struct {
	column  *cutfile.Column
	n       int  // labels but the null
	hasNull bool // a label is the null
}

func newLabelSpace(column *cutfile.Column) labelSpace {
	s := labelSpace{column: column}
	for _, label := range column.Cut {
		if label.Null {
			s.hasNull = true
		} else {
			s.n++
		}
	}
	return s
}

func (s *labelSpace) Unmapped() uint32 { return s.code(unmappedLabel) }

func (s *labelSpace) Size() int { return int(s.code(newLabel)) }

func (s *labelSpace) code(of int) uint32 { return uint32(s.n + of) }

func (s *labelSpace) Null() uint32 { return s.code(nullLabel) }

// nulls reports whether the null is in the domain: since the cut has it, or records have.
func (s *labelSpace) nulls(records []uint64) bool { return s.hasNull || records[s.Null()] > 0 }

// texts returns the labels but the null.
func (s *labelSpace) texts() (texts []string) {
	for _, label := range s.column.Cut {
		if !label.Null {
			texts = append(texts, label.Label)
		}
	}
	return texts
}
