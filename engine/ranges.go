package engine

import (
	"cmp"
	"fmt"
	"math/big"
	"regexp"
	"slices"
)

// number is the form of the numbers that RangeTree reads. Exponents are short: they are
// worked out exactly.
var number = regexp.MustCompile(`^[+-]?([0-9]+\.?[0-9]*|\.[0-9]+)([eE][+-]?[0-9]{1,3})?$`)

// RangeTree generates a taxonomy of numbers: the intervals between the bounds, which must
// ascend, open at both ends of the number line, with the values in numeric order below
// them. Intervals without a value are left out. All comparisons are exact. It is an error
// if a text is no number; the error says how many.
func RangeTree(bounds []string, texts []string) (Node, error) {
	edges, err := parseBounds(bounds)
	if err != nil {
		return Node{}, fmt.Errorf("generate range taxonomy: %w", err)
	}
	values, err := parseValues(distinct(texts))
	if err != nil {
		return Node{}, fmt.Errorf("generate range taxonomy: %w", err)
	}
	root := Node{Name: "(,)"}
	for i := range len(bounds) + 1 {
		interval := Node{Name: rangeName(bounds, i)}
		for len(values) > 0 && (i == len(edges) || values[0].number.Cmp(edges[i]) < 0) {
			interval.Children = append(interval.Children, Node{Name: values[0].text})
			values = values[1:]
		}
		if len(interval.Children) > 0 {
			root.Children = append(root.Children, interval)
		}
	}
	if len(bounds) == 0 && len(root.Children) > 0 {
		root = root.Children[0]
	}
	return root, distinguish(root, texts)
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

type numberText struct {
	number *big.Rat
	text   string
}

// parseValues returns the values in numeric order, equal numbers by their text.
func parseValues(texts []string) ([]numberText, error) {
	var values []numberText
	for _, text := range texts {
		if n, ok := parseNumber(text); ok {
			values = append(values, numberText{n, text})
		}
	}
	if failed := len(texts) - len(values); failed > 0 {
		return nil, fmt.Errorf("%d of %d values are no numbers", failed, len(texts))
	}
	slices.SortFunc(values, func(x, y numberText) int {
		return cmp.Or(x.number.Cmp(y.number), cmp.Compare(x.text, y.text))
	})
	return values, nil
}

func parseNumber(text string) (*big.Rat, bool) {
	if !number.MatchString(text) {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}
