package taxonomy

import (
	"cmp"
	"errors"
	"fmt"
	"math/big"
	"slices"
	"sort"
	"strconv"
	"strings"
)

// decimal is a number to be compared exactly.
type decimal struct {
	text string
	near float64 // the nearest one, which orders all but close numbers; infinite beyond all
}

// maxExponentDigits is how long a written exponent may be.
const maxExponentDigits = 3

// parseDecimal reads an optional sign, digits with an optional point among or around them,
// and an optional exponent.
func parseDecimal(text string) (d decimal, ok bool) {
	near, err := strconv.ParseFloat(text, 64)
	_, power, _ := strings.Cut(strings.ToLower(text), "e")
	if err != nil && !errors.Is(err, strconv.ErrRange) || strings.Trim(text, "+-.0123456789eE") != "" ||
		len(strings.TrimLeft(power, "+-")) > maxExponentDigits {
		return decimal{}, false
	}
	return decimal{text, near}, true
}

// compare orders numbers by value.
func (d *decimal) compare(other *decimal) int {
	if d.near != other.near || d.text == other.text {
		return cmp.Compare(d.near, other.near)
	}
	x, _ := new(big.Rat).SetString(d.text)
	y, _ := new(big.Rat).SetString(other.text)
	return x.Cmp(y)
}

// ranges generates a taxonomy of numbers: the intervals between bounds, open at both ends
// of the number line, with the values in numeric order below them. Intervals without a
// value are left out. All comparisons are exact.
type ranges struct {
	edges []decimal
	names []string // of the intervals in order; none without bounds
}

// Ranges returns the generator of the intervals between the bounds, which must ascend.
func Ranges(bounds []string) (Generator, error) {
	r, opening := &ranges{}, "("
	for i, text := range bounds {
		edge, ok := parseDecimal(text)
		if !ok {
			return nil, fmt.Errorf("generate range taxonomy: bound %d is no number", i+1)
		}
		if i > 0 && edge.compare(&r.edges[i-1]) <= 0 {
			return nil, fmt.Errorf("generate range taxonomy: bound %d is not above the one before", i+1)
		}
		r.edges, r.names = append(r.edges, edge), append(r.names, opening+","+text+")")
		opening = "[" + text
	}
	if len(bounds) > 0 {
		r.names = append(r.names, opening+",)")
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
	type place struct {
		branch   *branch
		interval int // of an interval
		number   decimal
	}
	places := make([]place, len(siblings))
	for i, b := range siblings {
		places[i].branch = b
		var ok bool
		if places[i].number, ok = parseDecimal(b.stem); !ok {
			places[i].interval = slices.Index(r.names, b.stem)
		}
	}
	slices.SortFunc(places, func(x, y place) int {
		return cmp.Or(x.interval-y.interval, x.number.compare(&y.number), cmp.Compare(x.branch.stem, y.branch.stem))
	})
	for i := range places {
		siblings[i] = places[i].branch
	}
}

func (r *ranges) misfits(texts, all int) error {
	return fmt.Errorf("generate range taxonomy: %d of %d values are no numbers", texts, all)
}

// below returns the node: intervals stand directly below the top.
func (r *ranges) below(node string) (text string, inner bool) {
	return node, slices.Contains(r.names, node)
}
