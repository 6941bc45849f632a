package parquetfile

import (
	"encoding/binary"
	"errors"
	"fmt"

	"github.com/parquet-go/parquet-go/encoding/thrift"
)

// errShort says that bytes end inside a Thrift struct.
var errShort = errors.New("ends early")

// compact walks over a struct in Thrift's compact protocol without building anything.
// The decoder of parquet-go allocates lists as long as their headers claim; the walk
// makes sure beforehand that the elements are there, and tells where the struct ends.
type compact struct {
	data []byte
	at   int
}

// maxThriftDepth is more than any Parquet structure has.
const maxThriftDepth = 64

// thriftLen returns the length of the struct at the start of data. The error wraps
// errShort when data ends before the struct does.
func thriftLen(data []byte) (int, error) {
	c := compact{data: data}
	err := c.structure(0)
	return c.at, err
}

// decodeThrift decodes the struct at the start of data into v and returns its length.
// What it decodes refers to data.
func decodeThrift(data []byte, v any) (int, error) {
	length, err := thriftLen(data)
	if err != nil {
		return 0, err
	}
	var protocol thrift.CompactProtocol
	return length, thrift.NewDecoder(protocol.NewReaderFromBytes(data[:length])).Decode(v)
}

func (c *compact) structure(depth int) error {
	if depth > maxThriftDepth {
		return fmt.Errorf("structs nest deeper than %d", maxThriftDepth)
	}
	for {
		head, err := c.byte()
		if err != nil || head == 0 {
			return err
		}
		if head>>4 == 0 { // the field's number follows, not a small step
			if _, err := c.varint(); err != nil {
				return err
			}
		}
		if head&15 > 2 { // 1 and 2 are the booleans themselves
			err = c.value(head&15, depth)
		}
		if err != nil {
			return err
		}
	}
}

func (c *compact) value(kind byte, depth int) error {
	switch kind {
	case 1, 2, 3:
		return c.skip(1)
	case 4, 5, 6:
		_, err := c.varint()
		return err
	case 7:
		return c.skip(8)
	case 8:
		n, err := c.varint()
		if err != nil {
			return err
		}
		return c.skip(n)
	case 9, 10:
		return c.list(depth + 1)
	case 11:
		return c.dictionary(depth + 1)
	case 12:
		return c.structure(depth + 1)
	}
	return fmt.Errorf("unknown field type %d", kind)
}

func (c *compact) list(depth int) error {
	head, err := c.byte()
	if err != nil {
		return err
	}
	n := uint64(head >> 4)
	if n == 15 {
		if n, err = c.varint(); err != nil {
			return err
		}
	}
	return c.values(n, depth, head&15)
}

func (c *compact) dictionary(depth int) error {
	n, err := c.varint()
	if err != nil || n == 0 {
		return err
	}
	kinds, err := c.byte()
	if err != nil {
		return err
	}
	return c.values(n, depth, kinds>>4, kinds&15)
}

// values walks over n groups of values. Each value takes at least one byte.
func (c *compact) values(n uint64, depth int, kinds ...byte) error {
	if depth > maxThriftDepth {
		return fmt.Errorf("lists nest deeper than %d", maxThriftDepth)
	}
	if n > uint64(len(c.data)-c.at) {
		return fmt.Errorf("list of %d: %w", n, errShort)
	}
	for range n {
		for _, kind := range kinds {
			if err := c.value(kind, depth); err != nil {
				return err
			}
		}
	}
	return nil
}

func (c *compact) byte() (byte, error) {
	if c.at == len(c.data) {
		return 0, errShort
	}
	c.at++
	return c.data[c.at-1], nil
}

func (c *compact) varint() (uint64, error) {
	x, n := binary.Uvarint(c.data[c.at:])
	if n == 0 {
		return 0, errShort
	}
	if n < 0 {
		return 0, errors.New("number of more than 64 bits")
	}
	c.at += n
	return x, nil
}

func (c *compact) skip(n uint64) error {
	if n > uint64(len(c.data)-c.at) {
		return errShort
	}
	c.at += int(n)
	return nil
}
