package dataset

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/arrowfile"
	"github.com/kcut/kcut/formats/csvfile"
	"github.com/kcut/kcut/formats/parquetfile"
	"github.com/kcut/kcut/formats/storage"
)

// opener opens a file of one format.
type opener func(ctx context.Context, path string, opt formats.ReadOptions) (formats.Source, error)

// detect tells a file's format by its first bytes, and by its name where the format has none.
func detect(ctx context.Context, path string) (opener, error) {
	magic, err := firstBytes(ctx, path)
	if err != nil {
		return nil, fmt.Errorf("detect format: %w", err)
	}
	switch {
	case strings.HasPrefix(magic, "PAR1"):
		return parquetfile.Open, nil
	case strings.HasPrefix(magic, "PARE"):
		return nil, fmt.Errorf("detect format of %s: encrypted Parquet: %w", path, formats.ErrUnsupported)
	case strings.HasPrefix(magic, "ARROW1"), strings.HasPrefix(magic, "\xff\xff\xff\xff"):
		return arrowfile.Open, nil
	}
	return detectByName(path)
}

func detectByName(path string) (opener, error) {
	name := strings.ToLower(filepath.Base(path))
	plain := strings.TrimSuffix(strings.TrimSuffix(name, ".gz"), ".zst")
	switch filepath.Ext(plain) {
	case ".csv", ".tsv":
		return csvfile.Open, nil
	}
	switch filepath.Ext(name) {
	case ".arrow", ".arrows", ".ipc", ".stream", ".feather": // streams before Arrow 0.15 have no magic
		return arrowfile.Open, nil
	case ".parquet", ".parq", ".pq":
		return nil, fmt.Errorf("detect format of %s: file does not start with PAR1: %w", path, formats.ErrDamaged)
	}
	return nil, fmt.Errorf("detect format of %s: starts neither as Parquet nor as Arrow, and is not named .csv, .tsv, .csv.gz or .csv.zst: %w", path, formats.ErrUnsupported)
}

// firstBytes returns up to eight bytes.
func firstBytes(ctx context.Context, path string) (string, error) {
	file, err := storage.Open(ctx, path, nil)
	if err != nil {
		return "", err
	}
	defer file.Close()
	var magic [8]byte
	n, err := file.ReadAt(magic[:], 0)
	if err == io.EOF {
		err = nil
	}
	return string(magic[:n]), err
}
