package evaluate

import (
	"encoding/binary"
	"slices"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/spill"
)

// Release is what the release of a training part costs. Its equivalence classes are the
// records that share the labels of all quasi-identifiers, whatever sets these are in.
type Release struct {
	// Discernibility is the sum of the squared sizes of the equivalence classes; a record that
	// is not released counts as many as there are records (Bayardo and Agrawal, 2005).
	Discernibility float64
	// Penalty is the normalized certainty penalty, a mean over all records and
	// quasi-identifiers: 0 for a value, 1 for what covers all values (Xu and others, 2006).
	Penalty float64
	// ClassSize is how many times as large as k the equivalence classes are on average
	// (LeFevre and others, 2006).
	ClassSize float64
	// Misclassified is the classification metric: the share of records that are not released or
	// not of their equivalence class's most frequent class (Iyengar, 2002).
	Misclassified float64
	// Dropped is the number of records that are not released.
	Dropped float64
}

// measure returns the metrics of a release. The penalties are of every attribute's labels.
func measure(released *part, dropped uint64, penalties [][]float64, k, classes int, budget *spill.Budget) (Release, error) {
	groups, err := equivalenceClasses(released, classes, budget)
	if err != nil {
		return Release{}, err
	}
	rows := float64(released.rows + dropped)
	m := Release{Dropped: float64(dropped), Discernibility: float64(dropped) * rows}
	wrong := dropped
	for _, counts := range groups {
		size, largest := uint64(0), uint64(0)
		for _, n := range counts {
			size, largest = size+n, max(largest, n)
		}
		m.Discernibility += float64(size) * float64(size)
		wrong += size - largest
	}
	m.Misclassified = float64(wrong) / rows
	if len(groups) > 0 {
		m.ClassSize = rows / float64(len(groups)) / float64(k)
	}
	m.Penalty = (penalty(released, penalties) + float64(dropped)) / rows
	return m, nil
}

// equivalenceClasses returns the class counts of all equivalence classes, in the order of their
// first records. What they take is drawn.
func equivalenceClasses(p *part, classes int, budget *spill.Budget) (groups [][]uint64, err error) {
	number := make(map[string]int)
	bytes := int64(4*len(p.masked) + 8*classes + 96) // with the places in the map
	var key []byte
	for i, n := range p.counts {
		key = key[:0]
		for _, labels := range p.masked {
			key = binary.LittleEndian.AppendUint32(key, labels[i])
		}
		group, ok := number[string(key)]
		if !ok {
			if err := budget.Draw("equivalence classes", bytes); err != nil {
				return nil, err
			}
			group = len(groups)
			number[string(key)] = group
			groups = append(groups, make([]uint64, classes))
		}
		groups[group][p.class[i]] += uint64(n)
	}
	return groups, nil
}

// penalty returns the records' penalties, summed over them and the mean over their attributes.
// It counts labels first, so that the sum does not depend on the records' order.
func penalty(p *part, penalties [][]float64) (sum float64) {
	for a, labels := range p.masked {
		counts := make([]uint64, len(penalties[a]))
		for i, label := range labels {
			counts[label] += uint64(p.counts[i])
		}
		for label, n := range counts {
			sum += float64(float64(n) * penalties[a][label])
		}
	}
	return sum / float64(len(p.masked))
}

// penalties returns what every label loses: the share of the values, or of the range, that it
// covers; nothing if it is a value.
func (l labels) penalties() []float64 {
	penalties := make([]float64, len(l.values))
	penalty := l.setPenalty
	switch l.Mask {
	case engine.Discretize:
		penalty = l.intervalPenalty
	case engine.Generalize:
		penalty = l.nodePenalty()
	}
	for i, v := range l.values {
		if !v.Null {
			penalties[i] = penalty(i)
		}
	}
	return penalties
}

func (l labels) intervalPenalty(label int) float64 {
	lower, upper := l.ends(label)
	if l.Upper == l.Lower {
		return 0
	}
	return (upper - lower) / (l.Upper - l.Lower)
}

// nodePenalty returns the penalties of labels that are nodes. The null is a leaf under the root.
func (l labels) nodePenalty() func(label int) float64 {
	node := make(map[string]int, l.Tree.Len())
	for n := range l.Tree.Len() {
		node[l.Tree.Name(n)] = n
	}
	null := l.Len() - len(l.Texts)
	return func(label int) float64 {
		n := node[l.values[label].Text]
		below := l.Tree.Values(n)
		if n == 0 {
			below += null
		}
		if below == 1 {
			return 0
		}
		return float64(below) / float64(l.Tree.Values(0)+null)
	}
}

// setPenalty is the penalty of a value, of a set of values, as in {a|b}, or of all.
func (l labels) setPenalty(label int) float64 {
	text := l.values[label].Text
	switch {
	case text == engine.Suppressed:
		return 1
	case slices.Contains(l.Texts, text) || !strings.HasPrefix(text, "{"):
		return 0
	}
	values := 1
	for i := 0; i < len(text); i++ {
		switch text[i] {
		case '\\':
			i++
		case '|':
			values++
		}
	}
	if values == 1 {
		return 0
	}
	return float64(values) / float64(l.Len())
}
