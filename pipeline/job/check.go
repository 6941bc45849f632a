package job

import (
	"slices"

	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/formats/yaml"
)

// Resolve checks the whole job, and returns a copy in which what was left out has its default,
// where there is one. What is wrong comes back as an *Error, all of it at once. It opens no file.
func (j *Job) Resolve() (*Job, error) {
	resolved := *j
	resolved.Input, resolved.Sets, resolved.Columns = slices.Clone(j.Input), slices.Clone(j.Sets), slices.Clone(j.Columns)
	resolved.origins = j.origins.clone()
	c := checker{Job: &resolved}
	return c.resolve()
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
	c.repeatedColumns()
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

// repeatedColumns: every column has one entry.
func (c *checker) repeatedColumns() {
	seen := make(map[string]bool, len(c.Columns))
	for i := range c.Columns {
		name := c.Columns[i].Name
		if path := columnPath(name); seen[name] {
			c.reject(path, "", "column %q is there twice", name)
		}
		seen[name] = true
	}
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
