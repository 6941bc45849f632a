package job

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
)

// Portable returns a resolved job as another process reads it, wherever it runs: taxonomies are in it, and paths do not
// depend on where it was started. Keys of pseudonyms are not: only their names.
func (j *Job) Portable() ([]byte, error) {
	taxonomies, err := j.LoadTaxonomies()
	if err != nil {
		return nil, err
	}
	p := j.clone()
	p.TaxonomyFile, p.Taxonomies = "", nil
	for i := range p.Columns {
		if t, generalized := taxonomies[p.Columns[i].Name]; generalized {
			p.Columns[i].Taxonomy = t
		}
	}
	p.slots(func(s slot) {
		if !s.isPath() {
			return
		}
		switch to := s.value.Addr().Interface().(type) {
		case *string:
			err = errors.Join(err, absolute(to))
		case *[]string:
			for i := range *to {
				err = errors.Join(err, absolute(&(*to)[i]))
			}
		}
	})
	if err != nil {
		return nil, err
	}
	return json.Marshal(p)
}

// absolute has a path start from the root of the file system, with the slash that ends a directory's.
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

// ParsePortable reads what Portable has returned, and resolves it.
func ParsePortable(text []byte) (*Job, error) {
	j := &Job{}
	if err := json.Unmarshal(text, j); err != nil {
		return nil, fault.Errorf(fault.Internal, "", "read job: %w", err)
	}
	return j.Resolve()
}
