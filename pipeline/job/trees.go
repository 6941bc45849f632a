package job

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"

	"github.com/kcut/kcut/formats/taxonomy"
)

// LoadTaxonomies returns the taxonomy of every generalized column, by name. It reads every
// taxonomy file that one of them needs, once. A file that is missing or wrong, and a name
// that no tree has, come back as an *Error, all of it at once; other errors are failures
// to read.
func (j *Job) LoadTaxonomies() (map[string]Taxonomy, error) {
	l := treeLoader{Job: j, files: make(map[string]trees)}
	out := make(map[string]Taxonomy)
	for i := range j.Columns {
		if c := &j.Columns[i]; c.Mask == MaskGeneralize {
			t, err := l.column(c)
			if err != nil {
				return nil, err
			}
			out[c.Name] = t
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
func (j *Job) TaxonomyFiles() []string {
	paths := make(map[string]bool)
	for i := range j.Columns {
		switch c := &j.Columns[i]; {
		case c.Mask != MaskGeneralize || c.Taxonomy.Name == "":
		case j.TaxonomyFile != "":
			paths[j.TaxonomyFile] = true
		case j.Taxonomies[c.Taxonomy.Name].File != "":
			paths[j.Taxonomies[c.Taxonomy.Name].File] = true
		}
	}
	return slices.Sorted(maps.Keys(paths))
}

// trees are those of a file, by name. A file of one tree has no name for it.
type trees = map[string]*taxonomy.Node

// treeLoader reads taxonomy files, each once.
type treeLoader struct {
	*Job
	files    map[string]trees // nil: there was a problem
	problems []Problem
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
			at := columnPath(c.Name)
			if at += ".taxonomy"; l.origins.origin(at) == originDefault {
				at = columnPath(c.Name) + ":"
			}
			hint := didYouMean(name, slices.Sorted(maps.Keys(found)))
			l.problems = append(l.problems, l.origins.problem(at, hint, "column %q: no taxonomy named %q in %s", c.Name, name, l.TaxonomyFile))
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
		l.files[path] = found
		return found, nil
	case errors.As(err, &bad):
		l.problems = append(l.problems, bad.Problems...)
	case cause != "":
		l.problems = append(l.problems, l.origins.problem(at, "", "read taxonomy file %s: %s", path, cause))
	default:
		return nil, fmt.Errorf("read taxonomies: %w", err)
	}
	l.files[path] = nil
	return nil, nil
}
