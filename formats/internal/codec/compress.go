package codec

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
)

// Compressor packs pages, one at a time.
type Compressor struct {
	Codec    format.CompressionCodec
	Compress func(dst, page []byte) ([]byte, error) // appends the packed page to dst
}

// NewCompressor returns a compressor by its name: zstd (also when empty), snappy, gzip or none.
// Levels are those of zstd (1 to 22) and gzip (1 to 9); 0 is the codec's default. Another name is
// formats.ErrUnsupported.
func NewCompressor(name string, level int) (c Compressor, err error) {
	switch name {
	case "", "zstd":
		c.Codec = format.Zstd
		c.Compress, err = newZstd(cmp.Or(level, 3))
	case "gzip":
		c.Codec = format.Gzip
		c.Compress, err = newGzip(cmp.Or(level, gzip.DefaultCompression))
	case "snappy":
		c = Compressor{format.Snappy, func(dst, page []byte) ([]byte, error) {
			dst = slices.Grow(dst, snappy.MaxEncodedLen(len(page)))
			return dst[:len(dst)+len(snappy.Encode(dst[len(dst):cap(dst)], page))], nil
		}}
	case "none":
		c = Compressor{format.Uncompressed, func(dst, page []byte) ([]byte, error) {
			return append(dst, page...), nil
		}}
	default:
		err = fmt.Errorf("%w codec, have zstd, snappy, gzip, none", formats.ErrUnsupported)
	}
	if err != nil {
		return c, fmt.Errorf("compress with %q: %w", name, err)
	}
	return c, nil
}

// newZstd returns a compressor with a window of 1 MiB: it holds a whole page, and a larger one only
// costs memory.
func newZstd(level int) (func(dst, page []byte) ([]byte, error), error) {
	encoder, err := zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(level)),
		zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(1<<20),
		zstd.WithLowerEncoderMem(true),
		zstd.WithEncoderCRC(false))
	return func(dst, page []byte) ([]byte, error) { return encoder.EncodeAll(page, dst), nil }, err
}

func newGzip(level int) (func(dst, page []byte) ([]byte, error), error) {
	writer, err := gzip.NewWriterLevel(nil, level)
	return func(dst, page []byte) ([]byte, error) {
		buffer := bytes.NewBuffer(dst)
		writer.Reset(buffer)
		if _, err := writer.Write(page); err != nil {
			return dst, err
		}
		err := writer.Close()
		return buffer.Bytes(), err
	}, err
}
