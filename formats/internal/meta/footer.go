package meta

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/parquet-go/parquet-go/encoding/thrift"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
	"github.com/kcut/kcut/formats/internal/schema"
)

// Footer is a file's metadata without its row groups. Their entries are decoded one at a time, so
// that a file takes a few bytes for each row group, however many column chunks it has.
type Footer struct {
	File
	Columns []schema.Column
	Leaves  []schema.Leaf
	Entries []Entry // of row groups, in the file's order
	Behind  int64   // bytes that follow it but do not belong to it
	Held    int64   // bytes of its memory, without the entries
	Weight  int64   // bytes of the largest entry, decoded
	Plain   bool    // it has exactly the bytes that kcut writes for it

	entries io.ReaderAt // the file to which the places in Entries refer
}

// Entry is the place of a row group's entry.
type Entry struct {
	At, End, Rows int64
	chunks        int32
}

const (
	// elementBytes is the largest memory of a decoded element of a list: of an element of a schema.
	elementBytes = 176
	// chunkBytes is the memory of a chunk, and listedBytes that of an element of its lists.
	chunkBytes, listedBytes = 512, 40
)

// ReadFooter reads the footer between two places of a file, atOnce bytes at a time. The entries of
// row groups stay in the file. It asks hold for the memory of the footer and of an entry before
// they are decoded: few bytes may claim long lists.
func ReadFooter(
	file io.ReaderAt, at, end int64, atOnce int, hold func(bytes int64) error,
) (f *Footer, err error) {
	defer fence.Catch(&err)
	in := bufio.NewReaderSize(io.NewSectionReader(file, at, end-at), atOnce)
	f = &Footer{entries: file}
	s := splitter{Walker: NewWalker(in, 0), footer: f, at: at}
	if err := s.Fields(s.field); err != nil {
		return nil, err
	}
	f.Behind, f.Held = end-at-s.Passed, int64(len(s.Raw))+elementBytes*(s.Listed-s.inEntries)
	if err := hold(f.Held + f.Weight); err != nil {
		return nil, err
	}
	if err := DecodePassed(s.Raw, &f.File); err != nil {
		return nil, err
	}
	if f.Encryption.Value != nil {
		return nil, fmt.Errorf("columns are encrypted: %w", formats.ErrUnsupported)
	}
	f.Plain = s.shortest && f.Behind == 0 && isWritten(s.Raw, &f.File)
	if f.Columns, f.Leaves, err = schema.Columns(f.Schema); err != nil {
		return nil, err
	}
	for i, e := range f.Entries { // before any list of chunks is made
		if int(e.chunks) != len(f.Leaves) {
			return nil, fmt.Errorf("row group %d: %d column chunks for %d columns: %w",
				i, e.chunks, len(f.Leaves), formats.ErrDamaged)
		}
	}
	return f, nil
}

// isWritten reports whether a struct that was decoded from some bytes is encoded to exactly these
// bytes.
func isWritten(raw []byte, v any) bool {
	again, err := Encode(v)
	return err == nil && bytes.Equal(again, raw)
}

// Numbers of fields in a footer, and in a row group's entry.
const (
	fieldRowGroups       = 4
	fieldRowGroupColumns = 1
	fieldRowGroupRows    = 3
)

// emptyList is the header of a list of no structs, in Thrift's compact protocol.
const emptyList = 12

// splitter notes the places of the entries of row groups in a footer, and copies the rest, with an
// empty list instead of them.
type splitter struct {
	*Walker
	footer   *Footer
	at       int64 // position of the footer
	listed   bool
	shortest bool // the header of the list has its shortest form

	inEntries int64 // number of elements of lists
}

// field reads a field of the footer.
func (s *splitter) field(id int16, kind thrift.Type) error {
	if id != fieldRowGroups || kind != thrift.LIST {
		return s.Pass(kind)
	}
	if s.Skipping = true; s.listed {
		return errors.New("row groups are listed twice")
	}
	defer func() { s.Skipping = false }()
	s.Raw, s.listed = append(s.Raw, emptyList), true
	before := s.Passed
	list, err := s.ReadList()
	switch {
	case err != nil:
		return err
	case list.Type != thrift.STRUCT && list.Size > 0:
		return errors.New("row groups are no structs")
	}
	header := 1
	if list.Size >= 15 {
		header += len(binary.AppendUvarint(nil, uint64(list.Size)))
	}
	s.shortest = list.Type == thrift.STRUCT && s.Passed-before == int64(header)
	for range list.Size {
		if err := s.entry(); err != nil {
			return err
		}
	}
	return nil
}

