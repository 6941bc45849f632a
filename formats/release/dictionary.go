package release

import (
	"bufio"
	"fmt"

	"github.com/apache/arrow/go/v17/parquet"
	"github.com/apache/arrow/go/v17/parquet/file"
	"github.com/apache/arrow/go/v17/parquet/schema"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
)

// measureDictionary checks that the dictionary page of a chunk holds as many values as it
// says, and returns the number of bytes after them. The values are not looked at.
func (r *File) measureDictionary(rowGroup, leaf int, buffer *bufio.Reader) (spare int, err error) {
	defer fence.Catch(&err)
	section, err := r.section(rowGroup, leaf)
	if err != nil {
		return 0, err
	}
	buffer.Reset(section)
	pages, err := r.pages(rowGroup, leaf, buffer)
	if err != nil {
		return 0, err
	}
	if !pages.Next() {
		return 0, fmt.Errorf("%w: %w", formats.ErrDamaged, pages.Err())
	}
	p, ok := pages.Page().(*file.DictionaryPage)
	if !ok {
		return 0, fmt.Errorf("%w: the dictionary page is not the first", formats.ErrDamaged)
	}
	anything := form{sizeOf(r.footer.Schema.Column(leaf)), func([]byte) string { return "" }}
	_, rest, err := anything.labels(p.Data(), int(p.NumValues()))
	return len(rest), err
}

// sizeOf returns the number of bytes of a PLAIN value; 0: a length of 4 bytes comes first.
func sizeOf(c *schema.Column) int {
	switch c.PhysicalType() {
	case parquet.Types.Int32, parquet.Types.Float:
		return 4
	case parquet.Types.Int64, parquet.Types.Double:
		return 8
	case parquet.Types.Int96:
		return 12
	case parquet.Types.FixedLenByteArray:
		return c.TypeLength()
	}
	return 0
}
