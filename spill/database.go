package spill

import (
	"context"

	"github.com/cockroachdb/pebble/v2"
	"github.com/cockroachdb/pebble/v2/objstorage/objstorageprovider"
	"github.com/cockroachdb/pebble/v2/sstable"
	"github.com/cockroachdb/pebble/v2/vfs"
)

// database is Pebble. It is an interface because a Store is seen by most packages, and the compiler would
// write Pebble's generic code once more into each that sees a field of one of its types: half a second each.
type database interface {
	Ingest(ctx context.Context, paths []string) error
	excise(from, end []byte) error
	iterate(ctx context.Context) (iterator, error)
	newTable(file vfs.File) tableWriter
	Close() error
}

// iterator goes over the keys of a database.
type iterator interface {
	SetBounds(lower, upper []byte)
	First() bool
	Next() bool
	Key() []byte
	ValueAndErr() ([]byte, error)
	Error() error
	Close() error
}

// tableWriter writes a table, whose keys come in their order.
type tableWriter interface {
	Set(key, value []byte) error
	Close() error
}

type pebbleDB struct {
	*pebble.DB
	format sstable.WriterOptions
}

// openPebble opens the database in a store's folder.
func openPebble(s *Store) (database, error) {
	options := pebbleOptions(s)
	db, err := pebble.Open(s.folder.path, options)
	if err != nil {
		return nil, err
	}
	return &pebbleDB{db, options.MakeWriterOptions(0, db.TableFormat())}, nil
}

func (p *pebbleDB) excise(from, end []byte) error {
	return p.Excise(context.Background(), pebble.KeyRange{Start: from, End: end})
}

func (p *pebbleDB) iterate(ctx context.Context) (iterator, error) {
	it, err := p.NewIterWithContext(ctx, &pebble.IterOptions{})
	if err != nil {
		return nil, err
	}
	return it, nil
}

func (p *pebbleDB) newTable(file vfs.File) tableWriter {
	return sstable.NewWriter(objstorageprovider.NewFileWritable(file), p.format)
}
