package verify

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/fileset"
)

// checkFolder looks for what a released directory lacks, or holds beside its parts.
func (v *verifier) checkFolder(ctx context.Context) error {
	if len(v.parts) == 1 && v.parts[0] == v.path {
		return nil
	}
	names, err := v.names(ctx)
	if err != nil {
		return fmt.Errorf("list release %s: %w", v.path, err)
	}
	complete := false
	for _, name := range names {
		complete = complete || name == publish.SuccessFile
		if !fileset.Belongs(name) {
			v.find("%s holds %s, which is no part of a release", v.path, name)
		}
	}
	if !complete {
		v.find("%s has no _SUCCESS: it was not written to its end", v.path)
	}
	return v.checkManifest(ctx)
}

// checkManifest compares a directory's manifest, if it has one, with its parts: their rows and
// all their bytes.
func (v *verifier) checkManifest(ctx context.Context) error {
	m, err := fileset.ReadManifest(ctx, v.path)
	switch {
	case fault.ClassOf(err) == fault.Input:
		v.find("%s: its manifest is not of the form that kcut writes", v.path)
		return nil
	case err != nil || m == nil:
		return err
	case !slices.EqualFunc(m.Parts, v.parts, func(p fileset.Part, path string) bool { return p.Name == filepath.Base(path) }):
		v.find("%s: its manifest lists other parts", v.path)
		return nil
	}
	rows := int64(0)
	for _, part := range m.Parts {
		rows += part.Rows
	}
	if rows != m.Rows || rows != v.cut.Rows {
		v.find("%s: its manifest has another number of rows than its cut", v.path)
	}
	return v.checkSums(ctx, m.Parts)
}

// checkSums compares the sizes and hashes of parts with what the manifest says.
func (v *verifier) checkSums(ctx context.Context, parts []fileset.Part) error {
	other := make([]string, len(parts)) // what is another than the manifest claims
	err := workers.Each(len(parts), v.threads, func(_ workers.Worker, i int) error {
		info, err := storage.Stat(ctx, v.parts[i])
		switch {
		case err != nil:
			return err
		case info.Size() != parts[i].Bytes:
			other[i] = "another size"
			return nil
		}
		_, sum, err := fileset.Sum(ctx, v.parts[i])
		if err == nil && sum != parts[i].SHA256 {
			other[i] = "other bytes"
		}
		return err
	})
	if err != nil {
		return err
	}
	for i, what := range other {
		if what != "" {
			v.find("%s: its manifest claims %s", v.parts[i], what)
		}
	}
	return nil
}

// names returns what lies in a released directory.
func (v *verifier) names(ctx context.Context) (names []string, err error) {
	if storage.IsRemote(v.path) {
		directory := storage.Join(v.path, "")
		objects, err := storage.List(ctx, directory)
		for _, object := range objects {
			names = append(names, object.Location[len(directory):])
		}
		return names, err
	}
	entries, err := os.ReadDir(v.path)
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names, err
}
