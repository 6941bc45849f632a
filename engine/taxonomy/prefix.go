package taxonomy

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"
)

// prefixes generates a taxonomy of codes such as zip or ICD: above a value stand its first n
// characters and a star, for every n of the lengths that is shorter than the value, and at
// the top a star alone.
type prefixes struct {
	textual
	lengths []int // ascending
}

// Prefixes returns the generator of prefixes of the given lengths in characters.
func Prefixes(lengths []int) (Generator, error) {
	lengths = slices.Compact(slices.Sorted(slices.Values(lengths)))
	if len(lengths) > 0 && lengths[0] < 1 {
		return nil, fmt.Errorf("generate prefix taxonomy: length %d is not positive", lengths[0])
	}
	return &prefixes{lengths: lengths}, nil
}

func (p *prefixes) root() string { return "*" }

func (p *prefixes) path(text string, to []step) (path []step, ok bool) {
	next, characters := 0, 0
	for at := range text {
		if next == len(p.lengths) {
			break
		}
		if characters == p.lengths[next] {
			to = append(to, step{text[:at], "*"})
			next++
		}
		characters++
	}
	return to, true
}

// below returns the node, too, as a text: its star stands where a text goes on.
func (p *prefixes) below(node string) (text string, inner bool) {
	stem, starred := strings.CutSuffix(node, "*")
	return node, starred && slices.Contains(p.lengths, utf8.RuneCountInString(stem))
}
