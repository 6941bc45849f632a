package jobfile

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats/taxonomy"
	"github.com/kcut/kcut/formats/yaml"
)

// TaxonomySource says where a taxonomy comes from: exactly one of its exported fields is set.
type TaxonomySource struct {
	Name      string         // a name among the job's taxonomies (columns only)
	File      string         // a file with one tree, YAML or CSV (named taxonomies only)
	Tree      *taxonomy.Node // an inline tree
	Generator *Generator
	pos       pos
}

// Generator makes a taxonomy of the values that occur. Exactly one of its fields is set.
type Generator struct {
	Prefix []int    // lengths of prefixes in characters, descending: the levels above the values
	Date   []string // units that dates are generalized to, each coarser than the one before
	Ranges []string // ascending numbers, as text: the edges between ranges
}

// generators are the words that make a map with one list a generator.
var generators = []string{"prefix", "date", "ranges"}

// checkTaxonomy checks the taxonomy of a column: a name, a tree or a generator.
func (l *loader) checkTaxonomy(n *yaml.Node) bool {
	if n.Kind == yaml.Scalar {
		if n.Text == "" {
			l.add(n, "", "taxonomy is empty")
			return false
		}
		l.specs[n] = &TaxonomySource{Name: n.Text, pos: posOf(n)}
		return true
	}
	return l.checkInline(n)
}

// checkTaxonomies checks the top-level taxonomies: a path, or a map of files, trees and
// generators.
func (l *loader) checkTaxonomies(n *yaml.Node) bool {
	switch {
	case n.Kind == yaml.Scalar && n.Text != "":
		return true
	case n.Kind != yaml.Map || len(n.Entries) == 0:
		l.add(n, "", "taxonomies must be a path, or a map from names to taxonomies, not %s", describeNode(n))
		return false
	}
	whole := true
	for _, e := range n.Entries {
		switch {
		case e.Value.Null() || e.Value.Kind == yaml.Scalar && e.Value.Text == "":
			l.add(e.Key, "", "taxonomy %q has no value", e.Key.Text)
			whole = false
		case e.Value.Kind == yaml.Scalar:
			l.specs[e.Value] = &TaxonomySource{File: openable(l.file, e.Value.Text), pos: posOf(e.Value)}
		default:
			whole = l.checkInline(e.Value) && whole
		}
	}
	return whole
}

// checkInline checks an inline tree or a generator.
func (l *loader) checkInline(n *yaml.Node) bool {
	if n.Kind == yaml.Map && len(n.Entries) == 1 {
		e := n.Entries[0]
		if slices.Contains(generators, e.Key.Text) && e.Value.Kind == yaml.List {
			return l.checkGenerator(n, e.Key.Text, e.Value)
		}
	}
	tree, problems := taxonomy.New(n)
	for _, p := range problems {
		at := l.problemAt(pos{p.Line, p.Column}, "%s", p.Message)
		at.Hint = p.Hint
		l.problems = append(l.problems, at)
	}
	l.specs[n] = &TaxonomySource{Tree: tree, pos: posOf(n)}
	return tree != nil
}

// checkGenerator checks {prefix: […]}, {date: […]} or {ranges: […]}.
func (l *loader) checkGenerator(n *yaml.Node, word string, list *yaml.Node) bool {
	g := &Generator{}
	check := map[string]func(*Generator, *yaml.Node) string{
		"prefix": (*Generator).addPrefix, "date": (*Generator).addDate, "ranges": (*Generator).addRange,
	}[word]
	for _, item := range list.Items {
		message := "must be a single value"
		if item.Kind == yaml.Scalar && !item.Null() {
			message = check(g, item)
		}
		if message != "" {
			l.add(item, "", "%s: %s", word, message)
			return false
		}
	}
	if len(list.Items) == 0 {
		l.add(list, "", "%s: at least one value is needed", word)
		return false
	}
	l.specs[n] = &TaxonomySource{Generator: g, pos: posOf(n)}
	return true
}

// addPrefix adds a length. It returns what is wrong with it.
func (g *Generator) addPrefix(n *yaml.Node) string {
	v, err := strconv.Atoi(n.Text)
	switch {
	case err != nil || n.Quoted || v < 1:
		return "a length must be an integer of at least 1, not " + describeScalar(n)
	case len(g.Prefix) > 0 && v >= g.Prefix[len(g.Prefix)-1]:
		return "lengths must descend, the longest prefix first"
	}
	g.Prefix = append(g.Prefix, v)
	return ""
}

// addDate adds a unit. It returns what is wrong with it.
func (g *Generator) addDate(n *yaml.Node) string {
	unit := slices.Index(engine.DateLevels, n.Text)
	switch {
	case unit < 0:
		return fmt.Sprintf("a unit must be one of %s, not %q", strings.Join(engine.DateLevels, ", "), n.Text)
	case len(g.Date) > 0 && unit <= slices.Index(engine.DateLevels, g.Date[len(g.Date)-1]):
		return "units must grow coarser, the finest first"
	}
	g.Date = append(g.Date, n.Text)
	return ""
}

// addRange adds an edge. It returns what is wrong with it.
func (g *Generator) addRange(n *yaml.Node) string {
	v, ok := edgeValue(n.Text)
	if !ok || n.Quoted {
		return "an edge must be a number, not " + strconv.Quote(n.Text)
	}
	if len(g.Ranges) > 0 {
		if last, _ := edgeValue(g.Ranges[len(g.Ranges)-1]); v <= last {
			return "edges must ascend"
		}
	}
	g.Ranges = append(g.Ranges, n.Text)
	return ""
}

// edgeValue returns the value of an edge written as a plain decimal number.
func edgeValue(text string) (float64, bool) {
	for _, c := range text {
		if (c < '0' || c > '9') && c != '.' && c != '-' && c != '+' {
			return 0, false
		}
	}
	v, err := strconv.ParseFloat(text, 64)
	return v, err == nil
}
