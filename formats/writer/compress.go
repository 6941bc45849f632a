package writer

import (
	"bytes"
	"fmt"
	"slices"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"

	"github.com/kcut/kcut/formats"
)

// compressor compresses pages, one at a time. What it appends depends on the page alone.
type compressor interface {
	codec() format.CompressionCodec
	// compress appends the compressed page to dst.
	compress(dst, page []byte) ([]byte, error)
}

func newCompressor(o Options) (compressor, error) {
	switch o.Compression {
	case "", "zstd":
		return newZstd(o.Level)
	case "gzip":
		return newGzip(o.Level)
	case "snappy":
		return snappyCompressor{}, nil
	case "none":
		return noCompressor{}, nil
	}
	return nil, fmt.Errorf("compress with %q: %w codec, have zstd, snappy, gzip, none", o.Compression, formats.ErrUnsupported)
}

type zstdCompressor struct{ encoder *zstd.Encoder }

// A window of 1 MiB holds a whole page; a larger one only costs memory.
func newZstd(level int) (compressor, error) {
	if level == 0 {
		level = 3
	}
	e, err := zstd.NewWriter(nil,
		zstd.WithEncoderLevel(zstd.EncoderLevelFromZstd(level)),
		zstd.WithEncoderConcurrency(1),
		zstd.WithWindowSize(1<<20),
		zstd.WithLowerEncoderMem(true),
		zstd.WithEncoderCRC(false))
	if err != nil {
		return nil, fmt.Errorf("make zstd encoder: %w", err)
	}
	return zstdCompressor{e}, nil
}

func (zstdCompressor) codec() format.CompressionCodec { return format.Zstd }

func (c zstdCompressor) compress(dst, page []byte) ([]byte, error) {
	return c.encoder.EncodeAll(page, dst), nil
}

type gzipCompressor struct{ writer *gzip.Writer }

func newGzip(level int) (compressor, error) {
	if level == 0 {
		level = gzip.DefaultCompression
	}
	w, err := gzip.NewWriterLevel(nil, level)
	if err != nil {
		return nil, fmt.Errorf("make gzip encoder: %w", err)
	}
	return gzipCompressor{w}, nil
}

func (gzipCompressor) codec() format.CompressionCodec { return format.Gzip }

func (c gzipCompressor) compress(dst, page []byte) ([]byte, error) {
	buffer := bytes.NewBuffer(dst)
	c.writer.Reset(buffer)
	if _, err := c.writer.Write(page); err != nil {
		return dst, fmt.Errorf("compress page: %w", err)
	}
	if err := c.writer.Close(); err != nil {
		return dst, fmt.Errorf("compress page: %w", err)
	}
	return buffer.Bytes(), nil
}

type snappyCompressor struct{}

func (snappyCompressor) codec() format.CompressionCodec { return format.Snappy }

func (snappyCompressor) compress(dst, page []byte) ([]byte, error) {
	dst = slices.Grow(dst, snappy.MaxEncodedLen(len(page)))
	return dst[:len(dst)+len(snappy.Encode(dst[len(dst):cap(dst)], page))], nil
}

type noCompressor struct{}

func (noCompressor) codec() format.CompressionCodec { return format.Uncompressed }

func (noCompressor) compress(dst, page []byte) ([]byte, error) { return append(dst, page...), nil }
