package pipeline

import (
	"cmp"
	"slices"
	"sort"
	"sync"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/coding"
	"github.com/kcut/kcut/pipeline/cutfile"
	"github.com/kcut/kcut/pipeline/jobfile"
	"github.com/kcut/kcut/spill"
)

// labeler is the coder of a column for which a cut is given: a value's code is the position
// of the label that covers it, so that there are as many codes as labels, however many
// values there are. Behind the labels come codes of their own:
//
//	labels | null | stray | rest | labels that the cut lacks, in the order they are met
type labeler interface {
	coding.Coder
	// size returns a number that all codes are below.
	size() int
	// strays returns the code of what has no label and must not have one.
	strays() uint32
	// isStray reports whether a value is such.
	isStray(values *formats.Values, i int) bool
	// domain makes the attribute of the column, in which every label is a code. Records has
	// how many there are of every code; of strays there are none.
	domain(spec *jobfile.Column, records []uint64) (coding.Domain, error)
}

// The codes behind the labels.
const (
	nullLabel = iota
	strayLabel
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

func (s *labelSpace) strays() uint32 { return s.code(strayLabel) }

func (s *labelSpace) size() int { return int(s.code(newLabel)) }

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

// disclosure is the labeler of a suppressed column: values that the cut discloses, and the
// rest. A value with the text of the mark is stray.
type disclosure struct {
	labelSpace
	disclosed map[string]uint32
}

func newDisclosure(column *cutfile.Column) *disclosure {
	d := &disclosure{labelSpace: newLabelSpace(column), disclosed: make(map[string]uint32)}
	for i, text := range d.texts() {
		d.disclosed[text] = uint32(i)
	}
	return d
}

func (d *disclosure) Encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error) {
	for i := from; i < values.Len(); i++ {
		codes = append(codes, d.find(values, i))
	}
	return codes, d.size(), nil
}

func (d *disclosure) find(values *formats.Values, i int) uint32 {
	var label uint32
	var ok bool
	if values.Type.Kind == formats.String { // without making a text of it
		label, ok = d.disclosed[string(values.Bytes(i))]
	} else {
		label, ok = d.disclosed[coding.TextOf(values, i)]
	}
	switch {
	case ok:
		return label
	case d.isStray(values, i):
		return d.strays()
	}
	return d.code(restLabel)
}

func (d *disclosure) isStray(values *formats.Values, i int) bool {
	return values.Type.Kind == formats.String && string(values.Bytes(i)) == engine.Suppressed
}

// domain lists the disclosed values; a null that the cut does not disclose is among the rest.
func (d *disclosure) domain(spec *jobfile.Column, records []uint64) (coding.Domain, error) {
	out := coding.Domain{Nulls: records[d.Null()]}
	out.Attribute = engine.Attribute{Name: spec.Name, Mask: engine.Suppress, Texts: d.texts(), HasRest: true, HasNull: d.hasNull}
	out.Codes = slices.Repeat([]uint32{uint32(d.n)}, len(records))
	for label := range d.n {
		out.Codes[label] = uint32(label)
	}
	if d.hasNull {
		out.Codes[d.Null()] = out.Attribute.NullCode()
	}
	out.Merges = !d.hasNull
	return out, nil
}

// spans is the labeler of a discretized column: intervals, one after the other. A value
// beyond the declared bounds is stray, as is one beyond the outer intervals.
type spans struct {
	labelSpace
	coding.Span
	starts formats.Values // of all intervals but the first
}

func (s *spans) Encode(values *formats.Values, from int, codes []uint32) ([]uint32, int, error) {
	for i := from; i < values.Len(); i++ {
		codes = append(codes, s.find(values, i))
	}
	return codes, s.size(), nil
}

