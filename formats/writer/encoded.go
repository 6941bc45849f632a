package writer

import (
	"fmt"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/meta"
)

// EncodedRowGroup is a row group ready to be written.
type EncodedRowGroup struct {
	Rows  int64
	out   []segment
	size  int64
	entry meta.RowGroup // offsets as if it were the first of its file
}

// Size returns the number of bytes that the row group adds to a file, without its footer entry.
func (g *EncodedRowGroup) Size() int64 { return g.size }

// copyGap is the most that lies between pages that follow each other: the header of a page.
const copyGap = 4 << 10

// Copied returns where the pages lie that are copied, those that follow each other as one.
func (g *EncodedRowGroup) Copied() (ranges []formats.Range) {
	for _, s := range g.out {
		last := len(ranges) - 1
		switch {
		case s.Bytes != nil:
		case last >= 0 && s.Offset >= ranges[last].To && s.Offset-ranges[last].To <= copyGap:
			ranges[last].To = s.Offset + s.Size
		default:
			ranges = append(ranges, formats.Range{From: s.Offset, To: s.Offset + s.Size})
		}
	}
	return ranges
}

// serialized is what another process is given of a row group, in Thrift's compact protocol.
type serialized struct {
	Entry    meta.RowGroup `thrift:"1,required"` // as in a file's footer
	Segments []segment     `thrift:"2,required"`
}

// AppendTo appends the row group in a form that another process can read.
func (g *EncodedRowGroup) AppendTo(to []byte) ([]byte, error) {
	b, err := meta.Encode(&serialized{g.entry, g.out})
	return append(to, b...), err
}

// ParseRowGroup returns the row group that AppendTo has appended to nothing, in whose memory its
// pages stay. The error wraps formats.ErrDamaged.
func ParseRowGroup(b []byte) (*EncodedRowGroup, error) {
	var s serialized
	if _, err := meta.Decode(b, &s); err != nil {
		return nil, fmt.Errorf("read a row group: %w", err)
	}
	g := &EncodedRowGroup{Rows: s.Entry.NumRows, out: s.Segments, entry: s.Entry}
	for _, s := range g.out {
		g.size += int64(len(s.Bytes)) + s.Size
	}
	return g, nil
}
