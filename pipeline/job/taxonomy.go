package job

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats/taxonomy"
	"github.com/kcut/kcut/formats/yaml"
)

// Taxonomy is a taxonomy of a job: a tree, a way to make one of the values that occur, or where to
// find one. Exactly one of its fields is set.
type Taxonomy struct {
	Name string         // of one of the job's taxonomies (columns only)
	File string         // with one tree, YAML or CSV (named taxonomies only)
	Tree *taxonomy.Node // the tree itself

	Prefix []int    // lengths of prefixes in characters, descending: the levels above the values
	Date   []string // units that dates are generalized to, each coarser than the one before
	Ranges []string // ascending numbers, as text: the edges between ranges
}

// taxonomies is what the key taxonomies gives a job: a file, or named ones.
type taxonomies struct{ *Job }

// taxonomyPath returns the path of a named taxonomy.
func taxonomyPath(name string) string { return "taxonomies." + quotedKey(name) }

// generated returns the generator's word and levels, as text; none without a generator.
func (t *Taxonomy) generated() (word string, levels []string) {
	switch {
	case len(t.Prefix) > 0:
		for _, length := range t.Prefix {
			levels = append(levels, strconv.Itoa(length))
		}
		return "prefix", levels
	case len(t.Date) > 0:
		return "date", t.Date
	case len(t.Ranges) > 0:
		return "ranges", t.Ranges
	}
	return "", nil
}

// Generated reports whether the taxonomy is made of the values that occur.
func (t *Taxonomy) Generated() bool {
	word, _ := t.generated()
	return word != ""
}

// GeneratorOf returns the engine's form of a taxonomy: what knows the nodes above a value.
func GeneratorOf(t Taxonomy) (engine.Generator, error) {
	switch {
	case t.Tree != nil:
		tree, err := engine.NewTree(TreeOf(t.Tree))
		if err != nil {
			return nil, err
		}
		return engine.Given(tree), nil
	case len(t.Prefix) > 0:
		return engine.Prefixes(t.Prefix)
	case len(t.Date) > 0:
		return engine.Dates(t.Date)
	case len(t.Ranges) > 0:
		return engine.Ranges(t.Ranges)
	}
	return nil, errors.New("it is neither a tree nor a generator")
}

// TreeOf is a file's tree in the engine's form.
func TreeOf(t *taxonomy.Node) engine.Node {
	n := engine.Node{Name: t.Name}
	for i := range t.Children {
		n.Children = append(n.Children, TreeOf(&t.Children[i]))
	}
	return n
}

// readTaxonomies reads the job's taxonomies: a path, or a map of files, trees and generators.
func (c *checker) readTaxonomies(s slot, n *yaml.Node) {
	switch {
	case n.Kind == yaml.Scalar && n.Text != "":
		c.TaxonomyFile = c.path(n.Text)
		return
	case n.Kind != yaml.Map || len(n.Entries) == 0:
		c.add(s.path, "", "taxonomies must be a path, or a map from names to taxonomies, not %s", s.describe(n))
		return
	}
	c.Taxonomies = make(map[string]Taxonomy)
	for _, e := range n.Entries {
		at := taxonomyPath(e.Key.Text)
		c.origins.places[at] = place{line: e.Value.Line, column: e.Value.Column}
		c.origins.places[at+":"] = place{line: e.Key.Line, column: e.Key.Column}
		switch {
		case e.Value.Kind != yaml.Scalar:
			c.Taxonomies[e.Key.Text] = c.inline(at, e.Value)
		case e.Value.Null() || e.Value.Text == "":
			c.add(at+":", "", "taxonomy %q has no value", e.Key.Text)
		default:
			c.Taxonomies[e.Key.Text] = Taxonomy{File: c.path(e.Value.Text)}
		}
	}
}

// inline reads a tree or a generator.
func (c *checker) inline(path string, n *yaml.Node) (t Taxonomy) {
	if n.Kind == yaml.Map && len(n.Entries) == 1 {
		word, list := n.Entries[0].Key.Text, n.Entries[0].Value
		if slices.Contains([]string{"prefix", "date", "ranges"}, word) && list.Kind == yaml.List {
			return c.generator(path, word, list)
		}
	}
	var problems yaml.Problems
	t.Tree, problems = taxonomy.New(n)
	c.addInside(path, problems)
	return t
}

