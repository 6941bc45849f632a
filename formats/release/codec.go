package release

import (
	"fmt"

	"github.com/apache/arrow/go/v17/parquet/compress"
	"github.com/parquet-go/parquet-go/format"
	"github.com/pierrec/lz4/v4"

	"github.com/kcut/kcut/formats"
)

// codec unpacks the pages of a column chunk.
type codec struct {
	decode func(dst, packed []byte) []byte // panics when it cannot; nil: pages are stored as they are
	most   int64                           // bytes of a page
	out    []byte                          // the last page that was unpacked
}

// newCodec returns the codec of a chunk, given the scratch of an earlier one. It returns
// formats.ErrUnsupported for LZO and the deprecated framing of LZ4.
func newCodec(m *columnMeta, scratch []byte) (codec, error) {
	c := codec{most: m.TotalUncompressedSize, out: scratch}
	switch m.Codec {
	case format.Uncompressed:
	case format.Lz4Raw: // Arrow's library does not have it
		c.decode = decodeLZ4
	default:
		arrow, err := compress.GetCodec(compress.Compression(m.Codec))
		if err != nil {
			return c, fmt.Errorf("%w: codec %v", formats.ErrUnsupported, m.Codec)
		}
		c.decode = arrow.Decode
	}
	return c, nil
}

func decodeLZ4(dst, packed []byte) []byte {
	n, err := lz4.UncompressBlock(packed, dst)
	if err != nil {
		panic(err)
	}
	return dst[:n]
}

// unpack returns the page of so many bytes that was stored as packed. It is valid until the
// next one. It panics when the codec does.
func (c *codec) unpack(packed []byte, size int64) ([]byte, error) {
	if c.decode == nil || size == 0 && len(packed) == 0 { // codecs differ in what they make of nothing
		if int64(len(packed)) != size {
			return nil, errSize
		}
		return packed, nil
	}
	if size > c.most {
		return nil, fmt.Errorf("%w: a page is larger than its column chunk", formats.ErrDamaged)
	}
	if int64(cap(c.out)) < size {
		c.out = make([]byte, size)
	}
	page := c.decode(c.out[:size], packed)
	if int64(len(page)) != size {
		return nil, errSize
	}
	return page, nil
}

var errSize = fmt.Errorf("%w: a page has another size than its header says", formats.ErrDamaged)
