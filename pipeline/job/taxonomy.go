package job

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/kcut/kcut/engine"
	"github.com/kcut/kcut/formats/taxonomy"
	"github.com/kcut/kcut/formats/yaml"
	"github.com/kcut/kcut/internal/text"
)

// Taxonomy is a taxonomy of a job: a tree, a way to make a taxonomy from the values that occur, or
// the place of a taxonomy. Exactly one of its fields is set.
type Taxonomy struct {
	Name string         // name of one of the job's taxonomies (columns only)
	File string         // file with one tree, YAML or CSV (named taxonomies only)
	Tree *taxonomy.Node // the tree itself

	// Prefix has the lengths of prefixes in characters, descending: the levels above the values.
	Prefix []int `word:"prefix"`
	// Date has the units to which dates are generalized, each coarser than the one before.
	Date   []string `word:"date"`
	USDate []string `word:"us_date"` // like Date, for dates in the form month/day/year
	Ranges []string `word:"ranges"`  // ascending numbers, as text: the edges between ranges
	// Spelling says which texts are spellings of one value.
	Spelling []string `word:"spelling"`
}

// MarshalJSON writes a tree as nested objects of one key and a list, and other taxonomies by their
// fields.
func (t Taxonomy) MarshalJSON() ([]byte, error) {
	if t.Tree != nil {
		return text.JSON(treeJSON(t.Tree))
	}
	type fields Taxonomy
	return json.Marshal(fields(t))
}

// treeJSON returns a leaf as a text, and another node as an object from its name to its children.
func treeJSON(n *taxonomy.Node) any {
	if n.Leaf() {
		return n.Name
	}
	children := make([]any, len(n.Children))
	for i := range children {
		children[i] = treeJSON(&n.Children[i])
	}
	return map[string]any{n.Name: children}
}

// UnmarshalJSON reads the output of MarshalJSON.
func (t *Taxonomy) UnmarshalJSON(data []byte) error {
	var tree map[string][]json.RawMessage
	if err := json.Unmarshal(data, &tree); err != nil || len(tree) != 1 {
		type fields Taxonomy
		return json.Unmarshal(data, (*fields)(t))
	}
	root, err := treeOf(data)
	if problems := taxonomy.Check(&root); err == nil && len(problems) > 0 {
		err = problems
	}
	*t = Taxonomy{Tree: &root}
	return err
}

// treeOf returns the tree of a JSON text.
func treeOf(data []byte) (n taxonomy.Node, err error) {
	if data[0] == '"' {
		err = json.Unmarshal(data, &n.Name)
		return n, err
	}
	var inner map[string][]json.RawMessage
	if err := json.Unmarshal(data, &inner); err != nil || len(inner) != 1 {
		const form = "a node of a tree is a text, or an object of one key"
		return n, errors.Join(err, errors.New(form))
	}
	for name, children := range inner {
		n.Name = name
		for _, child := range children {
			below, err := treeOf(child)
			if err != nil {
				return n, err
			}
			n.Children = append(n.Children, below)
		}
	}
	return n, nil
}

// generators returns the levels of each kind of generated taxonomy, by its word.
func (t *Taxonomy) generators() map[string]reflect.Value {
	levels, v := make(map[string]reflect.Value), reflect.ValueOf(t).Elem()
	for i := range v.NumField() {
		if word := v.Type().Field(i).Tag.Get("word"); word != "" {
			levels[word] = v.Field(i)
		}
	}
	return levels
}

// taxonomyPath returns the path of a named taxonomy.
func taxonomyPath(name string) string { return "taxonomies." + quotedKey(name) }

// Generated reports whether the taxonomy is made from the values that occur.
func (t *Taxonomy) Generated() bool {
	return len(t.Prefix)+len(t.Date)+len(t.USDate)+len(t.Ranges)+len(t.Spelling) > 0
}

// GeneratorOf returns the engine's form of a taxonomy: it knows the nodes above a value.
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
	case len(t.Spelling) > 0:
		return engine.Spellings(t.Spelling)
	}
	return nil, errors.New("it is neither a tree nor a generator")
}

// TreeOf returns a file's tree in the engine's form.
func TreeOf(t *taxonomy.Node) engine.Node {
	n := engine.Node{Name: t.Name}
	for i := range t.Children {
		n.Children = append(n.Children, TreeOf(&t.Children[i]))
	}
	return n
}

