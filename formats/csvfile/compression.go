package csvfile

import (
	"bytes"
	"io"

	"github.com/klauspost/compress/gzip"
	"github.com/klauspost/compress/zstd"
)

// compression is how a text file is packed as a whole.
type compression uint8

const (
	packedGzip compression = iota + 1
	packedZstd
)

// compressionOf tells the compression by a file's first bytes.
func compressionOf(head []byte) compression {
	switch {
	case bytes.HasPrefix(head, []byte{0x1f, 0x8b}):
		return packedGzip
	case bytes.HasPrefix(head, []byte{0x28, 0xb5, 0x2f, 0xfd}):
		return packedZstd
	}
	return 0
}

// reader returns the unpacked bytes of r.
func (c compression) reader(r io.Reader) (io.ReadCloser, error) {
	if c == packedGzip {
		return gzip.NewReader(r)
	}
	z, err := zstd.NewReader(r, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(128<<20))
	if err != nil {
		return nil, err
	}
	return z.IOReadCloser(), nil
}
