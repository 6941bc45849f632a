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
	USDate []string // as Date, of dates in the form month/day/year
	Ranges []string // ascending numbers, as text: the edges between ranges
}

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
	case len(t.USDate) > 0:
		return "us_date", t.USDate
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
	case len(t.USDate) > 0:
		return engine.MonthFirst(t.USDate)
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

// taxonomies decodes the job's taxonomies: a path, or a map of files, trees and generators.
func (r *reader) taxonomies(f *field, path string, n *yaml.Node) {
	switch {
	case n.Kind == yaml.Scalar && n.Text != "":
		r.TaxonomyFile = r.path(n.Text)
		return
	case n.Kind != yaml.Map || len(n.Entries) == 0:
		r.reject(path, "", "taxonomies must be a path, or a map from names to taxonomies, not %s", f.describe(n))
		return
	}
	r.Taxonomies = make(map[string]Taxonomy)
	for _, e := range n.Entries {
		at := taxonomyPath(e.Key.Text)
		r.record(at, e.Value)
		r.record(at+":", e.Key)
		if e.Value.Null() || e.Value.Kind == yaml.Scalar && e.Value.Text == "" {
			r.add(at+":", "", "taxonomy %q has no value", e.Key.Text)
			r.origins.reject(path)
			continue
		}
		r.Taxonomies[e.Key.Text] = r.taxonomy(at, e.Value, func(file string) Taxonomy { return Taxonomy{File: r.path(file)} })
		if r.rejected(at) {
			r.origins.reject(path)
		}
	}
}

// taxonomy decodes a word, which is a taxonomy by itself, a tree, or a generator: {prefix: […]},
// {date: […]}, {us_date: […]} or {ranges: […]}.
func (r *reader) taxonomy(path string, n *yaml.Node, word func(string) Taxonomy) (t Taxonomy) {
	switch {
	case n.Kind == yaml.Scalar && n.Text == "":
		r.reject(path, "", "taxonomy is empty")
		return t
	case n.Kind == yaml.Scalar:
		return word(n.Text)
	case n.Kind == yaml.Map && len(n.Entries) == 1:
		word, list := n.Entries[0].Key.Text, n.Entries[0].Value
		if slices.Contains([]string{"prefix", "date", "us_date", "ranges"}, word) && list.Kind == yaml.List {
			return r.generator(path, word, list)
		}
	}
	var problems yaml.Problems
	if t.Tree, problems = taxonomy.New(n); len(problems) > 0 {
		r.addInside(path, problems)
		r.origins.reject(path)
	}
	return t
}

// generator decodes a generator's levels.
func (r *reader) generator(path, word string, list *yaml.Node) (t Taxonomy) {
	found, levels := len(r.problems), make([]string, len(list.Items))
	for i, item := range list.Items {
		r.record(itemPath(path, i), item)
		if item.Kind != yaml.Scalar || item.Null() {
			r.add(itemPath(path, i), "", "%s: must be a single value", word)
			r.origins.reject(path)
			return t
		}
		if levels[i] = item.Text; word == "prefix" || word == "ranges" {
			levels[i] = shown(item) // a text in quotes is no number
		}
	}
	if len(levels) == 0 {
		r.record(itemPath(path, 0), list)
		r.add(itemPath(path, 0), "", "%s: at least one value is needed", word)
	}
	if r.checkLevels(path, word, levels); len(r.problems) > found {
		r.origins.reject(path)
		return t
	}
	switch word {
	case "prefix":
		for _, text := range levels {
			length, _ := strconv.Atoi(text) // checkLevels has asked
			t.Prefix = append(t.Prefix, length)
		}
	case "date":
		t.Date = levels
	case "us_date":
		t.USDate = levels
	case "ranges":
		t.Ranges = levels
	}
	return t
}

// checkTaxonomies checks the taxonomies that a program has given.
func (r *reader) checkTaxonomies(path string) {
	if r.TaxonomyFile != "" && r.Taxonomies != nil {
		r.add(path, "", "taxonomies are a file or a map, not both")
	}
	for _, name := range slices.Sorted(maps.Keys(r.Taxonomies)) {
		t := r.Taxonomies[name]
		r.checkTaxonomy(taxonomyPath(name), &t, t.Name, "a file, a tree or a generator")
	}
}

