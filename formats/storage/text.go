package storage

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/kcut/kcut/formats"
)

// ReadText returns the bytes of a file that is small. The error wraps
// formats.ErrUnsupported when it has more than so many.
func ReadText(ctx context.Context, path string, most int64) (text []byte, err error) {
	file, err := Open(ctx, path, nil)
	if err != nil {
		return nil, err
	}
	if size := file.Info().Size(); size > most {
		err = fmt.Errorf("read %s: %d bytes: %w", path, size, formats.ErrUnsupported)
	} else {
		text, err = io.ReadAll(io.NewSectionReader(file, 0, size))
	}
	return text, errors.Join(err, file.Close())
}
