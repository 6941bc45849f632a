package output

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"

	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/internal/workers"
	"github.com/kcut/kcut/pipeline/fileset"
)

// writeManifest writes the manifest of a directory, whose parts are read on so many goroutines.
func (t *Target) writeManifest(ctx context.Context, threads int) error {
	files, err := fileset.Parts(ctx, t.Path())
	if err != nil {
		return fmt.Errorf("list the release's parts: %w", err)
	}
	m := &fileset.Manifest{Version: 1, Parts: make([]fileset.Part, len(files))}
	err = workers.Each(len(files), threads, func(_ workers.Worker, i int) (err error) {
		m.Parts[i], err = describePart(ctx, files[i])
		return err
	})
	if err != nil {
		return fmt.Errorf("list the release's parts: %w", err)
	}
	for _, part := range m.Parts {
		m.Rows += part.Rows
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

// describePart describes a part file.
func describePart(ctx context.Context, path string) (part fileset.Part, err error) {
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
