package draft

import (
	"cmp"
	"fmt"
	"path"
	"path/filepath"
	"strings"

	"github.com/kcut/kcut/formats/dataset"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
)

// checkFile refuses a job file that would be a part of the input.
func (d *draft) checkFile() error {
	if d.File == "" {
		return nil
	}
	isInput, err := d.reads(d.File)
	if isInput {
		err = fault.Errorf(fault.Usage, "name a file that is not among the input",
			"write job %s: the job would read it as input", d.File)
	}
	return err
}

// outputPath returns the path of the release for the job: a place that is not in the input.
func (d *draft) outputPath() (string, error) {
	stem := stemOf(d.Input[0])
	candidates := []string{stem + "-release.parquet", "release/", "../" + stem + "-release.parquet"}
	for _, output := range candidates {
		file := path.Clean(output)
		if strings.HasSuffix(output, "/") {
			file = path.Join(output, "part.parquet")
		}
		if isInput, err := d.reads(filepath.Join(filepath.Dir(d.File), file)); err != nil {
			return "", err
		} else if !isInput {
			return output, nil
		}
	}
	return candidates[0], nil
}

// reads reports whether a file would be a part of the input.
func (d *draft) reads(file string) (bool, error) {
	for _, pattern := range d.Input {
		if found, err := dataset.Finds(pattern, file); err != nil || found {
			return found, err
		}
	}
	return false, nil
}

// inputPaths returns the input's paths for the job: relative paths start from the job's folder.
func (d *draft) inputPaths() ([]string, error) {
	folder := filepath.Dir(d.File)
	if folder == "." {
		return d.Input, nil
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, fmt.Errorf("find folder of job %s: %w", d.File, err)
	}
	paths := make([]string, len(d.Input))
	for i, name := range d.Input {
		paths[i] = name
		if storage.IsRemote(name) || filepath.IsAbs(name) {
			continue
		}
		absolute, err := filepath.Abs(name)
		if err != nil {
			return nil, fmt.Errorf("find input %s: %w", name, err)
		}
		if paths[i], err = filepath.Rel(folder, absolute); err != nil { // it is on another drive
			paths[i] = absolute
		}
		paths[i] = filepath.ToSlash(paths[i])
	}
	return paths, nil
}

// stemOf returns the name of an input without wildcards and its extension, as .csv.gz.
func stemOf(input string) string {
	stem := path.Base(filepath.ToSlash(input))
	stem = strings.TrimSuffix(strings.TrimSuffix(stem, ".gz"), ".zst")
	stem = strings.TrimSuffix(stem, path.Ext(stem))
	for _, sign := range `*?[]\/ ` {
		stem = strings.ReplaceAll(stem, string(sign), "")
	}
	return cmp.Or(strings.Trim(stem, "-_."), "table")
}
