package spill

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// table is a file in Pebble's format of tables: keys in order, in pages with checksums. The keys
// are the numbers of pieces of blocks, in 4 bytes, the values the pieces.
type table struct {
	path  string
	size  int64
	alive int // blocks that are not freed
}

const (
	// pageSize is where a page of a table ends, behind a piece.
	pageSize = 32 << 10
	// mostPiece is how long a piece is at most. It has room for a chunk of sorted rows that are not
	// large.
	mostPiece = 512 << 10
)

// newTable returns what writes a table to a file, which it closes.
func newTable(to vfs.File) *sstable.Writer {
	// From version 6 on the end of a table has a checksum, too: one bit there makes other versions
	// of it, on which Pebble panics.
	return sstable.NewWriter(objstorageprovider.NewFileWritable(unsynced{to}), sstable.WriterOptions{
		TableFormat: sstable.TableFormatPebblev7, BlockSize: pageSize, Compression: sstable.NoCompression,
	})
}

// unsynced is a file that ends with the run: only a crash would need it on the disk.
type unsynced struct{ vfs.File }

func (unsynced) Sync() error { return nil }

// pieces are those of an open table. It is an interface because most packages see readers in their
// types: the compiler would make Pebble's generic code in each that sees one of Pebble's, too.
type pieces interface {
	// piece returns a piece, valid until the next call.
	piece(n uint32) ([]byte, error)
	Close() error
}

// open opens a table.
func (t *table) open(ctx context.Context, fsys vfs.FS) (pieces, error) {
	file, err := fsys.Open(t.path)
	if err != nil {
		return nil, err
	}
	readable, err := sstable.NewSimpleReadable(file)
	if err != nil {
		return nil, errors.Join(err, file.Close())
	}
	reader, err := sstable.NewReader(ctx, readable, sstable.ReaderOptions{})
	if err != nil {
		return nil, errors.Join(damaged(err), readable.Close())
	}
	values, err := reader.NewPointIter(ctx, sstable.IterOptions{
		Transforms: sstable.NoTransforms, FilterBlockSizeLimit: sstable.NeverUseFilterBlock,
		ReaderProvider: sstable.MakeTrivialReaderProvider(reader), BlobContext: sstable.AssertNoBlobHandles,
	})
	if err != nil {
		return nil, errors.Join(damaged(err), reader.Close())
	}
	return &openTable{reader, values}, nil
}

// openTable reads a table with Pebble.
type openTable struct {
	reader *sstable.Reader
	values sstable.Iterator
}

func (t *openTable) piece(n uint32) ([]byte, error) {
	found := t.values.SeekGE(binary.BigEndian.AppendUint32(nil, n), 0)
	if found == nil || binary.BigEndian.Uint32(found.K.UserKey) != n {
		return nil, damaged(cmp.Or(t.values.Error(), errMissing))
	}
	piece, _, err := found.Value(nil)
	if err != nil {
		return nil, damaged(err)
	}
	return piece, nil
}

func (t *openTable) Close() error { return errors.Join(t.values.Close(), t.reader.Close()) }

// damaged makes an error of Pebble's that of a file's bytes. If the system has failed to read them,
// explain says so.
func damaged(err error) error { return fmt.Errorf("%w: %w", errDamaged, err) }
