package jobfile

import (
	"fmt"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats/location"
	"github.com/kcut/kcut/formats/yaml"
)

// Resolve checks the whole job, and returns a copy in which what was left out has its default,
// where there is one. What is wrong comes back as an *Error, all of it at once. It opens no file.
func (j *Job) Resolve() (*Job, error) {
	resolved := *j
	resolved.Input, resolved.Sets, resolved.Columns = slices.Clone(j.Input), slices.Clone(j.Sets), slices.Clone(j.Columns)
	resolved.origins = j.origins.clone()
	c := checker{Job: &resolved}
	c.finish()
	if err := asError(c.problems); err != nil {
		return nil, err
	}
	return c.Job, nil
}

// Validate reports what is wrong with the job, as Resolve does.
func (j *Job) Validate() error {
	_, err := j.Resolve()
	return err
}

// checker checks a job, takes wrong values out, and fills in defaults.
type checker struct {
	*Job
	problems []Problem
}

func (c *checker) add(path, hint, format string, args ...any) {
	c.problems = append(c.problems, c.origins.problem(path, hint, format, args...))
}

// spoil reports what is wrong with a value that is left out. Rules that need it stay silent.
func (c *checker) spoil(path, hint, format string, args ...any) {
	c.add(path, hint, format, args...)
	c.origins.spoil(path)
}

// broken reports whether the value at a path was wrong.
func (c *checker) broken(path string) bool { return c.origins.places[path].broken }

// given reports whether there is a value at a path, whatever it is.
func (c *checker) given(path string, p any) bool {
	_, noted := c.origins.places[path]
	return noted || !isZero(p)
}

// finish checks all values, fills in what is absent, and checks what the parts say of each other.
func (c *checker) finish() {
	c.fields("", "", 0)
	c.rules()
}

// fields checks the fields under a prefix. at is their path; i says which set or column they are of.
func (c *checker) fields(prefix, at string, i int) {
	for _, f := range fieldsUnder(prefix) {
		path, p := at+f.key(), f.at(c.Job, i)
		switch {
		case c.broken(path):
		case !c.given(path, p) && (f.kind != kindMap || f.required):
			c.absent(f, path, i, p)
		case f.kind == kindMap:
			c.fields(f.prefix(), path+".", i)
		case f.kind == kindList:
			for s := range c.Sets {
				if set := fmt.Sprintf("%s[%d]", path, s); !c.broken(set) {
					c.fields(f.prefix(), set+".", s)
				}
			}
		case f.kind == kindNamed:
			c.columns(f)
		default:
			c.check(f, path, p)
		}
	}
}

// columns checks the entries of all columns.
func (c *checker) columns(f *field) {
	seen := make(map[string]bool, len(c.Columns))
	for i := range c.Columns {
		spec := &c.Columns[i]
		path := columnPath(spec.Name)
		switch {
		case c.broken(path):
		case spec.Name == "" && spec.Mask != MaskDrop && spec.Mask != MaskKeep:
			c.add(path+":", "name it where it comes from", "a column without a name can only be dropped or kept")
			*spec = Column{}
			c.origins.spoil(path)
		case seen[spec.Name]:
			c.spoil(path, "", "column %q is there twice", spec.Name)
		default:
			c.fields(f.prefix(), path+".", i)
		}
		seen[spec.Name] = true
	}
}

// absent fills in the default of a field without a value, or reports that it needs one.
func (c *checker) absent(f *field, path string, i int, p any) {
	value := f.def
	if f.defOf != nil {
		value = f.defOf(c.Job, i)
	}
	switch {
	case f.required && !slices.Contains(f.excused, c.Algorithm.Name):
		hint := f.key() + ": " + f.plainDoc()
		if len(f.enum) > 0 {
			hint = f.key() + " is " + f.wants()
		}
		owner := path[:max(strings.LastIndexByte(path, '.'), 0)]
		c.add(owner, hint, "missing key %q", f.key())
	case value != "" && f.serves(c.Algorithm.Name) && (f.masks == nil || f.allows(c.Columns[i].Mask)):
		f.parse(&yaml.Node{Text: value}, p)
		c.origins.places[path] = place{name: originDefault}
	}
}

// check checks a value. One that is wrong it takes out.
func (c *checker) check(f *field, path string, p any) {
	found := len(c.problems)
	switch p := p.(type) {
	case *string:
		c.text(f, path, p)
	case *[]string:
		for i := range *p {
			c.text(f, fmt.Sprintf("%s[%d]", path, i), &(*p)[i])
		}
	case *Taxonomy:
		c.checkTaxonomy(path, p, p.File, "a name, a tree or a generator")
	case taxonomies:
		c.taxonomies(path)
	default:
		if message, hint := f.wrong(p); message != "" {
			c.add(path, hint, "%s %s", f.title(), message)
		}
	}
	if len(c.problems) > found {
		c.origins.spoil(path)
		clearValue(p)
	}
}

// text checks a single text. The path of a file URL takes its place.
func (c *checker) text(f *field, path string, text *string) {
	if message, hint := f.wrongText(*text); message != "" {
		c.add(path, hint, "%s %s", f.title(), message)
	} else if f.kind == kindPath || f.kind == kindPaths {
		*text, _ = location.Resolve(*text) // wrongText has asked
	}
}
