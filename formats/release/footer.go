package release

import (
	"bufio"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/apache/thrift/lib/go/thrift"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
)

// footer is what a file says of itself, but for its row groups: those are read one at a time,
// so that however many column chunks a release has, it takes a few bytes for each row group.
type footer struct {
	fileMeta
	schema
	at, end int64        // in the file
	groups  []groupEntry // in the file's order
	plain   bool         // it has the bytes that kcut writes for it
}

// groupEntry says where the entry of a row group begins in the file, and ends.
type groupEntry struct{ at, end, rows int64 }

// magic is what a Parquet file begins and ends with.
const magic = "PAR1"

// tail is what follows a footer: its length, and the magic.
const tail = 8

// findFooter finds the footer of the file.
func (r *File) findFooter() error {
	var first [len(magic)]byte
	var last [tail]byte
	if r.size < int64(len(magic))+tail {
		return fmt.Errorf("%w: file of %d bytes", formats.ErrDamaged, r.size)
	}
	if _, err := r.file.ReadAt(first[:], 0); err != nil {
		return endOfFile(err)
	}
	if _, err := r.file.ReadAt(last[:], r.size-tail); err != nil {
		return endOfFile(err)
	}
	switch end := string(last[4:]); {
	case string(first[:]) != magic || end != magic && end != "PARE":
		return fmt.Errorf("%w: not Parquet", formats.ErrDamaged)
	case end != magic:
		return fmt.Errorf("%w: encrypted", formats.ErrUnsupported)
	}
	f := &r.footer
	f.end = r.size - tail
	if f.at = f.end - int64(binary.LittleEndian.Uint32(last[:])); f.at < int64(len(magic)) {
		return fmt.Errorf("%w: the footer is longer than the file", formats.ErrDamaged)
	}
	return nil
}

// readFooter reads the footer.
func (r *File) readFooter() (err error) {
	defer fence.Catch(&err)
	if err := r.findFooter(); err != nil {
		return err
	}
	f := &r.footer
	s := footerSplitter{footer: f}
	in := bufio.NewReaderSize(io.NewSectionReader(r.file, f.at, f.end-f.at), r.bufferSize())
	s.structReader = newStructReader(in, 0)
	if err := s.fields(s.field); err != nil {
		return fmt.Errorf("%w: footer: %w", formats.ErrDamaged, err)
	}
	same, err := decode(s.raw, &f.fileMeta)
	if err != nil {
		return err
	}
	if f.Encryption.Value != nil {
		return fmt.Errorf("%w: encrypted", formats.ErrUnsupported)
	}
	f.plain = same && s.shortest && f.at+s.read == f.end
	f.schema, err = newSchema(f.Schema)
	return err
}

// Numbers of fields in a footer, and in a row group's entry.
const (
	fieldRowGroups    = 4
	fieldRowGroupRows = 3
)

// maxRowGroups is how many row groups a Parquet file numbers: with 15 bits.
const maxRowGroups = math.MaxInt16 + 1

// emptyList is the header of a list of no structs, in Thrift's compact protocol.
const emptyList = 12

// footerSplitter notes where the entries of row groups are in a footer, and keeps all the rest,
// with an empty list in their place.
type footerSplitter struct {
	*structReader
	footer   *footer
	shortest bool // the header of the list is at its shortest
}

// field reads a field of the footer.
func (s *footerSplitter) field(id int16, wire thrift.TType) error {
	if id != fieldRowGroups || wire != thrift.LIST {
		return s.pass(wire)
	}
	if s.skipping = true; s.footer.groups != nil {
		return errors.New("row groups are listed twice")
	}
	defer func() { s.skipping = false }()
	s.raw = append(s.raw, emptyList)
	before := s.read
	kind, n, err := s.protocol.ReadListBegin(ctx)
	switch {
	case err != nil:
		return err
	case kind != thrift.STRUCT && n > 0:
		return errors.New("row groups are no structs")
	case n > maxRowGroups:
		return fmt.Errorf("%d row groups, a file has at most %d", n, maxRowGroups)
	}
	s.shortest = kind == thrift.STRUCT && s.read-before == listHeader(n)
	s.footer.groups = make([]groupEntry, 0, n)
	for range n {
		g := groupEntry{at: s.footer.at + s.read}
		if g.rows, err = s.rowGroup(); err != nil {
			return err
		}
		g.end = s.footer.at + s.read
		s.footer.groups = append(s.footer.groups, g)
	}
	return nil
}

// listHeader returns the bytes of the header of a list.
func listHeader(n int) int64 {
	if n < 15 {
		return 1
	}
	return 1 + int64(len(binary.AppendUvarint(nil, uint64(n))))
}

// rowGroup passes the entry of a row group, and returns the number of its rows.
func (s *footerSplitter) rowGroup() (rows int64, err error) {
	err = s.fields(func(id int16, wire thrift.TType) (err error) {
		if id == fieldRowGroupRows && wire == thrift.I64 {
			rows, err = s.protocol.ReadI64(ctx)
			return err
		}
		return s.pass(wire)
	})
	return rows, err
}
