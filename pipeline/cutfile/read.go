package cutfile

import (
	"context"
	"fmt"
	"io"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/release"
	"github.com/kcut/kcut/formats/storage"
	"github.com/kcut/kcut/pipeline/fileset"
)

// Read returns the cut of a released file, of a released directory (its first part's),
// or of a file that holds the JSON alone.
func Read(ctx context.Context, path string) (_ *File, err error) {
	defer func() { err = fileset.Advise(err) }()
	if path, err = fileset.Resolve(path); err != nil {
		return nil, err
	}
	parts, err := fileset.Parts(ctx, path)
	if err != nil {
		return nil, err
	}
	raw, err := embedded(ctx, parts[0])
	if err != nil {
		return nil, err
	}
	cut, err := Parse(raw)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", parts[0], err)
	}
	return cut, nil
}

// maxFile bounds a cut file that is read whole.
const maxFile = 1 << 28

func embedded(ctx context.Context, path string) ([]byte, error) {
	if text, err := textOf(ctx, path); err != nil || text != nil {
		return text, err
	}
	release, err := release.Open(ctx, path)
	if err != nil {
		return nil, err
	}
	defer release.Close()
	text, ok := release.Metadata(Key)
	if !ok {
		return nil, fmt.Errorf("read %s: it has no %s metadata: %w", path, Key, formats.ErrDamaged)
	}
	return []byte(text), nil
}

// textOf returns the text of a file that is a cut and nothing else; nil of any other.
func textOf(ctx context.Context, path string) ([]byte, error) {
	file, err := storage.Open(ctx, path, nil)
	if err != nil {
		return nil, fmt.Errorf("read cut: %w", err)
	}
	defer file.Close()
	size := file.Info().Size()
	head := make([]byte, 1)
	if n, _ := file.ReadAt(head, 0); n == 0 || head[0] != '{' || size > maxFile {
		return nil, nil
	}
	text := make([]byte, size)
	if _, err := file.ReadAt(text, 0); err != nil && err != io.EOF {
		return nil, fmt.Errorf("read cut: %w", err)
	}
	return text, nil
}
