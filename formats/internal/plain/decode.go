package plain

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"

	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
)

// Decoder appends n PLAIN values of one width to Values of a column's type. Its errors wrap
// formats.ErrDamaged, or formats.ErrUnsupported for more than one Values can hold.
type Decoder func(dst *formats.Values, from []byte, n int) error

// DecoderOf returns the decoder of a type that is stored as a physical type with a width.
func DecoderOf(t formats.Type, physical format.Type, width int) Decoder {
	switch physical {
	case format.Boolean:
		return words(1, func(b []byte) uint64 { return uint64(b[0]) })
	case format.Int32:
		if t.Kind == formats.Uint {
			return words(4, func(b []byte) uint64 { return uint64(binary.LittleEndian.Uint32(b)) })
		}
		return words(4, func(b []byte) uint64 {
			return formats.IntWord(int64(int32(binary.LittleEndian.Uint32(b))))
		})
	case format.Int64:
		if t.Kind == formats.Uint {
			return words(8, binary.LittleEndian.Uint64)
		}
		return words(8, func(b []byte) uint64 {
			return formats.IntWord(int64(binary.LittleEndian.Uint64(b)))
		})
	case format.Float:
		return words(4, func(b []byte) uint64 {
			return formats.FloatWord(formats.WidenFloat32(binary.LittleEndian.Uint32(b)))
		})
	case format.Double:
		return words(8, func(b []byte) uint64 {
			return formats.FloatWord(binary.LittleEndian.Uint64(b))
		})
	case format.Int96:
		return each(12, decodeInt96)
	}
	switch t.Kind {
	case formats.Float:
		return words(2, func(b []byte) uint64 {
			return formats.FloatWord(formats.WidenFloat16(binary.LittleEndian.Uint16(b)))
		})
	case formats.Decimal:
		return each(width, AppendDecimal)
	}
	return Raw(width)
}

// Raw returns a decoder that copies the bytes of values.
func Raw(width int) Decoder {
	return each(width, func(dst *formats.Values, value []byte) error {
		dst.AppendBytes(value)
		return nil
	})
}

// AppendTexts appends byte strings, which are in data between the ends, to Values of a column's
// type. Its errors are those of a Decoder.
func AppendTexts(dst *formats.Values, data []byte, ends []uint32) error {
	first, last := ends[0], ends[len(ends)-1]
	if err := dst.Room(int(last - first)); err != nil {
		return err
	}
	if dst.Type.Kind == formats.Decimal {
		for i, end := range ends[1:] {
			if err := AppendDecimal(dst, data[ends[i]:end]); err != nil {
				return err
			}
		}
		return nil
	}
	shift := uint32(len(dst.Data)) - first
	dst.Data = append(dst.Data, data[first:last]...)
	for _, end := range ends[1:] {
		dst.Ends = append(dst.Ends, end+shift)
	}
	return nil
}

// words makes a decoder from a function that converts a value's bytes to a word.
func words(width int, word func([]byte) uint64) Decoder {
	return func(dst *formats.Values, from []byte, n int) error {
		at := len(dst.Words)
		dst.Words = slices.Grow(dst.Words, n)[:at+n]
		for i := range dst.Words[at:] {
			dst.Words[at+i] = word(from[i*width:])
		}
		return nil
	}
}

// each makes a decoder from one for a single value.
func each(width int, decode func(dst *formats.Values, value []byte) error) Decoder {
	return func(dst *formats.Values, from []byte, n int) error {
		if err := dst.Room(n * width); err != nil {
			return err
		}
		for i := range n {
			if err := decode(dst, from[i*width:(i+1)*width]); err != nil {
				return err
			}
		}
		return nil
	}
}

// CutText returns the first byte string, whose length precedes it, and the bytes behind it, or nil.
func CutText(from []byte) (text, rest []byte) {
	if len(from) < 4 || int64(binary.LittleEndian.Uint32(from)) > int64(len(from)-4) {
		return nil, nil
	}
	size := 4 + int(binary.LittleEndian.Uint32(from))
	return from[4:size:size], from[size:]
}

// Reserve makes room in dst for n values of a total number of bytes: growing step by step, large
// lists would take half as much again, and their old memory.
func Reserve(dst *formats.Values, bytes, n int) {
	if dst.Type.InWords() {
		dst.Words = slices.Grow(dst.Words, n)
		return
	}
	dst.Ends, dst.Data = slices.Grow(dst.Ends, n), slices.Grow(dst.Data, bytes)
}

// decodeInt96 appends a timestamp of nanoseconds and a Julian day.
func decodeInt96(dst *formats.Values, value []byte) error {
	nanos := int64(binary.LittleEndian.Uint64(value))
	if !dst.AppendInt96(int32(binary.LittleEndian.Uint32(value[8:])), nanos) {
		return fmt.Errorf("read INT96: day out of range: %w", formats.ErrDamaged)
	}
	return nil
}

// AppendDecimal appends a decimal of big-endian two's complement bytes, any number of them.
func AppendDecimal(dst *formats.Values, value []byte) error {
	sign := byte(0)
	if len(value) > 0 && value[0]&0x80 != 0 {
		sign = 0xff
	}
	size := 8
	if dst.Type.Wide {
		size = dst.Type.WideSize()
	}
	var memory [32]byte
	full := memory[:size]
	if extra := len(value) - size; extra > 0 {
		if bytes.Count(value[:extra], []byte{sign}) < extra || value[extra]&0x80 != sign&0x80 {
			return fmt.Errorf("read decimal: %d bytes for %d digits: %w", len(value),
				dst.Type.Precision, formats.ErrDamaged)
		}
		value = value[extra:]
	}
	for i := range full[:size-len(value)] {
		full[i] = sign
	}
	copy(full[size-len(value):], value)
	full[0] ^= 0x80
	if !dst.Type.Wide {
		dst.Words = append(dst.Words, binary.BigEndian.Uint64(full))
		return nil
	}
	dst.AppendBytes(full)
	return nil
}
