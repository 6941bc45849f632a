package job

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/formats/yaml"
)

// Resolve checks the whole job, and returns a copy in which what was left out has its default,
// where there is one. What is wrong comes back as an *Error, all of it at once. It opens no file.
func (j *Job) Resolve() (*Job, error) {
	resolved := *j
	resolved.Input, resolved.Sets, resolved.Columns = slices.Clone(j.Input), slices.Clone(j.Sets), slices.Clone(j.Columns)
	resolved.origins.places = make(map[string]place)
	maps.Copy(resolved.origins.places, j.origins.places)
	return (&checker{Job: &resolved}).resolve()
}

// Validate reports what is wrong with the job, as Resolve does.
func (j *Job) Validate() error {
	_, err := j.Resolve()
	return err
}

// checker checks a job, takes wrong values out, and fills in defaults.
type checker struct {
	*Job
	nodes    map[string]*yaml.Node // values that are yet to be read, by their paths
	problems []Problem
}

func (c *checker) resolve() (*Job, error) {
	seen := make(map[string]bool, len(c.Columns))
	for i := range c.Columns {
		name := c.Columns[i].Name
		if seen[name] {
			c.reject(columnPath(name), "", "column %q is there twice", name)
		}
		seen[name] = true
	}
	c.slots(c.value)
	c.slots(c.absent)
	c.rules()
	if err := asError(c.problems); err != nil {
		return nil, err
	}
	return c.Job, nil
}

func (c *checker) add(path, hint, format string, args ...any) {
	c.problems = append(c.problems, c.origins.problem(path, hint, format, args...))
}

// reject reports what is wrong with a value that is left out. Rules that need it stay silent.
func (c *checker) reject(path, hint, format string, args ...any) {
	c.add(path, hint, format, args...)
	c.origins.reject(path)
}

// rejected reports whether the value at a path was wrong.
func (c *checker) rejected(path string) bool { return c.origins.places[path].rejected }

// given reports whether there is a value in a slot, and no wrong one.
func (c *checker) given(s slot) bool {
	at, recorded := c.origins.places[s.path]
	return !at.rejected && !c.rejected(s.owner) && (recorded || !isZero(s.value))
}

// value reads and checks the value in a slot. A wrong one is taken out.
func (c *checker) value(s slot) {
	if !c.given(s) || s.kind >= kindMap {
		return
	}
	found := len(c.problems)
	if n := c.nodes[s.path]; n != nil {
		c.read(s, n)
	}
	if len(c.problems) == found {
		c.check(s)
	}
	if len(c.problems) > found {
		c.origins.reject(s.path)
		clearValue(s.value)
	}
}

func (c *checker) check(s slot) {
	switch p := s.value.(type) {
	case *string:
		c.text(s.field, s.path, p)
	case *[]string:
		for i := range *p {
			c.text(s.field, itemPath(s.path, i), &(*p)[i])
		}
	case *Taxonomy:
		c.checkTaxonomy(s.path, p, p.File, "a name, a tree or a generator")
	case taxonomies:
		c.taxonomies(s.path)
	default:
		if message, hint := s.wrong(p); message != "" {
			c.add(s.path, hint, "%s %s", s.title(), message)
		}
	}
}

// text checks a single text. The path of a file URL takes its place.
func (c *checker) text(f *field, path string, text *string) {
	if message, hint := f.wrongText(*text); message != "" {
		c.add(path, hint, "%s %s", f.title(), message)
	} else if f.kind == kindPath || f.kind == kindPaths {
		*text, _ = storage.Resolve(*text) // wrongText has asked
	}
}

// absent gives a slot without a value its default, or reports that it needs one.
func (c *checker) absent(s slot) {
	if c.given(s) || c.rejected(s.path) || c.rejected(s.owner) {
		return
	}
	value := s.def
	if s.defOf != nil {
		value = s.defOf(c.Job, s.i)
	}
	switch {
	case s.required && !slices.Contains(s.excused, c.Algorithm.Name):
		hint := s.key() + ": " + s.plainDoc()
		if len(s.enum) > 0 {
			hint = s.key() + " is " + s.wants()
		}
		c.add(s.owner, hint, "missing key %q", s.key())
		c.origins.reject(s.path)
	case value != "" && s.serves(c.Algorithm.Name) && (s.masks == nil || s.allows(c.Columns[s.i].Mask)):
		s.parse(&yaml.Node{Text: value}, s.value)
		c.origins.places[s.path] = place{name: originDefault}
	}
}

// rules checks what the parts of a job say of each other. What was wrong is absent here, and rules
// that would need it stay silent.
func (c *checker) rules() {
	for i := range c.Sets {
		c.setRules(&c.Sets[i], itemPath("quasi_identifiers", i)+".columns")
	}
	for i := range c.Columns {
		c.columnRules(i)
	}
	c.slots(c.useRules)
	c.classRules()
	c.outputRules()
}

// classified are the algorithms that need a class: what they do goes by its frequencies.
var classified = []string{AlgorithmBottomUp, AlgorithmKACTUS, AlgorithmIACk, AlgorithmIACc, AlgorithmInfoGainMondrian}

// listed reports whether the columns of the job are known.
func (c *checker) listed() bool { return !c.rejected("columns") && len(c.Columns) > 0 }

