package partition

import (
	"context"
	"fmt"

	"github.com/kcut/kcut/spill"
)

// Save hands out the records of a table as chunks, each valid until visit returns. The table
// stays as it is. Of a spilled table the space is the one that it was made in.
func (t *Table) Save(ctx context.Context, space Space, visit func(chunk []byte) error) error {
	if t.chunks != nil {
		return readChunks(ctx, space.store(), visit, t.chunks.sequences...)
	}
	w, codec := t.Layout.Words, NewCodec(t.Layout)
	step := writtenChunk / (8 * (w + 1))
	var chunk []byte
	for lo := 0; lo < t.Len(); lo += step {
		hi := min(lo+step, t.Len())
		chunk = codec.encode(chunk[:0], t.Keys[lo*w:hi*w], t.Counts[lo:hi])
		if err := visit(chunk); err != nil {
			return err
		}
	}
	return nil
}

// Restore returns the table of so many records that Save has handed out as chunks. Next
// returns them one after the other, valid until it is called again, and nil at the end. The
// table is in memory or in the store as one of TabulateSpilled is. When the records are not as
// many, the error wraps spill.ErrCorrupt.
func Restore(layout Layout, records int, space Space, next func() ([]byte, error)) (*Table, error) {
	t := &Table{Layout: layout}
	bytes := layout.TableBytes(records)
	err := spill.ErrBudget
	if space.Store == nil || bytes <= space.Share {
		err = space.Budget.Draw("the compressed table", bytes)
	}
	switch {
	case err == nil:
		t.Keys, t.Counts = make([]uint64, 0, records*layout.Words), make([]uint32, 0, records)
		err = restore(layout, records, next, func(chunk []byte, of *Table) error {
			t.Keys, t.Counts = append(t.Keys, of.Keys...), append(t.Counts, of.Counts...)
			return nil
		})
	case space.Store != nil:
		t.chunks = &ChunkList{}
		err = restore(layout, records, next, func(chunk []byte, of *Table) error {
			t.chunks.record(NewBlock(of, of.Rows(0, of.Len())))
			return t.chunks.write(space.store(), chunk)
		})
	}
	if err != nil {
		return nil, fmt.Errorf("restore distinct tuples: %w", err)
	}
	return t, nil
}

// restore hands out the chunks, as they are and decoded.
func restore(layout Layout, records int, next func() ([]byte, error), visit func(chunk []byte, of *Table) error) error {
	codec, of := NewCodec(layout), &Table{Layout: layout}
	for {
		chunk, err := next()
		if err != nil {
			return err
		}
		if chunk == nil {
			break
		}
		of.Truncate()
		if err := codec.Decode(chunk, of); err != nil {
			return err
		}
		if records -= of.Len(); records < 0 {
			break
		}
		if err := visit(chunk, of); err != nil {
			return err
		}
	}
	if records != 0 {
		return fmt.Errorf("a number of records is missing or left over: %w", spill.ErrCorrupt)
	}
	return nil
}
