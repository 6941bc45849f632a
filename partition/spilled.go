package partition

import (
	"errors"
	"fmt"
	"io"

	"github.com/kcut/kcut/spill"
)

// spill moves all partitions out of the table, which is freed, into piles in the store.
func (t *TIPS) spill() error {
	table := t.table
	t.table, t.spilled = &Table{Layout: table.Layout}, true
	w := table.Layout.Words
	for p := range t.leaves {
		l := &t.leaves[p]
		if l.records() == 0 {
			continue
		}
		l.pile = &pile{turn: t.turn(int32(p))}
		l.pile.note(describe(table, l.lo, l.hi, l.size))
		for lo := l.lo; lo < l.hi; lo += t.block {
			hi := min(lo+t.block, l.hi)
			t.pool.page = t.codec.encode(t.pool.page[:0], table.Keys[lo*w:hi*w], table.Counts[lo:hi])
			if err := l.pile.write(t.pool.store, t.pool.page); err != nil {
				return err
			}
		}
		l.lo, l.hi = 0, l.records()
	}
	t.pool.release(table.Bytes())
	return nil
}

// blocks reads a pile into the table, a block at a time, for visit to work on.
func (t *TIPS) blocks(p *pile, consume bool, visit func() error) error {
	t.table.truncate()
	work := func() error {
		if err := t.ctx.Err(); err != nil {
			return err
		}
		err := visit()
		t.table.truncate()
		return err
	}
	err := t.pool.each(t.ctx, p, consume, func(chunk []byte) error {
		if err := t.codec.decode(chunk, t.table); err != nil || t.table.Len() < t.block {
			return err
		}
		return work()
	})
	if err == nil && t.table.Len() > 0 {
		err = work()
	}
	return err
}

// borrow brings partitions of at most a block together into the table while work divides
// one after the other, and gives every partition that work leaves there a pile.
func (t *TIPS) borrow(visits []int32, work func(p int32)) {
	if t.fail(t.fetch(visits)); t.err != nil {
		return
	}
	born := len(t.leaves)
	for _, p := range visits {
		work(p)
	}
	for _, p := range visits {
		t.fail(t.giveBack(p))
	}
	for q := born; q < len(t.leaves); q++ {
		t.fail(t.giveBack(int32(q)))
	}
	t.table.truncate()
}

// fetch moves the records of partitions from their piles to the table.
func (t *TIPS) fetch(visits []int32) (err error) {
	t.table.truncate()
	if err := t.ctx.Err(); err != nil {
		return err
	}
	var sequences []spill.Sequence
	for _, p := range visits {
		pile := t.leaves[p].pile
		t.pool.forget(pile)
		sequences = append(sequences, pile.sequences...)
	}
	var reader chunkReader
	if len(sequences) > 0 {
		if reader, err = t.pool.store.Read(t.ctx, sequences...); err != nil {
			return err
		}
		defer func() {
			if err = errors.Join(err, reader.Close()); err == nil {
				err = t.pool.store.Free(sequences...)
			}
		}()
	}
	for _, p := range visits {
		if err := t.take(&t.leaves[p], reader); err != nil {
			return err
		}
	}
	return nil
}

// take moves the records of a partition to the end of the table: those in memory and the
// next ones of a reader.
func (t *TIPS) take(l *leaf, reader chunkReader) error {
	from, records := t.table.Len(), l.records()
	for _, frame := range l.pile.frames {
		if err := t.codec.decode(frame, t.table); err != nil {
			return err
		}
	}
	t.pool.release(l.pile.bytes)
	l.pile.frames, l.pile.bytes = nil, 0
	for t.table.Len() < from+records {
		chunk, err := reader.Next()
		if err == nil {
			err = t.codec.decode(chunk, t.table)
		}
		if err == io.EOF || t.table.Len() > from+records {
			err = fmt.Errorf("read a partition of %d records: %w", records, spill.ErrCorrupt)
		}
		if err != nil {
			return err
		}
	}
	l.lo, l.hi, l.pile = from, from+records, nil
	return nil
}

// giveBack moves a partition's records from the table to a pile. They are few: what they
// differ in only below dead values is forgotten, and equal ones are merged where the bits
// that are left promise that there are some.
func (t *TIPS) giveBack(p int32) error {
	l := &t.leaves[p]
	if l.records() == 0 {
		return nil
	}
	table, lo, hi := t.table, l.lo, l.hi
	t.joining.begin(table.Layout, t.active(p, false), t.sample(*l))
	t.joining.level(table, lo, hi)
	f := describe(table, lo, hi, l.size)
	if dense(f.records, f.varying, t.joining.live) {
		t.joined.merge(table, lo, hi)
		table, lo, hi = &t.joined.table, 0, t.joined.table.Len()
		f.records = hi
	}
	w := table.Layout.Words
	f.frame = t.codec.encodeNarrow(nil, table.Keys[lo*w:hi*w], table.Counts[lo:hi], f.sample, f.varying)
	l.pile, l.lo, l.hi = &pile{turn: t.turn(p)}, 0, f.records
	return t.pool.add(l.pile, f)
}

// schedule notes when the pile of a partition, if it has one, will be read.
func (t *TIPS) schedule(p int32) {
	if pile := t.leaves[p].pile; pile != nil {
		pile.turn = t.turn(p)
	}
}

// turn tells when the pile of a partition is read, compared with those of other partitions.
func (t *TIPS) turn(p int32) uint64 {
	return uint64(t.number)<<32 | uint64(uint32(p))
}
