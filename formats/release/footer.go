package release

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"

	"github.com/parquet-go/parquet-go/encoding/thrift"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
	"github.com/kcut/kcut/formats/internal/meta"
	"github.com/kcut/kcut/formats/internal/schema"
)

// footer is what a file says of itself, but for its row groups: those are read one at a time,
// so that however many column chunks a release has, it takes a few bytes for each row group.
type footer struct {
	meta.File
	columns []schema.Column
	leaves  []schema.Leaf
	at, end int64        // in the file
	groups  []groupEntry // in the file's order
	plain   bool         // it has the bytes that kcut writes for it
}

// groupEntry says where the entry of a row group begins in the file, and ends.
type groupEntry struct{ at, end, rows int64 }

// readFooter reads the footer.
func (r *File) readFooter() (err error) {
	defer fence.Catch(&err)
	var first [len(meta.Magic)]byte
	f := &r.footer
	if f.at, f.end, err = meta.FindFooter(r.file, r.size); err != nil {
		return err
	}
	if _, err := r.file.ReadAt(first[:], 0); err != nil {
		return meta.EndOfFile(err)
	}
	if string(first[:]) != meta.Magic {
		return fmt.Errorf("%w: it does not begin with %s", formats.ErrDamaged, meta.Magic)
	}
	in := bufio.NewReaderSize(io.NewSectionReader(r.file, f.at, f.end-f.at), int(r.bufferSize()))
	s := footerSplitter{Walker: meta.NewWalker(in, 0), footer: f}
	if err := s.Fields(s.field); err != nil {
		return fmt.Errorf("footer: %w", err)
	}
	same, err := decode(s.Raw, &f.File)
	if err != nil {
		return fmt.Errorf("footer: %w", err)
	}
	if f.Encryption.Value != nil {
		return fmt.Errorf("%w: encrypted", formats.ErrUnsupported)
	}
	f.plain = same && s.shortest && f.at+s.Passed == f.end
	f.columns, f.leaves, err = schema.Columns(f.Schema)
	return err
}

// decode decodes a struct that a Walker has passed, and refers to its bytes. It reports whether it
// has these very bytes when it is written again.
func decode(raw []byte, into any) (same bool, err error) {
	if err := meta.DecodePassed(raw, into); err != nil {
		return false, err
	}
	again, err := meta.Encode(into)
	return bytes.Equal(again, raw), err
}

// leaf returns the position among the leaves of a flat column or, if there is a part, of that field of a column of structs.
func (f *footer) leaf(name, part string) (int, error) {
	i := f.column(name)
	switch {
	case i < 0:
		return 0, fmt.Errorf("%w: no such column", formats.ErrSchema)
	case part == "" && !f.columns[i].Flat():
		return 0, fmt.Errorf("%w: nested column", formats.ErrUnsupported)
	case part == "":
		return f.columns[i].First, nil
	}
	for leaf := f.columns[i].First; leaf < f.columns[i].Last; leaf++ {
		if l := &f.leaves[leaf]; l.Definition == structLevels && l.Repetition == 0 && slices.Equal(l.Path, []string{name, part}) {
			return leaf, nil
		}
	}
	return 0, fmt.Errorf("%w: no structs with %s", formats.ErrSchema, part)
}

// structLevels is the definition level of the fields of structs, where either may be null.
const structLevels = 2

// column returns the position of a top-level column, or −1.
func (f *footer) column(name string) int {
	return slices.IndexFunc(f.columns, func(c schema.Column) bool { return c.Elements[0].Name == name })
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
	*meta.Walker
	footer   *footer
	shortest bool // the header of the list is at its shortest
}

// field reads a field of the footer.
func (s *footerSplitter) field(id int16, kind thrift.Type) error {
	if id != fieldRowGroups || kind != thrift.LIST {
		return s.Pass(kind)
	}
	if s.Skipping = true; s.footer.groups != nil {
		return errors.New("row groups are listed twice")
	}
	defer func() { s.Skipping = false }()
	s.Raw = append(s.Raw, emptyList)
	before := s.Passed
	list, err := s.ReadList()
	switch {
	case err != nil:
		return err
	case list.Type != thrift.STRUCT && list.Size > 0:
		return errors.New("row groups are no structs")
	case list.Size > maxRowGroups:
		return fmt.Errorf("%d row groups, a file has at most %d", list.Size, maxRowGroups)
	}
	header := 1
	if list.Size >= 15 {
		header += len(binary.AppendUvarint(nil, uint64(list.Size)))
	}
	s.shortest = list.Type == thrift.STRUCT && s.Passed-before == int64(header)
	s.footer.groups = make([]groupEntry, 0, list.Size)
	for range list.Size {
		g := groupEntry{at: s.footer.at + s.Passed}
		err := s.Fields(func(id int16, kind thrift.Type) (err error) {
			if id == fieldRowGroupRows && kind == thrift.I64 {
				g.rows, err = s.ReadInt64()
				return err
			}
			return s.Pass(kind)
		})
		if err != nil {
			return err
		}
		g.end = s.footer.at + s.Passed
		s.footer.groups = append(s.footer.groups, g)
	}
	return nil
}
