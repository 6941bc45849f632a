package arrowfile

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"io"

	"github.com/klauspost/compress/zstd"
	"github.com/pierrec/lz4/v4"

	"github.com/kcut/kcut/formats"
)

const (
	largest = 1 << 30 // bytes that a compressed buffer may unpack to
	densest = 40000   // times that zstd shrinks at best: 128 KiB of one byte take four
)

// unpacker unpacks buffers into memory of the size that they declare, never more.
type unpacker struct {
	zstd *zstd.Decoder
	lz4  *lz4.Reader
}

// unpack returns the contents of a compressed buffer: their length, or -1 when they are
// stored as they are, then the frame.
func (u *unpacker) unpack(
	codec int8, packed []byte, alloc func(n int) ([]byte, error),
) ([]byte, error) {
	if len(packed) < 8 {
		return nil, errShortBuffer
	}
	n, frame := int64(binary.LittleEndian.Uint64(packed)), packed[8:]
	stored := n == -1
	switch {
	case stored:
		n = int64(len(frame))
	case n > largest:
		return nil, fmt.Errorf("%w: a compressed buffer of %d bytes", formats.ErrUnsupported, n)
	case n < 0 || n > int64(len(frame)+1)*densest:
		return nil, fmt.Errorf("%w: a compressed buffer that cannot hold its %d bytes",
			formats.ErrDamaged, n)
	}
	raw, err := alloc(int(n))
	switch {
	case err != nil:
		return nil, err
	case stored:
		copy(raw, frame)
	case codec == codecZstd:
		err = u.unzstd(raw, frame)
	default:
		if u.lz4 == nil {
			u.lz4 = lz4.NewReader(nil)
		}
		u.lz4.Reset(bytes.NewReader(frame))
		_, err = io.ReadFull(u.lz4, raw)
	}
	if err != nil {
		return nil, fmt.Errorf("%w: a compressed buffer: %w", formats.ErrDamaged, err)
	}
	return raw, nil
}

// unzstd fills raw from a frame of zstd.
func (u *unpacker) unzstd(raw, frame []byte) (err error) {
	if u.zstd == nil {
		u.zstd, err = zstd.NewReader(nil,
			zstd.WithDecoderConcurrency(1), zstd.WithDecodeAllCapLimit(true))
		if err != nil {
			return err
		}
	}
	out, err := u.zstd.DecodeAll(frame, raw[:0:len(raw)])
	if err == nil && len(out) != len(raw) {
		err = io.ErrUnexpectedEOF
	}
	return err
}

func (u *unpacker) close() {
	if u.zstd != nil {
		u.zstd.Close()
	}
	if u.lz4 != nil {
		u.lz4.Reset(nil) // gives back its block
	}
}
