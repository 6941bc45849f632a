package masking

import (
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/cespare/xxhash/v2"

	"github.com/kcut/kcut/formats"
	"github.com/kcut/kcut/pipeline/checkpoint"
	"github.com/kcut/kcut/spill"
)

// Several processes put the rows of a release in order: rows are divided into ranges, each of which one process merges, and
// whoever has looked at all ranges knows where row groups begin. Rows are bytes, encoded as by spill.AppendRow.

const (
	// Bounds are chosen among some rows of some splits.
	sampledSplits, sampledRows = 64, 4096
	// chunkRows is how many different rows one reads to find where among them a row group begins, or fewer that have chunkBytes.
	chunkRows, chunkBytes = 4096, 1 << 20
)

// sortSome sorts the rows of some splits, and calls use with them and their number.
func (m *Masker) sortSome(ctx context.Context, order Order, splits []formats.Split, use func(rows *spill.SortedRows, n int64) error) (err error) {
	if m.Recoding.Cells() > 0 {
		return fmt.Errorf("sort the rows of a split alone: cells are divided in the order of rows: %w", formats.ErrUnsupported)
	}
	o, err := m.ordering(order)
	if err != nil {
		return err
	}
	o.sorter, o.rows = m.newSorter(order, order.share(m.Budget), o.form.short())
	defer func() { err = errors.Join(err, o.sorter.Close()) }()
	if err = o.read(ctx, splits); err != nil {
		return err
	}
	rows, err := o.sorter.Merge(ctx)
	if err != nil {
		return fmt.Errorf("sort rows of the release: %w", err)
	}
	defer rows.Close()
	return use(rows, o.sorter.Len())
}

// Bounds returns where so many ranges begin, the first one left out, of about as many rows each, going by some rows of the input.
// What is released does not depend on them.
func (m *Masker) Bounds(ctx context.Context, order Order, ranges int) (bounds [][]byte, err error) {
	var sample []formats.Split
	splits := m.Dataset.Splits()
	for i := 0; i < len(splits); i += max(1, len(splits)/sampledSplits) {
		s := splits[i]
		s.Rows = min(s.Rows, sampledRows)
		sample = append(sample, s)
	}
	err = m.sortSome(ctx, order, sample, func(rows *spill.SortedRows, total int64) error {
		for seen := int64(0); ; {
			row, n, err := rows.Next()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			if next := int64(len(bounds) + 1); next < int64(ranges) && seen*int64(ranges) >= next*total {
				bounds = append(bounds, bytes.Clone(row))
			}
			seen += n
		}
	})
	return bounds, err
}

// SortSplit masks a split and returns its rows in order, those of every range by themselves. The bytes are the caller's.
func (m *Masker) SortSplit(ctx context.Context, order Order, split formats.Split, bounds [][]byte) ([][]byte, error) {
	ranges := make([][]byte, len(bounds)+1)
	size, held := int64(0), spill.NewLedger(m.Budget, "the rows of a split")
	defer held.Close()
	at := 0
	err := m.sortSome(ctx, order, []formats.Split{split}, func(rows *spill.SortedRows, _ int64) error {
		for {
			row, n, err := rows.Next()
			if err == io.EOF {
				return nil
			}
			if err != nil {
				return err
			}
			for at < len(bounds) && bytes.Compare(row, bounds[at]) >= 0 {
				at++
			}
			had := len(ranges[at])
			ranges[at] = spill.AppendRow(ranges[at], row, n)
			size += int64(len(ranges[at]) - had)
			if err := held.Draw(size); err != nil {
				return err
			}
		}
	})
	return ranges, err
}

// rangeForm begins the index of a range, whose length is in 4 bytes in front of it. Behind the index come the chunks.
const rangeForm = "kcut rows\x03"

// Range is a range of the rows of a release in order, which are read chunk by chunk.
type Range struct {
	in     io.ReaderAt
	chunks []rowChunk
}

// rowChunk is where different rows are, how many rows and bytes these are, and what they hash to.
type rowChunk struct {
	at, length, rows, size int64
	hash                   uint64
}

