package parquetfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
)

// converter appends the next n physical values of a page to Values of the column's type.
type converter func(dst *formats.Values, c *cells, n int) error

// converterOf returns the converter from a physical type of the given width.
func converterOf(t formats.Type, physical format.Type, width int) converter {
	switch physical {
	case format.Boolean:
		return wordsOf(1, func(b []byte) uint64 { return uint64(b[0]) })
	case format.Int32:
		if t.Kind == formats.Uint {
			return wordsOf(4, func(b []byte) uint64 { return uint64(binary.LittleEndian.Uint32(b)) })
		}
		return wordsOf(4, func(b []byte) uint64 { return formats.IntWord(int64(int32(binary.LittleEndian.Uint32(b)))) })
	case format.Int64:
		if t.Kind == formats.Uint {
			return wordsOf(8, binary.LittleEndian.Uint64)
		}
		return wordsOf(8, func(b []byte) uint64 { return formats.IntWord(int64(binary.LittleEndian.Uint64(b))) })
	case format.Float:
		return wordsOf(4, func(b []byte) uint64 { return formats.FloatWord(formats.WidenFloat32(binary.LittleEndian.Uint32(b))) })
	case format.Double:
		return wordsOf(8, func(b []byte) uint64 { return formats.FloatWord(binary.LittleEndian.Uint64(b)) })
	case format.Int96:
		return convertInt96
	case format.FixedLenByteArray:
		return fixedConverter(t, width)
	}
	if t.Kind == formats.Decimal {
		return convertDecimals
	}
	return func(dst *formats.Values, c *cells, n int) error { return c.appendStrings(dst, n) }
}

// wordsOf makes a converter from what a value's bytes mean as a word.
func wordsOf(width int, word func([]byte) uint64) converter {
	return func(dst *formats.Values, c *cells, n int) error {
		slab, err := c.fixed(n)
		if err != nil {
			return err
		}
		at := len(dst.Words)
		dst.Words = slices.Grow(dst.Words, n)[:at+n]
		for i := range dst.Words[at:] {
			dst.Words[at+i] = word(slab[i*width:])
		}
		return nil
	}
}

func fixedConverter(t formats.Type, width int) converter {
	if t.Kind == formats.Float {
		return wordsOf(2, func(b []byte) uint64 { return formats.FloatWord(formats.WidenFloat16(binary.LittleEndian.Uint16(b))) })
	}
	return func(dst *formats.Values, c *cells, n int) error {
		slab, err := c.fixed(n)
		if err != nil {
			return err
		}
		for ; len(slab) >= width && err == nil; slab = slab[width:] {
			if t.Kind == formats.Decimal {
				err = appendDecimal(dst, slab[:width])
			} else if err = roomFor(dst, width); err == nil {
				dst.AppendBytes(slab[:width])
			}
		}
		return err
	}
}

// rawConverter keeps the bytes of the physical values: the leaves of nested columns.
func rawConverter(width int) converter {
	if width > 0 {
		return fixedConverter(formats.Type{Kind: formats.Binary}, width)
	}
	return func(dst *formats.Values, c *cells, n int) error { return c.appendStrings(dst, n) }
}

// convertInt96 appends timestamps of nanoseconds and a Julian day.
func convertInt96(dst *formats.Values, c *cells, n int) error {
	slab, err := c.fixed(n)
	if err != nil {
		return err
	}
	for ; len(slab) >= 12; slab = slab[12:] {
		nanos := int64(binary.LittleEndian.Uint64(slab))
		if !dst.AppendInt96(int32(binary.LittleEndian.Uint32(slab[8:])), nanos) {
			return fmt.Errorf("read INT96: day out of range: %w", formats.ErrDamaged)
		}
	}
	return nil
}

func convertDecimals(dst *formats.Values, c *cells, n int) error {
	c.strings.Ends, c.strings.Data = c.strings.Ends[:0], c.strings.Data[:0]
	if err := c.appendStrings(&c.strings, n); err != nil {
		return err
	}
	for i := range n {
		if err := appendDecimal(dst, c.strings.Bytes(i)); err != nil {
			return err
		}
	}
	return nil
}

// appendDecimal appends a decimal of big-endian two's complement bytes, any number of them.
func appendDecimal(dst *formats.Values, b []byte) error {
	sign := byte(0)
	if len(b) > 0 && b[0]&0x80 != 0 {
		sign = 0xff
	}
	size := 8
	if dst.Type.Wide {
		size = dst.Type.WideSize()
	}
	var full [32]byte
	value := full[:size]
	if extra := len(b) - size; extra > 0 {
		if len(bytes.TrimLeft(b[:extra], string(sign))) > 0 || b[extra]&0x80 != sign&0x80 {
			return fmt.Errorf("read decimal: %d bytes for %d digits: %w", len(b), dst.Type.Precision, formats.ErrDamaged)
		}
		b = b[extra:]
	}
	for i := range value[:size-len(b)] {
		value[i] = sign
	}
	copy(value[size-len(b):], b)
	value[0] ^= 0x80
	if !dst.Type.Wide {
		dst.Words = append(dst.Words, binary.BigEndian.Uint64(value))
		return nil
	}
	dst.AppendBytes(value)
	return roomFor(dst, 0)
}
