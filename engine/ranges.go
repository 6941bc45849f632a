package engine

import (
	"cmp"
	"fmt"
	"math/big"
	"regexp"
	"slices"
	"sort"
)

// number is the form of the numbers that ranges are made of. Exponents are short: they are
// worked out exactly.
var number = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$`)

// ranges generates a taxonomy of numbers: the intervals between bounds, open at both ends
// of the number line, with the values in numeric order below them. Intervals without a
// value are left out. All comparisons are exact.
type ranges struct {
	edges []*big.Rat
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
	n, ok := parseNumber(text)
	if !ok || len(r.names) == 0 {
		return to, ok
	}
	interval := sort.Search(len(r.edges), func(e int) bool { return n.Cmp(r.edges[e]) < 0 })
	return append(to, step{stem: r.names[interval]}), true
}

// scattered is true: 5 is between 49 and 51.
func (r *ranges) scattered() bool { return true }

// arrange sorts intervals from below, and numbers by value, equal ones by their text.
func (r *ranges) arrange(siblings []*branch) {
	numbers := make(map[*branch]*big.Rat, len(siblings))
	for _, b := range siblings {
		if place := slices.Index(r.names, b.stem); place >= 0 {
			numbers[b] = big.NewRat(int64(place), 1)
		} else {
			numbers[b], _ = parseNumber(b.stem)
		}
	}
	slices.SortFunc(siblings, func(x, y *branch) int {
		return cmp.Or(numbers[x].Cmp(numbers[y]), cmp.Compare(x.stem, y.stem))
	})
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

func parseBounds(bounds []string) ([]*big.Rat, error) {
	var edges []*big.Rat
	for i, text := range bounds {
		edge, ok := parseNumber(text)
		if !ok {
			return nil, fmt.Errorf("bound %d is no number", i+1)
		}
		if i > 0 && edge.Cmp(edges[i-1]) <= 0 {
			return nil, fmt.Errorf("bound %d is not above the one before", i+1)
		}
		edges = append(edges, edge)
	}
	return edges, nil
}

func parseNumber(text string) (*big.Rat, bool) {
	if !number.MatchString(text) {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}
