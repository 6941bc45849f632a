package job

import (
	"encoding/json"
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
		paths, several := s.value.Addr().Interface().(*[]string)
		switch {
		case !s.isPath():
		case several:
			for i := range *paths {
				(*paths)[i], err = absolute((*paths)[i], err)
			}
		default:
			text, failed := absolute(s.value.String(), err)
			s.value.SetString(text)
			err = failed
		}
	})
	if err != nil {
		return nil, err
	}
	return json.Marshal(p)
}

// absolute returns a path from the root of the file system, with the slash that ends a directory's,
// and the error before or its own.
func absolute(path string, before error) (string, error) {
	if path == "" || storage.IsRemote(path) || before != nil {
		return path, before
	}
	full, err := filepath.Abs(path)
	if err != nil {
		return path, fmt.Errorf("find %s: %w", path, err)
	}
	if last := path[len(path)-1]; (last == '/' || last == filepath.Separator) && len(full) > 1 {
		full += "/"
	}
	return full, nil
}

// ParsePortable reads what Portable has returned, and resolves it.
func ParsePortable(text []byte) (*Job, error) {
	j := &Job{}
	if err := json.Unmarshal(text, j); err != nil {
		return nil, fault.Errorf(fault.Internal, "", "read job: %w", err)
	}
	return j.Resolve()
}
