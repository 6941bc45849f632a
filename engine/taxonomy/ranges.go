package taxonomy

import (
	"cmp"
	"fmt"
	"slices"
	"sort"
)

// ranges generates a taxonomy of numbers: the intervals between bounds, open at both ends
// of the number line, with the values in numeric order below them. Intervals without a
// value are left out. All comparisons are exact.
type ranges struct {
	edges []decimal
	names []string // of the intervals in order; none without bounds
}

// Ranges returns the generator of the intervals between the bounds, which must ascend.
func Ranges(bounds []string) (Generator, error) {
	edges, err := parseBounds(bounds)
	if err != nil {
		return nil, fmt.Errorf("generate range taxonomy: %w", err)
	}
	r := &ranges{edges: edges}
	if len(bounds) > 0 {
		for i := range len(bounds) + 1 {
			r.names = append(r.names, rangeName(bounds, i))
		}
	}
	return r, nil
}

func (r *ranges) root() string { return "(,)" }

func (r *ranges) path(text string, to []step) (path []step, ok bool) {
	n, ok := parseDecimal(text)
	if !ok || len(r.names) == 0 {
		return to, ok
	}
	interval := sort.Search(len(r.edges), func(e int) bool { return n.compare(&r.edges[e]) < 0 })
	return append(to, step{stem: r.names[interval]}), true
}

// scattered is true: 5 is between 49 and 51.
func (r *ranges) scattered() bool { return true }

// arrange sorts intervals from below, and numbers by value, equal ones by their text.
func (r *ranges) arrange(siblings []*branch) {
	places := make([]place, len(siblings))
	for i, b := range siblings {
		places[i] = r.place(b)
	}
	slices.SortFunc(places, func(x, y place) int {
		return cmp.Or(x.interval-y.interval, x.number.compare(&y.number), cmp.Compare(x.branch.stem, y.branch.stem))
	})
	for i := range places {
		siblings[i] = places[i].branch
	}
}

// place is where a node belongs among its siblings: an interval's number, or a value's.
type place struct {
	branch   *branch
	interval int
	number   decimal
}

func (r *ranges) place(b *branch) place {
	if n, ok := parseDecimal(b.stem); ok {
		return place{branch: b, number: n}
	}
	return place{branch: b, interval: slices.Index(r.names, b.stem)}
}

func (r *ranges) misfits(texts, all int) error {
	return fmt.Errorf("generate range taxonomy: %d of %d values are no numbers", texts, all)
}

// rangeName returns the name of the interval before bound i.
func rangeName(bounds []string, i int) string {
	opening, lower, upper := "(", "", ""
	if i > 0 {
		opening, lower = "[", bounds[i-1]
	}
	if i < len(bounds) {
		upper = bounds[i]
	}
	return opening + lower + "," + upper + ")"
}

func parseBounds(bounds []string) ([]decimal, error) {
	var edges []decimal
	for i, text := range bounds {
		edge, ok := parseDecimal(text)
		if !ok {
			return nil, fmt.Errorf("bound %d is no number", i+1)
		}
		if i > 0 && edge.compare(&edges[i-1]) <= 0 {
			return nil, fmt.Errorf("bound %d is not above the one before", i+1)
		}
		edges = append(edges, edge)
	}
	return edges, nil
}

// below returns the node: intervals stand directly below the top.
func (r *ranges) below(node string) (text string, inner bool) {
	return node, slices.Contains(r.names, node)
}
