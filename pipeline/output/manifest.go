package output

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"golang.org/x/sync/errgroup"

	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/fileset"
)

// itemize writes the manifest of a directory, whose parts are read on so many goroutines.
func (t *Target) itemize(ctx context.Context, threads int) error {
	if !t.directory {
		return nil
	}
	m, err := newManifest(ctx, t.Path(), threads)
	if err != nil {
		return fmt.Errorf("list the release's parts: %w", err)
	}
	text, err := m.Text()
	if err != nil {
		return err
	}
	file, err := t.Create(fileset.ManifestFile)
	if err != nil {
		return err
	}
	if _, err = file.Write(text); err != nil {
		err = fmt.Errorf("write manifest: %w", err)
	}
	return errors.Join(err, file.Close())
}

func newManifest(ctx context.Context, directory string, threads int) (*fileset.Manifest, error) {
	files, err := fileset.Parts(ctx, directory)
	if err != nil {
		return nil, err
	}
	m := &fileset.Manifest{Version: 1, Parts: make([]fileset.Part, len(files))}
	work, ctx := errgroup.WithContext(ctx)
	work.SetLimit(max(1, threads))
	for i, file := range files {
		work.Go(func() error {
			return workers.Fence(func() (err error) {
				m.Parts[i], err = newPart(ctx, file)
				return err
			})
		})
	}
	if err := work.Wait(); err != nil {
		return nil, err
	}
	for _, part := range m.Parts {
		m.Rows += part.Rows
	}
	return m, nil
}

// newPart describes a part file.
func newPart(ctx context.Context, path string) (part fileset.Part, err error) {
	opened, err := release.Open(ctx, path)
	if err != nil {
		return part, err
	}
	rows := opened.Rows()
	if err := opened.Close(); err != nil {
		return part, err
	}
	size, sum, err := fileset.Sum(ctx, path)
	return fileset.Part{Name: filepath.Base(path), Bytes: size, Rows: rows, SHA256: sum}, err
}
