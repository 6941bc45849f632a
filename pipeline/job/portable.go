package job

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"

	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
)

// Portable returns a resolved job for another process, on any machine: the job contains its
// taxonomies, and its paths do not depend on the current directory. It contains only the names of
// pseudonyms' keys, and no population: only searches count people.
func (j *Job) Portable() ([]byte, error) {
	taxonomies, err := j.LoadTaxonomies()
	if err != nil {
		return nil, err
	}
	p := *j.WithoutPeople()
	p.TaxonomyFile, p.Taxonomies = "", nil
	p.Input, p.InputCounts = slices.Clone(j.Input), slices.Clone(j.InputCounts)
	p.Columns, p.Population = slices.Clone(j.Columns), Population{}
	paths := []*string{&p.Output.Path, &p.Previous, &p.Limits.SpillDir}
	for _, list := range [][]string{p.Input, p.InputCounts} {
		for i := range list {
			paths = append(paths, &list[i])
		}
	}
	for i := range p.Columns {
		paths = append(paths, &p.Columns[i].KeyFile)
		if c := &p.Columns[i]; c.Taxonomy.Name != "" {
			c.Taxonomy = taxonomies[c.Name]
		}
	}
	p.Sensitive = slices.Clone(j.Sensitive)
	for i := range p.Sensitive {
		if s := &p.Sensitive[i]; s.THierarchical != nil {
			s.Taxonomy = taxonomies[s.Column]
		}
	}
	for _, path := range paths {
		if err := absolute(path); err != nil {
			return nil, err
		}
	}
	return json.Marshal(&p)
}

// absolute makes a path absolute, and keeps the slash that ends a directory's path.
func absolute(to *string) error {
	path := *to
	if path == "" || storage.IsRemote(path) {
		return nil
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return fmt.Errorf("find %s: %w", path, err)
	}
	if last := path[len(path)-1]; (last == '/' || last == filepath.Separator) && len(full) > 1 {
		full += "/"
	}
	*to = full
	return nil
}

// ParsePortable reads the result of Portable, and resolves it.
func ParsePortable(text []byte) (*Job, error) {
	j := &Job{}
	if err := json.Unmarshal(text, j); err != nil {
		return nil, fault.Errorf(fault.Internal, "", "read job: %w", err)
	}
	return j.Resolve()
}
