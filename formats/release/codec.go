package release

import (
	"fmt"

	"github.com/apache/arrow/go/v17/parquet/compress"

	"github.com/kcut/kcut/formats"
)

// codec unpacks the pages of a column chunk.
type codec struct {
	codec compress.Codec // nil: pages are stored as they are
	most  int64          // bytes of a page
	out   []byte         // the last page that was unpacked
}

// codecOf returns the codec of a chunk, given the scratch of an earlier one. It returns
// formats.ErrUnsupported for codecs that Arrow's library does not have.
func (r *File) codecOf(rowGroup, leaf int, scratch []byte) (codec, error) {
	m := r.footer.RowGroups[rowGroup].Columns[leaf].MetaData
	c := codec{most: m.TotalUncompressedSize, out: scratch}
	name := compress.Compression(m.Codec)
	if name == compress.Codecs.Uncompressed {
		return c, nil
	}
	var err error
	if c.codec, err = compress.GetCodec(name); err != nil {
		return c, fmt.Errorf("%w: codec %v", formats.ErrUnsupported, name)
	}
	return c, nil
}

// unpack returns the page of so many bytes that was stored as packed. It is valid until the
// next one. It panics when Arrow's library does.
func (c *codec) unpack(packed []byte, size int64) ([]byte, error) {
	if c.codec == nil || size == 0 && len(packed) == 0 { // codecs differ in what they make of nothing
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
	page := c.codec.Decode(c.out[:size], packed)
	if int64(len(page)) != size {
		return nil, errSize
	}
	return page, nil
}

var errSize = fmt.Errorf("%w: a page has another size than its header says", formats.ErrDamaged)