// treeNode returns a tree in the form of a job file: a map with its root.
func treeNode(t *taxonomy.Node) *yaml.Node {
	key := &yaml.Node{Text: t.Name, Quoted: true, Line: t.Line, Column: t.Column}
	below := &yaml.Node{Kind: yaml.List}
	for i := range t.Children {
		child := treeNode(&t.Children[i])
		if t.Children[i].Leaf() {
			child = child.Entries[0].Key
		}
		below.Items = append(below.Items, child)
	}
	root := &yaml.Node{Kind: yaml.Map}
	root.Add(key, below)
	return root
}

// taxonomy returns the node of a job's named taxonomy, or of a column's. If a program has set no
// form, or several, the node is a list of forms.
func (w writer) taxonomy(t *Taxonomy, named bool) *yaml.Node {
	forms := &yaml.Node{Kind: yaml.List}
	add := func(form *yaml.Node) { forms.Items = append(forms.Items, form) }
	if t.Name != "" {
		add(yaml.Text(t.Name))
	}
	if t.File != "" {
		add(w.path(t.File))
	}
	if t.Tree != nil {
		add(treeNode(t.Tree))
	}
	for word, levels := range t.generators() {
		list, generator := &yaml.Node{Kind: yaml.List}, &yaml.Node{Kind: yaml.Map}
		for i := range levels.Len() {
			list.Items = append(list.Items, &yaml.Node{Text: textOf(levels.Index(i))})
		}
		if generator.Add(&yaml.Node{Text: word}, list); levels.Len() > 0 {
			add(generator)
		}
	}
	if wrong := t.Name != "" && named || t.File != "" && !named; len(forms.Items) == 1 && !wrong {
		return forms.Items[0]
	}
	return forms
}

// taxonomies decodes the job's taxonomies, by name.
func (r *reader) taxonomies(n *yaml.Node) map[string]Taxonomy {
	all := make(map[string]Taxonomy)
	for _, e := range n.Entries {
		at := taxonomyPath(e.Key.Text)
		r.record(at, e.Value)
		r.record(at+":", e.Key)
		if e.Value.Null() || e.Value.Kind == yaml.Scalar && e.Value.Text == "" {
			r.add(at+":", "", "taxonomy %q has no value", e.Key.Text)
			continue
		}
		all[e.Key.Text] = r.taxonomy(at, e.Value, true)
	}
	return all
}

// taxonomy decodes a word, which names a file or one of the job's taxonomies, a tree, or a
// generator: {prefix: […]}, {date: […]}, {us_date: […]}, {ranges: […]} or {spelling: […]}.
func (r *reader) taxonomy(path string, n *yaml.Node, named bool) (t Taxonomy) {
	switch {
	case n.Kind == yaml.List:
		word := map[bool]string{false: "name", true: "file"}[named]
		r.add(path, "", "a taxonomy here is one of a %s, a tree or a generator", word)
		return t
	case n.Kind == yaml.Scalar && n.Text == "":
		r.add(path, "", "taxonomy is empty")
		return t
	case n.Kind == yaml.Scalar && named:
		return Taxonomy{File: r.path(n)}
	case n.Kind == yaml.Scalar:
		return Taxonomy{Name: n.Text}
	case len(n.Entries) == 1 && n.Entries[0].Value.Kind == yaml.List:
		word := n.Entries[0].Key.Text
		if levels, generated := t.generators()[word]; generated {
			r.levels(path, word, n.Entries[0].Value, levels)
			return t
		}
	}
	var problems yaml.Problems
	t.Tree, problems = taxonomy.New(n)
	r.addInside(path, problems)
	return t
}

// levels decodes the levels of a generator, up to the first wrong one.
func (r *reader) levels(path, word string, list *yaml.Node, v reflect.Value) {
	if len(list.Items) == 0 {
		r.record(itemPath(path, 0), list)
		r.add(itemPath(path, 0), "", "%s: at least one value is needed", word)
	}
	v.Set(reflect.MakeSlice(v.Type(), len(list.Items), len(list.Items)))
	last := ""
	for i, item := range list.Items {
		r.record(itemPath(path, i), item)
		text := item.Text
		if word == "prefix" || word == "ranges" {
			text = shown(item) // a text in quotes is no number
		}
		message := wrongLevel(word, last, text)
		if item.Kind != yaml.Scalar || item.Null() {
			message = "must be a single value"
		}
		if message != "" {
			r.add(itemPath(path, i), "", "%s: %s", word, message)
			return
		}
		_ = setText(v.Index(i), text) // wrongLevel has checked it
		last = text
	}
}

