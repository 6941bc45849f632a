// Package arrowfile reads Arrow IPC files and streams: a formats.Source whose chunks are record
// batches.
//
// Contract: a dictionary column keeps its dictionary, also while deltas extend it; nested columns
// become the leaves that Parquet would have. Both byte orders, LZ4 and Zstandard are supported. A
// column of an unsupported type is refused when it is requested, not before.
//
// Arrow's own library reads the schema (its package ipc) and makes arrays of the requested columns
// (its package array), inside a panic fence and only from checked data: it trusts the lengths that
// a file declares. This package finds, reads and unpacks buffers itself, because the library's
// package ipc
//
//   - copies each buffer of a message that is in memory as a whole. To use it, this package would
//     have to make messages with only the wanted columns, and so would need the same walk over
//     nodes and buffers.
//   - keeps the dictionaries of all columns at once, in the order of a stream, and makes new ones
//     for each delta.
//   - ignores the checksums of Zstandard frames, gives each frame the window that it asks for, even
//     gigabytes, and unpacks them on goroutines that no fence encloses.
//   - does not support short decimals, and does not swap views of big-endian files.
//
// Limits: unions and run-end encoded columns are refused.
package arrowfile

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"slices"
	"sort"

	flatbuffers "github.com/google/flatbuffers/go"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
	"github.com/kcut/kcut/formats/storage"
)

// source is an opened Arrow IPC file or stream.
type source struct {
	path         string
	file         storage.File
	size         int64
	rows         int                     // largest number of rows of a batch
	remember     int                     // number of distinct values of a coded column to keep
	hold         func(bytes int64) error // formats.ReadOptions.Hold
	big          bool
	columns      []*field
	schema       []formats.Field
	batches      []place
	dictionaries map[int64][]part
}

// place is the place of a record batch.
type place struct {
	at   int64 // position of its message
	rows int64
}

// part is a message that makes, replaces or (delta) extends a dictionary.
type part struct {
	at     int64
	delta  bool
	before int // the first record batch that uses it
}

var (
	magic       = []byte("ARROW1")
	trailerSize = int64(len(magic) + 4)
	featherOne  = []byte("FEA1")
)

