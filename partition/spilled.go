package partition

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
		l.pile = &pile{}
		l.pile.note(table, l.lo, l.hi, l.size)
		for lo := l.lo; lo < l.hi; lo += t.block {
			hi := min(lo+t.block, l.hi)
			t.pool.page = t.codec.encode(t.pool.page[:0], table.Keys[lo*w:hi*w], table.Counts[lo:hi])
			if err := t.pool.append(l.pile, t.pool.page); err != nil {
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

// borrow brings a partition of at most a block into the table while work divides it, and
// gives every partition that work leaves there a pile.
func (t *TIPS) borrow(p int32, work func()) {
	born := len(t.leaves)
	t.fail(t.blocks(t.leaves[p].pile, true, func() error {
		t.leaves[p].pile = nil
		work()
		if err := t.giveBack(p); err != nil {
			return err
		}
		for q := born; q < len(t.leaves); q++ {
			if err := t.giveBack(int32(q)); err != nil {
				return err
			}
		}
		return nil
	}))
}

func (t *TIPS) giveBack(p int32) error {
	l := &t.leaves[p]
	if l.records() == 0 {
		return nil
	}
	lo, hi := l.lo, l.hi
	l.pile, l.lo, l.hi = &pile{}, 0, l.records()
	return t.pool.add(l.pile, t.codec, t.table, lo, hi, l.size)
}
