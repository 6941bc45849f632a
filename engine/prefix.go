package engine

import (
	"fmt"
	"slices"
)

// PrefixTree generates a taxonomy of codes such as zip or ICD: above a value stand its
// first n characters and a star, for every n of lengths that is shorter than the value,
// and at the top a star alone.
func PrefixTree(lengths []int, texts []string) (Node, error) {
	lengths = slices.Compact(slices.Sorted(slices.Values(lengths)))
	if len(lengths) > 0 && lengths[0] < 1 {
		return Node{}, fmt.Errorf("generate prefix taxonomy: length %d is not positive", lengths[0])
	}
	texts = distinct(texts)
	root := &branch{name: "*"}
	for _, text := range texts {
		root.insert(append(prefixes(lengths, text), text)...)
	}
	tree := root.node()
	return tree, distinguish(tree, texts)
}

// prefixes returns the starred prefixes of a text, shortest first.
func prefixes(lengths []int, text string) []string {
	characters := []rune(text)
	var path []string
	for _, n := range lengths {
		if n < len(characters) {
			path = append(path, string(characters[:n])+"*")
		}
	}
	return path
}
