package release

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/location"
	"github.com/kcut/kcut/formats/storage"
)

// magic is what a Parquet file begins and ends with.
const magic = "PAR1"

// CutKey is the one metadata key of a release: the solution cut, as JSON.
const CutKey = "kcut.cut"

// File reads a released Parquet file by a path of its own: by another library than the
// one that the encoder is built on, and by none of the encoder's code, so that what is
// found in the file is what other readers find in it. Its methods may be called from
// several goroutines at a time.
type File struct {
	path   string
	remote bool // in an object store
	file   storage.File
	size   int64
	footer footer
}

// Open opens a released file. It returns formats.ErrDamaged for a file that is not Parquet
// or whose footer contradicts itself, and formats.ErrUnsupported for an encrypted one.
func Open(ctx context.Context, path string) (*File, error) {
	f, err := storage.Open(ctx, path, nil)
	if err != nil {
		return nil, fmt.Errorf("open release: %w", err)
	}
	r := &File{path: path, remote: location.IsRemote(path), file: f}
	if err := r.readFooter(); err != nil {
		return nil, errors.Join(fmt.Errorf("open release %s: %w", path, err), f.Close())
	}
	return r, nil
}

func (r *File) readFooter() error {
	if !r.file.Info().IsRegular() {
		return fmt.Errorf("%w: not a regular file", formats.ErrDamaged)
	}
	r.size = r.file.Info().Size()
	if err := r.checkMagic(); err != nil {
		return err
	}
	if err := r.openFooter(); err != nil {
		return err
	}
	if r.footer.IsSetEncryptionAlgorithm() {
		return fmt.Errorf("%w: encrypted", formats.ErrUnsupported)
	}
	return r.checkRows()
}

// checkMagic looks at the first bytes; the reader looks at the last ones only.
func (r *File) checkMagic() error {
	first := make([]byte, len(magic))
	if _, err := r.file.ReadAt(first, 0); err != nil && !errors.Is(err, io.EOF) {
		return err
	}
	if string(first) != magic {
		return fmt.Errorf("%w: not Parquet", formats.ErrDamaged)
	}
	return nil
}

// checkRows makes sure that the row groups' rows add up.
func (r *File) checkRows() error {
	rows := int64(0)
	for i, g := range r.footer.groups {
		if g.rows < 0 {
			return fmt.Errorf("%w: row group %d has %d rows", formats.ErrDamaged, i, g.rows)
		}
		rows += g.rows
	}
	if rows != r.footer.NumRows {
		return fmt.Errorf("%w: row groups have %d rows, the footer says %d", formats.ErrDamaged, rows, r.footer.NumRows)
	}
	return nil
}

// Close closes the file.
func (r *File) Close() error { return r.file.Close() }

// Rows returns the number of rows.
func (r *File) Rows() int64 { return r.footer.NumRows }

// RowGroups returns the number of row groups.
func (r *File) RowGroups() int { return len(r.footer.groups) }

// RowGroupRows returns the number of rows of a row group.
func (r *File) RowGroupRows(rowGroup int) int64 { return r.footer.groups[rowGroup].rows }

// Metadata returns the value of a key of the file's metadata.
func (r *File) Metadata(key string) (string, bool) {
	for _, kv := range r.footer.FileMetaData.FileMetaData.KeyValueMetadata {
		if kv.Key == key {
			return kv.GetValue(), true
		}
	}
	return "", false
}

// Column is one top-level column of a released file.
type Column struct {
	Name     string
	Physical string // Parquet's physical type; empty when nested
	Logical  string // Parquet's logical type, as text
	String   bool   // UTF-8 text
	Nullable bool
	Nested   bool
}

// Columns returns the top-level columns in order.
func (r *File) Columns() []Column {
	root := r.footer.Schema.Root()
	columns := make([]Column, root.NumFields())
	for i := range columns {
		columns[i] = columnOf(root.Field(i))
	}
	return columns
}

func columnOf(n schema.Node) Column {
	c := Column{
		Name:     n.Name(),
		Logical:  n.LogicalType().String(),
		Nullable: n.RepetitionType() != parquet.Repetitions.Required,
	}
	p, ok := n.(*schema.PrimitiveNode)
	if !ok || n.RepetitionType() == parquet.Repetitions.Repeated {
		c.Nested = true
		return c
	}
	c.Physical = p.PhysicalType().String()
	_, c.String = n.LogicalType().(schema.StringLogicalType)
	return c
}

// leaf returns the position of a flat column among the leaves.
func (r *File) leaf(name string) (int, error) {
	root := r.footer.Schema.Root()
	i := root.FieldIndexByName(name)
	if i < 0 {
		return 0, fmt.Errorf("%w: no such column", formats.ErrSchema)
	}
	if columnOf(root.Field(i)).Nested {
		return 0, fmt.Errorf("%w: nested column", formats.ErrUnsupported)
	}
	return r.footer.Schema.ColumnIndexByNode(root.Field(i)), nil
}
