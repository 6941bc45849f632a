package formats

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"os"
	"slices"
	"sort"
)

// arrowSource is an opened Arrow IPC file or stream. Arrow's own library reads its schema;
// everything else is read here, column by column, because the library's reader decodes all
// columns of a batch, believes the lengths that a file declares, and panics on others.
type arrowSource struct {
	path         string
	file         *os.File
	size         int64
	rows         int // most rows a batch
	big          bool
	columns      []*arrowField
	schema       []Field
	batches      []arrowPlace
	dictionaries map[int64][]arrowPart
}

// arrowPlace is where a record batch lies.
type arrowPlace struct {
	at   int64 // position of its message
	rows int64
}

// arrowPart is a message that makes, replaces or (delta) extends a dictionary.
type arrowPart struct {
	at     int64
	delta  bool
	before int // the first record batch that sees it
}

var (
	arrowMagic  = []byte("ARROW1")
	arrowFooter = int64(len(arrowMagic) + 4)
	featherOne  = []byte("FEA1")
)

// openArrow opens an Arrow IPC file or stream and reads the metadata of all its messages.
// Record batches are its chunks. It returns ErrDamaged for a file that contradicts the
// format and ErrUnsupported for what is not read; a column of a type that cannot be read is
// refused only when it is asked for.
func openArrow(ctx context.Context, path string, opt ReadOptions) (source, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("open %s: %w", path, err)
	}
	s := &arrowSource{path: path, file: file, rows: opt.BatchRows, dictionaries: make(map[int64][]arrowPart)}
	if s.rows <= 0 {
		s.rows = 65536
	}
	if err := s.open(ctx); err != nil {
		file.Close()
		return nil, fmt.Errorf("read %s: %w", path, err)
	}
	return s, nil
}

func (s *arrowSource) fields() []Field { return s.schema }

func (s *arrowSource) close() error { return s.file.Close() }

func (s *arrowSource) chunks() []int64 {
	rows := make([]int64, len(s.batches))
	for i, b := range s.batches {
		rows[i] = b.rows
	}
	return rows
}

func (s *arrowSource) open(ctx context.Context) (err error) {
	defer arrowFence(&err)
	info, err := s.file.Stat()
	if err != nil {
		return err
	}
	s.size = info.Size()
	magic := make([]byte, min(8, s.size))
	if err := s.readAt(magic, 0); err != nil {
		return err
	}
	switch {
	case bytes.HasPrefix(magic, arrowMagic):
		return s.openFile(ctx)
	case bytes.HasPrefix(magic, featherOne):
		return fmt.Errorf("%w: Feather version 1", ErrUnsupported)
	}
	return s.openStream(ctx)
}

// openFile reads the schema message that follows the magic, and the footer's blocks.
func (s *arrowSource) openFile(ctx context.Context) error {
	footer, err := s.readFooter()
	if err != nil {
		return err
	}
	if _, err := s.readSchema(8); err != nil {
		return err
	}
	left := s.size
	dictionaries, batches := footer.vector(2, 24), footer.vector(3, 24)
	if footer.f.bad {
		return fmt.Errorf("%w: broken footer", ErrDamaged)
	}
	for _, blocks := range []flatVector{dictionaries, batches} {
		for i := range blocks.n {
			if err := ctx.Err(); err != nil {
				return err
			}
			m, err := s.readBlock(blocks, i)
			if err != nil {
				return fmt.Errorf("block %d of the footer: %w", i, err)
			}
			if left -= m.end() - m.at; left < 0 {
				return fmt.Errorf("%w: blocks of the footer overlap", ErrDamaged)
			}
			if err := s.add(m); err != nil {
				return fmt.Errorf("block %d of the footer: %w", i, err)
			}
		}
	}
	return s.checkReplacements()
}

