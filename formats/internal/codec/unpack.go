// Package codec packs and unpacks the pages of Parquet files, and unpacks zstd buffers of Arrow.
//
// Contract: unpacked bytes have exactly the size that was claimed for them, and unpacking takes no
// more memory. The package does not use the codecs of parquet-go, which grow their output to any
// size that a page contains. Packed bytes depend only on the page and the options.
package codec

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/andybalholm/brotli"
	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/snappy"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"

	"github.com/kcut/kcut/formats"
)

// MaxPageBytes is the largest size of an unpacked page: far above the pages of writers (usually 1
// MiB), far below the size to which a few bytes of a hostile file can unpack.
const MaxPageBytes = 256 << 20

// maxRatio is the largest number of bytes to which a byte can unpack, slightly rounded up, for the
// codecs whose format has a limit: a header that claims more is wrong, and nothing is allocated.
var maxRatio = map[format.CompressionCodec]int{
	format.Snappy: 64, format.Gzip: 1100, format.Lz4: 256, format.Lz4Raw: 256, format.Zstd: 1 << 16,
}

// CheckSize checks the size of a page, and its claimed unpacked size.
func CheckSize(codec format.CompressionCodec, packed, unpacked int) error {
	if size := max(packed, unpacked); size > MaxPageBytes {
		return fmt.Errorf("page of %d bytes, more than %d: %w", size, MaxPageBytes,
			formats.ErrUnsupported)
	}
	if ratio := maxRatio[codec]; ratio > 0 && unpacked/ratio > packed+64 {
		return fmt.Errorf("page of %d bytes cannot unpack to %d: %w", packed, unpacked,
			formats.ErrDamaged)
	}
	return nil
}

// Unpack fills dst with the unpacked bytes of src, which must have exactly that size. It returns
// formats.ErrDamaged if they do not, and formats.ErrUnsupported for an unknown codec. It reports
// whether src surely has no bytes that unpacking skips: names, comments and times of gzip,
// skippable frames of zstd, and bytes behind the end of both. It cannot decide that for brotli,
// whose metadata blocks only its decoder finds, and for LZ4.
func Unpack(codec format.CompressionCodec, dst, src []byte) (exact bool, err error) {
	n, exact, err := unpackInto(codec, dst, src)
	switch {
	case errors.Is(err, formats.ErrUnsupported):
		return false, err
	case err != nil:
		return false, fmt.Errorf("unpack %s page: %w", codec, formats.ErrDamaged)
	case n != len(dst):
		return false, fmt.Errorf("unpack %s page to %d bytes: got %d: %w", codec, len(dst), n,
			formats.ErrDamaged)
	}
	return exact, nil
}

func unpackInto(codec format.CompressionCodec, dst, src []byte) (n int, exact bool, err error) {
	switch codec {
	case format.Snappy:
		n, err = unpackSnappy(dst, src)
		return n, true, err
	case format.Gzip:
		return unpackGzip(dst, src)
	case format.Zstd:
		n, err = unpackZstd(dst, src)
		return n, err == nil && isOneFrame(src), err
	case format.Brotli:
		n, err = readExactly(brotli.NewReader(bytes.NewReader(src)), dst)
	case format.Lz4Raw:
		n, err = lz4.UncompressBlock(src, dst)
	case format.Lz4:
		n, err = unpackLz4(dst, src)
	default:
		err = fmt.Errorf("unpack page: codec %s: %w", codec, formats.ErrUnsupported)
	}
	return n, false, err
}

func unpackSnappy(dst, src []byte) (int, error) {
	if n, err := snappy.DecodedLen(src); err != nil || n != len(dst) {
		return n, err
	}
	out, err := snappy.Decode(dst, src)
	return len(out), err
}

