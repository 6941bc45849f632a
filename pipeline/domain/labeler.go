package domain

import (
	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
)

// Labeler is the coder of a column for which a cut is given: a value's code is the position of the
// label that covers it, so that there are as many codes as labels, however many values there are.
// Special codes follow those of the labels:
//
//	labels | null | unmapped | rest | labels that the cut does not have, in order of occurrence
type Labeler interface {
	Coder
	// Size returns a number that exceeds all codes.
	Size() int
	// Unmapped returns the code of values that have no label and must not have one.
	Unmapped() uint32
	// Domain makes the attribute of the column, in which every label is a code. Records are by
	// code; no record has the unmapped code.
	Domain(records []uint64) (Domain, error)
}

// The codes behind the labels.
const (
	nullLabel = iota
	unmappedLabel
	restLabel
	newLabel
)

// labelSpace is the common part of all labelers.
type labelSpace struct {
	column  *CutColumn
	texts   []string    // labels without the null
	n       int         // number of texts
	hasNull bool        // a label is the null
	begin   func() find // returns a find for one goroutine
	added   *Interner   // numbers the labels that the cut does not have; nil: there can be none
	places  int         // number of places, which follow the labels, see placeLabeler
}

func newLabelSpace(column *CutColumn) labelSpace {
	texts, null := column.Texts()
	return labelSpace{column: column, texts: texts, n: len(texts), hasNull: null}
}

func (s *labelSpace) Encode(values *formats.Values, from int, codes []uint32) ([]uint32, int,
	error) {
	codes, err := s.begin().encode(values, from, codes)
	return codes, s.Size(), err
}

func (s *labelSpace) Unmapped() uint32 { return s.code(unmappedLabel) }

func (s *labelSpace) Size() int {
	size := int(s.code(newLabel)) + s.places
	if s.added != nil {
		s.added.mu.Lock()
		defer s.added.mu.Unlock()
		size += s.added.values.Len()
	}
	return size
}

func (s *labelSpace) code(of int) uint32 { return uint32(s.n + of) }

func (s *labelSpace) Null() uint32 { return s.code(nullLabel) }

// add returns the code of a label that the cut does not have.
func (s *labelSpace) add(name []byte) (uint32, error) {
	number, err := s.added.numberText(name)
	return s.code(newLabel) + number - 1, err
}

// occurring returns the names of the added labels that have records, bytewise, and their codes.
func (s *labelSpace) occurring(records []uint64) (names []string, codes []uint32) {
	if s.added == nil {
		return nil, nil
	}
	for _, number := range s.added.byText() {
		if code := s.code(newLabel) + number - 1; int(code) < len(records) && records[code] > 0 {
			names, codes = append(names, s.added.values.Text(int(number)-1)), append(codes, code)
		}
	}
	return names, codes
}

// nulls reports whether the domain has a null: because the cut has it, or records have.
func (s *labelSpace) nulls(records []uint64) bool { return s.hasNull || records[s.Null()] > 0 }

// domain returns the domain of an attribute whose first codes are the labels.
func (s *labelSpace) domain(a engine.Attribute, records []uint64) Domain {
	a.Name = s.column.Name
	out := Domain{
		Attribute: a,
		Codes:     make([]uint32, len(records)),
		Nulls:     records[s.Null()],
		Outside:   s.outside(records),
	}
	for label := range s.n {
		out.Codes[label] = uint32(label)
	}
	if a.HasNull {
		out.Codes[s.Null()] = a.NullCode()
	}
	return out
}

// outside returns the number of records whose values the cut does not cover.
func (s *labelSpace) outside(records []uint64) (n uint64) {
	if !s.column.Tells() {
		return 0
	}
	if !s.hasNull {
		n = records[s.Null()]
	}
	for _, of := range records[s.code(restLabel):] {
		n += of
	}
	return n
}

// disclosure is the labeler of a suppressed column: values that the cut discloses, and the rest. A
// value with the text of the mark is unmapped.
type disclosure struct {
	labelSpace
	disclosed map[string]uint32
}

func newDisclosure(column *CutColumn) *disclosure {
	d := &disclosure{labelSpace: newLabelSpace(column), disclosed: make(map[string]uint32)}
	for i, text := range d.texts {
		d.disclosed[text] = uint32(i)
	}
	d.begin = func() find { return d.find }
	return d
}

func (d *disclosure) find(values *formats.Values, i int) (uint32, error) {
	var label uint32
	var ok bool
	if values.Type.Kind == formats.String { // without making a text of it
		label, ok = d.disclosed[string(values.Bytes(i))]
	} else {
		label, ok = d.disclosed[values.Text(i)]
	}
	switch {
	case ok:
		return label, nil
	case values.Type.Kind == formats.String && string(values.Bytes(i)) == engine.Suppressed:
		return d.Unmapped(), nil
	}
	return d.code(restLabel), nil
}

// Domain lists the disclosed values; a null that the cut does not disclose belongs to the rest.
func (d *disclosure) Domain(records []uint64) (Domain, error) {
	out := d.domain(engine.Attribute{
		Mask:    engine.Suppress,
		Texts:   d.texts,
		HasRest: true,
		HasNull: d.hasNull,
	}, records)
	out.Codes[d.code(restLabel)] = uint32(d.n)
	if out.Merges = !d.hasNull; out.Merges {
		out.Codes[d.Null()] = uint32(d.n)
	}
	return out, nil
}
