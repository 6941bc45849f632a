package verify

import (
	"context"
	"fmt"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/kcut/kcut/formats/publish"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/internal/fault"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/fileset"
)

// checkFolder finds missing files of a released directory, and files that do not belong there.
func (v *verifier) checkFolder(ctx context.Context) error {
	if len(v.parts) == 1 && v.parts[0] == v.path {
		return nil
	}
	names, err := fileset.Names(ctx, v.path)
	if err != nil {
		return fmt.Errorf("list release %s: %w", v.path, err)
	}
	complete := false
	for _, name := range names {
		complete = complete || name == publish.SuccessFile
		if strings.HasSuffix(name, "/") {
			v.find("%s has a folder without parts", v.path)
		} else if !fileset.Belongs(name) {
			v.find("%s holds %s, which is no part of a release", v.path, name)
		} else if !v.isFolder(name) {
			v.find("%s has a part in a folder that is named by no label of the cut", v.path)
		}
	}
	if !complete {
		v.find("%s has no _SUCCESS: it was not written to its end", v.path)
	}
	if err := v.checkPlain(ctx, complete); err != nil {
		return err
	}
	return v.checkManifest(ctx)
}

// checkPlain checks names and the empty _SUCCESS for hidden information: parts must be numbered
// from 0 on, as kcut does. Other engines name parts in other ways.
func (v *verifier) checkPlain(ctx context.Context, complete bool) error {
	if v.unstamped {
		return nil
	}
	named := make(map[string]bool, len(v.parts))
	for _, part := range v.parts {
		named[path.Base(filepath.ToSlash(part))] = true
	}
	for number := range v.parts {
		if !named[fileset.PartName(number)] {
			v.find("%s has parts that are not numbered one after the other, from %s on", v.path,
				fileset.PartName(0))
			break
		}
	}
	if !complete {
		return nil
	}
	info, err := storage.Stat(ctx, storage.Join(v.path, publish.SuccessFile))
	if err == nil && info.Size() > 0 {
		v.find("%s has a _SUCCESS that is not empty", v.path)
	}
	return err
}

// checkManifest compares a directory's manifest, if it has one, with the parts: their rows and all
// their bytes.
func (v *verifier) checkManifest(ctx context.Context) error {
	m, err := fileset.ReadManifest(ctx, v.path)
	switch {
	case fault.ClassOf(err) == fault.Input:
		v.find("%s: its manifest is not of the form that kcut writes", v.path)
		return nil
	case err != nil || m == nil:
		return err
	case !slices.EqualFunc(m.Parts, v.parts,
		func(p fileset.Part, path string) bool { return p.Name == fileset.NameIn(v.path, path) }):
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

// checkSums compares the sizes and hashes of parts with the manifest.
func (v *verifier) checkSums(ctx context.Context, parts []fileset.Part) error {
	other := make([]string, len(parts)) // the difference from the manifest's claim
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