// readFooter returns the table at the end of the file.
func (s *arrowSource) readFooter() (flatTable, error) {
	tail := make([]byte, arrowFooter)
	if s.size < 8+arrowFooter {
		return flatTable{}, fmt.Errorf("%w: ends before its footer", ErrDamaged)
	}
	if err := s.readAt(tail, s.size-arrowFooter); err != nil {
		return flatTable{}, err
	}
	length := int64(binary.LittleEndian.Uint32(tail))
	if !bytes.Equal(tail[4:], arrowMagic) || length < 8 || length > s.size-8-arrowFooter {
		return flatTable{}, fmt.Errorf("%w: no footer at its end", ErrDamaged)
	}
	f := &flatbuf{data: make([]byte, length)}
	if err := s.readAt(f.data, s.size-arrowFooter-length); err != nil {
		return flatTable{}, err
	}
	return f.root(), nil
}

// readBlock reads the message that a block of the footer points to.
func (s *arrowSource) readBlock(blocks flatVector, i int) (*arrowMessage, error) {
	p := blocks.pos + 24*i
	at, meta, body := blocks.f.int64(p), int64(int32(blocks.f.uint32(p+8))), blocks.f.int64(p+16)
	m, err := s.readMessage(at)
	if err == io.EOF {
		return nil, fmt.Errorf("%w: an empty message", ErrDamaged)
	}
	if err != nil {
		return nil, err
	}
	if m.body-at != meta || m.size != body {
		return nil, fmt.Errorf("%w: its lengths are not those of the message", ErrDamaged)
	}
	return m, nil
}

// openStream reads the metadata of all messages up to the end of the stream.
func (s *arrowSource) openStream(ctx context.Context) error {
	at, err := s.readSchema(0)
	if err != nil {
		return err
	}
	for n := 1; ; n++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		m, err := s.readMessage(at)
		if err == io.EOF {
			return nil
		}
		if err == nil {
			err = s.add(m)
		}
		if err != nil {
			return fmt.Errorf("message %d: %w", n, err)
		}
		at = m.end()
	}
}

// readSchema makes the columns of the schema message at a position, and returns where the
// next message starts.
func (s *arrowSource) readSchema(at int64) (int64, error) {
	m, err := s.readMessage(at)
	if err == io.EOF {
		return 0, fmt.Errorf("%w: no schema", ErrDamaged)
	}
	if err != nil {
		return 0, err
	}
	if s.columns, s.big, err = decodeSchema(m); err != nil {
		return 0, err
	}
	seen := make(map[string]bool, len(s.columns))
	for _, c := range s.columns {
		if seen[c.name] {
			return 0, fmt.Errorf("%w: two columns named %q", ErrUnsupported, c.name)
		}
		seen[c.name] = true
		s.schema = append(s.schema, c.column())
	}
	return m.end(), nil
}

// add files a message under the record batches or the dictionaries.
func (s *arrowSource) add(m *arrowMessage) error {
	switch m.kind {
	case arrowBatchMessage:
		b, err := m.batch(m.header)
		if err != nil {
			return err
		}
		s.batches = append(s.batches, arrowPlace{m.at, b.rows})
		return nil
	case arrowDictionaryMessage:
		id, delta := m.header.int64(0), m.header.byte(2) != 0
		s.dictionaries[id] = append(s.dictionaries[id], arrowPart{m.at, delta, len(s.batches)})
		return nil
	}
	return fmt.Errorf("%w: a message of kind %d", ErrUnsupported, m.kind)
}

// checkReplacements refuses a file that defines a dictionary twice: its batches can be read
// in any order, so that nothing says which one is meant.
func (s *arrowSource) checkReplacements() error {
	for _, parts := range s.dictionaries {
		if slices.ContainsFunc(parts[1:], func(p arrowPart) bool { return !p.delta }) {
			return fmt.Errorf("%w: a file with two dictionaries of one id", ErrDamaged)
		}
	}
	return nil
}

// parts returns the parts of a dictionary as a record batch sees it: those from first to
// before last, the first of them whole, the others deltas.
func (s *arrowSource) parts(id int64, batch int) (first, last int) {
	parts := s.dictionaries[id]
	last = sort.Search(len(parts), func(i int) bool { return parts[i].before > batch })
	first = last
	for first > 0 {
		first--
		if !parts[first].delta {
			break
		}
	}
	return first, last
}
