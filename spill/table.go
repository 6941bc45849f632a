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

// table is a file in Pebble's table format: sorted keys, in pages with checksums. Keys are the
// numbers of pieces of blocks, in 4 bytes; values are the pieces.
type table struct {
	path  string
	size  int64
	alive int // number of blocks that are not freed
}

const (
	// pageSize is the size after which a page of a table ends, at the end of a piece.
	pageSize = 32 << 10
	// mostPiece is the largest length of a piece. A chunk of sorted rows of usual size fits.
	mostPiece = 512 << 10
)

// newTable returns a writer that writes a table to a file and closes it.
func newTable(to vfs.File) *sstable.Writer {
	// From version 6 on the end of a table has a checksum, too. Without it, one changed bit there
	// makes other versions of the end, on which Pebble panics.
	return sstable.NewWriter(objstorageprovider.NewFileWritable(unsynced{to}),
		sstable.WriterOptions{
			TableFormat: sstable.TableFormatPebblev7,
			BlockSize:   pageSize,
			Compression: sstable.NoCompression,
		})
}

// unsynced is a file that is not needed after the run, so a crash may lose it.
type unsynced struct{ vfs.File }

func (unsynced) Sync() error { return nil }

// pieces returns the pieces of an open table. It is an interface because the types of most packages
// contain readers: the compiler would generate Pebble's generic code again in each package that
// sees one of Pebble's types.
type pieces interface {
	// piece returns a piece, valid until the next call.
	piece(n uint32) ([]byte, error)
	Close() error
}

// open opens a table for reading.
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
		ReaderProvider: sstable.MakeTrivialReaderProvider(reader),
		BlobContext:    sstable.AssertNoBlobHandles,
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

// damaged wraps an error from Pebble about a file's bytes. If the system has failed to read them,
// explain says so.
func damaged(err error) error { return fmt.Errorf("%w: %w", errDamaged, err) }