func (s *spans) find(values *formats.Values, i int) uint32 {
	value, i := coding.CanonicalValue(values, i)
	switch {
	case value.Type.Kind == formats.Float && value.Words[i] == coding.CanonicalNaN:
		return s.Null()
	case s.Excludes(value, i):
		return s.strays()
	}
	return uint32(sort.Search(s.starts.Len(), func(at int) bool { return coding.CompareValues(&s.starts, at, value, i) > 0 }))
}

func (s *spans) isStray(values *formats.Values, i int) bool { return s.find(values, i) == s.strays() }

// domain has the intervals for its values, each with its lower end for a text.
func (s *spans) domain(spec *jobfile.Column, records []uint64) (coding.Domain, error) {
	out := coding.Domain{Nulls: records[s.Null()]}
	a := &out.Attribute
	*a = engine.Attribute{Name: spec.Name, Mask: engine.Discretize, HasNull: s.nulls(records), Texts: []string{""}, Positions: []float64{0}}
	for i := range s.starts.Len() {
		a.Texts, a.Positions = append(a.Texts, s.starts.Text(i)), append(a.Positions, s.starts.Float(i))
	}
	if intervals := s.intervals(); len(intervals) > 0 {
		a.LowerText, _ = cutfile.EndText(intervals[0].Lower)
		a.UpperText, _ = cutfile.EndText(intervals[len(intervals)-1].Upper)
		for i, interval := range intervals[1:] {
			a.Texts[i+1], _ = cutfile.EndText(interval.Lower)
		}
		a.Texts[0] = a.LowerText
	}
	s.place(a)
	out.Codes = make([]uint32, len(records))
	for label := range s.n {
		out.Codes[label] = uint32(label)
	}
	if a.HasNull {
		out.Codes[s.Null()] = a.NullCode()
	}
	return out, nil
}

func (s *spans) intervals() (intervals []cutfile.Label) {
	for _, label := range s.column.Cut {
		if label.Interval {
			intervals = append(intervals, label)
		}
	}
	return intervals
}

// place puts the ends of the number line at the bounds, and an open end as far away as the
// inner intervals are wide on average: what the data reaches to is not in the cut.
func (s *spans) place(a *engine.Attribute) {
	last := len(a.Positions) - 1
	width := 1.0
	if last > 1 {
		width = (a.Positions[last] - a.Positions[1]) / float64(last-1)
	}
	a.Lower, a.Upper = a.Positions[min(1, last)]-width, a.Positions[last]+width
	if s.Lower != nil {
		a.Lower = s.Lower.Float(0)
	}
	if s.Upper != nil {
		a.Upper = s.Upper.Float(0)
	}
	a.Positions[0] = a.Lower
}

// novelties are labels that a cut lacks, in the order in which they are met.
type novelties struct {
	column string
	budget *spill.Budget

	mu     sync.Mutex
	number map[string]uint32
	names  []string
}

// noveltyBytes is what a new label takes, beside its name.
const noveltyBytes = 160

// add returns the number of a label.
func (n *novelties) add(name string) (uint32, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if number, ok := n.number[name]; ok {
		return number, nil
	}
	if err := n.budget.Draw("the new labels of column "+n.column, noveltyBytes+2*int64(len(name))); err != nil {
		return 0, err
	}
	if n.number == nil {
		n.number = make(map[string]uint32)
	}
	number := uint32(len(n.names))
	n.number[name] = number
	n.names = append(n.names, name)
	return number, nil
}

func (n *novelties) len() int {
	n.mu.Lock()
	defer n.mu.Unlock()
	return len(n.names)
}

// occurring returns the names of the labels that have records, bytewise, and where each was.
func (n *novelties) occurring(records []uint64) (names []string, at []int) {
	for i := range n.names {
		if i < len(records) && records[i] > 0 {
			at = append(at, i)
		}
	}
	slices.SortFunc(at, func(a, b int) int { return cmp.Compare(n.names[a], n.names[b]) })
	for _, i := range at {
		names = append(names, n.names[i])
	}
	return names, at
}
