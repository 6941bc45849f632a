package engine

import (
	"cmp"
	"math"
	"slices"
	"strconv"

	"github.com/kcut/kcut/internal/text"
	"github.com/kcut/kcut/partition"
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

	L int // of recursive (c, l)-diversity

	// the values of the whole table in their order, and by value its rank; nil: they have none
	Order *Order
	Rank  []uint32
	// the whole table in a hierarchy of its values, and by value its leaf; nil: there is none
	Spread *Spread
	Leaf   []uint32
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
	Given        bool // it needs more than the records: only a job or a cut has it
	Strict       bool // a figure that equals the limit does not meet it

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
	// RecursiveC is the number that c must exceed: the records with the most frequent value,
	// divided by those without the l−1 most frequent ones (recursive (c, l)-diversity, the same
	// paper). Infinity: fewer than l values.
	RecursiveC = &Measure{
		Key: "c", Name: "Recursive c", Strict: true, of: recursiveC,
		at: func(m *Measurements) **float64 { return &m.C },
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
	// OrderedCloseness is the same for values that have an order, by which neighbors are near and
	// the first and the last one are as far apart as any. Infinity: they have no order.
	OrderedCloseness = &Measure{
		Key: "t_ordered", Name: "Distance t in order", Relative: true, of: orderedDistance,
		at: func(m *Measurements) **float64 { return &m.TOrdered },
	}
	// HierarchicalCloseness is the same for values in a tree, in which values are the farther
	// apart, the higher the node is below which both are. Infinity: there is no tree.
	HierarchicalCloseness = &Measure{
		Key: "t_hierarchical", Name: "Distance t in a tree", Relative: true, Given: true,
		of: hierarchicalDistance, at: func(m *Measurements) **float64 { return &m.THierarchical },
	}
	// BasicBeta is the largest gain of a value's share over that in the whole table, relative to
	// the latter (basic β-likeness, Cao and Karras 2012, Definition 2).
	BasicBeta = &Measure{
		Key: "basic_beta", Name: "Basic β", Relative: true, of: basicBeta,
		at: func(m *Measurements) **float64 { return &m.BasicBeta },
	}
	// EnhancedBeta is the same. Infinity: a value gains more than −ln of its share in the whole
	// table, which no β allows (enhanced β-likeness, Definition 3).
	EnhancedBeta = &Measure{
		Key: "enhanced_beta", Name: "Enhanced β", Relative: true, of: enhancedBeta,
		at: func(m *Measurements) **float64 { return &m.EnhancedBeta },
	}
	// Delta is the largest logarithm of the ratio, either way, of a value's share and that in the
	// whole table (δ-disclosure privacy, Brickell and Shmatikov 2008). Infinity: the class lacks a
	// value.
	Delta = &Measure{
		Key: "delta", Name: "Disclosure δ", Relative: true, of: delta,
		at: func(m *Measurements) **float64 { return &m.Delta },
	}
)

// Measures are all measures, in the order in which jobs and results have them.
//
// Each is monotone: where two classes meet a limit, their union does.
//   - l: the union has the values of both.
//   - c: of n records let the most frequent value have r and the l−1 most frequent ones s. The
//     limit is r < c·(n − s). A union's n is the sum of two, its r and its s are at most the sums.
//   - The others: shares in a union are averages of those in its classes. Entropy is concave in the
//     shares, the sum of their distances convex, and the rest are bounds of each share by itself: δ
//     from below, too, and so above 0.
var Measures = []*Measure{
	DistinctL, RecursiveC, EntropyL, MaxConfidence, Closeness, OrderedCloseness,
	HierarchicalCloseness, BasicBeta, EnhancedBeta, Delta,
}

// Measurements are the figures of a sensitive column, each of the class in which it is worst; nil:
// it was not asked for, or is infinite.
type Measurements struct {
	L             *float64 `json:"l,omitempty"`
	C             *float64 `json:"c,omitempty"`
	EntropyL      *float64 `json:"entropy_l,omitempty"`
	MaxConfidence *float64 `json:"max_confidence,omitempty"`
	T             *float64 `json:"t,omitempty"`
	TOrdered      *float64 `json:"t_ordered,omitempty"`
	THierarchical *float64 `json:"t_hierarchical,omitempty"`
	BasicBeta     *float64 `json:"basic_beta,omitempty"`
	EnhancedBeta  *float64 `json:"enhanced_beta,omitempty"`
	Delta         *float64 `json:"delta,omitempty"`
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
	Value *float64 // nil: it was not asked for, or is infinite
}

// String returns the figure for people, with four significant digits if it is no whole number.
func (m Measurement) String() string {
	switch {
	case m.Value == nil:
		return ""
	case math.IsInf(*m.Value, 0):
		return "no finite figure"
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
	all, entropy := float64(partition.Sum(h.Records)), 0.0
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
	return float64(largest) / float64(max(1, partition.Sum(h.Records)))
}

func distance(h Histogram) float64 {
	all, left, moved := float64(partition.Sum(h.Records)), h.Total, 0.0
	for value, n := range h.Records {
		moved += math.Abs(float64(n)/all - float64(h.Whole[value])/float64(h.Total))
		left -= h.Whole[value]
	}
	return (moved + float64(left)/float64(h.Total)) / 2
}

func orderedDistance(h Histogram) float64 {
	if h.Order == nil {
		return math.Inf(1)
	}
	return h.Order.distance(h)
}

func hierarchicalDistance(h Histogram) float64 {
	if h.Spread == nil {
		return math.Inf(1)
	}
	return h.Spread.distance(h)
}

// recursiveC returns the figure for the limit's l.
func recursiveC(h Histogram) float64 {
	least := h.RecursiveC(h.L)
	if len(least) < h.L-1 {
		return math.Inf(1)
	}
	return least[h.L-2]
}

// RecursiveC returns the number that c must exceed in the class, for each l from 2 to the given
// one, or to the number of different values if that is smaller.
func (h Histogram) RecursiveC(most int) (least []float64) {
	var counts []uint64
	for value, n := range h.Records {
		if n > 0 && value+1 != h.Null {
			counts = append(counts, n)
		}
	}
	slices.SortFunc(counts, func(a, b uint64) int { return cmp.Compare(b, a) })
	rest := partition.Sum(counts)
	for i := 0; i+1 < min(most, len(counts)); i++ {
		rest -= counts[i]
		least = append(least, float64(counts[0])/float64(rest))
	}
	return least
}

// ratios returns the smallest and the largest ratio of the share of a value and its share in the
// whole table.
func (h Histogram) ratios() (least, most float64) {
	all, left := partition.Sum(h.Records), h.Total
	least = math.Inf(1)
	for value, n := range h.Records {
		if whole := h.Whole[value]; whole > 0 {
			ratio := float64(n) / float64(all) / (float64(whole) / float64(h.Total))
			least, most = min(least, ratio), max(most, ratio)
			left -= whole
		}
	}
	if left > 0 {
		least = 0
	}
	return least, most
}

func basicBeta(h Histogram) float64 {
	_, most := h.ratios()
	return max(0, most-1)
}

func enhancedBeta(h Histogram) float64 {
	all := float64(partition.Sum(h.Records))
	for value, n := range h.Records {
		if n == 0 {
			continue
		}
		share := float64(h.Whole[value]) / float64(h.Total)
		if float64(n)/all > share*(1-math.Log(share))+Slack {
			return math.Inf(1)
		}
	}
	return basicBeta(h)
}

func delta(h Histogram) float64 {
	least, most := h.ratios()
	return max(math.Log(most), -math.Log(least))
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
	switch {
	case m.Least:
		return figure >= bound-min(Slack*bound, 0.5)
	case m.Strict:
		return figure < bound-Slack
	}
	return figure <= bound+Slack
}
