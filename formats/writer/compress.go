package writer

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

// compressor compresses pages, one at a time. What it appends to dst depends on the page alone.
type compressor struct {
	codec    format.CompressionCodec
	compress func(dst, page []byte) ([]byte, error)
}

func newCompressor(o Options) (c compressor, err error) {
	switch o.Compression {
	case "", "zstd":
		c.codec = format.Zstd
		c.compress, err = newZstd(cmp.Or(o.Level, 3))
	case "gzip":
		c.codec = format.Gzip
		c.compress, err = newGzip(cmp.Or(o.Level, gzip.DefaultCompression))
	case "snappy":
		c = compressor{format.Snappy, compressSnappy}
	case "none":
		c = compressor{format.Uncompressed, func(dst, page []byte) ([]byte, error) { return append(dst, page...), nil }}
	default:
		err = fmt.Errorf("%w codec, have zstd, snappy, gzip, none", formats.ErrUnsupported)
	}
	if err != nil {
		return c, fmt.Errorf("compress with %q: %w", o.Compression, err)
	}
	return c, nil
}

// newZstd returns a compressor with a window of 1 MiB: it holds a whole page, a larger one only
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

func compressSnappy(dst, page []byte) ([]byte, error) {
	dst = slices.Grow(dst, snappy.MaxEncodedLen(len(page)))
	return dst[:len(dst)+len(snappy.Encode(dst[len(dst):cap(dst)], page))], nil
}
