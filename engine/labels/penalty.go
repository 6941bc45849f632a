package labels

import (
	"strings"

	"github.com/kcut/kcut/engine"
)

// Penalty returns the normalized certainty penalty of a release (Xu and others, 2006): the mean
// over all records of a table and its attributes, 0 when all values are released, 1 when nothing
// is. Dropped and suppressed records cost 1, except in an attribute with one value.
func Penalty(table *engine.Table, recoding engine.Recoding) (penalty float64) {
	for a := range table.Attributes {
		penalty += PenaltyOf(table, recoding, a)
	}
	return penalty / float64(len(table.Attributes))
}

// PenaltyOf returns the penalty of one attribute: the mean over all records.
func PenaltyOf(table *engine.Table, recoding engine.Recoding, attribute int) (sum float64) {
	penalties, rest := Of(&table.Attributes[attribute], recoding, attribute).Penalties(), table.Rows
	for label, records := range sizes(table, recoding, attribute) {
		sum += float64(float64(records) * penalties[label])
		rest -= records
	}
	sum += float64(float64(rest) * lost(recoding, attribute, penalties))
	return sum / float64(max(1, table.Rows))
}

// Kept returns the number of records whose label of an attribute is one value, or one node below
// the root, and that of those whose label is a null.
func Kept(table *engine.Table, recoding engine.Recoding, attribute int) (single, nulls uint64) {
	of := Of(&table.Attributes[attribute], recoding, attribute)
	penalties := of.Penalties()
	for label, records := range sizes(table, recoding, attribute) {
		isNode := of.Mask == engine.Generalize && penalties[label] < 1 &&
			len(engine.Members(of.values[label])) == 1
		switch {
		case of.values[label].Null:
			nulls += records
		case penalties[label] == 0 || isNode:
			single += records
		}
	}
	return single, nulls
}

// lost returns the penalty of a record that is suppressed or dropped: 1, except for an attribute
// with one value, which its mark discloses.
func lost(recoding engine.Recoding, attribute int, penalties []float64) float64 {
	if cut, ok := recoding.(*engine.Cut); ok && cut.Suppression != nil &&
		cut.Suppression.Marks != nil {
		return penalties[cut.Suppression.Marks[attribute]]
	}
	return 1
}

// sizes returns the number of records with every label of an attribute, without those that are
// suppressed or dropped.
func sizes(table *engine.Table, recoding engine.Recoding, attribute int) []uint64 {
	sizes := make([]uint64, len(recoding.Labels(attribute)))
	switch r := recoding.(type) {
	case *engine.Regions:
		for region, records := range r.Sizes {
			sizes[r.Region(int32(region))[attribute]] += records
		}
	case *engine.Cut:
		return r.Sizes(table, attribute)
	}
	return sizes
}

// Penalties returns the loss of every label: the share of the values, or of the range, that it
// covers; 0 for one value.
func (l Labels) Penalties() []float64 {
	penalties := make([]float64, len(l.values))
	penalty := l.setPenalty
	switch l.Mask {
	case engine.Discretize:
		penalty = l.intervalPenalty
	case engine.Generalize:
		penalty = l.nodePenalty
	}
	for i, v := range l.values {
		if !v.Null {
			penalties[i] = penalty(i)
		}
	}
	return penalties
}

// intervalPenalty returns an interval's share of the whole range, from its least to its greatest
// value: [3,4) covers one integer. In a set with it the null is one more value.
func (l Labels) intervalPenalty(label int) (penalty float64) {
	lower, upper := l.ends(label)
	if !l.values[label].Mark && l.intervals[label].Hi < len(l.Texts) {
		upper = max(lower, upper-l.Spacing)
	}
	if lower != upper {
		penalty = (upper - lower) / (l.Upper - l.Lower)
	}
	if !l.values[label].Mark && l.intervals[label].HasNull() {
		numbers := float64(len(l.Texts))
		penalty = (float64(penalty*numbers) + 1) / (numbers + 1)
	}
	return penalty
}

// nodePenalty returns the penalty of a node, or of a set of nodes. The null is a leaf under the
// root.
func (l Labels) nodePenalty(label int) float64 {
	null, below := l.Len()-len(l.Texts), 0
	for _, node := range l.NodesIn(l.values[label]) {
		if node == engine.NullNode || node == 0 {
			below += null
		}
		if node != engine.NullNode {
			below += l.Tree.Values(int(node))
		}
	}
	if below == 1 {
		return 0
	}
	return float64(below) / float64(l.Tree.Values(0)+null)
}

// setPenalty returns the penalty of a value, of a set of values, as in {a|b}, or of all values.
func (l Labels) setPenalty(label int) float64 {
	text := l.values[label].Text
	_, found := l.Find(text)
	switch {
	case text == engine.Suppressed:
		return 1
	case found || !strings.HasPrefix(text, "{"):
		return 0
	}
	values := len(engine.Members(l.values[label]))
	if values == 1 {
		return 0
	}
	return float64(values) / float64(l.Len())
}
