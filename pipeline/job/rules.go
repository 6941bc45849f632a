package job

import (
	"cmp"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats/storage"
)

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
	c.algorithmRules()
	c.outputRules()
}

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
	partial := len(c.Sets) == 0 || slices.ContainsFunc(c.Sets, func(s Set) bool { return len(s.Columns) == 0 })
	if spec.masked() && spec.Name != c.Class && !partial && !c.inSet(spec.Name) {
		c.add(path+":", "add it to a set, or keep or drop it", "column %q is masked and in no quasi-identifier set", spec.Name)
	}
	if spec.Mask == MaskGeneralize && spec.Taxonomy.Name != "" && c.TaxonomyFile == "" && !c.rejected("taxonomies") {
		c.taxonomyRules(spec, path)
	}
}

// taxonomyRules: the taxonomy that a column names exists. Whether a file of named trees has
// it is known when that is read.
func (c *checker) taxonomyRules(spec *Column, path string) {
	name := spec.Taxonomy.Name
	if _, ok := c.Taxonomies[name]; ok {
		return
	}
	hint := didYouMean(name, slices.Sorted(maps.Keys(c.Taxonomies)))
	if c.origins.origin(path+".taxonomy") == originDefault {
		hint = cmp.Or(hint, "name one, or add it to taxonomies; without a taxonomy use suppress")
		c.add(path+":", hint, "column %q is generalized and has no taxonomy", spec.Name)
		return
	}
	c.add(path+".taxonomy", cmp.Or(hint, "files go under taxonomies, by name"), "no taxonomy named %q", name)
}

// classRules: the class column goes out unchanged.
func (c *checker) classRules() {
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

// classified are the algorithms that need a class: what they do goes by its frequencies.
var classified = []string{AlgorithmBottomUp, AlgorithmKACTUS, AlgorithmIACk, AlgorithmIACc, AlgorithmInfoGainMondrian}

// algorithmRules: an algorithm has all it needs.
func (c *checker) algorithmRules() {
	name := c.Algorithm.Name
	if c.Class == "" && slices.Contains(classified, name) && !c.rejected("class") {
		c.add("algorithm.name", "name the column that a model is to predict: class: …", "algorithm %s needs a class", name)
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
	for i, input := range c.Input {
		if c.Output.Path != "" && cleaned(input) == cleaned(c.Output.Path) {
			c.add(itemPath("input", i), "", "input and output are the same")
		}
	}
}

// cleaned is the one spelling of a path. Keys of objects have no other than their own, but
// for the slash that ends a directory's.
func cleaned(path string) string {
	if storage.IsRemote(path) {
		return strings.TrimSuffix(path, "/")
	}
	return filepath.Clean(path)
}
