// Package family finds families in lists of quasi-identifier sets: runs of sets that a list for
// people shows in one line, as "every 3 of a, b, c, d".
//
// Contract: the families of a list cover it in its order, each set once. The words of a family say
// nothing that does not hold of its sets and of those that imply the others of its size.
//
// Limits: sets that are not next to each other are in no family.
package family

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kcut/kcut"
	"github.com/kcut/kcut/internal/text"
)

// Set is a quasi-identifier set of a list. K is 0 if it does not matter.
type Set struct {
	Columns []string
	K       int
}

// Family is some sets in a row: every choice of a certain number of its columns is one of them, or
// within a set with a k that is not smaller. A single set is a family of its own.
type Family struct {
	From, To int // positions of its sets: From ≤ position < To
	columns  []string
	size     int // number of columns of each set
}

// least is the smallest number of sets that one line lists.
const least = 4

// Of divides a list of sets into families, each as long as possible.
func Of(sets []Set) (families []Family) {
	for at := 0; at < len(sets); {
		f := longest(sets, at)
		families = append(families, f)
		at = f.To
	}
	return families
}

// longest returns the longest family that begins with a set.
func longest(sets []Set, from int) Family {
	first := sets[from]
	best := Family{columns: first.Columns, size: len(first.Columns), From: from, To: from + 1}
	f := best
	f.columns = nil
	isKnown := func(name string) bool { return slices.Contains(f.columns, name) }
	for f.To = from; f.To < len(sets); f.To++ {
		set := sets[f.To]
		if len(set.Columns) != f.size || set.K != first.K {
			break
		}
		added := slices.DeleteFunc(slices.Clone(set.Columns), isKnown)
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
func (f *Family) complete(sets []Set) bool {
	own, n := sets[f.From:f.To], len(f.columns)
	if len(own) < least || f.size == n {
		return false
	}
	all := kcut.Set{Subsets: f.size, Of: f.columns, K: own[0].K}
	const most = 2000 // twice what a job may have
	if all.Number(most) > most {
		return false
	}
	every := kcut.Job{Sets: []kcut.Set{all}}
	for _, set := range every.EverySet() {
		within := func(s Set) bool {
			return s.K >= set.K && !slices.ContainsFunc(set.Columns,
				func(name string) bool { return !slices.Contains(s.Columns, name) })
		}
		if !slices.ContainsFunc(sets, within) {
			return false
		}
	}
	return true
}

// Words returns the columns for a list, with a name that all its sets have in addition.
func (f *Family) Words(with []string) []string {
	words := slices.Concat(f.columns, with)
	if f.To-f.From > 1 {
		words = slices.Clone(f.columns)
		words[0] = fmt.Sprintf("every %d of %s", f.size, words[0])
		last := len(words) - 1
		words[last] += " (" + text.Count(f.To-f.From, "set") + ")"
		if len(with) > 0 {
			words[last] += " with " + strings.Join(with, ", ")
		}
	}
	return words
}
