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
func (j *Job) Portable() (_ []byte, err error) {
	p := *j
	taxonomies, err := j.LoadTaxonomies()
	if err != nil {
		return nil, err
	}
	p.TaxonomyFile, p.Taxonomies, p.Columns = "", nil, append([]Column(nil), j.Columns...)
	p.Input = append([]string(nil), j.Input...)
	paths := []*string{&p.Output.Path, &p.Limits.SpillDir, &p.Previous}
	for i := range p.Input {
		paths = append(paths, &p.Input[i])
	}
	for i := range p.Columns {
		c := &p.Columns[i]
		if t, generalized := taxonomies[c.Name]; generalized {
			c.Taxonomy = t
		}
		paths = append(paths, &c.KeyFile)
	}
	for _, path := range paths {
		if *path, err = absolute(*path); err != nil {
			return nil, fmt.Errorf("find %s: %w", *path, err)
		}
	}
	return json.Marshal(&p)
}

// absolute returns a path from the root of the file system, with the slash that ends a directory's.
func absolute(path string) (string, error) {
	if path == "" || storage.IsRemote(path) {
		return path, nil
	}
	full, err := filepath.Abs(path)
	if last := path[len(path)-1]; err == nil && (last == '/' || last == filepath.Separator) && len(full) > 1 {
		full += "/"
	}
	return full, err
}

// ParsePortable reads what Portable has returned, and resolves it.
func ParsePortable(text []byte) (*Job, error) {
	j := &Job{}
	if err := json.Unmarshal(text, j); err != nil {
		return nil, fault.Errorf(fault.Internal, "", "read job: %w", err)
	}
	return j.Resolve()
}