// generator reads {prefix: […]}, {date: […]} or {ranges: […]}.
func (c *checker) generator(path, word string, list *yaml.Node) (t Taxonomy) {
	levels := make([]string, len(list.Items))
	for i, item := range list.Items {
		at := c.recordItem(path, i, item)
		if item.Kind != yaml.Scalar || item.Null() {
			c.add(at, "", "%s: must be a single value", word)
			return t
		}
		if levels[i] = item.Text; word != "date" {
			levels[i] = shown(item) // a text in quotes is no number
		}
	}
	if len(levels) == 0 {
		c.add(c.recordItem(path, 0, list), "", "%s: at least one value is needed", word)
	}
	c.levels(path, word, levels)
	switch word {
	case "prefix":
		for _, text := range levels {
			length, _ := strconv.Atoi(text) // levels has asked
			t.Prefix = append(t.Prefix, length)
		}
	case "date":
		t.Date = levels
	case "ranges":
		t.Ranges = levels
	}
	return t
}

// checkTaxonomy checks a taxonomy. Of its forms the one for others must not be set.
func (c *checker) checkTaxonomy(path string, t *Taxonomy, others, forms string) {
	set := 0
	for _, given := range []bool{t.Name != "", t.File != "", t.Tree != nil, len(t.Prefix) > 0, len(t.Date) > 0, len(t.Ranges) > 0} {
		if given {
			set++
		}
	}
	if set != 1 || others != "" {
		c.add(path, "", "a taxonomy here is one of %s", forms)
		return
	}
	if t.Tree != nil {
		c.addInside(path, taxonomy.Check(t.Tree))
	}
	word, levels := t.generated()
	c.levels(path, word, levels)
}

// taxonomies checks what the job's taxonomies are.
func (c *checker) taxonomies(path string) {
	if c.TaxonomyFile != "" && c.Taxonomies != nil {
		c.add(path, "", "taxonomies are a file or a map, not both")
	}
	for _, name := range slices.Sorted(maps.Keys(c.Taxonomies)) {
		t := c.Taxonomies[name]
		c.checkTaxonomy(taxonomyPath(name), &t, t.Name, "a file, a tree or a generator")
	}
}

// addInside adds problems of a tree, with their place in the job file when the tree is from there.
func (c *checker) addInside(path string, problems yaml.Problems) {
	for _, p := range problems {
		if p.Line == 0 {
			c.add(path, p.Hint, "%s", p.Message)
		} else {
			c.problems = append(c.problems, c.origins.located(place{line: p.Line, column: p.Column}, p.Hint, p.Message))
		}
	}
}

// levels checks the levels of a generator.
func (c *checker) levels(path, word string, levels []string) {
	last := ""
	for i, text := range levels {
		if message := wrongLevel(word, last, text); message != "" {
			c.add(itemPath(path, i), "", "%s: %s", word, message)
			return
		}
		last = text
	}
}

// wrongLevel says what is wrong with a level of a generator that comes after another; empty: the
// first.
func wrongLevel(word, last, text string) string {
	value, err := strconv.ParseFloat(text, 64)
	before, _ := strconv.ParseFloat(last, 64)
	switch word {
	case "prefix":
		if _, err := strconv.Atoi(text); err != nil || value < 1 {
			return "a length must be an integer of at least 1, not " + text
		} else if last != "" && value >= before {
			return "lengths must descend, the longest prefix first"
		}
	case "date":
		if !slices.Contains(engine.DateLevels, text) {
			return fmt.Sprintf("a unit must be one of %s, not %q", strings.Join(engine.DateLevels, ", "), text)
		} else if slices.Index(engine.DateLevels, text) <= slices.Index(engine.DateLevels, last) {
			return "units must grow coarser, the finest first"
		}
	case "ranges":
		if err != nil || strings.Trim(text, "+-.0123456789") != "" {
			return "an edge must be a number, not " + text
		} else if last != "" && value <= before {
			return "edges must ascend"
		}
	}
	return ""
}