// checkTaxonomy checks one of them. Of its forms the one for others must not be set.
func (r *reader) checkTaxonomy(path string, t *Taxonomy, others, forms string) {
	set := 0
	for _, given := range []bool{t.Name != "", t.File != "", t.Tree != nil, len(t.Prefix) > 0, len(t.Date) > 0, len(t.USDate) > 0, len(t.Ranges) > 0} {
		if given {
			set++
		}
	}
	if set != 1 || others != "" {
		r.add(path, "", "a taxonomy here is one of %s", forms)
		return
	}
	if t.Tree != nil {
		r.addInside(path, taxonomy.Check(t.Tree))
	}
	word, levels := t.generated()
	r.checkLevels(path, word, levels)
}

// addInside adds problems of a tree, with their place in the job file when the tree is from there.
func (r *reader) addInside(path string, problems yaml.Problems) {
	for _, p := range problems {
		if p.Line == 0 {
			r.add(path, p.Hint, "%s", p.Message)
		} else {
			r.problems = append(r.problems, r.origins.located(place{line: p.Line, column: p.Column}, p.Hint, p.Message))
		}
	}
}

// checkLevels checks the levels of a generator, up to the first that is wrong.
func (r *reader) checkLevels(path, word string, levels []string) {
	last := ""
	for i, text := range levels {
		if message := wrongLevel(word, last, text); message != "" {
			r.add(itemPath(path, i), "", "%s: %s", word, message)
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
	case "date", "us_date":
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
	r := reader{Job: j}
	files := make(map[string]map[string]*taxonomy.Node) // trees by name; nil after a problem
	out := make(map[string]Taxonomy)
	for i := range j.Columns {
		c := &j.Columns[i]
		name, path := c.Taxonomy.Name, j.taxonomyFile(c)
		switch {
		case c.Mask != MaskGeneralize:
			continue
		case name == "":
			out[c.Name] = c.Taxonomy
			continue
		case path == "":
			out[c.Name] = j.Taxonomies[name]
			continue
		}
		trees, read := files[path]
		if !read {
			var err error
			if trees, err = r.readTrees(path, name); err != nil {
				return nil, fmt.Errorf("read taxonomies: %w", err)
			}
			files[path] = trees
		}
		tree := trees[""] // of a file of one
		if j.TaxonomyFile != "" {
			tree = trees[name]
		}
		if tree == nil && trees != nil {
			hint := DidYouMean(name, slices.Sorted(maps.Keys(trees)))
			r.add(j.namedAt(c), hint, "column %q: no taxonomy named %q in %s", c.Name, name, path)
		}
		out[c.Name] = Taxonomy{Tree: tree}
	}
	if err := asError(r.problems); err != nil {
		return nil, err
	}
	return out, nil
}

// readTrees reads the taxonomy file of a column whose taxonomy has a name. A file of one tree has no
// name for it. It returns the errors that are not the job's fault.
func (r *reader) readTrees(path, name string) (trees map[string]*taxonomy.Node, err error) {
	at := "taxonomies"
	if r.TaxonomyFile != "" {
		trees, err = taxonomy.ReadAll(path)
	} else {
		at, trees = taxonomyPath(name), make(map[string]*taxonomy.Node)
		trees[""], err = taxonomy.Read(path)
	}
	if err == nil {
		return trees, nil
	}
	if bad, ok := errors.AsType[yaml.Problems](err); ok {
		r.problems = append(r.problems, bad...)
		return nil, nil
	}
	if cause := pathCause(err); cause != "" {
		r.add(at, "", "read taxonomy file %s: %s", path, cause)
		return nil, nil
	}
	return nil, err
}

// taxonomyFile returns the path of the file that a column's taxonomy is in; empty: in none.
func (j *Job) taxonomyFile(c *Column) string {
	if c.Mask != MaskGeneralize || c.Taxonomy.Name == "" {
		return ""
	}
	return cmp.Or(j.TaxonomyFile, j.Taxonomies[c.Taxonomy.Name].File)
}

// TaxonomyFiles returns the paths of the files that LoadTaxonomies reads.
func (j *Job) TaxonomyFiles() (paths []string) {
	for i := range j.Columns {
		if path := j.taxonomyFile(&j.Columns[i]); path != "" {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
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

// namedAt is the path at which a column names its taxonomy, if only by its own name.
func (j *Job) namedAt(c *Column) string {
	path := columnPath(c.Name)
	if j.origins.origin(path+".taxonomy") == originDefault {
		return path + ":"
	}
	return path + ".taxonomy"
}