// addInside adds problems with a tree. They have a place in the job file if the tree is from there.
func (r *reader) addInside(path string, problems yaml.Problems) {
	for _, p := range problems {
		if p.Line == 0 {
			r.add(path, p.Hint, "%s", p.Message)
		} else {
			r.problems = append(r.problems,
				r.origins.located(place{line: p.Line, column: p.Column}, p.Hint, p.Message))
		}
	}
}

// wrongLevel describes a problem with a generator's level that follows another one; the last is
// empty for the first level.
func wrongLevel(word, last, text string) string {
	value, err := strconv.ParseFloat(text, 64)
	before, _ := strconv.ParseFloat(last, 64)
	units := engine.DateLevels
	switch word {
	case "prefix":
		if _, err := strconv.Atoi(text); err != nil || value < 1 {
			return "a length must be an integer of at least 1, not " + text
		} else if last != "" && value >= before {
			return "lengths must descend, the longest prefix first"
		}
	case "spelling":
		units = engine.SpellingLevels
		fallthrough
	case "date", "us_date":
		if !slices.Contains(units, text) {
			return fmt.Sprintf("a unit must be one of %s, not %q", strings.Join(units, ", "), text)
		} else if slices.Index(units, text) <= slices.Index(units, last) {
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

// columnTaxonomy is the taxonomy of a column, with the path of the key that has it.
type columnTaxonomy struct {
	column string
	Taxonomy
	at string
}

// columnTaxonomies returns the taxonomies of generalized columns, then those of sensitive columns.
func (j *Job) columnTaxonomies() (all []columnTaxonomy) {
	for i := range j.Columns {
		if c := &j.Columns[i]; c.Is(engine.Generalize) {
			all = append(all, columnTaxonomy{c.Name, c.Taxonomy, j.namedAt(c)})
		}
	}
	for i, s := range j.Sensitive {
		if s.THierarchical != nil {
			all = append(all, columnTaxonomy{s.Column, s.Taxonomy,
				itemPath("sensitive", i) + ".taxonomy"})
		}
	}
	return all
}

// LoadTaxonomies returns the taxonomy of every column that has one, by name. It reads each
// necessary taxonomy file once. Missing or wrong files, and names that no tree has, are reported
// together, as an *Error; other errors are failures to read.
func (j *Job) LoadTaxonomies() (map[string]Taxonomy, error) {
	r := reader{Job: j}
	files := make(map[string]map[string]*taxonomy.Node) // trees by name; nil after a problem
	out := make(map[string]Taxonomy)
	for _, c := range j.columnTaxonomies() {
		name, path := c.Name, j.taxonomyFile(c.Taxonomy)
		if out[c.column] = c.Taxonomy; name != "" {
			out[c.column] = j.Taxonomies[name]
		}
		if path == "" {
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
		tree := trees[""] // of a file with one tree
		if j.TaxonomyFile != "" {
			tree = trees[name]
		}
		if tree == nil && trees != nil {
			hint := text.DidYouMean(name, slices.Sorted(maps.Keys(trees)))
			r.add(c.at, hint, "column %q: no taxonomy named %q in %s", c.column, name, path)
		}
		out[c.column] = Taxonomy{Tree: tree}
	}
	if err := asError(r.problems); err != nil {
		return nil, err
	}
	return out, nil
}

// readTrees reads the taxonomy file of a column whose taxonomy has a name. A file with one tree has
// no name for it. It returns errors that are not the job's fault.
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

// taxonomyFile returns the path of the file with a taxonomy of a column; empty: there is none.
func (j *Job) taxonomyFile(t Taxonomy) string {
	if t.Name == "" {
		return ""
	}
	return cmp.Or(j.TaxonomyFile, j.Taxonomies[t.Name].File)
}

// TaxonomyFiles returns the paths of the files that LoadTaxonomies reads.
func (j *Job) TaxonomyFiles() (paths []string) {
	for _, c := range j.columnTaxonomies() {
		if path := j.taxonomyFile(c.Taxonomy); path != "" {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// TaxonomyBytes returns the size of all files that LoadTaxonomies reads. A file whose size is
// unknown counts as empty.
func (j *Job) TaxonomyBytes() (size int64) {
	for _, path := range j.TaxonomyFiles() {
		if info, err := os.Stat(path); err == nil {
			size += info.Size()
		}
	}
	return size
}

// namedAt returns the path at which a column names its taxonomy, or implies it by its own name.
func (j *Job) namedAt(c *Column) string {
	path := columnPath(c.Name)
	if j.origins.origin(path+".taxonomy") == originDefault {
		return path + ":"
	}
	return path + ".taxonomy"
}