// LoadTaxonomies returns the taxonomy of every generalized column, by name. It reads every
// taxonomy file that one of them needs, once. A file that is missing or wrong, and a name
// that no tree has, come back as an *Error, all of it at once; other errors are failures
// to read.
func (j *Job) LoadTaxonomies() (map[string]Taxonomy, error) {
	l := treeLoader{Job: j, files: make(map[string]trees)}
	out := make(map[string]Taxonomy)
	for i := range j.Columns {
		c := &j.Columns[i]
		if c.Mask != MaskGeneralize {
			continue
		}
		var err error
		if out[c.Name], err = l.column(c); err != nil {
			return nil, err
		}
	}
	if err := asError(l.problems); err != nil {
		return nil, err
	}
	return out, nil
}

// TaxonomyBytes returns the size of all files that LoadTaxonomies reads. One that cannot be
// looked at counts as empty.
func (j *Job) TaxonomyBytes() (size int64) {
	for _, path := range j.TaxonomyFiles() {
		if info, err := os.Stat(path); err == nil {
			size += info.Size()
		}
	}
	return size
}

// TaxonomyFiles returns the paths of the files that LoadTaxonomies reads.
func (j *Job) TaxonomyFiles() (paths []string) {
	for i := range j.Columns {
		c := &j.Columns[i]
		path := cmp.Or(j.TaxonomyFile, j.Taxonomies[c.Taxonomy.Name].File)
		if c.Mask == MaskGeneralize && c.Taxonomy.Name != "" && path != "" {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// trees are those of a file, by name. A file of one tree has no name for it.
type trees = map[string]*taxonomy.Node

// treeLoader reads taxonomy files, each once.
type treeLoader struct {
	*Job
	files    map[string]trees // nil: there was a problem
	problems []Problem
}

func (l *treeLoader) add(at, hint, format string, args ...any) {
	l.problems = append(l.problems, l.origins.problem(at, hint, format, args...))
}

// column returns a column's taxonomy; after a problem, an empty one.
func (l *treeLoader) column(c *Column) (t Taxonomy, err error) {
	name := c.Taxonomy.Name
	named := l.Taxonomies[name]
	switch {
	case name == "":
		return c.Taxonomy, nil
	case l.TaxonomyFile != "":
		found, err := l.read(l.TaxonomyFile, "taxonomies", taxonomy.ReadAll)
		if t.Tree = found[name]; t.Tree == nil && found != nil {
			hint := didYouMean(name, slices.Sorted(maps.Keys(found)))
			l.add(l.namedAt(c), hint, "column %q: no taxonomy named %q in %s", c.Name, name, l.TaxonomyFile)
		}
		return t, err
	case named.File != "":
		found, err := l.read(named.File, taxonomyPath(name), func(path string) (trees, error) {
			tree, err := taxonomy.Read(path)
			return trees{"": tree}, err
		})
		return Taxonomy{Tree: found[""]}, err
	}
	return named, nil
}

// read reads a file that a key of the job names. Of its errors it returns those that are not the
// job's fault.
func (l *treeLoader) read(path, at string, parse func(path string) (trees, error)) (trees, error) {
	if found, ok := l.files[path]; ok {
		return found, nil
	}
	found, err := parse(path)
	var bad *taxonomy.Error
	switch cause := pathCause(err); {
	case err == nil:
	case errors.As(err, &bad):
		found, l.problems = nil, append(l.problems, bad.Problems...)
	case cause != "":
		found = nil
		l.add(at, "", "read taxonomy file %s: %s", path, cause)
	default:
		return nil, fmt.Errorf("read taxonomies: %w", err)
	}
	l.files[path] = found
	return found, nil
}

// namedAt is the path at which a column names its taxonomy, if only by its own name.
func (j *Job) namedAt(c *Column) string {
	path := columnPath(c.Name)
	if j.origins.origin(path+".taxonomy") == originDefault {
		return path + ":"
	}
	return path + ".taxonomy"
}
