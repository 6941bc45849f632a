package release

import (
	"bufio"
	"context"
	"errors"

	"github.com/apache/thrift/lib/go/thrift"
)

// structReader finds the ends of Thrift's structs in a stream, and keeps the bytes that it
// passes. It asks another library than the one that decodes them: that one allocates lists as long
// as they claim to be, and follows structs as deep as they nest. It is the transport that it reads
// through itself.
type structReader struct {
	*thrift.StreamTransport // what a transport has beside reading
	in                      *bufio.Reader
	protocol                *thrift.TCompactProtocol
	most                    int    // bytes of a struct, 0: no limit
	read                    int64  // bytes so far
	raw                     []byte // what was read, but while skipping
	skipping                bool
}

func newStructReader(in *bufio.Reader, most int) *structReader {
	s := &structReader{StreamTransport: &thrift.StreamTransport{}, in: in, most: most}
	s.protocol = thrift.NewTCompactProtocolConf(s, &thrift.TConfiguration{MaxMessageSize: int32(most)})
	return s
}

// next returns the bytes of the next struct. They are valid until the next one.
func (s *structReader) next() ([]byte, error) {
	s.raw = s.raw[:0]
	err := s.pass(thrift.STRUCT)
	return s.raw, err
}

// ctx is what the protocol is handed: it waits for nothing.
var ctx = context.Background()

// pass passes a value.
func (s *structReader) pass(wire thrift.TType) error { return s.protocol.Skip(ctx, wire) }

// fields shows the fields of a struct. What is shown must be passed.
func (s *structReader) fields(show func(id int16, wire thrift.TType) error) error {
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

func (s *structReader) Read(b []byte) (int, error) {
	n, err := s.in.Read(b)
	if long := s.keep(b[:n]); err == nil {
		err = long
	}
	return n, err
}

func (s *structReader) ReadByte() (byte, error) {
	b, err := s.in.ReadByte()
	if err == nil {
		err = s.keep([]byte{b})
	}
	return b, err
}

func (s *structReader) keep(b []byte) error {
	s.read += int64(len(b))
	if !s.skipping {
		s.raw = append(s.raw, b...)
	}
	if s.most > 0 && len(s.raw) > s.most {
		return errors.New("a struct is too long")
	}
	return nil
}
