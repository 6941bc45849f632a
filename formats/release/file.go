package release

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/storage"
)

// CutKey is the only metadata key of a release: the cut, as JSON.
const CutKey = "kcut.cut"

// File is an open released Parquet file. Its methods may be called from several goroutines at a
// time.
type File struct {
	path                string
	remote              bool // in an object store
	file                storage.File
	size                int64
	footer              *meta.Footer
	footerAt, footerEnd int64
	given               map[string]uint32 // see Give
}

// Give sets the number of all rows in a masked column that the file does not have.
func (r *File) Give(column string, number uint32) {
	if r.given == nil {
		r.given = make(map[string]uint32)
	}
	r.given[column] = number
}

// Given reports whether Give was called for a masked column.
func (r *File) Given(column string) bool {
	_, given := r.given[column]
	return given
}

// Open opens a released file. It returns formats.ErrDamaged for a file that is not Parquet or whose
// footer contradicts itself, and formats.ErrUnsupported for an encrypted one.
func Open(ctx context.Context, path string) (*File, error) {
	f, err := storage.Open(ctx, path, nil)
	if err != nil {
		return nil, fmt.Errorf("open release: %w", err)
	}
	r := &File{path: path, remote: storage.IsRemote(path), file: f, size: f.Info().Size()}
	if err := r.open(); err != nil {
		return nil, errors.Join(fmt.Errorf("open release %s: %w", path, err), f.Close())
	}
	return r, nil
}

func (r *File) open() error {
	if !r.file.Info().IsRegular() {
		return fmt.Errorf("%w: not a regular file", formats.ErrDamaged)
	}
	if err := r.readFooter(); err != nil {
		return err
	}
	rows := int64(0)
	for i, e := range r.footer.Entries {
		if e.Rows < 0 {
			return fmt.Errorf("%w: row group %d has %d rows", formats.ErrDamaged, i, e.Rows)
		}
		rows += e.Rows
	}
	if rows != r.footer.NumRows {
		return fmt.Errorf("%w: row groups have %d rows, the footer says %d", formats.ErrDamaged,
			rows, r.footer.NumRows)
	}
	return nil
}

// localBuffers is the largest number of bytes of the buffers of all columns of a file on this
// machine, unless there are thousands of columns.
const localBuffers = 8 << 20

// bufferSize returns the number of bytes that are read at a time: for an object each read is a
// request.
func (r *File) bufferSize() int64 {
	if r.remote {
		return 1 << 20
	}
	leaves := 1
	if r.footer != nil {
		leaves = max(1, len(r.footer.Leaves))
	}
	return max(1<<12, min(1<<16, localBuffers/int64(leaves)))
}

// Close closes the file.
func (r *File) Close() error { return r.file.Close() }

// RowGroups returns the number of row groups.
func (r *File) RowGroups() int { return len(r.footer.Entries) }

// RowGroupRows returns the number of rows of a row group.
func (r *File) RowGroupRows(rowGroup int) int64 { return r.footer.Entries[rowGroup].Rows }

// Metadata returns the value of a key of the file's metadata.
func (r *File) Metadata(key string) (string, bool) {
	for _, kv := range r.footer.KeyValueMetadata {
		if kv.Key == key {
			return kv.Value.V, true
		}
	}
	return "", false
}

// Columns returns the names of the top-level columns in order.
func (r *File) Columns() []string {
	names := make([]string, len(r.footer.Columns))
	for i, c := range r.footer.Columns {
		names[i] = c.Elements[0].Name
	}
	return names
}

// Parts returns the names of the fields in the structs of a column, with those above them, in
// order; none for a flat column.
func (r *File) Parts(column string) (names []string) {
	i := r.footer.Column(column)
	if i < 0 || r.footer.Columns[i].Flat() {
		return nil
	}
	for _, leaf := range r.footer.Leaves[r.footer.Columns[i].First:r.footer.Columns[i].Last] {
		names = append(names, strings.Join(leaf.Path[1:], "."))
	}
	return names
}

// Flat returns the names of the columns that are not nested, in order.
func (r *File) Flat() (names []string) {
	for _, c := range r.footer.Columns {
		if c.Flat() {
			names = append(names, c.Elements[0].Name)
		}
	}
	return names
}

// Smallest returns the smallest values of columns, by the statistics of row groups. It leaves out
// columns without statistics in some row group, those without values, and those that are nested or
// missing.
func (r *File) Smallest(columns []string) (map[string][]byte, error) {
	smallest := make(map[string][]byte, len(columns))
	silent := make(map[string]bool)
	err := r.eachRowGroup(func(g *rowGroup) error {
		for _, name := range columns {
			leaf, err := r.leaf(name, "")
			if err != nil {
				silent[name] = true
				continue
			}
			chunk := g.Chunk(leaf)
			said := chunk.Statistics.V
			least, known := smallest[name]
			switch {
			case said.MinValue == nil &&
				(!said.NullCount.Valid || said.NullCount.V != chunk.NumValues):
				silent[name] = true
			case said.MinValue != nil && (!known || bytes.Compare(said.MinValue, least) < 0):
				smallest[name] = bytes.Clone(said.MinValue)
			}
		}
		return nil
	})
	for name := range silent {
		delete(smallest, name)
	}
	return smallest, err
}
