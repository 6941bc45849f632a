package arrowfile

import (
	"context"
	"encoding/binary"
	"fmt"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/formats/internal/fence"
)

// Holds implements formats.Weighed: a reader holds the buffers of the wanted columns of a record
// batch, unpacked, the largest of them as it lies in the file, and the values of some rows.
// Dictionaries are not looked at.
func (s *source) Holds(ctx context.Context, first, count int,
	columns []formats.Request) (most formats.Held, err error) {
	defer fence.Catch(&err)
	if err := formats.CheckRead(s, first, count, columns); err != nil {
		return most, err
	}
	wants := &reader{src: s, columns: make([]*column, len(s.columns))}
	for _, c := range columns {
		wants.columns[c.Column] = &column{}
	}
	for i := first; i < first+count; i++ {
		if err := ctx.Err(); err != nil {
			return most, err
		}
		bytes, err := wants.holds(i)
		if err != nil {
			return most, fmt.Errorf("read %s: record batch %d: %w", s.path, i, err)
		}
		most.Rows = max(most.Rows, bytes)
	}
	return most, nil
}

// holds returns the number of bytes that a reader reports for a record batch.
func (r *reader) holds(number int) (bytes int64, err error) {
	b, err := r.src.readBatch(r.src.batches[number].at)
	if err != nil {
		return 0, err
	}
	places, err := r.choose(b)
	packed := int64(0)
	for _, place := range places {
		n := place.To - place.From
		if b.codec != codecNone && n > 8 {
			var head [8]byte
			if err := readFrom(r.src.file, head[:], place.From); err != nil {
				return 0, err
			}
			packed = max(packed, n)
			if unpacked := int64(binary.LittleEndian.Uint64(head[:])); unpacked >= 0 {
				n = min(unpacked, largest)
			}
		}
		bytes += n
	}
	rows := max(1, b.rows)
	values, _ := formats.Growing(bytes*min(rows, int64(r.rowsOf(rows, bytes)))/rows,
		(bytes+rows-1)/rows)
	reported := int64(0)
	for _, held := range []int64{bytes + packed, values} { // nobody refuses
		holding := formats.Holding{Tell: func(bytes int64) error { reported += bytes; return nil }}
		_ = holding.Hold(held)
	}
	return reported, err
}
