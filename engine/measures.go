package engine

import (
	"math"
	"strconv"

	"github.com/kcut/kcut/internal/text"
)

// Slack is the tolerance for floats: a share in decimals has no exact float, and sums of floats
// depend on their order.
const Slack = 1e-9

// Histogram is the number of records with each value of a sensitive column in an equivalence class.
// The lists may leave out values that the class does not have.
type Histogram struct {
	Records []uint64 // by value: of the class
	Whole   []uint64 // by value: of the whole table
	Total   uint64   // all records of the whole table
	Null    int      // 1 + the position of the null, where it does not count as a value; else 0

	// by value: the largest share that it may have of the class, where single values have limits;
	// else nil
	Most []float64
}

// Measure is a measure of a sensitive column's values in an equivalence class. Here is its only
// definition: searches and verification hold classes against limits of it, and checks report it.
type Measure struct {
	Key  string // in jobs, cuts and results
	Name string // as a heading
	// A limit is the least figure that a class may have; otherwise it is the largest one.
	Least bool
	// A class that meets a limit still does when it gains any records. So the records that have to
	// be suppressed for others to meet it are the same in any order.
	Suppressible bool
	Relative     bool // the figure compares the class with the whole table

	of func(Histogram) float64       // the figure of a class
	at func(*Measurements) **float64 // where results have it
}

// The measures.
var (
	// DistinctL is the number of different values (distinct l-diversity, Machanavajjhala and others
	// 2007).
	DistinctL = &Measure{
		Key: "l", Name: "Different values", Least: true, Suppressible: true, of: distinctValues,
		at: func(m *Measurements) **float64 { return &m.L },
	}
	// EntropyL is the number of equally frequent values that have the same entropy (entropy
	// l-diversity).
	EntropyL = &Measure{
		Key: "entropy_l", Name: "Entropy, as of values", Least: true, of: entropyL,
		at: func(m *Measurements) **float64 { return &m.EntropyL },
	}
	// MaxConfidence is the largest share of a value, among those that have a limit of their own if
	// some have.
	MaxConfidence = &Measure{
		Key: "max_confidence", Name: "Largest share", of: largestShare,
		at: func(m *Measurements) **float64 { return &m.MaxConfidence },
	}
	// Closeness is the share of the records that must change their value until the class has the
	// value frequencies of the whole table (t-closeness with equal distances, Li and others 2007).
	Closeness = &Measure{
		Key: "t", Name: "Distance t", Relative: true, of: distance,
		at: func(m *Measurements) **float64 { return &m.T },
	}
)

// Measures are all measures, in the order in which jobs and results have them.
var Measures = []*Measure{DistinctL, EntropyL, MaxConfidence, Closeness}

// Measurements are the figures of a sensitive column, each of the class in which it is worst; nil:
// it was not asked for.
type Measurements struct {
	L             *float64 `json:"l,omitempty"`
	EntropyL      *float64 `json:"entropy_l,omitempty"`
	MaxConfidence *float64 `json:"max_confidence,omitempty"`
	T             *float64 `json:"t,omitempty"`
}

// List returns the figures of all measures.
func (m *Measurements) List() (all []Measurement) {
	for _, measure := range Measures {
		all = append(all, Measurement{measure, *measure.at(m)})
	}
	return all
}

// Measurement is the figure of a measure.
type Measurement struct {
	*Measure
	Value *float64 // nil: it was not asked for
}

// String returns the figure for people, with four significant digits if it is no whole number.
func (m Measurement) String() string {
	switch {
	case m.Value == nil:
		return ""
	case *m.Value == math.Trunc(*m.Value):
		return text.Grouped(int64(*m.Value))
	}
	return strconv.FormatFloat(*m.Value, 'g', 4, 64)
}

func distinctValues(h Histogram) (distinct float64) {
	for value, n := range h.Records {
		if n > 0 && value+1 != h.Null {
			distinct++
		}
	}
	return distinct
}

func entropyL(h Histogram) float64 {
	all, entropy := float64(sum(h.Records)), 0.0
	for _, n := range h.Records {
		if n > 0 {
			share := float64(n) / all
			entropy -= float64(share * math.Log(share))
		}
	}
	return math.Exp(entropy)
}

func largestShare(h Histogram) float64 {
	largest := uint64(0)
	for value, n := range h.Records {
		if h.Most == nil || h.Most[value] < 1 {
			largest = max(largest, n)
		}
	}
	return float64(largest) / float64(max(1, sum(h.Records)))
}

func distance(h Histogram) float64 {
	all, left, moved := float64(sum(h.Records)), h.Total, 0.0
	for value, n := range h.Records {
		moved += math.Abs(float64(n)/all - float64(h.Whole[value])/float64(h.Total))
		left -= h.Whole[value]
	}
	return (moved + float64(left)/float64(h.Total)) / 2
}

// sum returns the sum of counts.
func sum(counts []uint64) (all uint64) {
	for _, n := range counts {
		all += n
	}
	return all
}

// worse returns the worse one of two figures.
func (m *Measure) worse(a, b float64) float64 {
	if m.Least {
		return min(a, b)
	}
	return max(a, b)
}

// meets reports whether a figure is within a bound. Numbers of values are exact.
func (m *Measure) meets(figure, bound float64) bool {
	if m.Least {
		return figure >= bound-min(Slack*bound, 0.5)
	}
	return figure <= bound+Slack
}
