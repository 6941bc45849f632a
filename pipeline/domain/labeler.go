package domain

import (
	"cmp"
	"slices"
	"sync"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/spill"
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
	n       int              // labels but the null
	hasNull bool             // a label is the null
	begin   func() findLabel // for one goroutine
	added   *newLabels       // nil: there are none
}

// findLabel returns the code of a value, which is the one that it is to a search.
type findLabel func(values *formats.Values, i int) (uint32, error)

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

func (s *labelSpace) Encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error) {
	find := s.begin()
	for i := from; i < values.Len(); i++ {
		code, err := find(canonicalValue(values, i))
		if err != nil {
			return nil, 0, err
		}
		codes = append(codes, code)
	}
	return codes, s.Size(), nil
}

func (s *labelSpace) Unmapped() uint32 { return s.code(unmappedLabel) }

func (s *labelSpace) Size() int { return int(s.code(newLabel)) + s.added.len() }

func (s *labelSpace) code(of int) uint32 { return uint32(s.n + of) }

func (s *labelSpace) Null() uint32 { return s.code(nullLabel) }

// add returns the code of a label that the cut lacks.
func (s *labelSpace) add(name string) (uint32, error) {
	number, err := s.added.number(name)
	return s.code(newLabel) + number, err
}

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

// domain returns the domain of an attribute whose first codes are the labels.
func (s *labelSpace) domain(a engine.Attribute, records []uint64) Domain {
	a.Name = s.column.Name
	out := Domain{Attribute: a, Codes: make([]uint32, len(records)), Nulls: records[s.Null()]}
	for label := range s.n {
		out.Codes[label] = uint32(label)
	}
	if a.HasNull {
		out.Codes[s.Null()] = a.NullCode()
	}
	return out
}

// newLabels are labels that a cut lacks, in the order in which they are met.
type newLabels struct {
	what   string // they are
	budget *spill.Budget

	mu      sync.Mutex
	numbers map[string]uint32
	names   []string
}

// newLabelBytes is what a new label takes, beside its name.
const newLabelBytes = 160

func (n *newLabels) number(name string) (uint32, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if number, ok := n.numbers[name]; ok {
		return number, nil
	}
	if err := n.budget.Draw(n.what, newLabelBytes+2*int64(len(name))); err != nil {
		return 0, err
	}
	if n.numbers == nil {
		n.numbers = make(map[string]uint32)
	}
	number := uint32(len(n.names))
	n.numbers[name] = number
	n.names = append(n.names, name)
	return number, nil
}

func (n *newLabels) len() int {
	if n == nil {
		return 0
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.names)
}

// occurring returns the names of the labels that have records, bytewise, and where each was.
func (n *newLabels) occurring(records []uint64) (names []string, at []int) {
	for i := range min(n.len(), len(records)) {
		if records[i] > 0 {
			at = append(at, i)
		}
	}
	slices.SortFunc(at, func(a, b int) int { return cmp.Compare(n.names[a], n.names[b]) })
	for _, i := range at {
		names = append(names, n.names[i])
	}
	return names, at
}