// Open opens an Arrow IPC file or stream and reads the metadata of all its messages. Its chunks are
// the record batches. It returns formats.ErrDamaged for a file that contradicts the format and
// formats.ErrUnsupported for unsupported features; a column of an unsupported type is refused only
// when it is requested.
func Open(ctx context.Context, path string, opt formats.ReadOptions) (formats.Source, error) {
	file, err := storage.Open(ctx, path, opt.Ahead)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	s := &source{
		path: path, file: file, size: file.Info().Size(), rows: opt.BatchRows,
		remember: opt.Remember, hold: opt.Hold, dictionaries: make(map[int64][]part),
	}
	if s.rows <= 0 {
		s.rows = 65536
	}
	if err := s.open(ctx); err != nil {
		file.Close()
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return s, nil
}

func (s *source) Fields() []formats.Field { return s.schema }

func (s *source) Close() error { return s.file.Close() }

func (s *source) Chunks() []int64 {
	rows := make([]int64, len(s.batches))
	for i, b := range s.batches {
		rows[i] = b.rows
	}
	return rows
}

func (s *source) open(ctx context.Context) (err error) {
	defer fence.Catch(&err)
	start, err := s.metadata(0, min(8, s.size))
	switch {
	case err != nil:
		return err
	case bytes.HasPrefix(start, magic):
		return s.openFile(ctx)
	case bytes.HasPrefix(start, featherOne):
		return fmt.Errorf("%w: Feather version 1", formats.ErrUnsupported)
	}
	return s.openStream(ctx)
}

// openFile reads the schema of the footer, and the messages to which the footer's blocks point:
// dictionaries, then record batches. It does not read the schema message that should follow the
// magic: other readers of files ignore it, and polars 2 writes something else there.
func (s *source) openFile(ctx context.Context) error {
	footer, err := s.readFooter()
	if err != nil {
		return err
	}
	if err := s.setSchema(footer.child(1)); err != nil {
		return err
	}
	left := s.size
	blocks := append(footer.numbers(2, 3), footer.numbers(3, 3)...)
	for i := 0; i < len(blocks); i += 3 {
		m, err := s.add(ctx, blocks[i])
		if err != nil {
			return fmt.Errorf("block %d of the footer: %w", i/3, notEOF(err))
		}
		if left -= m.end() - m.at; left < 0 {
			return fmt.Errorf("%w: blocks of the footer overlap", formats.ErrDamaged)
		}
	}
	// Batches of a file may be read in any order: nothing says which dictionary they use.
	for _, parts := range s.dictionaries {
		if slices.ContainsFunc(parts[1:], func(p part) bool { return !p.delta }) {
			return fmt.Errorf("%w: a file with two dictionaries of one id", formats.ErrDamaged)
		}
	}
	return nil
}

func (s *source) readFooter() (footer table, err error) {
	tail, err := s.metadata(s.size-trailerSize, trailerSize)
	if err != nil {
		return footer, err
	}
	length := int64(binary.LittleEndian.Uint32(tail))
	if !bytes.Equal(tail[4:], magic) {
		return footer, fmt.Errorf("%w: no footer at its end", formats.ErrDamaged)
	}
	data, err := s.metadata(s.size-trailerSize-length, length)
	if err != nil {
		return footer, err
	}
	return tableAt(data, 0), nil
}

// openStream reads the schema, and the metadata of all messages up to the end of the stream.
func (s *source) openStream(ctx context.Context) error {
	m, err := s.readMessage(0)
	if err != nil {
		return notEOF(err)
	}
	if m.kind != schemaMessage || m.size != 0 {
		return fmt.Errorf("%w: no schema message at the start", formats.ErrDamaged)
	}
	if err := s.setSchema(m.header); err != nil {
		return err
	}
	for n := 1; ; n++ {
		if m, err = s.add(ctx, m.end()); err == io.EOF {
			return nil
		}
		if err != nil {
			return fmt.Errorf("message %d: %w", n, err)
		}
	}
}

// notEOF turns the end of a stream into an error where a message must follow.
func notEOF(err error) error {
	if err == io.EOF {
		return fmt.Errorf("%w: ends where a message must be", formats.ErrDamaged)
	}
	return err
}

// setSchema sets the columns that the table of a schema declares.
func (s *source) setSchema(declared table) (err error) {
	if s.columns, err = decodeSchema(declared); err != nil {
		return err
	}
	s.big = number(declared, 0, flatbuffers.GetInt16) == 1
	seen := make(map[string]bool, len(s.columns))
	for _, c := range s.columns {
		if seen[c.name] {
			return fmt.Errorf("%w: two columns named %q", formats.ErrUnsupported, c.name)
		}
		seen[c.name] = true
		s.schema = append(s.schema, c.column())
	}
	return nil
}

// add adds the message at a position to the record batches or the dictionaries.
func (s *source) add(ctx context.Context, at int64) (*message, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	m, err := s.readMessage(at)
	if err != nil {
		return nil, err
	}
	switch m.kind {
	case batchMessage:
		b, err := m.batch()
		if err != nil {
			return nil, err
		}
		s.batches = append(s.batches, place{at, b.rows})
	case dictionaryMessage:
		id, delta := number(m.header, 0, flatbuffers.GetInt64),
			number(m.header, 2, flatbuffers.GetByte) != 0
		s.dictionaries[id] = append(s.dictionaries[id], part{at, delta, len(s.batches)})
	default:
		return nil, fmt.Errorf("%w: a message of kind %d", formats.ErrUnsupported, m.kind)
	}
	return m, nil
}

// parts returns the parts of a dictionary for a record batch: those from first to before last, the
// first of which is complete; the others are deltas.
func (s *source) parts(id int64, batch int) (first, last int) {
	parts := s.dictionaries[id]
	last = sort.Search(len(parts), func(i int) bool { return parts[i].before > batch })
	first = last
	for first > 0 && (first == last || parts[first].delta) {
		first--
	}
	return first, last
}
