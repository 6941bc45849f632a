package release

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/apache/thrift/lib/go/thrift"
)

// Numbers of fields in a footer, and in a row group's entry.
const (
	fieldRowGroups    = 4
	fieldRowGroupRows = 3
)

// maxRowGroups is how many row groups a Parquet file numbers: with 15 bits.
const maxRowGroups = math.MaxInt16 + 1

// emptyList is the header of a list of no structs, in Thrift's compact protocol.
const emptyList = compactStruct

// splitter reads a footer as a stream: it notes where the entries of row groups are, and keeps
// all the rest. It is the transport that it reads through itself.
type splitter struct {
	*thrift.StreamTransport // what a transport has beside reading
	in                      *bufio.Reader
	read                    int64 // bytes so far
	passing                 bool  // over row groups
	protocol                *thrift.TCompactProtocol
	footer                  *footer
	listed                  bool
}

// split reads the footer from a stream.
func (f *footer) split(in *bufio.Reader) error {
	s := &splitter{StreamTransport: &thrift.StreamTransport{}, in: in, footer: f}
	s.protocol = thrift.NewTCompactProtocolConf(s, &thrift.TConfiguration{})
	if err := s.fields(s.field); err != nil {
		return err
	}
	rest, err := io.ReadAll(in) // nobody reads it, but it is there
	f.raw = append(f.raw, rest...)
	return err
}

func (s *splitter) Read(b []byte) (int, error) {
	n, err := s.in.Read(b)
	s.keep(b[:n])
	return n, err
}

func (s *splitter) ReadByte() (byte, error) {
	b, err := s.in.ReadByte()
	if err == nil {
		s.keep([]byte{b})
	}
	return b, err
}

func (s *splitter) keep(b []byte) {
	s.read += int64(len(b))
	if !s.passing {
		s.footer.raw = append(s.footer.raw, b...)
	}
}

// fields shows the fields of a struct. What is shown must be read.
func (s *splitter) fields(show func(id int16, wire thrift.TType) error) error {
	ctx := context.Background()
	if _, err := s.protocol.ReadStructBegin(ctx); err != nil {
		return err
	}
	for {
		_, wire, id, err := s.protocol.ReadFieldBegin(ctx)
		if err != nil {
			return err
		}
		if wire == thrift.STOP {
			return s.protocol.ReadStructEnd(ctx)
		}
		if err := show(id, wire); err != nil {
			return err
		}
	}
}

// field reads a field of the footer.
func (s *splitter) field(id int16, wire thrift.TType) error {
	if id != fieldRowGroups || wire != thrift.LIST {
		return s.protocol.Skip(context.Background(), wire)
	}
	if s.listed {
		return errors.New("row groups are listed twice")
	}
	s.listed, s.passing = true, true
	defer func() { s.passing = false }()
	s.footer.raw = append(s.footer.raw, emptyList)
	return s.rowGroups()
}

// rowGroups reads the list of row groups.
func (s *splitter) rowGroups() error {
	before := s.read
	kind, n, err := s.protocol.ReadListBegin(context.Background())
	switch {
	case err != nil:
		return err
	case kind != thrift.STRUCT && n > 0:
		return errors.New("row groups are no structs")
	case n > maxRowGroups:
		return fmt.Errorf("%d row groups, a file has at most %d", n, maxRowGroups)
	}
	s.footer.shortest = s.read-before == listHeader(n)
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

// rowGroup reads the entry of a row group, and returns the number of its rows.
func (s *splitter) rowGroup() (rows int64, err error) {
	ctx := context.Background()
	err = s.fields(func(id int16, wire thrift.TType) (err error) {
		if id == fieldRowGroupRows && wire == thrift.I64 {
			rows, err = s.protocol.ReadI64(ctx)
			return err
		}
		return s.protocol.Skip(ctx, wire)
	})
	return rows, err
}
