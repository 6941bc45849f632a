// Package codec packs and unpacks the pages of Parquet files, and unpacks Arrow's buffers of zstd.
//
// Contract: what is unpacked has exactly the size that was claimed for it, and takes no more memory.
// The codecs of parquet-go are not used: they grow their output to whatever a page holds. What is
// packed depends on the page and the options alone.
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

// MaxPageBytes bounds one unpacked page: far above what writers make (1 MiB is usual),
// far below what a few bytes of a hostile file can unpack to.
const MaxPageBytes = 256 << 20

// maxRatio is the most that a byte can unpack to, a little rounded up, for the codecs
// whose format has a limit: a header that claims more is wrong, and nothing is allocated.
var maxRatio = map[format.CompressionCodec]int{
	format.Snappy: 64, format.Gzip: 1100, format.Lz4: 256, format.Lz4Raw: 256, format.Zstd: 1 << 16,
}

// CheckSize checks the size of a page, and the one that it claims to unpack to.
func CheckSize(codec format.CompressionCodec, packed, unpacked int) error {
	if size := max(packed, unpacked); size > MaxPageBytes {
		return fmt.Errorf("page of %d bytes, more than %d: %w", size, MaxPageBytes, formats.ErrUnsupported)
	}
	if ratio := maxRatio[codec]; ratio > 0 && unpacked/ratio > packed+64 {
		return fmt.Errorf("page of %d bytes cannot unpack to %d: %w", packed, unpacked, formats.ErrDamaged)
	}
	return nil
}

// Unpack fills dst with what src unpacks to, which must be exactly that much. What is not is
// formats.ErrDamaged, a codec that is not known formats.ErrUnsupported. It reports whether src
// shows to have nothing that unpacking passes over: names, comments and times of gzip, frames of
// zstd to skip, and what is behind the end of both. Of brotli, whose blocks of metadata only its
// decoder finds, and of LZ4 it cannot tell.
func Unpack(codec format.CompressionCodec, dst, src []byte) (exact bool, err error) {
	n, exact, err := unpackInto(codec, dst, src)
	switch {
	case errors.Is(err, formats.ErrUnsupported):
		return false, err
	case err != nil:
		return false, fmt.Errorf("unpack %s page: %w", codec, formats.ErrDamaged)
	case n != len(dst):
		return false, fmt.Errorf("unpack %s page to %d bytes: got %d: %w", codec, len(dst), n, formats.ErrDamaged)
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

// A member of gzip without a name, a comment or anything else that is optional begins with gzipHead, and
// goes on with no time: 0, or what the zero time.Time is to the library that packs ours. The two bytes
// behind that tell how hard the packer tried, and its system.
const (
	gzipHead   = "\x1f\x8b\x08\x00"
	noTime     = "\x00\x00\x00\x00"
	zeroGoTime = "\x00\x09\x6e\x88"
)

var gzipReaders sync.Pool

// unpackGzip reports exact when one such member is all that src has.
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
		head := string(src[:len(gzipHead)+len(noTime)]) // that long it is, or the reader had refused it
		return n, head == gzipHead+noTime || head == gzipHead+zeroGoTime, err
	}
	if err := r.Reset(bytes.NewReader(src)); err != nil {
		return 0, false, err
	}
	n, err = readExactly(r, dst)
	return n, false, err
}

// readExactly fills dst and makes sure that nothing comes after it.
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

// isOneFrame reports whether what was unpacked as zstd is one frame that is not skipped, and nothing else.
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

// unpackLz4 reads the deprecated codec LZ4: Hadoop's frames of a big-endian unpacked and
// packed length and a block, or, by writers that did not know of them, one bare block.
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