// A gzip member without a name, a comment or any other optional part begins with gzipHead, followed
// by no time: 0, or the zero time.Time as the library encodes it that packs ours. The next two
// bytes are the packer's effort and its system.
const (
	gzipHead   = "\x1f\x8b\x08\x00"
	noTime     = "\x00\x00\x00\x00"
	zeroGoTime = "\x00\x09\x6e\x88"
)

var gzipReaders sync.Pool

// unpackGzip reports exact when src consists of one such member.
func unpackGzip(dst, src []byte) (n int, exact bool, err error) {
	r, ok := gzipReaders.Get().(*gzip.Reader)
	if !ok {
		r = new(gzip.Reader)
	}
	defer gzipReaders.Put(r)
	packed := bytes.NewReader(src)
	if err := r.Reset(packed); err != nil {
		return 0, false, err
	}
	r.Multistream(false)
	if n, err = readExactly(r, dst); packed.Len() == 0 {
		// src is that long, or the reader would have refused it
		head := string(src[:len(gzipHead)+len(noTime)])
		return n, head == gzipHead+noTime || head == gzipHead+zeroGoTime, err
	}
	if err := r.Reset(bytes.NewReader(src)); err != nil {
		return 0, false, err
	}
	n, err = readExactly(r, dst)
	return n, false, err
}

// readExactly fills dst and checks that nothing comes after it.
func readExactly(r io.Reader, dst []byte) (int, error) {
	n, err := io.ReadFull(r, dst)
	if err != nil {
		return n, err
	}
	var more [1]byte
	extra, err := io.ReadFull(r, more[:])
	if err == io.EOF {
		err = nil
	}
	return n + extra, err
}

var zstdDecoder = sync.OnceValues(func() (*zstd.Decoder, error) {
	return zstd.NewReader(nil, zstd.WithDecoderConcurrency(0), zstd.WithDecodeAllCapLimit(true))
})

func unpackZstd(dst, src []byte) (int, error) {
	decoder, err := zstdDecoder()
	if err != nil {
		return 0, err
	}
	out, err := decoder.DecodeAll(src, dst[:0:len(dst)])
	return len(out), err
}

// isOneFrame reports whether bytes that were unpacked as zstd are one frame that is not skippable,
// and nothing else.
func isOneFrame(src []byte) bool {
	var h zstd.Header
	if err := h.Decode(src); err != nil || h.Skippable || h.DictionaryID != 0 {
		return false
	}
	const uncompressedRun, last = 1, 1
	for rest := src[h.HeaderSize:]; len(rest) >= 3; {
		block := int(rest[0]) | int(rest[1])<<8 | int(rest[2])<<16
		size := block >> 3
		if block>>1&3 == uncompressedRun {
			size = 1
		}
		if rest = rest[3:]; size > len(rest) {
			return false
		}
		if rest = rest[size:]; block&last != 0 {
			return len(rest) == 0 || h.HasCheckSum && len(rest) == 4
		}
	}
	return false
}

// unpackLz4 reads the deprecated codec LZ4: Hadoop's frames of a big-endian unpacked and packed
// length and a block, or, from writers that did not know them, one bare block.
func unpackLz4(dst, src []byte) (int, error) {
	if n, err := unpackHadoopLz4(dst, src); err == nil && n == len(dst) {
		return n, nil
	}
	return lz4.UncompressBlock(src, dst)
}

func unpackHadoopLz4(dst, src []byte) (int, error) {
	done := 0
	for len(src) > 0 {
		if len(src) < 8 {
			return done, io.ErrUnexpectedEOF
		}
		unpacked, packed := int(binary.BigEndian.Uint32(src)), int(binary.BigEndian.Uint32(src[4:]))
		src = src[8:]
		if packed > len(src) || unpacked > len(dst)-done {
			return done, io.ErrUnexpectedEOF
		}
		n, err := lz4.UncompressBlock(src[:packed], dst[done:done+unpacked])
		if err != nil || n != unpacked {
			return done, io.ErrUnexpectedEOF
		}
		done, src = done+n, src[packed:]
	}
	return done, nil
}
