package pipeline

import (
	"cmp"
	"maps"
	"math"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/kcut/kcut/formats/taxonomy"
)

// naiveFigures are the measures of a sensitive column in a class, by key, as papers define them.
// They are computed without engine.Measures.
type naiveFigures map[string]float64

// naiveMeasures returns the measures of a class from the shares of its values, in the class and
// in the whole table. The null is no value. It leaves out c, whose l is known later.
func naiveMeasures(class, whole map[string]float64, null string) naiveFigures {
	different, entropy, most, moved := 0.0, 0.0, 0.0, 0.0
	beta, enhanced, delta := 0.0, 0.0, 0.0
	for value, share := range class {
		if value != null {
			different++
		}
		entropy -= share * math.Log2(share)
		most = max(most, share)
	}
	for value, share := range whole {
		moved += math.Abs(class[value]-share) / 2
		if gain := (class[value] - share) / share; gain > 0 {
			beta, enhanced = max(beta, gain), max(enhanced, gain)
			if gain > 1e-9-math.Log(share) {
				enhanced = math.Inf(1)
			}
		}
		delta = max(delta, math.Abs(math.Log(class[value]/share)))
	}
	return naiveFigures{
		"l": different, "entropy_l": math.Exp2(entropy), "max_confidence": most, "t": moved,
		"basic_beta": beta, "enhanced_beta": enhanced, "delta": delta,
	}
}

// naiveOrdered returns the distance of a class's shares from those of the whole table, for numbers
// and dates. The null is behind all.
func naiveOrdered(class, whole map[string]float64, null string) float64 {
	values := slices.SortedFunc(maps.Keys(whole), func(a, b string) int {
		switch null {
		case a:
			return 1
		case b:
			return -1
		}
		return compareTexts(a, b)
	})
	ahead, moved := 0.0, 0.0
	for _, value := range values {
		ahead += class[value] - whole[value]
		moved += math.Abs(ahead)
	}
	return moved / max(1, float64(len(values)-1))
}

// naiveHierarchical returns the distance of a class's shares from those of the whole table, for the
// leaves of a tree: records move to the nearest values first. The null is far from all.
func naiveHierarchical(class, whole map[string]float64, tree *taxonomy.Node) (moved float64) {
	extra := make(map[string]float64)
	for value, share := range whole {
		extra[value] = class[value] - share
	}
	values := slices.Sorted(maps.Keys(whole))
	for height := 1; height <= heightOf(tree); height++ {
		for _, from := range values {
			for _, to := range values {
				if from != to && extra[from] > 0 && extra[to] < 0 &&
					heightAbove(tree, from, to) == height {
					n := min(extra[from], -extra[to])
					extra[from], extra[to] = extra[from]-n, extra[to]+n
					moved += n * float64(height) / float64(heightOf(tree))
				}
			}
		}
	}
	return moved
}

// heightOf returns the height of a node.
func heightOf(n *taxonomy.Node) (height int) {
	for i := range n.Children {
		height = max(height, 1+heightOf(&n.Children[i]))
	}
	return height
}

// heightAbove returns the height of the lowest node of a tree above two values: that of the tree if
// it lacks one.
func heightAbove(n *taxonomy.Node, values ...string) int {
	for i := range n.Children {
		leaves, all := leavesBelow(&n.Children[i]), true
		for _, value := range values {
			all = all && slices.Contains(leaves, value)
		}
		if all {
			return heightAbove(&n.Children[i], values...)
		}
	}
	return heightOf(n)
}

// leavesBelow returns the names of the leaves at or below a node.
func leavesBelow(n *taxonomy.Node) (names []string) {
	if n.Leaf() {
		return []string{n.Name}
	}
	for i := range n.Children {
		names = append(names, leavesBelow(&n.Children[i])...)
	}
	return names
}

// compareTexts compares the texts of two numbers, NaN last, or of two dates.
func compareTexts(a, b string) int {
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	switch {
	case errX != nil || errY != nil:
		return strings.Compare(a, b)
	case x != x:
		return 1
	case y != y:
		return -1
	case x != y || math.IsInf(x, 0):
		return cmp.Compare(x, y)
	}
	p, _ := new(big.Rat).SetString(a)
	q, _ := new(big.Rat).SetString(b)
	return p.Cmp(q)
}

// naiveRecursive returns the number that c must exceed in a class for recursive (c, l)-diversity.
// The null is no value.
func naiveRecursive(class map[string]float64, null string, l int) float64 {
	var shares []float64
	for value, share := range class {
		if value != null {
			shares = append(shares, share)
		}
	}
	slices.Sort(shares)
	tail := 0.0
	for i := 0; i <= len(shares)-l; i++ {
		tail += shares[i]
	}
	if tail == 0 {
		return math.Inf(1)
	}
	return shares[len(shares)-1] / tail
}

// isLeast reports whether a job bounds a measure from below.
func isLeast(measure string) bool { return measure == "l" || measure == "entropy_l" }

// add replaces each figure by the figure of another class if that is worse.
func (f naiveFigures) add(class naiveFigures) {
	for measure, figure := range class {
		worst, known := f[measure]
		if !known || (figure < worst) == isLeast(measure) {
			f[measure] = figure
		}
	}
}

// meets reports whether a figure is within a bound.
func (f naiveFigures) meets(measure string, bound float64) bool {
	const little = 2e-9
	if isLeast(measure) {
		return f[measure] >= bound-little
	}
	return f[measure] <= bound+little
}

// sharesOf returns the share of each value in a list.
func sharesOf(values []string) map[string]float64 {
	shares := make(map[string]float64)
	for _, value := range values {
		shares[value]++
	}
	for value, n := range shares {
		shares[value] = n / float64(len(values))
	}
	return shares
}
