package jobfile

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
	t := treeLoader{job: j, files: make(map[string]*taxonomy.Node), failed: make(map[string]bool)}
	out := make(map[string]Taxonomy)
	for i := range j.Columns {
		c := &j.Columns[i]
		if c.Mask != MaskGeneralize {
			continue
		}
		taxonomy, err := t.column(c)
		if err != nil {
			return nil, err
		}
		out[c.Name] = taxonomy
	}
	if err := asError(t.problems); err != nil {
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

// treeLoader reads taxonomy files, each once.
type treeLoader struct {
	job      *Job
	problems []Problem
	named    map[string]*taxonomy.Node // of the job's taxonomy file, once read
	files    map[string]*taxonomy.Node // single trees, by path
	failed   map[string]bool           // paths that were reported
}

// column returns a column's taxonomy; after a problem, an empty one.
func (t *treeLoader) column(c *Column) (Taxonomy, error) {
	name := c.Taxonomy.Name
	if name == "" {
		return c.Taxonomy, nil
	}
	if t.job.TaxonomyFile != "" {
		tree, err := t.fromNamed(c)
		return Taxonomy{Tree: tree}, err
	}
	named := t.job.Taxonomies[name]
	if named.File == "" {
		return named, nil
	}
	tree, err := t.fromFile(name, named.File)
	return Taxonomy{Tree: tree}, err
}

// fromNamed finds a column's tree in the job's file of named trees.
func (t *treeLoader) fromNamed(c *Column) (*taxonomy.Node, error) {
	path := t.job.TaxonomyFile
	if t.named == nil && !t.failed[path] {
		named, err := taxonomy.ReadAll(path)
		if err != nil {
			return nil, t.fail(path, "taxonomies", err)
		}
		t.named = named
	}
	tree := t.named[c.Taxonomy.Name]
	if tree == nil && !t.failed[path] {
		at := columnPath(c.Name)
		if at += ".taxonomy"; t.job.origins.origin(at) == originDefault {
			at = columnPath(c.Name) + ":"
		}
		hint := didYouMean(c.Taxonomy.Name, slices.Sorted(maps.Keys(t.named)))
		t.problems = append(t.problems, t.job.origins.problem(at, hint, "column %q: no taxonomy named %q in %s", c.Name, c.Taxonomy.Name, path))
	}
	return tree, nil
}

// fromFile reads a file of one tree.
func (t *treeLoader) fromFile(name, path string) (*taxonomy.Node, error) {
	if tree := t.files[path]; tree != nil || t.failed[path] {
		return tree, nil
	}
	tree, err := taxonomy.Read(path)
	if err != nil {
		return nil, t.fail(path, taxonomyPath(name), err)
	}
	t.files[path] = tree
	return tree, nil
}

// fail notes that a file cannot be used. It returns errors that are not the job's fault.
func (t *treeLoader) fail(path, at string, err error) error {
	t.failed[path] = true
	var bad *taxonomy.Error
	if errors.As(err, &bad) {
		t.problems = append(t.problems, bad.Problems...)
		return nil
	}
	cause := wrongPath(err)
	if cause == "" {
		return fmt.Errorf("read taxonomies: %w", err)
	}
	t.problems = append(t.problems, t.job.origins.problem(at, "", "read taxonomy file %s: %s", path, cause))
	return nil
}
