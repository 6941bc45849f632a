package spill

import (
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"sync"

	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// table is a file of chunks that are written together, in Pebble's format of tables: keys in order, and blocks
// with checksums.
//
//	key   = sequence (8 bytes) │ chunk number (8 bytes), both big-endian
//	value = the chunk
type table struct {
	store *Store
	path  string
	alive int // sequences with chunks in it that are not freed; mu of the store guards it

	mu      sync.Mutex  // guards what follows, while the file is opened, closed or removed, too
	reader  tableReader // nil: closed
	users   int
	kept    bool // is open when it has no users, too
	gone    bool // nothing in it is alive
	removed bool
}

// tableReader reads one of Pebble's tables. It is an interface because a Store is seen by most packages, and the
// compiler would write Pebble's generic code once more into each that sees a field of one of its types: half a
// second each.
type tableReader interface {
	iterate(ctx context.Context) (iterator, error)
	Close() error
}

// iterator finds the chunks of a table.
type iterator interface {
	// chunk returns the chunk of a key, valid until the next call.
	chunk(key []byte) ([]byte, error)
	Close() error
}

// keySize is the length of a key: sequence, chunk number.
const keySize = 16

// appendKey appends the key of a chunk.
func appendKey(to []byte, number Sequence, chunk uint64) []byte {
	to = binary.BigEndian.AppendUint64(to, uint64(number))
	return binary.BigEndian.AppendUint64(to, chunk)
}

// blockSize is where a block of a table ends.
const blockSize = 32 << 10

// writeTable writes pieces, which are in the order of their sequences, to the file of a new table.
func (s *Store) writeTable(pieces []*piece) (*table, error) {
	s.written++
	t := &table{store: s, path: s.files.PathJoin(s.folder.path, fmt.Sprintf("table-%d", s.written))}
	file, err := s.files.Create(t.path, vfs.WriteCategoryUnspecified)
	if err != nil {
		return nil, err
	}
	// The newest format without columnar blocks, which take twice the time to write when a block is one value.
	w := sstable.NewWriter(objstorageprovider.NewFileWritable(file), sstable.WriterOptions{
		TableFormat: sstable.TableFormatPebblev4, BlockSize: blockSize, Compression: sstable.NoCompression,
	})
	key := make([]byte, 0, keySize)
	for _, p := range pieces {
		for i, chunk := range p.chunks {
			key = appendKey(key[:0], p.sequence.number, p.first+uint64(i))
			if err == nil {
				err = w.Set(key, chunk)
			}
		}
	}
	return t, errors.Join(err, w.Close())
}

// use returns a reader of the table until leave, and whether the file was opened for it. Of a table that is gone the
// error is errFreed.
func (t *table) use(ctx context.Context) (r tableReader, opened bool, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.gone {
		return nil, false, errFreed
	}
	if opened = t.reader == nil; opened {
		if err := t.open(ctx); err != nil {
			return nil, false, err
		}
	}
	t.users++
	return t.reader, opened, nil
}

// open opens the file.
func (t *table) open(ctx context.Context) error {
	file, err := t.store.files.Open(t.path)
	if err != nil {
		return err
	}
	readable, err := objstorageprovider.NewFileReadable(file, t.store.files, &objstorageprovider.ReadaheadConfig{}, t.path)
	if err != nil {
		return errors.Join(err, file.Close())
	}
	reader, err := sstable.NewReader(ctx, readable, sstable.ReaderOptions{})
	if err != nil {
		return errors.Join(damaged(err), readable.Close())
	}
	t.reader, t.kept = pebbleTable{reader}, true
	return nil
}

// leave ends a use.
func (t *table) leave() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.users--
	return t.tidy()
}

// retire closes a table as soon as nobody uses it.
func (t *table) retire() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = false
	return t.tidy()
}

// remove removes the file as soon as nobody uses it.
func (t *table) remove() error {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.gone = true
	return t.tidy()
}

// tidy closes and removes what is of no use any more.
func (t *table) tidy() (err error) {
	if t.users > 0 {
		return nil
	}
	if t.reader != nil && (t.gone || !t.kept) {
		err = t.reader.Close()
		t.reader = nil
	}
	if t.gone && !t.removed {
		t.removed = true
		err = cmp.Or(t.store.files.Remove(t.path), err)
	}
	return err
}

// openTables are how many files are open that nobody reads: descriptors, and what Pebble knows of each.
const openTables = 128

// recent are the tables that were opened last, in a ring.
type recent struct {
	mu     sync.Mutex
	tables [openTables]*table
	next   int
}

// add adds a table, and retires the one that has been open for longest.
func (r *recent) add(t *table) error {
	r.mu.Lock()
	oldest := r.tables[r.next]
	r.tables[r.next] = t
	r.next = (r.next + 1) % openTables
	r.mu.Unlock()
	if oldest == nil {
		return nil
	}
	return oldest.retire()
}

// close closes all tables.
func (r *recent) close() (err error) {
	for _, t := range r.tables {
		if t != nil {
			err = cmp.Or(err, t.retire())
		}
	}
	return err
}

type pebbleTable struct{ *sstable.Reader }

func (p pebbleTable) iterate(ctx context.Context) (iterator, error) {
	it, err := p.NewPointIter(ctx, sstable.IterOptions{
		Transforms: sstable.NoTransforms, FilterBlockSizeLimit: sstable.NeverUseFilterBlock,
		ReaderProvider: sstable.MakeTrivialReaderProvider(p.Reader), BlobContext: sstable.AssertNoBlobHandles,
	})
	if err != nil {
		return nil, damaged(err)
	}
	return pebbleIterator{it}, nil
}

type pebbleIterator struct{ sstable.Iterator }

func (p pebbleIterator) chunk(key []byte) ([]byte, error) {
	found := p.SeekGE(key, 0)
	if found == nil || !bytes.Equal(found.K.UserKey, key) {
		return nil, cmp.Or(damaged(p.Error()), errMissing)
	}
	chunk, _, err := found.Value(nil)
	return chunk, damaged(err)
}

// damaged makes an error of Pebble's, which has read a file, that of its bytes. That the reading of the file has failed
// comes first: see scratchFS.
func damaged(err error) error {
	if err == nil {
		return nil
	}
	return fmt.Errorf("%w: %w", errDamaged, err)
}
