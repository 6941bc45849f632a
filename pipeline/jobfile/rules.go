package jobfile

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/formats/yaml"
)

// rules checks what the parts of a job say of each other. What checkMap took out is absent
// here, and rules that would need it stay silent.
func (l *loader) rules(job *Job) {
	l.setRules(job)
	l.columnRules(job)
	l.classRules(job)
	l.algorithmRules(job)
	l.outputRules(job)
}

// item returns an item of the list at a top-level key.
func (l *loader) item(key string, i int) *yaml.Node { return l.root.Get(key).Items[i] }

// setRules: every column of a set is there once, and masked.
func (l *loader) setRules(job *Job) {
	for i := range job.Sets {
		columns := l.item("quasi_identifiers", i).Get("columns")
		for c, name := range job.Sets[i].Columns {
			at := columns.Items[c]
			switch spec := job.Column(name); {
			case slices.Contains(job.Sets[i].Columns[:c], name):
				l.add(at, "", "column %q is twice in one set", name)
			case name == job.Class:
				l.add(at, "a column is either to be predicted or a quasi-identifier", "the class column %q is in a set", name)
			case spec == nil && !l.broken("columns") && len(job.Columns) > 0:
				l.add(at, didYouMean(name, job.columnNames()), "column %q is in a set and has no entry in columns", name)
			case spec != nil && spec.Mask != "" && !spec.masked():
				l.add(at, "use generalize, discretize or suppress", "column %q is in a set and not masked: its mask is %s", name, spec.Mask)
			}
		}
	}
}

// columnRules: masked columns are in a set, and have the keys of their mask only.
func (l *loader) columnRules(job *Job) {
	for i := range job.Columns {
		c := &job.Columns[i]
		e := l.root.Get("columns").Entries[i]
		if c.masked() && c.Name != job.Class && !l.setsBroken(job) && !job.inSet(c.Name) {
			l.add(e.Key, "add it to a set, or keep or drop it", "column %q is masked and in no quasi-identifier set", c.Name)
		}
		l.maskRules(c, e.Value)
		if c.Mask == MaskGeneralize {
			l.taxonomyRules(job, c, e)
		}
	}
}

// setsBroken reports whether columns of a set may have been taken out.
func (l *loader) setsBroken(job *Job) bool {
	return len(job.Sets) == 0 || slices.ContainsFunc(job.Sets, func(s Set) bool { return len(s.Columns) == 0 })
}

// maskRules: a column has no key that its mask has no use for.
func (l *loader) maskRules(c *Column, column *yaml.Node) {
	if c.Mask == "" {
		return
	}
	prefix := fieldAt("columns").prefix()
	for _, e := range column.Entries {
		if f := fieldAt(prefix + e.Key.Text); !f.allows(c.Mask) {
			l.add(e.Key, "", "%s is for mask %s, the mask of %q is %s", f.key(), f.masks[0], c.Name, c.Mask)
		}
	}
}

// taxonomyRules: the taxonomy that a column names exists. Whether a file of named trees has
// it is known when that is read.
func (l *loader) taxonomyRules(job *Job, c *Column, e yaml.Entry) {
	if c.Taxonomy == nil || c.Taxonomy.Name == "" || job.TaxonomyFile != "" || l.broken("taxonomies") {
		return
	}
	if _, ok := job.Taxonomies[c.Taxonomy.Name]; ok {
		return
	}
	names := make([]string, 0, len(job.Taxonomies))
	if n := l.root.Get("taxonomies"); n != nil {
		for _, named := range n.Entries {
			names = append(names, named.Key.Text)
		}
	}
	hint := didYouMean(c.Taxonomy.Name, names)
	at := e.Value.Get("taxonomy")
	if l.origins[at] == originDefault {
		if hint == "" {
			hint = "name one, or add it to taxonomies; without a taxonomy use suppress"
		}
		l.add(e.Key, hint, "column %q is generalized and has no taxonomy", c.Name)
		return
	}
	if hint == "" {
		hint = "files go under taxonomies, by name"
	}
	l.add(at, hint, "no taxonomy named %q", c.Taxonomy.Name)
}

// classRules: the class column goes out unchanged.
func (l *loader) classRules(job *Job) {
	if job.Class == "" || l.broken("columns") || len(job.Columns) == 0 {
		return
	}
	at := l.root.Get("class")
	i := slices.IndexFunc(job.Columns, func(c Column) bool { return c.Name == job.Class })
	if i < 0 {
		if job.Unlisted != UnlistedKeep {
			hint := didYouMean(job.Class, job.columnNames())
			if hint == "" {
				hint = "add it with the mask keep"
			}
			l.add(at, hint, "the class column %q has no entry in columns", job.Class)
		}
		return
	}
	if mask := job.Columns[i].Mask; mask != "" && mask != MaskKeep {
		l.add(l.root.Get("columns").Entries[i].Value.Get("mask"), "", "the class column %q must be kept: its mask is %s", job.Class, mask)
	}
}

// algorithmRules: an algorithm has no keys that it has no use for, and all it needs.
func (l *loader) algorithmRules(job *Job) {
	name := job.Algorithm.Name
	if name == "" {
		return
	}
	for _, e := range l.root.Get("algorithm").Entries {
		if f := fieldAt(fieldAt("algorithm").prefix() + e.Key.Text); !f.serves(name) {
			l.add(e.Key, "", "%s is for algorithm %s, the algorithm is %s", f.key(), strings.Join(f.engines, " or "), name)
		}
	}
	if job.Class == "" && slices.Contains(classified, name) && !l.broken("class") {
		l.add(l.root.Get("algorithm"), "name the column that a model is to predict: class: …", "algorithm %s needs a class", name)
	}
}

// classified are the algorithms that need a class: what they do goes by its frequencies.
var classified = []string{AlgorithmBottomUp, AlgorithmKACTUS, AlgorithmIACk, AlgorithmIACc, AlgorithmInfoGainMondrian}

// maxLevels are the highest levels of the compressions that have some.
var maxLevels = map[string]int{"zstd": 22, "gzip": 9}

// outputRules: the level is one of the compression's, and the output is no input.
func (l *loader) outputRules(job *Job) {
	if level := job.Output.Level; level > 0 && job.Output.Compression != "" {
		at := l.root.Get("output").Get("level")
		highest, ok := maxLevels[job.Output.Compression]
		if !ok {
			l.add(at, "", "compression %s has no levels", job.Output.Compression)
		} else if level > highest {
			l.add(at, "", "levels of %s are 1 to %d, not %d", job.Output.Compression, highest, level)
		}
	}
	for i, input := range job.Input {
		if job.Output.Path != "" && cleaned(input) == cleaned(job.Output.Path) {
			l.add(l.item("input", i), "", "input and output are the same")
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