// entry reads the entry of a row group.
func (s *splitter) entry() error {
	e, before := Entry{At: s.at + s.Passed}, s.Listed
	err := s.Fields(func(id int16, kind thrift.Type) (err error) {
		switch {
		case id == fieldRowGroupRows && kind == thrift.I64:
			e.Rows, err = s.ReadInt64()
		case id == fieldRowGroupColumns && kind == thrift.LIST:
			e.chunks, err = s.PassList()
		default:
			err = s.Pass(kind)
		}
		return err
	})
	e.End = s.at + s.Passed
	s.inEntries += s.Listed - before
	s.footer.Weight = max(s.footer.Weight, chunkBytes*int64(e.chunks)+listedBytes*(s.Listed-before))
	s.footer.Entries = append(s.footer.Entries, e)
	return err
}

// Group is the metadata of one row group.
type Group struct {
	RowGroup
	Number int
	raw    []byte
}

// Plain reports whether the entry has exactly the bytes that kcut writes for it.
func (g *Group) Plain() bool { return isWritten(g.raw, &g.RowGroup) }

// Group decodes the entry of a row group.
func (f *Footer) Group(number int) (*Group, error) {
	e := f.Entries[number]
	return f.group(number, io.NewSectionReader(f.entries, e.At, e.End-e.At))
}

// EachGroup decodes one entry after the other, reading atOnce bytes at a time.
func (f *Footer) EachGroup(atOnce int, visit func(*Group) error) error {
	if len(f.Entries) == 0 {
		return nil
	}
	from, to := f.Entries[0].At, f.Entries[len(f.Entries)-1].End
	in := bufio.NewReaderSize(io.NewSectionReader(f.entries, from, to-from), atOnce)
	for number := range f.Entries {
		g, err := f.group(number, in)
		if err == nil {
			err = visit(g)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// group decodes the next entry, and checks that this file has a chunk for every leaf.
func (f *Footer) group(number int, in io.Reader) (g *Group, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("row group %d: %w", number, err)
		}
	}()
	defer fence.Catch(&err)
	g = &Group{Number: number, raw: make([]byte, f.Entries[number].End-f.Entries[number].At)}
	if _, err := io.ReadFull(in, g.raw); err != nil {
		return nil, EndOfFile(err)
	}
	if err := DecodePassed(g.raw, &g.RowGroup); err != nil {
		return nil, err
	}
	if n := len(g.Columns); n != len(f.Leaves) {
		return nil, fmt.Errorf("%d chunks for %d columns: %w", n, len(f.Leaves), formats.ErrDamaged)
	}
	for i := range g.Columns {
		if err := g.Columns[i].check(); err != nil {
			return nil, fmt.Errorf("column %q: %w", f.Leaves[i].Column(), err)
		}
	}
	return g, nil
}

func (c *Chunk) check() error {
	switch {
	case c.Crypto.Value != nil || len(c.Encrypted) > 0:
		return fmt.Errorf("column is encrypted: %w", formats.ErrUnsupported)
	case c.FilePath != "":
		return fmt.Errorf("column lies in another file: %w", formats.ErrUnsupported)
	case !c.MetaData.Valid:
		return fmt.Errorf("column without metadata: %w", formats.ErrDamaged)
	}
	return nil
}

// Chunk returns the metadata of the chunk of a leaf.
func (g *Group) Chunk(leaf int) *Column { return &g.Columns[leaf].MetaData.V }

// Extent returns the place of the pages of a chunk. Some writers leave the dictionary's offset at 0
// and let that of the data point at it.
func (c *Column) Extent() formats.Range {
	from := c.DataPageOffset
	if c.DictionaryPageOffset > 0 {
		from = min(from, c.DictionaryPageOffset)
	}
	return formats.Range{From: from, To: from + c.TotalCompressedSize}
}

// Column returns the position of a top-level column, or −1.
func (f *Footer) Column(name string) int {
	named := func(c schema.Column) bool { return c.Elements[0].Name == name }
	return slices.IndexFunc(f.Columns, named)
}