// MergeRange merges the rows of a range, which splits have, into the bytes that OpenRange opens.
func (m *Masker) MergeRange(ctx context.Context, order Order, blocks [][]byte) ([]byte, error) {
	return m.mergeRange(ctx, order, blocks, chunkRows)
}

// mergeRange merges rows into chunks of so many different ones.
func (m *Masker) mergeRange(ctx context.Context, order Order, blocks [][]byte, most int) (_ []byte, err error) {
	sorter, _ := m.newSorter(order, order.share(m.Budget), 0)
	defer func() { err = errors.Join(err, sorter.Close()) }()
	run := sorter.NewRun()
	for _, block := range blocks {
		if err := spill.EachRow(block, run.Append); err != nil {
			return nil, fmt.Errorf("read the rows of a split: %w", err)
		}
	}
	rows, err := sorter.Merge(ctx)
	if err != nil {
		return nil, fmt.Errorf("merge the rows of splits: %w", err)
	}
	defer rows.Close()
	held := spill.NewLedger(m.Budget, "the rows of a range")
	defer held.Close()
	var chunks []rowChunk
	var data []byte
	open, different := rowChunk{}, 0
	for {
		row, n, err := rows.Next()
		if err != nil && err != io.EOF {
			return nil, err
		}
		if different == most || int64(len(data))-open.at >= chunkBytes || err == io.EOF && different > 0 {
			open.length = int64(len(data)) - open.at
			open.hash = xxhash.Sum64(data[open.at:])
			chunks = append(chunks, open)
			open, different = rowChunk{at: int64(len(data))}, 0
		}
		if err == io.EOF {
			return appendRange(chunks, data)
		}
		data = spill.AppendRow(data, row, n)
		if err := held.Draw(int64(len(data))); err != nil {
			return nil, err
		}
		open.rows, open.size, different = open.rows+n, open.size+int64(len(row)), different+1
	}
}

// appendRange puts an index in front of the chunks of a range.
func appendRange(chunks []rowChunk, data []byte) ([]byte, error) {
	index, err := checkpoint.Encode(rangeForm, nil, func(w *checkpoint.Writer) {
		checkpoint.List(w, chunks, func(c rowChunk) {
			for _, v := range []int64{c.length, c.rows, c.size} {
				w.Uint(uint64(v))
			}
			w.Uint(c.hash)
		})
	})
	if err != nil {
		return nil, err
	}
	return append(append(binary.BigEndian.AppendUint32(nil, uint32(len(index))), index...), data...), nil
}

// OpenRange opens a range, of which the index is read.
func OpenRange(in io.ReaderAt) (*Range, error) {
	var head [4]byte
	if _, err := in.ReadAt(head[:], 0); err != nil && err != io.EOF {
		return nil, fmt.Errorf("read rows in order: %w", err)
	}
	index := make([]byte, min(binary.BigEndian.Uint32(head[:]), math.MaxInt32))
	if _, err := in.ReadAt(index, int64(len(head))); err != nil && err != io.EOF {
		return nil, fmt.Errorf("read rows in order: %w", err)
	}
	r, at := &Range{in: in}, int64(len(head)+len(index))
	err := checkpoint.Decode(index, rangeForm, func(from *checkpoint.Reader) error {
		r.chunks = checkpoint.ReadList(from, func() rowChunk {
			c := rowChunk{at: at, length: int64(from.Int()), rows: int64(from.Int()), size: int64(from.Int()), hash: from.Uint()}
			at += c.length
			return c
		})
		return from.Err()
	})
	if err != nil {
		return nil, fmt.Errorf("read rows in order: %w: %w", formats.ErrDamaged, err)
	}
	return r, nil
}

// chunk reads a chunk, whose rows are those of spill.EachRow.
func (r *Range) chunk(i int) ([]byte, error) {
	c := &r.chunks[i]
	data := make([]byte, c.length)
	if _, err := r.in.ReadAt(data, c.at); err != nil && err != io.EOF {
		return nil, fmt.Errorf("read rows in order: %w", err)
	}
	if xxhash.Sum64(data) != c.hash {
		return nil, fmt.Errorf("read rows in order: %w", formats.ErrDamaged)
	}
	return data, nil
}
