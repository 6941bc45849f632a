package parquetfile

import (
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// errShort says that bytes end inside a Thrift struct.
var errShort = errors.New("ends early")

// maxThriftDepth is more than any Parquet structure has.
const maxThriftDepth = 64

// decodeThrift decodes the struct at the start of data into v and returns its length.
// What it decodes refers to data. The error wraps errShort when data ends before the struct does.
func decodeThrift(data []byte, v any) (int, error) {
	length, err := thriftLen(data)
	if err != nil {
		return 0, err
	}
	var protocol thrift.CompactProtocol
	return length, thrift.NewDecoder(protocol.NewReaderFromBytes(data[:length])).Decode(v)
}

// thriftLen returns the length of the struct at the start of data.
func thriftLen(data []byte) (int, error) {
	var protocol thrift.CompactProtocol
	w := thriftWalk{BytesReader: protocol.NewReaderFromBytes(data), size: len(data)}
	err := w.value(thrift.STRUCT, 0)
	if isShort(err) {
		err = errShort
	}
	return w.BytesRead(), err
}

// thriftWalk walks over a struct in Thrift's compact protocol without building anything.
// The decoder of parquet-go allocates lists as long as their headers claim, and goes as deep as
// structs nest; the walk makes sure beforehand that the elements are there, and not too deep.
type thriftWalk struct {
	thrift.BytesReader
	size int // of the data
}

func (w *thriftWalk) value(kind thrift.Type, depth int) (err error) {
	if depth > maxThriftDepth {
		return fmt.Errorf("values nest deeper than %d", maxThriftDepth)
	}
	switch kind {
	case thrift.TRUE, thrift.FALSE, thrift.I8:
		_, err = w.ReadInt8()
	case thrift.I16, thrift.I32, thrift.I64:
		_, err = w.ReadInt64()
	case thrift.DOUBLE:
		_, err = w.ReadFloat64()
	case thrift.BINARY:
		_, err = w.ReadBytes()
	case thrift.LIST, thrift.SET:
		list, failed := w.ReadList()
		if err = failed; err == nil {
			err = w.values(list.Size, depth, list.Type)
		}
	case thrift.MAP:
		pairs, failed := w.ReadMap()
		if err = failed; err == nil {
			err = w.values(pairs.Size, depth, pairs.Key, pairs.Value)
		}
	case thrift.STRUCT:
		err = w.structure(depth)
	default:
		err = fmt.Errorf("unknown field type %d", kind)
	}
	return err
}

func (w *thriftWalk) structure(depth int) error {
	for {
		field, err := w.ReadField()
		if err != nil || field == (thrift.Field{Type: thrift.STOP}) {
			return err
		}
		if field.Type == thrift.TRUE || field.Type == thrift.FALSE {
			continue // the type is the value
		}
		if err := w.value(field.Type, depth+1); err != nil {
			return err
		}
	}
}

// values walks over n groups of values. Each value takes at least one byte.
func (w *thriftWalk) values(n int32, depth int, kinds ...thrift.Type) error {
	if int(n) > w.size-w.BytesRead() {
		return fmt.Errorf("list of %d: %w", n, errShort)
	}
	for range n {
		for _, kind := range kinds {
			if err := w.value(kind, depth+1); err != nil {
				return err
			}
		}
	}
	return nil
}