// setRules: every column of a set is there once, and masked.
func (c *checker) setRules(set *Set, path string) {
	for i, name := range set.Columns {
		at := itemPath(path, i)
		switch spec := c.Column(name); {
		case slices.Contains(set.Columns[:i], name):
			c.add(at, "", "column %q is twice in one set", name)
		case name == c.Class:
			c.add(at, "a column is either to be predicted or a quasi-identifier", "the class column %q is in a set", name)
		case spec == nil && c.listed():
			c.add(at, didYouMean(name, c.columnNames()), "column %q is in a set and has no entry in columns", name)
		case spec != nil && spec.Mask != "" && !spec.masked():
			c.add(at, "use generalize, discretize or suppress", "column %q is in a set and not masked: its mask is %s", name, spec.Mask)
		}
	}
}

// useRules: a column has the keys of its mask only, an algorithm its own only.
func (c *checker) useRules(s slot) {
	switch algorithm := c.Algorithm.Name; {
	case !c.given(s):
	case s.masks != nil:
		if spec := &c.Columns[s.i]; spec.Mask != "" && !s.allows(spec.Mask) {
			c.add(s.path+":", "", "%s is for mask %s, the mask of %q is %s", s.key(), s.masks[0], spec.Name, spec.Mask)
		}
	case algorithm != "" && !s.serves(algorithm):
		c.add(s.path+":", "", "%s is for algorithm %s, the algorithm is %s", s.key(), strings.Join(s.engines, " or "), algorithm)
	}
}

// columnRules: a masked column has a name, is in a set, and has a taxonomy if it needs one.
func (c *checker) columnRules(i int) {
	spec, path := &c.Columns[i], columnPath(c.Columns[i].Name)
	if spec.Name == "" && spec.masked() {
		c.add(path+":", "name it where it comes from", "a column without a name can only be dropped or kept")
		return
	}
	inSet := len(c.Sets) == 0 || slices.ContainsFunc(c.Sets, func(s Set) bool { // or not known
		return len(s.Columns) == 0 || slices.Contains(s.Columns, spec.Name)
	})
	if spec.masked() && spec.Name != c.Class && !inSet {
		c.add(path+":", "add it to a set, or keep or drop it", "column %q is masked and in no quasi-identifier set", spec.Name)
	}
	if spec.Mask == MaskGeneralize && spec.Taxonomy.Name != "" && c.TaxonomyFile == "" && !c.rejected("taxonomies") {
		c.taxonomyRules(spec)
	}
}

// taxonomyRules: the taxonomy that a column names exists. Whether a file of named trees has
// it is known when that is read.
func (c *checker) taxonomyRules(spec *Column) {
	name, at := spec.Taxonomy.Name, c.namedAt(spec)
	if _, ok := c.Taxonomies[name]; ok {
		return
	}
	hint := didYouMean(name, slices.Sorted(maps.Keys(c.Taxonomies)))
	if strings.HasSuffix(at, ":") {
		hint = cmp.Or(hint, "name one, or add it to taxonomies; without a taxonomy use suppress")
		c.add(at, hint, "column %q is generalized and has no taxonomy", spec.Name)
		return
	}
	c.add(at, cmp.Or(hint, "files go under taxonomies, by name"), "no taxonomy named %q", name)
}

// classRules: there is a class column where one is needed, and it goes out unchanged.
func (c *checker) classRules() {
	if name := c.Algorithm.Name; c.Class == "" && slices.Contains(classified, name) && !c.rejected("class") {
		c.add("algorithm.name", "name the column that a model is to predict: class: …", "algorithm %s needs a class", name)
	}
	if c.Class == "" || !c.listed() {
		return
	}
	switch spec := c.Column(c.Class); {
	case spec == nil && c.Unlisted != UnlistedKeep:
		hint := cmp.Or(didYouMean(c.Class, c.columnNames()), "add it with the mask keep")
		c.add("class", hint, "the class column %q has no entry in columns", c.Class)
	case spec != nil && spec.Mask != "" && spec.Mask != MaskKeep:
		c.add(columnPath(c.Class)+".mask", "", "the class column %q must be kept: its mask is %s", c.Class, spec.Mask)
	}
}

// maxLevels are the highest levels of the compressions that have some.
var maxLevels = map[string]int{"zstd": 22, "gzip": 9}

// outputRules: the level is one of the compression's, and the output is no input.
func (c *checker) outputRules() {
	if level := c.Output.Level; level > 0 && c.Output.Compression != "" {
		highest, ok := maxLevels[c.Output.Compression]
		if !ok {
			c.add("output.level", "", "compression %s has no levels", c.Output.Compression)
		} else if level > highest {
			c.add("output.level", "", "levels of %s are 1 to %d, not %d", c.Output.Compression, highest, level)
		}
	}
	// The one spelling of a path: keys of objects have no other than their own, but for the slash
	// that ends a directory's.
	cleaned := func(path string) string {
		if storage.IsRemote(path) {
			return strings.TrimSuffix(path, "/")
		}
		return filepath.Clean(path)
	}
	for i, input := range c.Input {
		if c.Output.Path != "" && cleaned(input) == cleaned(c.Output.Path) {
			c.add(itemPath("input", i), "", "input and output are the same")
		}
	}
}
