package main

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/internal/text"
)

// listedSet is a quasi-identifier set as it is listed for people.
type listedSet struct {
	columns []string
	k       int
}

// family is some sets in a row that a table lists in one line: every set of size columns of these
// columns is one of them, or within a set with a k that is not smaller. A single set is a family of
// its own, with all its columns.
type family struct {
	columns  []string
	size     int
	from, to int // positions of its sets
}

// leastFamily is the smallest number of sets that one line lists.
const leastFamily = 4

// familiesOf divides a list of sets into families, each as long as possible.
func familiesOf(sets []listedSet) (families []family) {
	for at := 0; at < len(sets); {
		f := longestFamily(sets, at)
		families = append(families, f)
		at = f.to
	}
	return families
}

// longestFamily returns the longest family that begins with a set.
func longestFamily(sets []listedSet, from int) family {
	first := sets[from]
	best := family{columns: first.columns, size: len(first.columns), from: from, to: from + 1}
	f := best
	f.columns = nil
	isKnown := func(name string) bool { return slices.Contains(f.columns, name) }
	for f.to = from; f.to < len(sets); f.to++ {
		set := sets[f.to]
		if len(set.columns) != f.size || set.k != first.k {
			break
		}
		added := slices.DeleteFunc(slices.Clone(set.columns), isKnown)
		if len(added) > 0 { // the set may begin another family
			if f.complete(sets) {
				best = f
			}
			f.columns = slices.Concat(f.columns, added)
		}
	}
	if f.complete(sets) {
		best = f
	}
	return best
}

// complete reports whether the sets are a family of several.
func (f *family) complete(sets []listedSet) bool {
	own, n := sets[f.from:f.to], len(f.columns)
	if len(own) < leastFamily || f.size == n {
		return false
	}
	all := kcut.Set{Subsets: f.size, Of: f.columns, K: own[0].k}
	const most = 2000 // twice what a job may have
	if all.Number(most) > most {
		return false
	}
	every := kcut.Job{Sets: []kcut.Set{all}}
	for _, set := range every.EverySet() {
		within := func(s listedSet) bool {
			return s.k >= set.K && !slices.ContainsFunc(set.Columns,
				func(name string) bool { return !slices.Contains(s.columns, name) })
		}
		if !slices.ContainsFunc(sets, within) {
			return false
		}
	}
	return true
}

// words returns the columns for a list, with a name that all its sets have in addition.
func (f *family) words(with []string) []string {
	words := slices.Concat(f.columns, with)
	if f.to-f.from > 1 {
		words = slices.Clone(f.columns)
		words[0] = fmt.Sprintf("every %d of %s", f.size, words[0])
		last := len(words) - 1
		words[last] += " (" + text.Count(f.to-f.from, "set") + ")"
		if len(with) > 0 {
			words[last] += " with " + strings.Join(with, ", ")
		}
	}
	return words
}
